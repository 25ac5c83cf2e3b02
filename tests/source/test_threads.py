"""Receivers with threads of their own, sessions cut at random: exact counts."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from spark_jms_connector.errors import TransportError
from spark_jms_connector.source import retries
from spark_jms_connector.source.offsets import BEGINNING, Offset
from spark_jms_connector.source.receiver import Receiver
from spark_jms_connector.source.slices import read_slice
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.storage import Storage
from tests.model.spark_world import Sessions, World
from tests.source.conftest import files, sessions

MESSAGES = 6000


class Job:
    """Spark's loop over a stream with threads, and the table it writes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.stream = Stream(world.options, Sessions(world.broker), first_wait=0.2)
        self.at = BEGINNING
        self.rows: list[str] = []

    def batch(self) -> bool:
        start = self.at
        end = self.stream.latest_offset(start)
        if end == start:
            return False
        if not start.is_beginning:
            self.stream.commit(start)
        self._write(start, end)
        self.at = end
        return True

    def _write(self, start: Offset, end: Offset) -> None:
        storage = Storage(str(self.world.folder))
        for part in self.stream.slices(start, end):
            for batch in read_slice(storage, part):
                self.rows += batch["text"].to_pylist()

    def until_all_are_there(self, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while len(set(self.rows)) < self.world.sent and time.monotonic() < deadline:
            if not self.batch():
                time.sleep(0.002)
        while self.batch():
            pass

    def check(self) -> None:
        assert sorted(self.rows) == sorted(f"m{i}" for i in range(self.world.sent))


@pytest.fixture(params=["onCommit", "onJournal"])
def world(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(retries, "BACKOFF_START", 0.005)
    monkeypatch.setattr(retries, "BACKOFF_MAX", 0.02)
    world = World.create(tmp_path / "journal", acknowledge=request.param, receivers=3)
    world.options = replace(
        world.options, receive_timeout=0.01, reconnect_timeout=60.0, segment_max_messages=200, prefetch=100
    )
    return world


def _disturb(world: World, seed: int, over: threading.Event) -> None:
    """Cut, lose, and let commits fail, at random."""
    dice = random.Random(seed)
    while not over.wait(dice.uniform(0.005, 0.04)):
        for session in dice.sample(sessions(world), k=min(1, len(sessions(world)))):
            trouble = dice.choice(["cut", "lose", "applied", "refused"])
            if trouble in ("applied", "refused"):
                world.broker.fail_next_commit(session, applied=trouble == "applied")
            else:
                getattr(world.broker, trouble)(session)


@pytest.mark.parametrize("seed", [1, 2])
def test_thousands_of_messages_three_receivers_and_cuts_at_random(world: World, seed: int) -> None:
    job, over = Job(world), threading.Event()
    trouble = threading.Thread(target=_disturb, args=(world, seed, over))
    trouble.start()
    try:
        for _ in range(10):
            world.send(MESSAGES // 10)
            job.batch()
        deadline = time.monotonic() + 2.0
        while len(set(job.rows)) < world.sent and time.monotonic() < deadline:
            job.batch()
    finally:
        over.set()
        trouble.join()
    job.until_all_are_there()
    job.stream.stop()
    job.check()


def test_a_quiet_run_ends_its_threads_and_closes(world: World) -> None:
    world.send(MESSAGES)
    job = Job(world)
    job.until_all_are_there()
    job.stream.stop()
    job.check()
    assert sessions(world) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jms-receiver")]
    assert [name for name in files(world, "marks") if "closed" in name]


@pytest.mark.parametrize("count", [0, 1])
def test_the_first_answer_comes_as_soon_as_the_receivers_know(world: World, count: int) -> None:
    """An empty queue, or a message for only one of three: nobody waits until the longest time is over."""
    if count:
        world.send(count)
    stream = Stream(world.options, Sessions(world.broker), first_wait=30.0)
    started = time.monotonic()
    assert (stream.latest_offset(BEGINNING) != BEGINNING) == bool(count)
    assert time.monotonic() - started < 10
    stream.stop()


def test_available_now_with_threads_ends_under_inflow(world: World) -> None:
    world.send(1000)
    job, over = Job(world), threading.Event()
    job.stream.prepare_for_available_now()

    def inflow() -> None:
        while not over.wait(0.002):
            world.send(5)

    sender = threading.Thread(target=inflow)
    sender.start()
    try:
        while job.batch():
            pass
    finally:
        over.set()
        sender.join()
    job.stream.stop()
    assert len(job.rows) == len(set(job.rows)) >= 1000
    assert sessions(world) == []


def test_a_receivers_failure_is_the_streams(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(world)
    monkeypatch.setattr(Receiver, "_receive", lambda *_: 1 / 0)
    with pytest.raises(TransportError, match="A receiver failed: ZeroDivisionError"):
        for _ in range(100):
            job.batch()
            time.sleep(0.01)
    job.stream.stop()
    assert not [name for name in files(world, "marks") if "closed" in name]
