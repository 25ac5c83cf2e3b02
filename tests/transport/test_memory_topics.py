"""What only the memory broker can be asked about topics: failures on demand, noLocal, delays, refusals."""

from __future__ import annotations

import pytest

from spark_jms_connector.errors import CommitError, ConnectionLostError, DestinationError
from spark_jms_connector.message import Message
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.memory_broker import MemoryBroker
from spark_jms_connector.transport.memory_session import ConsumerSession
from spark_jms_connector.transport.memory_topics import matches
from tests.transport.harness import texts, to_batch
from tests.transport.test_memory import Clock, counts, poll

TOPIC = Destination("t", "topic")


@pytest.fixture
def broker() -> MemoryBroker:
    return MemoryBroker()


def publish(broker: MemoryBroker, *messages: Message, to: Destination = TOPIC, client_id: str | None = None) -> None:
    producer = broker.open_producer(to, client_id=client_id)
    producer.send(to_batch(*messages))
    producer.commit()
    producer.close()


def subscribe(broker: MemoryBroker, kind: str, topic: Destination = TOPIC, no_local: bool = False) -> ConsumerSession:
    subscription = Subscription(kind, None if kind == "nonDurable" else "s", no_local)
    client_id = None if kind.startswith("shared") else "me"
    return broker.open_consumer(ConsumerSpec(topic, client_id=client_id, subscription=subscription))


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a.b", "a.b", "a b a.b.c A.b a.*"),
        ("*", "a b", "a.b"),
        ("a.*", "a.b a.c", "a a.b.c b.a"),
        ("*.b", "a.b c.b", "b a.c a.a.b"),
        ("a.>", "a a.b a.b.c", "b ab b.a"),
        ("a.#", "a a.b a.b.c", "b ab b.a"),
        ("#", "a a.b", ""),
        ("a.#.z", "a.z a.b.z a.b.c.z", "a z a.b a.z.b"),
        ("*.*", "a.b", "a a.b.c"),
        ("a*", "a*", "ab a"),
    ],
)
def test_wildcards(pattern: str, matching: str, others: str) -> None:
    found = {topic for topic in f"{matching} {others}".split() if matches(pattern.split("."), topic.split("."))}
    assert found == set(matching.split())


@pytest.mark.parametrize("name", ["*", "a.*", "a.>", "#.a"])
def test_nothing_is_published_to_a_wildcard(broker: MemoryBroker, name: str) -> None:
    with pytest.raises(DestinationError, match="wildcards are for subscriptions"):
        broker.open_producer(Destination(name, "topic"))


def test_a_queue_and_a_topic_of_one_name_are_two(broker: MemoryBroker) -> None:
    queue = Destination(TOPIC.name)
    consumer = subscribe(broker, "durable")
    publish(broker, Message(body="queue"), to=queue)
    publish(broker, Message(body="topic"))
    assert texts(poll(consumer)) == ["topic"]
    assert texts(broker.browse(queue)) == ["queue"]


def test_no_local_leaves_out_what_is_published_under_its_client_id(broker: MemoryBroker) -> None:
    subscribe(broker, "durable", no_local=True).close()
    publish(broker, Message(body="mine"), client_id="me")
    publish(broker, Message(body="another's"), client_id="you")
    publish(broker, Message(body="nobody's"))
    assert texts(poll(subscribe(broker, "durable", no_local=True))) == ["another's", "nobody's"]


def test_without_no_local_ones_own_messages_come_too(broker: MemoryBroker) -> None:
    subscribe(broker, "durable").close()
    publish(broker, Message(body="mine"), client_id="me")
    assert texts(poll(subscribe(broker, "durable"))) == ["mine"]


def test_a_client_id_is_one_connections_also_for_producers(broker: MemoryBroker) -> None:
    subscribe(broker, "nonDurable")
    with pytest.raises(ConnectionLostError, match="'me'"):
        broker.open_producer(TOPIC, client_id="me")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (ConsumerSpec(TOPIC), "say of which kind"),
        (ConsumerSpec(Destination("q"), subscription=Subscription("nonDurable")), "for topics"),
        (ConsumerSpec(TOPIC, subscription=Subscription("durable", "s")), "needs a client id"),
        (ConsumerSpec(TOPIC, subscription=Subscription("shared")), "needs a name"),
        (ConsumerSpec(TOPIC, subscription=Subscription("shared", "s", no_local=True)), "noLocal"),
        (ConsumerSpec(Destination("x", "temporary")), "temporary:x"),
    ],
)
def test_what_cannot_be_subscribed_to(broker: MemoryBroker, spec: ConsumerSpec, says: str) -> None:
    with pytest.raises(DestinationError, match=says):
        broker.open_consumer(spec)
    assert broker.sessions == []


def test_the_two_durable_kinds_do_not_share_a_subscription(broker: MemoryBroker) -> None:
    broker.open_consumer(ConsumerSpec(TOPIC, subscription=Subscription("sharedDurable", "s"), client_id="me")).close()
    with pytest.raises(DestinationError, match="'s' exists as sharedDurable.*unsubscribe it first"):
        subscribe(broker, "durable")


def test_a_subscription_in_use_names_what_differs(broker: MemoryBroker) -> None:
    subscribe(broker, "shared")
    with pytest.raises(DestinationError, match="topic 't', .* not topic 'other'.*close its consumers first"):
        subscribe(broker, "shared", Destination("other", "topic"))


@pytest.mark.parametrize("kind", ["nonDurable", "shared"])
def test_only_durable_subscriptions_are_unsubscribed(broker: MemoryBroker, kind: str) -> None:
    with pytest.raises(DestinationError, match="ends with its last consumer"):
        broker.unsubscribe(TOPIC, Subscription(kind, "s"))


def test_a_subscription_is_not_removed_for_another_topic(broker: MemoryBroker) -> None:
    subscribe(broker, "sharedDurable").close()
    publish(broker, Message(body="a"))
    with pytest.raises(DestinationError, match="It is on 'topic:t'"):
        broker.unsubscribe(Destination("other", "topic"), Subscription("sharedDurable", "s"))
    assert texts(poll(subscribe(broker, "sharedDurable"))) == ["a"]


@pytest.mark.parametrize("kind", ["durable", "sharedDurable"])
def test_a_cut_client_goes_on_until_its_commit(broker: MemoryBroker, kind: str) -> None:
    cut = subscribe(broker, kind)
    publish(broker, Message(body="0"), Message(body="1"))
    assert texts(poll(cut, 1)) == ["0"]
    broker.cut(cut)
    other = subscribe(broker, kind)
    assert counts(poll(other)) == [2, 2]
    assert texts(poll(cut)) == ["1"]
    with pytest.raises(CommitError):
        cut.commit()
    other.commit()
    assert broker.browse(TOPIC) == []


@pytest.mark.parametrize("kind", ["nonDurable", "shared"])
def test_a_lost_connection_ends_a_subscription_that_is_not_durable(broker: MemoryBroker, kind: str) -> None:
    lost = subscribe(broker, kind)
    publish(broker, Message(body="gone"))
    broker.lose(lost)
    assert broker.browse(TOPIC) == []
    assert poll(subscribe(broker, kind)) == []


def test_a_session_that_ends_twice_leaves_its_successor_alone(broker: MemoryBroker) -> None:
    first = subscribe(broker, "shared")
    broker.cut(first)
    second = subscribe(broker, "shared")
    first.close()
    publish(broker, Message(body="a"))
    assert texts(poll(second)) == ["a"]


@pytest.mark.parametrize("address", [None, "DLQ"])
def test_the_redelivery_limit_holds_for_each_copy(address: str | None) -> None:
    broker = MemoryBroker(max_deliveries=2, dead_letter_address=address)
    bad, good = subscribe(broker, "durable"), subscribe(broker, "shared")
    publish(broker, Message(body="poison"))
    for expected in (1, 2):
        assert counts(poll(bad)) == [expected]
        bad.rollback()
    assert poll(bad) == []
    assert counts(poll(good)) == [1]
    left = broker.dropped if address is None else broker.browse(Destination(address))
    assert texts(left) == ["poison"]


def test_a_delayed_message_is_for_those_subscribed_when_it_was_sent() -> None:
    clock = Clock()
    broker = MemoryBroker(clock=clock)
    early = subscribe(broker, "durable")
    publish(broker, Message(body="later", delivery_time=int(clock() * 1000) + 2000))
    late = subscribe(broker, "shared")
    assert poll(early) == []
    clock.seconds += 3
    assert texts(poll(early)) == ["later"]
    assert poll(late) == []


def test_a_repeated_message_keeps_its_id(broker: MemoryBroker) -> None:
    consumer = subscribe(broker, "durable")
    publish(broker, Message(body="a"))
    (first,) = poll(consumer)
    consumer.commit()
    broker.repeat(first)
    (copy,) = poll(consumer)
    assert (copy.message_id, copy.delivery_count) == (first.message_id, 2)


def test_browsing_a_topic_shows_what_waits_in_its_subscriptions(broker: MemoryBroker) -> None:
    subscribe(broker, "durable").close()
    reading = subscribe(broker, "sharedDurable")
    publish(broker, Message(body="a"))
    assert texts(broker.browse(TOPIC)) == ["a"]
    reading.close()
    assert texts(broker.browse(TOPIC)) == ["a", "a"]
