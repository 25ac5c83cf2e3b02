"""The transports that the contract suite runs on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Transport
from spark_jms_connector.transport.memory import MemoryServer
from spark_jms_connector.transport.memory_broker import MemoryBroker
from tests.classic import ClassicBroker
from tests.transport.harness import Bed
from tests.transport.stomp.brokers import RABBIT_MISSING, RabbitBroker

JAVA = ("artemis", "jms-activemq", "jms-qpid", "jms-javax")
BROKERS = (*JAVA, "stomp-artemis", "stomp-classic", "stomp-rabbitmq")
TRANSPORTS = ["memory", "memory-served", *(pytest.param(name, marks=pytest.mark.broker) for name in BROKERS)]


@pytest.fixture
def memory() -> Bed:
    return Bed("memory", MemoryBroker().transport())


@pytest.fixture
def memory_served(memory_server: MemoryServer) -> Bed:
    options = SourceOptions(url=memory_server.url, password=memory_server.token)
    return Bed("memory-served", open_transport(options), options)


@pytest.fixture(scope="session")
def artemis_options(artemis: ArtemisBroker) -> SourceOptions:
    return SourceOptions(provider="artemis", url=artemis.url)


@pytest.fixture(scope="session")
def activemq_options(classic: ClassicBroker) -> SourceOptions:
    return SourceOptions(provider="activemq", url=classic.url)


@pytest.fixture(scope="session")
def qpid_options(artemis: ArtemisBroker) -> SourceOptions:
    return SourceOptions(provider="qpid", url=artemis.amqp_url)


@pytest.fixture(scope="session")
def javax_options(artemis: ArtemisBroker) -> SourceOptions:
    return SourceOptions(provider="artemis-javax", url=artemis.url)


@pytest.fixture(scope="session")
def shared_transports() -> Iterator[dict[str, Transport]]:
    """One for all tests of a bed: each would start a Java process of its own."""
    opened: dict[str, Transport] = {}
    yield opened
    for transport in opened.values():
        transport.close()


def _java_bed(name: str, options: str) -> Any:
    def make(request: pytest.FixtureRequest, shared_transports: dict[str, Transport]) -> Bed:
        found: SourceOptions = request.getfixturevalue(options)
        if name not in shared_transports:
            shared_transports[name] = open_transport(found)
        return Bed(name, shared_transports[name], found)

    return pytest.fixture(make)


artemis_bed = _java_bed("artemis", "artemis_options")
activemq_bed = _java_bed("jms-activemq", "activemq_options")
qpid_bed = _java_bed("jms-qpid", "qpid_options")
javax_bed = _java_bed("jms-javax", "javax_options")


@pytest.fixture
def artemis_transport(artemis_bed: Bed) -> Transport:
    return artemis_bed.transport


@pytest.fixture(scope="session")
def rabbitmq(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitBroker]:
    if not RabbitBroker.installed():
        pytest.skip(RABBIT_MISSING)
    broker = RabbitBroker(tmp_path_factory.mktemp("rabbitmq")).start()
    yield broker
    broker.stop()


@pytest.fixture
def stomp_artemis_bed(artemis: ArtemisBroker) -> Bed:
    options = SourceOptions(url=artemis.stomp_url)
    return Bed("stomp-artemis", open_transport(options), options)


@pytest.fixture
def stomp_classic_bed(classic: ClassicBroker) -> Bed:
    options = SourceOptions(url=classic.stomp_url)
    return Bed("stomp-classic", open_transport(options), options)


@pytest.fixture
def stomp_rabbitmq_bed(rabbitmq: RabbitBroker) -> Bed:
    options = SourceOptions(url=rabbitmq.url, user="guest", password="guest", dedup_key="JMSMessageID")
    return Bed("stomp-rabbitmq", open_transport(options), options)


FIXTURES = {
    "memory": "memory",
    "memory-served": "memory_served",
    "artemis": "artemis_bed",
    "jms-activemq": "activemq_bed",
    "jms-qpid": "qpid_bed",
    "jms-javax": "javax_bed",
    "stomp-artemis": "stomp_artemis_bed",
    "stomp-classic": "stomp_classic_bed",
    "stomp-rabbitmq": "stomp_rabbitmq_bed",
}


@pytest.fixture(params=TRANSPORTS)
def bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """A transport under test with a fresh queue."""
    opened: Bed = request.getfixturevalue(FIXTURES[request.param])
    yield opened
    opened.close()


@pytest.fixture(params=JAVA)
def java_bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    """The same, through a JMS client only."""
    opened: Bed = request.getfixturevalue(FIXTURES[request.param])
    yield opened
    opened.close()
