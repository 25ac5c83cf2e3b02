"""What the tests with kills start from, as fixtures: a broker in a process of its own and a fresh trial on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Transport
from tests.brokers import artemis_connection
from tests.e2e.java_classes import compiled
from tests.e2e.trial import Trial


@pytest.fixture(scope="session")
def sending(artemis: ArtemisBroker) -> Iterator[Transport]:
    """The tests' own way to the broker that all share: to send and to look."""
    transport = open_transport(SourceOptions(provider="artemis", url=artemis.url))
    yield transport
    transport.close()


@pytest.fixture
def trial(tmp_path: Path, artemis: ArtemisBroker, sending: Transport) -> Iterator[Trial]:
    """A queue of the test's own on the shared broker."""
    trial = Trial(tmp_path, artemis_connection(artemis), sending)
    yield trial
    trial.close()


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[ArtemisBroker]:
    """A broker that a test may stop and kill; it drops nothing without a trace."""
    with ArtemisBroker(tmp_path / "broker", dead_letter_address="DLQ") as broker:
        yield broker


@pytest.fixture
def own_trial(tmp_path: Path, own_broker: ArtemisBroker) -> Iterator[Trial]:
    """A queue on a broker of the test's own."""
    transport = open_transport(SourceOptions(provider="artemis", url=own_broker.url))
    trial = Trial(tmp_path, artemis_connection(own_broker), transport)
    yield trial
    trial.close()
    transport.close()


@pytest.fixture(scope="session")
def halting_classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the Java class is that halts Spark's driver at one of its log files."""
    return compiled("HaltingCheckpointFileManager", tmp_path_factory.mktemp("classes"))
