"""A queue into Delta: what each trigger reads, what it acknowledges, and how restarts go on."""

from __future__ import annotations

import json
import threading

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from tests.e2e.lab import Collected, Lab, ended, expected, input_rows, wait_until

pytestmark = pytest.mark.spark

CONTINUOUS = {"processingTime": "0 seconds"}


def test_available_now_reads_a_full_queue_in_its_first_run(lab: Lab) -> None:
    sent = lab.send(250)
    lab.run()
    assert lab.numbers() == expected(sent)
    assert lab.left() == 0


def test_available_now_acknowledges_its_last_batch(lab: Lab) -> None:
    lab.send(25)
    query = lab.run(lab.read(maxMessagesPerTrigger="10", receivers="1"), sink="noop")
    assert input_rows(query) == [10, 10, 5]
    assert (lab.waiting(), lab.unacknowledged()) == (0, 0)


def test_available_now_on_an_empty_queue_ends(lab: Lab) -> None:
    collected = Collected()
    lab.run(sink=collected)
    sent = lab.send(3)
    lab.run(sink=collected)
    assert collected.numbers == expected(sent)


def test_available_now_ends_under_constant_inflow(lab: Lab) -> None:
    """The inflow begins with the first batch, when the query has seen how much there was."""
    sent, collected = lab.send(50), Collected()
    started, stop = threading.Event(), threading.Event()

    def keep_sending() -> None:
        started.wait()
        while not stop.wait(0.002):
            lab.send(1)

    def collect(frame: DataFrame, batch: int) -> None:
        started.set()
        collected(frame, batch)

    sender = threading.Thread(target=keep_sending)
    sender.start()
    try:
        lab.run(lab.read(maxMessagesPerTrigger="20"), sink=collect)
    finally:
        stop.set()
        started.set()
        sender.join()
    landed = collected.numbers
    # As many as were there: which ones is the broker's choice between its consumers.
    assert len(set(landed)) == len(landed) >= len(sent)
    assert lab.left() == lab.sent - len(landed) > 0


def test_messages_sent_between_runs_land_once(lab: Lab) -> None:
    collected = Collected()
    first = lab.send(10)
    lab.run(sink=collected)
    second = lab.send(10)
    lab.run(sink=collected)
    lab.run(sink=collected)
    assert collected.numbers == expected(first, second)


def test_trigger_once_takes_the_queue_in_one_batch(lab: Lab) -> None:
    sent = lab.send(40)
    collected = Collected()
    lab.run(sink=collected, trigger={"once": True})
    assert collected.numbers == expected(sent)
    assert len(collected.batches) == 1


def test_trigger_once_with_a_limit_makes_progress_in_every_run(lab: Lab) -> None:
    """One batch holds what the receivers hold unacknowledged, and a segment is no larger than the limit."""
    sent = lab.send(20)
    collected = Collected()
    for _ in range(3):
        lab.run(lab.read(maxMessagesPerTrigger="10", receivers="1"), sink=collected, trigger={"once": True})
    assert collected.numbers == expected(sent)
    assert max(collected.sizes) <= 10


def test_a_running_query_takes_what_comes(lab: Lab) -> None:
    query = lab.start(trigger=CONTINUOUS)
    first = lab.send(5)
    wait_until(lambda: sum(input_rows(query)) == 5, query)
    second = lab.send(5)
    wait_until(lambda: sum(input_rows(query)) == 10 and lab.left() == 0, query)
    query.stop()
    assert lab.numbers() == expected(first, second)


def test_a_stopped_query_goes_on_from_its_checkpoint(lab: Lab) -> None:
    collected = Collected()
    first = lab.send(20)
    query = lab.start(sink=collected, trigger=CONTINUOUS)
    wait_until(lambda: sum(input_rows(query)) == 20, query)
    query.stop()
    second = lab.send(20)
    again = lab.start(sink=collected, trigger=CONTINUOUS)
    wait_until(lambda: sum(input_rows(again)) == 20, again)
    again.stop()
    assert collected.numbers == expected(first, second)


def test_no_batch_is_larger_than_max_messages_per_trigger(lab: Lab) -> None:
    lab.send(47)
    query = lab.run(lab.read(maxMessagesPerTrigger="10"), sink="noop")
    assert sum(input_rows(query)) == 47
    assert max(input_rows(query)) <= 10


def test_max_bytes_per_trigger_bounds_a_batch(lab: Lab) -> None:
    lab.send(40, filling="x" * 1000)
    query = lab.run(lab.read(maxBytesPerTrigger="8k", receivers="1"), sink="noop")
    assert sum(input_rows(query)) == 40
    assert max(input_rows(query)) <= 8


def test_min_messages_per_trigger_waits_for_that_many(lab: Lab) -> None:
    frame = lab.read(minMessagesPerTrigger="10", maxTriggerDelay="10m", receivers="1")
    collected = Collected()
    query = lab.start(frame, sink=collected, trigger=CONTINUOUS)
    lab.send(9)
    wait_until(lambda: lab.unacknowledged() == 9, query)
    assert not ended(query, 1)
    assert collected.rows == []
    lab.send(1)
    wait_until(lambda: len(collected.rows) == 10, query)
    assert collected.sizes[-1] == 10


def test_max_trigger_delay_ends_the_wait(lab: Lab) -> None:
    collected = Collected()
    frame = lab.read(minMessagesPerTrigger="1000", maxTriggerDelay="300ms")
    query = lab.start(frame, sink=collected, trigger=CONTINUOUS)
    sent = lab.send(3)
    wait_until(lambda: collected.numbers == expected(sent), query)


def test_progress_reports_where_the_journal_stands(lab: Lab) -> None:
    lab.send(5)
    query = lab.run(sink="noop")
    progress = query.lastProgress
    assert progress is not None
    latest = json.loads(progress.json)["sources"][0]["latestOffset"]
    assert (latest["journaled"], latest["duplicates"], latest["plan"]) == (5, 0, 1)


def test_continuous_processing_is_refused(lab: Lab) -> None:
    """Spark itself knows that this source works in micro-batches only."""
    with pytest.raises(PySparkException, match="jms"):
        lab.run(sink="noop", trigger={"continuous": "1 second"})
