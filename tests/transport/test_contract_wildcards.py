"""The contract on topics whose names hold wildcards."""

from __future__ import annotations

import pytest

from spark_jms_connector.transport.base import Destination
from tests.transport.harness import REFUSALS, Bed, below, nothing_left, receive

durable_kinds = pytest.mark.parametrize("kind", ["durable", "sharedDurable"])


def offers_wildcards(bed: Bed, topic: Destination) -> bool:
    if bed.differs("wildcards"):
        with pytest.raises(REFUSALS):
            bed.subscriber("nonDurable", topic=topic)
        return False
    return True


def test_one_word_may_be_any(bed: Bed) -> None:
    pattern = below(bed.topic, "*", "price")
    if not offers_wildcards(bed, pattern):
        return
    consumer = bed.subscriber("nonDurable", topic=pattern)
    matching = [below(bed.topic, "gold", "price"), below(bed.topic, "tin", "price")]
    for topic in (below(bed.topic, "price"), below(bed.topic, "a", "b", "price"), *matching):
        bed.publish(topic.name, topic=topic)
    got = receive(consumer, 2)
    assert [(m.body, m.destination) for m in got] == [(topic.name, str(topic)) for topic in matching]
    assert nothing_left(consumer)


@durable_kinds
def test_any_words_may_follow(bed: Bed, kind: str) -> None:
    pattern = below(bed.topic, "price", bed.any_words)
    if not bed.offers(kind) or not offers_wildcards(bed, pattern):
        return
    consumer = bed.subscriber(kind, topic=pattern)
    matching = [below(bed.topic, "price", *words) for words in ((), ("gold",), ("tin", "uk"))]
    for topic in (below(bed.topic, "prices"), below(bed.topic, "x", "price"), *matching):
        bed.publish(topic.name, topic=topic)
    got = receive(consumer, 3)
    assert [(m.body, m.destination) for m in got] == [(topic.name, str(topic)) for topic in matching]
    consumer.rollback()
    assert [m.destination for m in receive(consumer, 3)] == [str(topic) for topic in matching]
