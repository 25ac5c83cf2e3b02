"""Other ways to a broker than a queue on Artemis through its own client; kills and counts are tried on each."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.option_rules import read_options
from spark_jms_connector.source.settings import subscription
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Transport
from tests.brokers import artemis_connection
from tests.classic import ClassicBroker
from tests.e2e.trial import Trial


def classic_connection(broker: ClassicBroker) -> dict[str, str]:
    return {"provider": "activemq", "url": broker.url}


def _topic(kind: str, name: str, **more: str) -> dict[str, str]:
    return {"subscription": kind, "subscriptionName": name, **more}


# What a subscription is called, and the options that make it.
SUBSCRIPTIONS: Mapping[str, Callable[[str], dict[str, str]]] = {
    "durable": lambda name: _topic("durable", name, clientId=f"client-{name}"),
    "sharedDurable": lambda name: _topic("sharedDurable", name, receivers="2"),
}


@pytest.fixture(scope="session")
def to_classic(classic: ClassicBroker) -> Iterator[Transport]:
    """The tests' own way to Classic: to send and to look."""
    transport = open_transport(read_options(classic_connection(classic)))
    yield transport
    transport.close()


@pytest.fixture
def road(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trial]:
    """A trial over the road that the test is parametrized with."""
    trial = _trial(request, str(request.param), tmp_path)
    yield trial
    trial.close()


def _trial(request: pytest.FixtureRequest, name: str, folder: Path) -> Trial:
    broker, _, _ = name.rpartition("-")
    if name.endswith("classic") or broker == "classic":
        classic: ClassicBroker = request.getfixturevalue("classic")
        connection = classic_connection(classic)
        trial = Trial(folder, connection, request.getfixturevalue("to_classic"))
        stomp_url = classic.stomp_url
    else:
        artemis: ArtemisBroker = request.getfixturevalue("artemis")
        trial = Trial(folder, artemis_connection(artemis), request.getfixturevalue("sending"))
        stomp_url = artemis.stomp_url
        # Artemis may keep the first message of a dead STOMP connection from all others until it starts again.
        trial.restart_broker = artemis.restart if name.startswith("stomp") else None
    if name.startswith("stomp"):
        trial.connection = {"url": stomp_url}
    kind = name.rpartition("-")[2]
    if kind in SUBSCRIPTIONS:
        subscribe(trial, SUBSCRIPTIONS[kind](f"s-{uuid.uuid4().hex[:12]}"))
    return trial


def subscribe(trial: Trial, options: Mapping[str, str]) -> None:
    """Make the trial one over a topic; a subscription gets only what is published once it exists."""
    trial.connection = {**trial.connection, **options}
    trial.destination = Destination(f"topic-{uuid.uuid4().hex[:12]}", "topic")
    wanted = read_options(trial.connection)
    transport = open_transport(wanted)
    spec = ConsumerSpec(trial.destination, client_id=wanted.client_id, subscription=subscription(wanted))
    transport.open_consumer(spec).close()
    transport.close()
