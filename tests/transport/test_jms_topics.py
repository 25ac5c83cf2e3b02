"""Topics through real JMS clients: what one provider does and another does not."""

from __future__ import annotations

import time
import uuid

import pytest

from spark_jms_connector.errors import ConnectionLostError, DestinationError
from spark_jms_connector.message import Message
from spark_jms_connector.transport.base import Consumer, Destination, Subscription
from tests.transport.harness import Bed, receive, texts

pytestmark = pytest.mark.broker

# How a subscription to all topics below one is spelled: by the broker, not by JMS.
WILDCARDS = {"artemis": "#", "jms-activemq": ">", "jms-qpid": "#", "jms-javax": "#"}


@pytest.fixture
def topic() -> Destination:
    return Destination(f"topic-{uuid.uuid4().hex[:12]}", "topic")


def subscription(kind: str, **more: bool) -> Subscription:
    return Subscription(kind, None if kind == "nonDurable" else f"sub-{uuid.uuid4().hex[:8]}", **more)


def client_id() -> str:
    return f"client-{uuid.uuid4().hex[:8]}"


def published(*texts: str) -> list[Message]:
    return [Message(body=text) for text in texts]


@pytest.mark.parametrize("no_local", [False, True])
def test_a_non_durable_subscription_gets_what_is_published_while_it_lasts(
    java_bed: Bed, topic: Destination, no_local: bool
) -> None:
    java_bed.send(*published("before"), queue=topic)
    consumer = java_bed.consumer(topic, subscription=subscription("nonDurable", no_local=no_local))
    java_bed.send(*published("a", "b"), queue=topic)
    assert texts(receive(consumer, 2)) == ["a", "b"]
    consumer.commit()


@pytest.mark.parametrize("no_local", [False, True])
def test_a_durable_subscription_keeps_messages_until_it_is_removed(
    java_bed: Bed, topic: Destination, no_local: bool
) -> None:
    durable, client = subscription("durable", no_local=no_local), client_id()
    java_bed.consumer(topic, subscription=durable, client_id=client).close()
    java_bed.send(*published("a", "b"), queue=topic)
    consumer = java_bed.consumer(topic, subscription=durable, client_id=client)
    assert texts(receive(consumer, 1)) == ["a"]
    consumer.commit()
    consumer.close()
    assert texts(java_bed.drain(topic, subscription=durable, client_id=client)) == ["b"]
    java_bed.transport.unsubscribe(topic, durable, client)
    java_bed.send(*published("lost"), queue=topic)
    assert java_bed.drain(topic, subscription=durable, client_id=client) == []
    java_bed.transport.unsubscribe(topic, durable, client)


def test_a_held_client_id_may_be_tried_again(java_bed: Bed, topic: Destination) -> None:
    durable, client = subscription("durable"), client_id()
    consumer = java_bed.consumer(topic, subscription=durable, client_id=client)
    with pytest.raises(ConnectionLostError, match="in use"):
        java_bed.consumer(topic, subscription=durable, client_id=client)
    with pytest.raises(DestinationError, match="in use"):
        java_bed.transport.unsubscribe(topic, durable, client)
    consumer.close()
    java_bed.transport.unsubscribe(topic, durable, client)


def test_a_subscription_that_is_not_there_is_named(java_bed: Bed, topic: Destination) -> None:
    durable, client = subscription("durable"), client_id()
    with pytest.raises(DestinationError, match=f"(?s){durable.name}.*subscriptionName"):
        java_bed.transport.unsubscribe(topic, durable, client)


@pytest.mark.parametrize("kind", ["shared", "sharedDurable"])
def test_a_shared_subscription_divides_the_messages(java_bed: Bed, topic: Destination, kind: str) -> None:
    shared = subscription(kind)
    if java_bed.differs("shared"):
        with pytest.raises(DestinationError, match=r"queue=Consumer\.NAME\.VirtualTopic\.TOPIC"):
            java_bed.consumer(topic, subscription=shared)
        return
    consumers = [java_bed.consumer(topic, subscription=shared, prefetch=1) for _ in range(2)]
    sent = [f"{number}" for number in range(40)]
    java_bed.send(*published(*sent), queue=topic)
    got = _collect(consumers, len(sent))
    assert sorted(text for part in got for text in part) == sorted(sent)
    assert all(got), "each gets some"
    if shared.durable:
        _remove_while_in_use(java_bed, topic, shared, consumers)


def _remove_while_in_use(java_bed: Bed, topic: Destination, shared: Subscription, consumers: list[Consumer]) -> None:
    with pytest.raises(DestinationError, match="in use"):
        java_bed.transport.unsubscribe(topic, shared)
    for consumer in consumers:
        consumer.close()
    java_bed.transport.unsubscribe(topic, shared)


def _collect(consumers: list[Consumer], count: int) -> list[list[str]]:
    got: list[list[str]] = [[] for _ in consumers]
    deadline = time.monotonic() + 20
    while sum(map(len, got)) < count and time.monotonic() < deadline:
        for part, consumer in zip(got, consumers, strict=True):
            part += consumer.receive(3, 2**30, 0.2).batch.column("text").to_pylist()
            consumer.commit()
    return got


def test_a_virtual_topics_queue_takes_the_place_of_a_shared_subscription(activemq_bed: Bed) -> None:
    name = uuid.uuid4().hex[:8]
    queue = Destination(f"Consumer.{name}.VirtualTopic.{name}")
    consumers = [activemq_bed.consumer(queue, prefetch=1) for _ in range(2)]
    activemq_bed.send(*published("a", "b", "c", "d"), queue=Destination(f"VirtualTopic.{name}", "topic"))
    got = _collect(consumers, 4)
    assert sorted(text for part in got for text in part) == ["a", "b", "c", "d"]
    activemq_bed.close()


def test_a_wildcard_subscription_shows_the_concrete_topic(java_bed: Bed, topic: Destination) -> None:
    all_below = Destination(f"{topic.name}.{WILDCARDS[java_bed.name]}", "topic")
    consumer = java_bed.consumer(all_below, subscription=subscription("nonDurable"))
    for name in ("east", "west"):
        java_bed.send(*published(name), queue=Destination(f"{topic.name}.{name}", "topic"))
    shown = {message.destination for message in receive(consumer, 2)}
    assert shown == {f"topic:{topic.name}.east", f"topic:{topic.name}.west"}


def test_a_selector_on_a_durable_subscription(java_bed: Bed, topic: Destination) -> None:
    durable, client = subscription("durable"), client_id()
    consumer = java_bed.consumer(topic, subscription=durable, client_id=client, selector="JMSType = 'a'")
    java_bed.send(Message("x", type="b"), Message("y", type="a"), queue=topic)
    assert texts(receive(consumer, 1)) == ["y"]
    consumer.commit()


def test_a_topic_has_no_depth(java_bed: Bed, topic: Destination) -> None:
    assert java_bed.depth(topic) is None
