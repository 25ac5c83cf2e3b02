"""What the tests of the source share: keys and segments made up, and worlds on the memory broker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark_jms_connector import crash_points
from spark_jms_connector.message import Message
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.source.crew import SteppedCrew
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.holdings import Holding, Holdings
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.offsets import BEGINNING, Offset
from spark_jms_connector.source.planner import Plan, PlannedSegment
from spark_jms_connector.source.receiver import Receiver, ReceiverSettings
from spark_jms_connector.source.segments import KEY_BYTES, Seal
from spark_jms_connector.source.slices import read_slice
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.storage import Storage
from spark_jms_connector.transport.base import ConsumerSpec
from spark_jms_connector.transport.memory_broker import MemoryBroker
from spark_jms_connector.transport.memory_session import ConsumerSession
from tests.model.spark_world import QUEUE, Process, Sessions, World

GENERATION = "00000001-aaaaaaaa"
SETTINGS = ReceiverSettings(ConsumerSpec(QUEUE), 100, 2**20, timeout=0.0, reconnect_timeout=60.0)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test here cuts the power, so nothing need reach the disk."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    yield
    crash_points.hook = None


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(Storage(str(tmp_path / "journal")), "the-journal")


# Made up


def keys(*names: str) -> pa.Array:
    return pa.array([name.encode().ljust(KEY_BYTES) for name in names], pa.binary(KEY_BYTES))


def batch(*texts: str) -> pa.RecordBatch:
    return messages_to_batch([Message(text, message_id=f"ID:{text}") for text in texts], texts)


def seal(name: str, rows: int = 1, size: int = 100) -> Seal:
    return Seal(name, rows, size, size, 0, f"{GENERATION}.r0", 0)


def holding(name: str, *names: str, session: str | None = None, acknowledged: bool = False) -> Holding:
    return Holding(seal(name, len(names)), keys(*names), session=session, acknowledged=acknowledged)


def plan(number: int, *segments: str, start: str = "", retained: Sequence[str] = ()) -> Plan:
    planned = tuple(PlannedSegment(seal(name)) for name in segments)
    return Plan(number, GENERATION, start, planned, tuple(retained))


# Worlds


def spark_until(world: World, phase: str, commits: int | None = None) -> None:
    """Let everybody take turns until Spark is about to do something, after so many batches."""
    for _ in range(200):
        world.turn()
        if world.phase == phase and commits in (None, world.commits):
            return
    raise AssertionError(f"Spark never came to '{phase}': {world.story}")


def new_checkpoint(world: World, how: str | None) -> None:
    """Delete Spark's logs (the table stays) and start over."""
    world.die()
    world.offsets.clear()
    world.table = {number - 1000: rows for number, rows in world.table.items()}
    world.commits = 0
    world.options = replace(world.options, on_new_checkpoint=how)


def finish(world: World) -> None:
    world.settle()
    world.check_exactly_once()


def receivers(world: World) -> list[Receiver]:
    assert world.process is not None
    return list(world.process.crew[0].receivers)


def sessions(world: World) -> list[ConsumerSession]:
    """The broker's open sessions that consume."""
    return [session for session in world.broker.sessions if isinstance(session, ConsumerSession)]


def files(world: World, folder: str = "") -> list[str]:
    return sorted(str(path.relative_to(world.folder)) for path in (world.folder / folder).rglob("*") if path.is_file())


def send_without_id(world: World) -> None:
    """A message that cannot be journaled."""
    producer = world.broker.transport().open_producer(QUEUE, message_ids=False)
    producer.send(messages_to_batch([Message("nameless")], [""]))
    producer.commit()
    producer.close()


# One receiver


class Bench:
    """One receiver, its broker, its journal, and a clock that stands still."""

    def __init__(self, folder: Path) -> None:
        journal = Journal(Storage(str(folder)), "the-journal")
        self.broker = MemoryBroker()
        self.transport: Any = Sessions(self.broker)
        self.custody = Custody(journal, journal.claim((), {}).generation, Holdings())
        self.now = 1000.0
        self.receiver = self.make()

    def make(self, **settings: Any) -> Receiver:
        changed = replace(SETTINGS, **settings)
        self.receiver = Receiver(0, changed, self.transport, self.custody, lambda: self.now)
        return self.receiver

    def send(self, *texts: str) -> None:
        producer = self.broker.transport().open_producer(QUEUE)
        producer.send(messages_to_batch([Message(text) for text in texts], texts))
        producer.commit()
        producer.close()

    def steps(self, count: int = 1) -> None:
        for _ in range(count):
            self.receiver.step()

    def until(self, condition: Callable[[], object]) -> None:
        for _ in range(50):
            if condition():
                return
            self.receiver.step()
        raise AssertionError("it never came to that")

    @property
    def session(self) -> ConsumerSession:
        session = self.transport.opened[-1]
        assert isinstance(session, ConsumerSession)
        return session

    def settle(self) -> None:
        """Plan what is sealed, and have it in Spark's commit log."""
        holdings = self.custody.holdings
        segments = tuple(PlannedSegment(h.seal) for h in holdings.unplanned())
        made = Plan(1, self.custody.generation, "", segments, ())
        holdings.planned(made)
        holdings.settled(made.name)

    def counts(self) -> list[int]:
        """End what is open; the delivery count of each message, were it delivered now."""
        self.receiver.end()
        return [message.delivery_count for message in self.broker.browse(QUEUE)]


# One stream


class Driver:
    """Spark's loop over one stream, with a clock of the test's own and a step of every receiver in between."""

    def __init__(self, world: World, first_wait: float = 0.0) -> None:
        self.world = world
        self.now = 1000.0
        self.pace = 0.0
        self.crews: list[SteppedCrew] = []
        self.sessions = Sessions(world.broker)
        self.stream = Stream(world.options, self.sessions, self._crew, self._clock, first_wait)
        self.at = BEGINNING
        self.batches: list[list[str]] = []
        world.process = Process(self.stream, self.crews, self.sessions)

    def _crew(self, members: Any, custody: Any) -> SteppedCrew:
        self.crews.append(SteppedCrew(members, custody))
        return self.crews[-1]

    def _clock(self) -> float:
        self.now += self.pace
        return self.now

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            for crew in self.crews:
                for index in range(len(crew.receivers)):
                    crew.step(index)

    def ask(self, **limit: bool) -> Offset:
        """Let the receivers come to rest, then ask for the end of the next batch."""
        self.step(20)
        return self.stream.latest_offset(self.at, **limit)

    def run(self, **limit: bool) -> bool:
        """One batch, if there is one."""
        end = self.ask(**limit)
        if end == self.at:
            return False
        parts = self.stream.slices(self.at, end)
        storage = Storage(str(self.world.folder))
        self.batches.append([t for part in parts for b in read_slice(storage, part) for t in b["text"].to_pylist()])
        self.at = end
        self.stream.latest_offset(end)
        self.stream.commit(end)
        return True

    def run_all(self, **limit: bool) -> None:
        while self.run(**limit):
            pass
