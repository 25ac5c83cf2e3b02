"""Real brokers for tests, as fixtures that the conftest files import."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from spark_jms_connector.broker import ArtemisBroker
from tests.classic import ClassicBroker


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def artemis_connection(broker: ArtemisBroker) -> dict[str, str]:
    """The options that lead to a broker through Artemis' own client."""
    return {"provider": "artemis", "url": broker.url}


@pytest.fixture(scope="session")
def artemis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArtemisBroker]:
    """One Artemis for the whole run; tests keep apart by the names of their queues."""
    with ArtemisBroker(tmp_path_factory.mktemp("artemis")) as broker:
        yield broker


@pytest.fixture(scope="session")
def classic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassicBroker]:
    """One ActiveMQ Classic for the whole run."""
    with ClassicBroker(tmp_path_factory.mktemp("classic")) as broker:
        yield broker
