"""Topics over STOMP: what durable and shared subscriptions keep, and how they end."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import DestinationError, OptionError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Destination, Subscription, Transport
from tests.classic import ClassicBroker
from tests.transport.harness import PLENTY, receive, texts, to_batch
from tests.transport.stomp.brokers import RabbitBroker

pytestmark = pytest.mark.broker
BROKERS = ["artemis", "classic", "rabbitmq"]


class Topic:
    """A topic of the test's own, read under a client id of its own."""

    def __init__(self, broker: str, options: SourceOptions) -> None:
        self.broker = broker
        self.transport: Transport = open_transport(options)
        self.destination = Destination(f"news-{uuid.uuid4().hex[:12]}", "topic")
        self.client_id = f"client-{uuid.uuid4().hex[:12]}"

    def publish(self, *bodies: str) -> None:
        producer = self.transport.open_producer(self.destination)
        producer.send(to_batch(*[Message(body=body) for body in bodies]))
        producer.commit()
        producer.close()

    def subscribe(self, kind: str, name: str | None = None, **spec: Any) -> Consumer:
        spec.setdefault("client_id", self.client_id if kind == "durable" else None)
        key = "JMSMessageID" if self.broker == "rabbitmq" else None
        return self.transport.open_consumer(
            ConsumerSpec(self.destination, dedup_key=key, subscription=Subscription(kind, name), **spec)
        )


@pytest.fixture(params=BROKERS)
def topic(request: pytest.FixtureRequest) -> Iterator[Topic]:
    if request.param == "artemis":
        options = SourceOptions(url=request.getfixturevalue("artemis").stomp_url)
    elif request.param == "classic":
        classic: ClassicBroker = request.getfixturevalue("classic")
        options = SourceOptions(url=classic.stomp_url)
    else:
        rabbitmq: RabbitBroker = request.getfixturevalue("rabbitmq")
        options = SourceOptions(url=rabbitmq.url, user="guest", password="guest")
    made = Topic(request.param, options)
    yield made
    made.transport.close()


def test_a_non_durable_subscription_gets_what_is_published_meanwhile(topic: Topic) -> None:
    topic.publish("before")
    consumer = topic.subscribe("nonDurable")
    topic.publish("during")
    (message,) = receive(consumer, 1)
    assert (message.body, message.destination) == ("during", str(topic.destination))
    consumer.commit()


def test_a_non_durable_subscription_gives_again_what_is_rolled_back(topic: Topic) -> None:
    consumer = topic.subscribe("nonDurable")
    topic.publish("a", "b", "c")
    assert texts(receive(consumer, 2)) == ["a", "b"]
    consumer.rollback()
    assert texts(receive(consumer, 1)) == ["a"]
    consumer.rollback()
    again = receive(consumer, 3)
    assert [(m.body, m.redelivered, m.delivery_count) for m in again] == [
        ("a", True, 2),
        ("b", True, 2),
        ("c", False, 1),
    ]
    consumer.commit()
    consumer.rollback()
    topic.publish("d")
    (last,) = receive(consumer, 1)
    assert (last.body, last.redelivered) == ("d", False)


def test_odd_names_are_the_brokers_own(rabbitmq: RabbitBroker) -> None:
    topic = Topic("rabbitmq", SourceOptions(url=rabbitmq.url, user="guest", password="guest"))
    topic.destination = Destination(f"{topic.destination.name}/a b%20ü+;&=?:@,€", "topic")
    consumer = topic.subscribe("nonDurable")
    topic.publish("x")
    (message,) = receive(consumer, 1)
    assert message.destination == str(topic.destination)
    topic.transport.close()


def test_a_durable_subscription_keeps_what_is_published_while_nobody_reads(topic: Topic) -> None:
    topic.subscribe("durable", "mine").close()
    topic.publish("a", "b", "c")
    consumer = topic.subscribe("durable", "mine")
    assert texts(receive(consumer, 2)) == ["a", "b"]
    consumer.rollback()
    assert texts(receive(consumer, 2)) == ["a", "b"]
    consumer.commit()
    consumer.close()
    (last,) = receive(topic.subscribe("durable", "mine"), 1)
    assert (last.body, last.destination) == ("c", str(topic.destination))


def test_an_unsubscribed_subscription_keeps_nothing(topic: Topic) -> None:
    mine = Subscription("durable", "mine")
    topic.subscribe("durable", "mine").close()
    topic.publish("gone")
    topic.transport.unsubscribe(topic.destination, mine, topic.client_id)
    consumer = topic.subscribe("durable", "mine")
    topic.publish("new")
    assert texts(receive(consumer, 1)) == ["new"]
    consumer.commit()
    assert consumer.receive(1, PLENTY, 0.3).empty


def test_unsubscribing_what_is_not_there(topic: Topic) -> None:
    none = Subscription("durable", "none")
    if topic.broker == "classic":
        with pytest.raises(DestinationError, match="No durable subscription"):
            topic.transport.unsubscribe(topic.destination, none, topic.client_id)
    else:  # the others do not say
        topic.transport.unsubscribe(topic.destination, none, topic.client_id)


def test_a_shared_durable_subscription(topic: Topic) -> None:
    name = f"group-{uuid.uuid4().hex[:12]}"
    if topic.broker == "classic":
        with pytest.raises(OptionError, match="VirtualTopic"):
            topic.subscribe("sharedDurable", name)
        return
    topic.subscribe("sharedDurable", name).close()
    topic.publish("a", "b")
    first, second = (topic.subscribe("sharedDurable", name, prefetch=0) for _ in range(2))
    got = texts(receive(first, 1)) + texts(receive(second, 1))
    assert sorted(map(str, got)) == ["a", "b"]
    first.commit()
    second.commit()
    assert first.receive(1, PLENTY, 0.3).empty
    assert second.receive(1, PLENTY, 0.3).empty


def test_artemis_says_how_to_remove_a_shared_subscription(artemis: ArtemisBroker) -> None:
    transport = open_transport(SourceOptions(url=artemis.stomp_url))
    with pytest.raises(DestinationError, match="queue 'group'"):
        transport.unsubscribe(Destination("news", "topic"), Subscription("sharedDurable", "group"))
    transport.close()


def test_a_topic_has_no_depth(topic: Topic) -> None:
    assert topic.transport.depth(topic.destination) is None
