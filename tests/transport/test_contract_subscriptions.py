"""The contract on what a subscription is: its name, its terms, who may use it, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from spark_jms_connector.errors import DestinationError, SelectorError, TransportError
from spark_jms_connector.message import Message, Value
from tests.transport.harness import REFUSALS, Bed, bodies, fresh_topic, nothing_left

durable_kinds = pytest.mark.parametrize("kind", ["durable", "sharedDurable"])
unshared_kinds = pytest.mark.parametrize("kind", ["nonDurable", "durable"])


# Names


@pytest.mark.parametrize("kind", ["durable", "shared", "sharedDurable"])
def test_the_longest_name_that_every_provider_takes(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    name = ("aZ_09.-" * 20)[: 128 - len(bed.scoped(""))]
    consumer = bed.subscriber(kind, name, client="me" if kind == "durable" else None)
    bed.publish("a")
    assert bodies(consumer, 1) == ["a"]


def test_a_durable_name_belongs_to_its_client_id(bed: Bed) -> None:
    bed.subscribe("durable", client="one")
    bed.publish("a")
    bed.subscribe("durable", client="other")
    bed.publish("b")
    assert bodies(bed.subscriber("durable", client="one"), 2) == ["a", "b"]
    assert bodies(bed.subscriber("durable", client="other"), 1) == ["b"]


def test_a_shared_name_belongs_to_its_client_id(bed: Bed) -> None:
    if not bed.offers("sharedDurable"):
        return
    bed.subscribe("sharedDurable")
    bed.subscribe("sharedDurable", client="one")
    bed.publish("a")
    assert bodies(bed.subscriber("sharedDurable"), 1) == ["a"]
    assert bodies(bed.subscriber("sharedDurable", client="one"), 1) == ["a"]


def test_shared_and_shared_durable_names_are_apart(bed: Bed) -> None:
    if not bed.offers("shared") or not bed.offers("sharedDurable"):
        return
    consumers = [bed.subscriber("shared"), bed.subscriber("sharedDurable")]
    bed.publish("a")
    assert [bodies(consumer, 1) for consumer in consumers] == [["a"], ["a"]]


@pytest.mark.parametrize(("was", "now"), [("durable", "sharedDurable"), ("sharedDurable", "durable")])
def test_both_durable_kinds_share_one_name_space(bed: Bed, was: str, now: str) -> None:
    if not bed.offers("sharedDurable"):
        return
    bed.subscribe(was, client="me")
    bed.publish("a")
    if bed.differs("name spaces"):
        assert bodies(bed.subscriber(now, client="me"), 1) == ["a"]
        return
    with pytest.raises(TransportError):
        bed.subscriber(now, client="me")
    assert bodies(bed.subscriber(was, client="me"), 1) == ["a"]


# One consumer, or many


def test_an_unshared_durable_subscription_has_one_consumer_at_a_time(bed: Bed) -> None:
    first = bed.subscriber("durable")
    bed.publish("a", "b")
    if bed.differs("one active consumer"):
        second = bed.subscriber("durable")
        got = bodies(first, 2, timeout=1) + bodies(second, 2, timeout=1)
        assert sorted(map(str, got)) == ["a", "b"]
        return
    with pytest.raises(TransportError, match=f"{bed.scoped('client-s')}|{bed.scoped('s')}|in use"):
        bed.subscriber("durable")
    assert bodies(first, 2) == ["a", "b"]
    first.close()
    assert bodies(bed.subscriber("durable"), 2) == ["a", "b"]


@pytest.mark.parametrize("kind", ["shared", "sharedDurable"])
def test_a_shared_subscription_in_use_cannot_change(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    consumer = bed.subscriber(kind)
    if bed.differs("change in use"):
        bed.subscriber(kind, topic=fresh_topic()).close()
    else:
        with pytest.raises(TransportError):
            bed.subscriber(kind, topic=fresh_topic())
    bed.publish("a")
    assert bodies(consumer, 1) == ["a"]


# Changes, which start a durable subscription anew


def check_reset(bed: Bed, kind: str, **change: Any) -> None:
    """With other terms the backlog is gone; what is published from then on arrives."""
    bed.subscribe(kind)
    bed.publish("old")
    if kind == "sharedDurable" and bed.differs("shared reset"):
        with pytest.raises(DestinationError, match=f"{bed.scoped('s')}.*another topic or selector"):
            bed.subscriber(kind, **change)
        assert bodies(bed.subscriber(kind), 1) == ["old"]
        return
    consumer = bed.subscriber(kind, **change)
    bed.send(Message(body="new", properties={"n": Value.of(1)}), queue=change.get("topic", bed.topic))
    if bed.differs("subscription reset"):
        assert bodies(consumer, 1) == ["old"]
        assert nothing_left(consumer) == ("topic" in change)
        return
    assert bodies(consumer, 1) == ["new"]
    consumer.commit()
    assert nothing_left(consumer)


@durable_kinds
def test_another_topic(bed: Bed, kind: str) -> None:
    if bed.offers(kind):
        check_reset(bed, kind, topic=fresh_topic())


def refuses_selectors(bed: Bed, kind: str) -> bool:
    return bed.differs("selector") or (kind == "sharedDurable" and bed.differs("shared selector"))


@durable_kinds
def test_another_selector(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    if refuses_selectors(bed, kind):
        bed.subscribe(kind)
        bed.publish("old")
        with pytest.raises(SelectorError):
            bed.subscriber(kind, selector="n = 1")
        assert bodies(bed.subscriber(kind), 1) == ["old"]
        return
    check_reset(bed, kind, selector="n = 1")


def offers_no_local(bed: Bed, kind: str) -> bool:
    if bed.differs("noLocal"):
        with pytest.raises(REFUSALS, match="noLocal"):
            bed.subscriber(kind, no_local=True)
        return False
    return True


def test_another_no_local(bed: Bed) -> None:
    if offers_no_local(bed, "durable"):
        check_reset(bed, "durable", no_local=True)


@durable_kinds
def test_the_same_again_changes_nothing(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    bed.subscribe(kind, prefetch=5)
    bed.publish("a")
    bed.subscribe(kind, prefetch=0)
    bed.subscribe(kind, dedup_key="JMSMessageID")
    assert bodies(bed.subscriber(kind), 1) == ["a"]


@unshared_kinds
def test_no_local_leaves_out_nothing_of_others(bed: Bed, kind: str) -> None:
    if not offers_no_local(bed, kind):
        return
    consumer = bed.subscriber(kind, no_local=True)
    bed.publish("a", "b")
    assert bodies(consumer, 2) == ["a", "b"]


@pytest.mark.parametrize("kind", ["durable", "sharedDurable"])
def test_a_selector_decides_what_a_subscription_keeps(bed: Bed, kind: str) -> None:
    if not bed.offers(kind):
        return
    if refuses_selectors(bed, kind):
        with pytest.raises(SelectorError):
            bed.subscriber(kind, selector="n = 1")
        return
    bed.subscribe(kind, selector="n = 1")
    for number in (1, 2, 1):
        bed.send(Message(body=f"n{number}", properties={"n": Value.of(number)}), queue=bed.topic)
    consumer = bed.subscriber(kind, selector="n = 1")
    assert bodies(consumer, 2) == ["n1", "n1"]
    assert nothing_left(consumer)


# Unsubscribing


def offers_removal(bed: Bed, kind: str) -> bool:
    if not bed.offers(kind):
        return False
    if kind == "sharedDurable" and bed.differs("shared removal"):
        bed.subscribe(kind)
        bed.publish("a")
        with pytest.raises(DestinationError, match=f"(?s)shared.*{bed.scoped('s')}"):
            bed.unsubscribe(kind)
        assert bodies(bed.subscriber(kind), 1) == ["a"]
        return False
    return True


@durable_kinds
def test_unsubscribe_removes_what_waits(bed: Bed, kind: str) -> None:
    if not offers_removal(bed, kind):
        return
    for name in ("gone", "stays"):
        bed.subscribe(kind, name)
    bed.publish("old")
    bed.unsubscribe(kind, "gone")
    consumer = bed.subscriber(kind, "gone")
    bed.publish("new")
    assert bodies(consumer, 1) == ["new"]
    assert bodies(bed.subscriber(kind, "stays"), 2) == ["old", "new"]


@durable_kinds
def test_a_subscription_in_use_is_not_removed(bed: Bed, kind: str) -> None:
    if not offers_removal(bed, kind):
        return
    consumer = bed.subscriber(kind)
    bed.publish("a", "b")
    assert bodies(consumer, 1) == ["a"]
    if bed.differs("removal in use" if kind == "sharedDurable" else "removal of one in use"):
        bed.unsubscribe(kind)
        with pytest.raises(TransportError):
            while not nothing_left(consumer):
                pass
            consumer.commit()
        another = bed.subscriber(kind)
        bed.publish("c")
        assert bodies(another, 1) == ["c"]
        return
    with pytest.raises(DestinationError, match="use"):
        bed.unsubscribe(kind)
    assert bodies(consumer, 1) == ["b"]
    consumer.rollback()
    assert bodies(consumer, 2) == ["a", "b"]
    consumer.close()
    bed.unsubscribe(kind)


@durable_kinds
def test_what_does_not_exist_is_not_removed(bed: Bed, kind: str) -> None:
    if not offers_removal(bed, kind):
        return
    bed.subscribe(kind, "another")
    if bed.differs("unsubscribe missing"):
        bed.unsubscribe(kind)
        return
    with pytest.raises(DestinationError, match=bed.scoped("s")):
        bed.unsubscribe(kind)
    bed.unsubscribe(kind, "another")
    with pytest.raises(DestinationError, match=bed.scoped("another")):
        bed.unsubscribe(kind, "another")


def test_a_name_is_free_once_unsubscribed(bed: Bed) -> None:
    if not bed.offers("sharedDurable"):
        return
    bed.subscribe("durable", client="me")
    bed.unsubscribe("durable", client="me")
    consumer = bed.subscriber("sharedDurable", client="me")
    bed.publish("a")
    assert bodies(consumer, 1) == ["a"]
