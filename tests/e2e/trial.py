"""A queue or subscription on a real broker, a journal, a table: messages sent, streams run over them, the count."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyarrow import ipc

from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport.base import Destination, Transport
from tests.e2e.counting import Count, count, rows_of_delta, rows_of_loop
from tests.e2e.jobs import LONG, Job, start_job
from tests.e2e.processes import until

RUNS = 6


def numbered(number: int) -> Message:
    """A message that says which one it is, in a property and in its body."""
    return Message(str(number), properties={"n": Value.of(number)})


@dataclass
class Trial:
    """What outlives every process of one test."""

    folder: Path
    connection: Mapping[str, str]
    transport: Transport
    settings: dict[str, str] = field(default_factory=dict)
    destination: Destination = field(default_factory=lambda: Destination(f"e2e-{uuid.uuid4().hex[:12]}"))
    sent: int = 0
    jobs: list[Job] = field(default_factory=list)
    restart_broker: Callable[[], None] | None = None  # where only that frees what the broker keeps from a dead session

    @property
    def options(self) -> dict[str, str]:
        """Small segments and micro-batches: a thousand messages pass every point several times."""
        base = {
            **self.connection,
            self.destination.kind: self.destination.name,
            "journal": str(self.folder / "journal"),
            "segmentMaxMessages": "100",
            "maxMessagesPerTrigger": "200",
        }
        return base | self.settings

    def send(self, messages: int) -> None:
        self.send_these([numbered(n) for n in range(self.sent, self.sent + messages)])
        self.sent += messages

    def send_these(self, messages: Sequence[Message]) -> None:
        """Send what has no number of its own, and is not counted."""
        producer = self.transport.open_producer(self.destination)
        producer.send(messages_to_batch(messages, [""] * len(messages)))
        producer.commit()
        producer.close()

    def depth(self, queue: str | None = None) -> int:
        """What a browser sees; nothing of a subscription, which nobody can browse."""
        return self.transport.depth(Destination(queue) if queue else self.destination) or 0

    def start_loop(self, **given: str) -> Job:
        """The stream in Spark's loop, without Spark."""
        return self._start("tests.e2e.stream_process", given)

    def start_spark(self, **given: str) -> Job:
        """The stream in real Spark, into a Delta table."""
        return self._start("tests.e2e.spark_job", given)

    def _start(self, module: str, given: dict[str, str]) -> Job:
        arguments = [str(self.folder), "--options", json.dumps(self.options)]
        for name, value in given.items():
            arguments += [f"--{name.replace('_', '-')}", value]
        job = start_job(module, arguments, self.folder)
        self.jobs.append(job)
        return job

    def drain(self, start: Callable[[], Job], timeout: float = LONG) -> None:
        """Run until the broker has nothing left; a run may end early while it still holds a dead session's messages."""
        for _ in range(RUNS):
            before = len(self.rows())
            job = start()
            assert job.wait(timeout) == 0, job.text()[-4000:]
            if self.depth() == 0 and self._nothing_hidden(before):
                return
            if self.restart_broker is not None and self.depth() == 0 and len(self.rows()) == before:
                self.restart_broker()
        raise AssertionError(f"{self.depth()} messages are still on the broker after {RUNS} runs\n{self.story()}")

    def _nothing_hidden(self, before: int) -> bool:
        """What no browser shows is over when a run after all had landed brought nothing more."""
        shown = self.destination.kind == "queue" and self.restart_broker is None
        return shown or len(self.rows()) == before >= self.sent

    def rows(self) -> list[int | None]:
        """Every row of the table: its number, or nothing where the message had none that fits."""
        delta = self.folder / "delta"
        return rows_of_delta(delta) if delta.exists() else rows_of_loop(self.folder)

    def landed(self) -> list[int]:
        return [row for row in self.rows() if row is not None]

    def safe(self) -> set[int]:
        """The numbers that the broker may have forgotten: in the table, or in the journal and perhaps acknowledged.

        With onJournal a sealed segment may be committed before that is recorded; with onCommit it has landed then.
        """
        journal = self.folder / "journal"
        early = self.settings.get("acknowledge") == "onJournal"
        marked = [mark.name.partition("-")[2] for mark in (journal / "marks").glob("acknowledged-*")]
        sealed = [seal.stem for seal in (journal / "segments").glob("*.seal")] if early else marked
        found = set(self.landed())
        for segment in (journal / "segments" / f"{name}.arrow" for name in sealed):
            with contextlib.suppress(FileNotFoundError):  # what has landed is removed
                found |= set(map(int, ipc.open_file(segment.read_bytes()).read_all().column("text").to_pylist()))
        return found

    def count(self) -> Count:
        return count(range(self.sent), self.landed())

    def check_exact(self) -> None:
        """Sent = rows = distinct, and nothing waits on the broker."""
        result = self.count()
        assert result.exact, f"{result}\n{self.story()}"
        assert self.depth() == 0

    def until_landed(self, job: Job, timeout: float = LONG) -> None:
        """Wait until a continuous run has landed everything."""
        until(lambda: len(set(self.landed())) == self.sent or not job.running, timeout, "every message in the table")

    def stop(self, job: Job) -> None:
        """Let a continuous run end in order."""
        (self.folder / "stop").touch()
        assert job.wait() == 0, job.text()[-4000:]
        (self.folder / "stop").unlink()

    def story(self) -> str:
        return "\n".join(f"--- {job.output.name}\n{job.text()[-3000:]}" for job in self.jobs)

    def close(self) -> None:
        for job in self.jobs:
            job.kill()
