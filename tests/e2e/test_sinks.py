"""What sinks do with a batch: read it twice, join it with itself, feed two tables, run ahead of the commit log."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row

from tests.e2e.lab import Collected, Lab, expected, input_rows, wait_until

pytestmark = pytest.mark.spark

CONTINUOUS = {"processingTime": "0 seconds"}


def test_a_batch_read_more_than_once_has_the_same_rows(lab: Lab) -> None:
    sent = lab.send(40)
    counts: list[int] = []
    reads: list[list[Row]] = []

    def read_often(frame: DataFrame, batch: int) -> None:
        counts.append(frame.count())
        reads.append(frame.collect())
        reads.append(frame.collect())

    lab.run(lab.read("text STRING, n INT, JMSMessageID STRING"), sink=read_often)
    assert sum(counts) == 40
    assert reads[0::2] == reads[1::2]
    assert sorted(row.n for rows in reads[0::2] for row in rows) == expected(sent)


def test_one_batch_written_to_two_tables(lab: Lab) -> None:
    sent = lab.send(20)
    one, other = lab.folder / "one", lab.folder / "other"

    def write_both(frame: DataFrame, batch: int) -> None:
        for table in (one, other):
            once = {"txnAppId": table.name, "txnVersion": str(batch)}
            frame.write.format("delta").mode("append").options(**once).save(str(table))

    lab.run(sink=write_both)
    assert lab.numbers(one) == lab.numbers(other) == expected(sent)


def test_a_stream_united_with_itself_has_each_row_twice(lab: Lab) -> None:
    sent = lab.send(20)
    frame = lab.read(maxMessagesPerTrigger="10")
    collected = Collected()
    lab.run(frame.union(frame), sink=collected)
    assert collected.numbers == expected(sent, sent)
    for rows in collected.batches.values():
        numbers = sorted(row.n for row in rows)
        assert numbers[0::2] == numbers[1::2]


def test_two_streams_of_two_journals_on_one_queue_share_it(lab: Lab) -> None:
    sent = lab.send(20)
    collected = Collected()
    lab.run(lab.read().union(lab.read(journal=str(lab.folder / "second"))), sink=collected)
    assert collected.numbers == expected(sent)


def test_a_second_query_on_a_used_journal_is_refused_and_the_first_goes_on(lab: Lab) -> None:
    collected = Collected()
    first = lab.send(5)
    query = lab.start(sink=collected, trigger=CONTINUOUS)
    wait_until(lambda: sum(input_rows(query)) == 5, query)
    said = lab.failure(sink="noop", checkpoint=lab.folder / "another")
    assert "JournalMismatchError" in said and "a journal of its own" in said
    second = lab.send(5)
    wait_until(lambda: sum(input_rows(query)) == 10, query)
    assert collected.numbers == expected(first, second)


def test_of_two_queries_on_a_new_journal_the_later_wins_and_nothing_doubles(lab: Lab) -> None:
    earlier_rows, later_rows = Collected(), Collected()
    earlier = lab.start(sink=earlier_rows, trigger=CONTINUOUS)
    wait_until(lambda: bool(list(lab.journal.glob("claims/*"))), earlier)
    later = lab.start(sink=later_rows, trigger=CONTINUOUS, checkpoint=lab.folder / "another")
    wait_until(lambda: len(list(lab.journal.glob("openings/*"))) == 1 and bool(later.lastProgress), later)
    sent = lab.send(50)
    wait_until(lambda: len(earlier_rows.rows) + len(later_rows.rows) >= 50, later)
    with pytest.raises(PySparkException, match="taken over by"):
        wait_until(lambda: False, earlier)
    assert expected(earlier_rows.numbers, later_rows.numbers) == expected(sent)


@pytest.mark.parametrize("sink", ["noop", "console"])
def test_async_progress_tracking_is_refused_by_name(lab: Lab, sink: str) -> None:
    lab.send(50)
    frame = lab.read(maxMessagesPerTrigger="5", receivers="1")
    ahead = {"asyncProgressTrackingEnabled": "true", "asyncProgressTrackingCheckpointIntervalMs": "60000"}
    said = lab.failure(frame, sink=sink, trigger=CONTINUOUS, **ahead)
    assert "'asyncProgressTrackingEnabled'" in said
    assert lab.left() >= 40


def test_to_table(lab: Lab) -> None:
    sent = lab.send(10)
    name = f"orders_{uuid.uuid4().hex[:8]}"
    writer = lab.read().writeStream.format("delta").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(lab.checkpoint)).toTable(name)
    lab.queries.append(query)
    wait_until(lambda: not query.isActive, query)
    assert sorted(row.n for row in lab.spark.table(name).collect()) == expected(sent)
    lab.spark.sql(f"DROP TABLE {name}")


def test_a_transformed_stream_lands(lab: Lab) -> None:
    lab.send(20)
    frame = lab.read().where("n % 2 = 0").selectExpr("n", "upper(text) AS text")
    lab.run(frame)
    assert lab.numbers() == list(range(0, 20, 2))
    assert {row.text for row in lab.rows()} == {f"M{n}" for n in range(0, 20, 2)}
    assert lab.left() == 0


def test_two_queries_with_journals_of_their_own_share_a_queue(lab: Lab) -> None:
    other = replace(lab, folder=lab.folder / "other", queries=lab.queries)
    one_rows, other_rows = Collected(), Collected()
    one, two = lab.start(sink=one_rows, trigger=CONTINUOUS), other.start(sink=other_rows, trigger=CONTINUOUS)
    wait_until(lambda: bool(one.lastProgress), one)
    wait_until(lambda: bool(two.lastProgress), two)
    sent = lab.send(40)
    wait_until(lambda: len(one_rows.rows) + len(other_rows.rows) >= 40, one)
    wait_until(lambda: lab.left() == 0, two)
    assert expected(one_rows.numbers, other_rows.numbers) == expected(sent)
