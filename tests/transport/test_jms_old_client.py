"""A client from before JMS 2.0 (ActiveMQ 5.15, JMS 1.1 in javax.jms) against today's Classic."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from spark_jms_connector.errors import DestinationError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination, Subscription
from tests.classic import ClassicBroker
from tests.transport.harness import Bed, receive, texts

pytestmark = pytest.mark.broker

OLD_CLIENT = "org.apache.activemq:activemq-client:5.15.16"


@pytest.fixture(scope="module")
def old_options(classic: ClassicBroker) -> SourceOptions:
    factory = "org.apache.activemq.ActiveMQConnectionFactory"
    return SourceOptions(url=classic.url, connection_factory=factory, packages=(OLD_CLIENT,))


@pytest.fixture(scope="module")
def old(old_options: SourceOptions) -> Iterator[Bed]:
    transport = open_transport(old_options)
    bed = Bed("jms-activemq", transport, old_options)
    yield bed
    bed.close()
    transport.close()


def test_messages_come_through(old: Bed) -> None:
    old.send(Message("x", properties={"n": Value.of(7)}))
    consumer = old.consumer()
    (first,) = receive(consumer, 1)
    consumer.rollback()
    (again,) = receive(consumer, 1)
    consumer.commit()
    assert (first.body, first.properties["n"], first.delivery_time) == ("x", Value.of(7), None)
    assert (first.delivery_count, again.delivery_count) == (1, 2)


def test_a_durable_subscription_needs_no_jms_2(old: Bed) -> None:
    topic, client = Destination(f"old-{uuid.uuid4().hex[:8]}", "topic"), f"old-{uuid.uuid4().hex[:8]}"
    durable = Subscription("durable", "sub")
    old.consumer(topic, subscription=durable, client_id=client).close()
    old.send(Message("kept"), queue=topic)
    assert texts(old.drain(topic, subscription=durable, client_id=client)) == ["kept"]
    old.transport.unsubscribe(topic, durable, client)


@pytest.mark.parametrize("kind", ["shared", "sharedDurable"])
def test_a_shared_subscription_needs_jms_2(old: Bed, kind: str) -> None:
    with pytest.raises(DestinationError, match="no shared subscriptions"):
        old.consumer(Destination("t", "topic"), subscription=Subscription(kind, "sub"))
