"""What an end-to-end test works with: a queue to send to, queries that read it, and where their rows go."""

from __future__ import annotations

import shutil
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport.base import Destination, Transport
from spark_jms_connector.transport.memory_broker import MemoryBroker
from spark_jms_connector.transport.memory_session import ConsumerSession

SCHEMA = "text STRING, n INT"
AVAILABLE_NOW: Mapping[str, Any] = {"availableNow": True}
LONGEST = 90.0

Batch = Callable[[DataFrame, int], None]


@dataclass
class Lab:
    """One queue and one query's folders; ``broker`` is None where the broker is a real one."""

    spark: SparkSession
    connection: Mapping[str, str]
    transport: Transport
    folder: Path
    broker: MemoryBroker | None = None
    queue: str = field(default_factory=lambda: f"e2e-{uuid.uuid4().hex[:12]}")
    sent: int = 0
    queries: list[StreamingQuery] = field(default_factory=list)

    @property
    def journal(self) -> Path:
        return self.folder / "journal"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    @property
    def table(self) -> Path:
        return self.folder / "table"

    # The queue

    def send(self, count: int, **properties: object) -> range:
        """Send text messages ``m0``, ``m1`` … whose property ``n`` counts them; returns their numbers."""
        numbers = range(self.sent, self.sent + count)
        self.sent += count
        typed = {name: Value.of(value) for name, value in properties.items()}
        self.put(*(Message(body=f"m{n}", properties={"n": Value.of(n), **typed}) for n in numbers))
        return numbers

    def put(self, *messages: Message, queue: str | None = None) -> None:
        producer = self.transport.open_producer(Destination(queue or self.queue))
        producer.send(messages_to_batch(messages, [""] * len(messages)))
        producer.commit()
        producer.close()

    def waiting(self) -> int | None:
        """Messages that a browser sees."""
        return self.transport.depth(Destination(self.queue))

    def unacknowledged(self) -> int:
        """Messages that are with a consumer: buffered or received, and not committed."""
        assert self.broker is not None
        sessions = [s for s in self.broker.sessions if isinstance(s, ConsumerSession)]
        return sum(len(s.received) + len(s.buffer) for s in sessions)

    def left(self) -> int:
        """Messages the broker still has, with a consumer or not."""
        return (self.waiting() or 0) + self.unacknowledged()

    # Queries

    def options(self, **changed: str | None) -> dict[str, str]:
        """The options of this laboratory's stream; None takes one out."""
        usual = {**self.connection, "queue": self.queue, "journal": str(self.journal), "receiveTimeout": "50ms"}
        return {name: value for name, value in {**usual, **changed}.items() if value is not None}

    def read(self, schema: str | None = SCHEMA, **options: str | None) -> DataFrame:
        reader = self.spark.readStream.format("jms").options(**self.options(**options))
        return (reader.schema(schema) if schema else reader).load()

    def start(
        self,
        frame: DataFrame | None = None,
        *,
        sink: str | Batch = "delta",
        trigger: Mapping[str, Any] = AVAILABLE_NOW,
        checkpoint: Path | None = None,
        target: Path | None = None,
        **write: str,
    ) -> StreamingQuery:
        """Start a query over the stream (or ``frame``) into a sink, by name or as a foreachBatch function."""
        writer = (self.read() if frame is None else frame).writeStream.trigger(**trigger).options(**write)
        writer = writer.option("checkpointLocation", str(checkpoint or self.checkpoint))
        query = _started(writer, sink, str(target or self.table))
        self.queries.append(query)
        return query

    def run(self, frame: DataFrame | None = None, **how: Any) -> StreamingQuery:
        """Start a query that ends by itself, and wait until it has."""
        query = self.start(frame, **how)
        if not ended(query, LONGEST):
            pytest.fail(f"the query did not end within {LONGEST:g} s; last progress: {query.lastProgress}")
        return query

    def failure(self, frame: DataFrame | None = None, **how: Any) -> str:
        """The text of the error that a query ends with."""
        with pytest.raises(PySparkException) as caught:
            self.run(frame, **how)
        return str(caught.value)

    def refusal(self, schema: str | None = SCHEMA, **options: str | None) -> str:
        """The text of the error that ``load()`` raises."""
        with pytest.raises(PySparkException) as caught:
            self.read(schema, **options)
        return str(caught.value)

    def stop_all(self) -> None:
        for query in self.queries:
            query.stop()

    # What came of it

    def rows(self, target: Path | None = None) -> list[Row]:
        return self.spark.read.format("delta").load(str(target or self.table)).collect()

    def numbers(self, target: Path | None = None) -> list[int]:
        """The numbers of the messages in the table, in order; a message landed twice is there twice."""
        return sorted(row.n for row in self.rows(target))

    def forget_commit(self, batch: int, log: str = "commits") -> None:
        """As if Spark had been killed before it wrote this batch's entry into a log of its checkpoint."""
        (self.checkpoint / log / str(batch)).unlink()
        (self.checkpoint / log / f".{batch}.crc").unlink(missing_ok=True)

    def logged(self, log: str) -> list[int]:
        """The batches that a log of the checkpoint holds."""
        return sorted(int(file.name) for file in (self.checkpoint / log).iterdir() if file.name.isdigit())

    def delete_checkpoint(self) -> None:
        shutil.rmtree(self.checkpoint)

    def segments(self) -> list[Path]:
        """The journal's files of messages."""
        return sorted((self.journal / "segments").glob("*.arrow"))


def _started(writer: DataStreamWriter, sink: str | Batch, target: str) -> StreamingQuery:
    if not isinstance(sink, str):
        return writer.foreachBatch(sink).start()
    return writer.format(sink).start(target) if sink == "delta" else writer.format(sink).start()


class Collected:
    """A foreachBatch function that keeps every batch's rows, and fails at batch ``fail_at`` after or before that."""

    def __init__(self, fail_at: int | None = None, *, after: bool = True) -> None:
        self.batches: dict[int, list[Row]] = defaultdict(list)
        self._fail_at = fail_at
        self._after = after

    def __call__(self, frame: DataFrame, batch: int) -> None:
        if batch == self._fail_at and not self._after:
            raise RuntimeError("the sink fails as the test wants it to")
        self.batches[batch] += frame.collect()
        if batch == self._fail_at:
            raise RuntimeError("the sink fails as the test wants it to")

    @property
    def rows(self) -> list[Row]:
        return [row for rows in self.batches.values() for row in rows]

    @property
    def numbers(self) -> list[int]:
        return sorted(row.n for row in self.rows)

    def numbers_of(self, batch: int) -> list[int]:
        return sorted(row.n for row in self.batches[batch])

    @property
    def sizes(self) -> list[int]:
        return [len(rows) for rows in self.batches.values()]


def ended(query: StreamingQuery, within: float) -> bool:
    """Whether a query ends within so many seconds; raises what it failed with."""
    return bool(query.awaitTermination(within))  # type: ignore[arg-type]  # fractions of seconds are taken too


def wait_until(condition: Callable[[], bool], query: StreamingQuery, seconds: float = 60.0) -> None:
    """Wait for a condition while a query runs; its error, or its progress when time is up, is the test's failure."""
    deadline = time.monotonic() + seconds
    while not condition():
        if ended(query, 0.05) and not condition():
            pytest.fail(f"the query ended first; last progress: {query.lastProgress}")
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds:g} s; {query.status}, last progress: {query.lastProgress}")


def input_rows(query: StreamingQuery) -> list[int]:
    """The size of each micro-batch that was not empty, as the query's progress tells it."""
    return [progress.numInputRows for progress in query.recentProgress if progress.numInputRows]


def expected(*ranges: Iterable[int]) -> list[int]:
    return sorted(number for numbers in ranges for number in numbers)
