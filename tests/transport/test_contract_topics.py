"""The contract on topics: who gets a copy, what is kept for whom, what is shared, and what comes back."""

from __future__ import annotations

import time

import pytest

from spark_jms_connector.message import Message
from tests.transport.harness import (
    PLENTY,
    Bed,
    below,
    bodies,
    fresh_topic,
    nothing_left,
    receive,
    take,
    texts,
    to_batch,
    when_free,
)
from tests.transport.holder import kill_a_holder

KINDS = ("nonDurable", "durable", "shared", "sharedDurable")
SHARED = ("shared", "sharedDurable")
DURABLE = ("durable", "sharedDurable")

every_kind = pytest.mark.parametrize("kind", KINDS)
shared_kinds = pytest.mark.parametrize("kind", SHARED)
durable_kinds = pytest.mark.parametrize("kind", DURABLE)


def marked(bed: Bed, kind: str, held: int, ahead: int = 0) -> list[bool]:
    """Which messages come back as redelivered: of those that were held, and of those that were only sent ahead."""
    if kind != "nonDurable" and bed.differs("redelivered durable"):
        return [False] * (held + ahead)
    if kind != "nonDurable" and bed.differs("redelivered head"):
        return [True] + [False] * (held + ahead - 1)
    return [True] * held + [bed.differs("redelivered all")] * ahead


# Copies


@every_kind
def test_a_subscription_gets_what_is_published_in_order(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    consumer = bed.subscriber(kind)
    sent = [f"m{number}" for number in range(200)]
    bed.publish(*sent[:100])
    bed.publish(*sent[100:])
    got = receive(consumer, 200)
    assert texts(got) == sent
    assert {(m.destination, m.delivery_count, m.redelivered) for m in got} == {(str(bed.topic), 1, False)}
    consumer.commit()
    assert nothing_left(consumer)


@pytest.mark.parametrize(("one", "other"), [(one, other) for one in KINDS for other in KINDS if one <= other])
def test_each_subscription_has_its_own_copy(bed: Bed, one: str, other: str) -> None:
    if not bed.offers(one) or not bed.offers(other):
        return
    first, second = bed.subscriber(one, "one"), bed.subscriber(other, "other")
    bed.publish("a", "b")
    assert bodies(first, 2) == ["a", "b"]
    first.commit()
    first.close()
    assert bodies(second, 2) == ["a", "b"]
    second.rollback()
    assert bodies(second, 2) == ["a", "b"]


def test_a_topic_without_subscribers_takes_everything_and_keeps_nothing(bed: Bed) -> None:
    bed.publish("early")
    consumer = bed.subscriber("durable")
    bed.publish("late")
    assert bodies(consumer, 1) == ["late"]
    assert nothing_left(consumer)


def test_a_topic_has_no_depth(bed: Bed) -> None:
    bed.subscribe("durable")
    bed.publish("a")
    assert bed.depth(bed.topic) is None


def test_other_topics_are_other_topics(bed: Bed) -> None:
    consumer = bed.subscriber("nonDurable")
    bed.publish("elsewhere", topic=fresh_topic())
    bed.publish("below", topic=below(bed.topic, "x"))
    bed.publish("here")
    assert bodies(consumer, 1) == ["here"]


# Lifetimes


def test_a_non_durable_subscription_ends_with_its_consumer(bed: Bed) -> None:
    bed.publish("before")
    first = bed.subscriber("nonDurable")
    bed.publish("uncommitted", "waiting")
    assert bodies(first, 1) == ["uncommitted"]
    first.close()
    bed.publish("between")
    second = bed.subscriber("nonDurable")
    bed.publish("after")
    assert bodies(second, 1) == ["after"]


@durable_kinds
def test_a_durable_subscription_keeps_what_is_published_meanwhile(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    bed.subscribe(kind)
    bed.publish("a", "b")
    consumer = bed.subscriber(kind)
    bed.publish("c")
    assert bodies(consumer, 3) == ["a", "b", "c"]
    consumer.commit()
    consumer.close()
    bed.publish("d")
    assert bodies(bed.subscriber(kind), 1) == ["d"]


@durable_kinds
def test_what_was_not_committed_waits_for_the_next_consumer(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    first = bed.subscriber(kind)
    bed.publish("a", "b", "c")
    assert bodies(first, 1) == ["a"]
    first.commit()
    assert bodies(first, 1) == ["b"]
    first.close()
    second = bed.subscriber(kind)
    again = receive(second, 2)
    assert texts(again) == ["b", "c"]
    assert [m.redelivered for m in again] == marked(bed, kind, held=1, ahead=1)
    second.commit()
    assert nothing_left(second)


def test_a_shared_subscription_ends_with_its_last_consumer(bed: Bed) -> None:
    if not bed.offers("shared"):
        return
    first, second = bed.subscriber("shared"), bed.subscriber("shared")
    first.close()
    bed.publish("kept")
    assert bodies(second, 1) == ["kept"]
    second.close()
    bed.publish("between")
    third = bed.subscriber("shared")
    bed.publish("after")
    assert bodies(third, 1) == ["after"]


# Sharing


@shared_kinds
def test_consumers_of_a_shared_subscription_share_its_messages(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    consumers = [bed.subscriber(kind, prefetch=5) for _ in range(2)]
    sent = [f"m{number:03}" for number in range(100)]
    bed.publish(*sent)
    got: list[str] = []
    deadline = time.monotonic() + 20
    while len(got) < 100 and time.monotonic() < deadline:
        for consumer in consumers:
            got += consumer.receive(7, PLENTY, 0.2).batch.column("text").to_pylist()
            if bed.differs("window"):
                consumer.commit()
    for consumer in consumers:
        assert nothing_left(consumer)
        consumer.commit()
    assert sorted(got) == sent


@shared_kinds
def test_what_one_consumer_gives_back_another_gets(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    first = bed.subscriber(kind)
    bed.publish("a", "b")
    assert bodies(first, 2) == ["a", "b"]
    second = bed.subscriber(kind)
    assert nothing_left(second)
    first.close()
    got = bodies(second, 2)
    assert (sorted(map(str, got)) if bed.differs("order back") else got) == ["a", "b"]


# Transactions


@every_kind
def test_rollback_redelivers_with_a_raised_count(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    consumer = bed.subscriber(kind)
    bed.publish("a", "b")
    rounds = []
    for _ in range(3):
        rounds.append(receive(consumer, 2))
        consumer.rollback()
    assert [texts(got) for got in rounds] == [["a", "b"]] * 3
    assert len({m.message_id for got in rounds for m in got}) == 2
    assert [[m.redelivered for m in got] for got in rounds] == [[False] * 2, *[marked(bed, kind, held=2)] * 2]
    if not bed.differs("delivery count"):
        assert [[m.delivery_count for m in got] for got in rounds] == [[1] * 2, [2] * 2, [3] * 2]


def test_publishing_is_visible_at_commit_only(bed: Bed) -> None:
    consumer, producer = bed.subscriber("durable"), bed.producer(bed.topic)
    producer.send(to_batch(Message(body="rolled back")))
    producer.rollback()
    producer.send(to_batch(Message(body="kept")))
    assert nothing_left(consumer)
    producer.commit()
    producer.send(to_batch(Message(body="abandoned")))
    producer.close()
    assert bodies(consumer, 1) == ["kept"]
    assert nothing_left(consumer)


@durable_kinds
def test_a_killed_client_gives_its_messages_back(bed: Bed, kind: str) -> None:
    bed.child_options()
    if not bed.offers(kind):
        return
    bed.subscribe(kind)
    bed.publish("a", "b", "c", "d")
    kill_a_holder(bed, bed.subscription(kind), 2)
    again = receive(when_free(bed, bed.subscription(kind)), 4, timeout=60)
    assert sorted(map(str, texts(again))) == ["a", "b", "c", "d"]
    held = [message for message in again if message.body in ("a", "b")]
    certain = 1 if bed.differs("redelivered head") else 2
    assert [m.redelivered for m in held][:certain] == marked(bed, kind, held=2)[:certain]
    if not bed.differs("delivery count"):
        assert [m.delivery_count for m in held] == [2] * 2


@durable_kinds
def test_keys_are_stable_over_redelivery(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    bed.subscribe(kind)
    bed.publish("a", "a")
    first = bed.subscriber(kind)
    keys = take(first, 2).column("key").to_pylist()
    assert len(set(keys)) == 2
    first.close()
    assert take(bed.subscriber(kind), 2).column("key").to_pylist() == keys


# What waits


@durable_kinds
def test_priority_and_expiry_of_what_waits(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    bed.subscribe(kind)
    soon = int(time.time() * 1000) + 300
    messages = [Message(body=str(priority), priority=priority) for priority in (1, 9, 4)]
    bed.send(Message(body="expires", expiration=soon), *messages, queue=bed.topic)
    while time.time() * 1000 < soon + 500:
        time.sleep(0.05)
    consumer = bed.subscriber(kind)
    assert bodies(consumer, 3) == (["1", "9", "4"] if bed.differs("priority") else ["9", "4", "1"])
    assert nothing_left(consumer)
