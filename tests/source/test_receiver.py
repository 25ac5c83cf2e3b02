"""One receiver on the memory broker: when it seals, when it commits, and how it spares delivery counts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector.errors import AccessError, ConnectionLostError, FencedError, TransportError
from spark_jms_connector.source import receiver as receiver_module
from spark_jms_connector.source import retries
from spark_jms_connector.transport.base import ConsumerSpec
from spark_jms_connector.transport.memory_session import ConsumerSession
from tests.model.spark_world import QUEUE
from tests.source.conftest import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


# Sealing


# Transactions of at most 1, 2, 4 … 256 and 500 messages; then careful is over.
GROWN = 10


def test_a_segment_ends_on_its_limit_of_messages(bench: Bench) -> None:
    bench.make(max_messages=2)
    bench.send(*"abc")
    bench.steps(2)
    assert bench.receiver.waiting is not None
    assert bench.receiver.waiting.seal.rows == 2


def test_a_segment_ends_on_its_limit_of_bytes(bench: Bench) -> None:
    bench.make(max_bytes=1)
    bench.send(*"ab")
    bench.steps(2)
    assert bench.receiver.waiting is not None
    assert bench.receiver.waiting.seal.rows == 1


def test_a_segment_ends_when_the_queue_is_empty_or_spark_asks(bench: Bench) -> None:
    bench.send("a")
    bench.steps(2)
    assert bench.receiver.filling == 1
    bench.steps()
    assert (bench.receiver.filling, bench.receiver.segments) == (0, 1)


def test_a_patient_receiver_seals_few_messages_only_on_demand(bench: Bench) -> None:
    bench.custody.patient = True
    bench.send("a")
    bench.steps(5)
    assert (bench.receiver.filling, bench.receiver.segments) == (1, 0)
    bench.custody.set_demand(True)
    bench.steps()
    assert (bench.receiver.filling, bench.receiver.segments) == (0, 1)


def test_sequence_numbers_go_on_over_segments(bench: Bench) -> None:
    bench.make(max_messages=2, on_journal=True)
    bench.send(*"abcde")
    bench.until(lambda: bench.receiver.segments == 3)
    assert [h.seal.first_sequence for h in bench.custody.holdings] == [0, 2, 4]


def test_it_runs_only_so_far_ahead_of_the_plans(bench: Bench) -> None:
    bench.make(max_messages=1, on_journal=True)
    bench.send(*"abcdefgh")
    bench.steps(30)
    assert bench.receiver.segments == receiver_module.SEGMENTS_AHEAD
    assert bench.receiver.full() and not bench.receiver.can_work()


def test_nothing_is_received_once_there_is_enough(bench: Bench) -> None:
    bench.custody.patient = True
    bench.send("a")
    bench.steps(2)
    bench.custody.set_enough()
    bench.send("b")
    bench.steps(5)
    assert [h.seal.rows for h in bench.custody.holdings] == [1]


# Committing


def test_nothing_is_acknowledged_before_its_batch_is_in_the_commit_log(bench: Bench) -> None:
    bench.send(*"ab")
    bench.until(lambda: bench.receiver.waiting)
    bench.steps(5)
    assert len(bench.session.received) == 2
    bench.settle()
    bench.steps()
    assert bench.session.received == []
    assert bench.custody.counters.acknowledged == 2
    assert len(bench.custody.journal.list().acknowledged) == 1


def test_messages_may_be_acknowledged_once_they_are_in_the_journal(bench: Bench) -> None:
    bench.make(on_journal=True)
    bench.send(*"ab")
    bench.until(lambda: bench.receiver.segments)
    assert bench.session.received == []
    assert bench.receiver.waiting is None


def test_a_transaction_that_holds_only_copies_waits_for_no_plan(bench: Bench) -> None:
    bench.send("a")
    [message] = bench.broker.browse(QUEUE)
    bench.until(lambda: bench.receiver.waiting)
    bench.settle()
    bench.until(lambda: not bench.receiver.waiting)
    bench.broker.repeat(replace(message, delivery_count=0))
    bench.until(lambda: bench.receiver.waiting)
    bench.steps()
    assert bench.receiver.waiting is None
    assert bench.custody.counters.acknowledged == 2


def test_a_fenced_receiver_commits_nothing_and_gives_everything_back(bench: Bench) -> None:
    bench.make(on_journal=True)
    bench.send(*"ab")
    bench.steps(2)
    bench.custody.journal.claim([bench.custody.generation], {})
    with pytest.raises(FencedError):
        bench.steps(5)
    assert bench.receiver.stopped and not bench.receiver.connected
    assert len(bench.broker.browse(QUEUE)) == 2


def test_a_fenced_receiver_that_lost_its_session_opens_no_other(bench: Bench) -> None:
    bench.steps()
    bench.session.close()
    bench.steps()
    bench.custody.journal.claim([bench.custody.generation], {})
    bench.now += 1
    with pytest.raises(FencedError):
        bench.steps()
    assert bench.receiver.stopped and not bench.receiver.connected


@pytest.mark.parametrize("applied", [True, False])
def test_a_commit_of_unknown_outcome_is_not_taken_for_one(bench: Bench, applied: bool) -> None:
    bench.make(on_journal=True)
    bench.steps()
    bench.broker.fail_next_commit(bench.session, applied=applied)
    bench.send(*"ab")
    bench.until(lambda: not bench.receiver.connected)
    assert bench.custody.counters.acknowledged == 0
    assert bench.custody.journal.list().acknowledged == frozenset()
    bench.now += 1
    bench.steps(10)
    assert bench.custody.counters.acknowledged == (0 if applied else 2)
    assert bench.session.received == []
    assert bench.broker.browse(QUEUE) == []


# Sparing delivery counts


def test_redelivered_messages_are_committed_at_once(bench: Bench) -> None:
    bench.send("a")
    bench.steps(2)
    bench.counts()
    bench.make()
    bench.send("b")
    bench.until(lambda: bench.receiver.segments)
    assert bench.session.received == []
    assert bench.custody.counters.redelivered == 1


def _prefetches(bench: Bench) -> list[int | None]:
    return [session.spec.prefetch for session in bench.transport.opened]


def test_after_an_unclean_start_it_is_careful_until_what_it_commits_is_fresh(bench: Bench) -> None:
    bench.make(careful_start=True)
    _commit_one_by_one(bench, GROWN)
    assert _prefetches(bench) == [0]
    bench.steps()
    assert _prefetches(bench) == [0, None]
    bench.send("b")
    bench.until(lambda: bench.receiver.waiting)
    bench.steps(3)
    assert bench.custody.counters.acknowledged == GROWN


def _commit_one_by_one(bench: Bench, count: int) -> None:
    for number in range(count):
        bench.send(f"one-{number}")
        bench.until(partial(_acknowledged, bench, number + 1))
    bench.settle()


def _acknowledged(bench: Bench, count: int) -> bool:
    return bench.custody.counters.acknowledged == count


def test_careful_begins_with_one_message_and_takes_more_while_all_goes_well(bench: Bench) -> None:
    bench.send(*(f"m{number}" for number in range(40)))
    bench.steps()
    bench.broker.lose(bench.session)
    bench.make(careful_start=True)
    bench.until(lambda: bench.custody.counters.acknowledged == 40)
    assert [h.seal.rows for h in bench.custody.holdings] == [1, 2, 4, 8, 16, 9]
    assert set(_prefetches(bench)[1:]) == {0}


def test_careful_never_parks_for_want_of_a_plan(bench: Bench) -> None:
    """What was redelivered cannot wait: each kill would bring it nearer to the limit."""
    bench.send(*"abcdefgh")
    bench.steps()
    bench.broker.lose(bench.session)
    bench.make(careful_start=True, max_messages=1)
    bench.until(lambda: bench.custody.counters.acknowledged == 8)
    assert bench.receiver.segments > receiver_module.SEGMENTS_AHEAD


def test_the_users_prefetch_comes_back_after_the_careful_time(bench: Bench) -> None:
    bench.make(careful_start=True, spec=ConsumerSpec(QUEUE, prefetch=7))
    _commit_one_by_one(bench, GROWN)
    bench.until(lambda: len(bench.transport.opened) == 2)
    assert _prefetches(bench) == [0, 7]


def test_a_lost_session_makes_it_careful(bench: Bench) -> None:
    bench.steps()
    bench.broker.lose(bench.session)
    bench.steps()
    bench.now += 1
    bench.steps()
    assert _prefetches(bench) == [None, 0]
    assert bench.custody.counters.reconnects == 1


# Losing the broker


class Refusing:
    """A transport whose broker is away, or refuses."""

    def __init__(self, error: TransportError) -> None:
        self.error = error

    def open_consumer(self, spec: ConsumerSpec) -> ConsumerSession:
        raise self.error


def test_a_lost_broker_is_tried_again_with_growing_pauses_then_given_up(bench: Bench) -> None:
    bench.steps()
    bench.broker.lose(bench.session)
    bench.receiver._transport = Refusing(ConnectionLostError("Nobody there."))  # type: ignore[assignment]
    pauses = []
    with pytest.raises(
        TransportError, match=r"Nobody there\. Tried again for 60 s .*'reconnectTimeout'.*nothing is lost"
    ):
        for _ in range(1000):
            bench.steps()
            pauses.append(bench.receiver._retries.retry_at - bench.now)
            bench.now = bench.receiver._retries.retry_at
    assert pauses[:3] == pytest.approx([0.1, 0.2, 0.4])
    assert max(pauses) == pytest.approx(retries.BACKOFF_MAX)


def test_what_trying_again_cannot_mend_fails_at_once(bench: Bench) -> None:
    bench.steps()
    bench.broker.lose(bench.session)
    bench.steps()
    bench.receiver._transport = Refusing(AccessError("No."))  # type: ignore[assignment]
    bench.now += 1
    with pytest.raises(AccessError):
        bench.steps()


def test_a_broker_that_was_never_there_fails_at_once(bench: Bench) -> None:
    bench.receiver._transport = Refusing(ConnectionLostError("Nobody there."))  # type: ignore[assignment]
    with pytest.raises(ConnectionLostError):
        bench.steps()


def test_a_receiver_told_to_stop_while_it_receives_seals_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.make(on_journal=True)
    bench.steps()
    bench.send("a")
    real = bench.session.receive

    def receive(*arguments: Any) -> Any:
        received = real(*arguments)
        bench.receiver.close()
        return received

    monkeypatch.setattr(bench.session, "receive", receive)
    bench.steps(3)
    assert bench.receiver.segments == 0
    assert bench.counts() == [2]
