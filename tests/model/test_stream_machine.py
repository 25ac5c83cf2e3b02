"""The real stream, journal and receivers, driven step by step through any order of events and deaths."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from spark_jms_connector import crash_points
from tests.model.spark_world import World, kill_at

RECEIVER = st.integers(0, 2)


class StreamMachine(RuleBasedStateMachine):
    """Whatever happens in whatever order: no row twice, and in the end none missing."""

    @initialize(mode=st.sampled_from(["onCommit", "onJournal"]), receivers=st.integers(1, 3))
    def begin(self, mode: str, receivers: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sparkjms-"))
        self.world = self.create(self.folder, acknowledge=mode, receivers=receivers)

    def create(self, folder: Path, **options: object) -> World:
        return World.create(folder, **options)

    @rule(count=st.integers(1, 4))
    def send(self, count: int) -> None:
        self.world.send(count)

    @rule(steps=st.integers(1, 7))
    def spark(self, steps: int) -> None:
        for _ in range(steps):
            self.world.step_spark()

    @rule(index=RECEIVER, steps=st.integers(1, 4))
    def receiver(self, index: int, steps: int) -> None:
        for _ in range(steps):
            self.world.step_receiver(index)

    @rule()
    def kill(self) -> None:
        self.world.die()

    @rule(point=st.sampled_from(crash_points.POINTS), times=st.integers(1, 3))
    def doom(self, point: str, times: int) -> None:
        kill_at(point, times)

    @rule()
    def driver_dies_reader_lives_on(self) -> None:
        self.world.orphan()

    @precondition(lambda self: self.world.zombies)
    @rule(index=RECEIVER)
    def zombie(self, index: int) -> None:
        self.world.step_zombie(index)

    @precondition(lambda self: self.world.zombies)
    @rule()
    def zombie_dies(self) -> None:
        self.world.die(self.world.zombies[0])

    @precondition(lambda self: self.world.broker.sessions)
    @rule(data=st.data())
    def cut(self, data: st.DataObject) -> None:
        self.world.broker.cut(data.draw(st.sampled_from(self.world.broker.sessions)))

    @precondition(lambda self: self.world.broker.sessions)
    @rule(data=st.data(), applied=st.booleans())
    def commit_fails(self, data: st.DataObject, applied: bool) -> None:
        self.world.broker.fail_next_commit(data.draw(st.sampled_from(self.world.broker.sessions)), applied=applied)

    @precondition(lambda self: self.world.process is None)
    @rule(receivers=st.integers(1, 3), mode=st.sampled_from(["onCommit", "onJournal"]))
    def other_settings(self, receivers: int, mode: str) -> None:
        self.world.options = replace(self.world.options, **self.other(receivers, mode))

    def other(self, receivers: int, mode: str) -> dict[str, Any]:
        return {"receivers": receivers, "acknowledge": mode}

    @invariant()
    def nothing_doubled(self) -> None:
        if hasattr(self, "world"):
            landed = self.world.landed()
            assert len(landed) == len(set(landed)), self.world.story

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        try:
            self.world.settle()
            self.world.check_exactly_once()
        finally:
            crash_points.hook = None
            shutil.rmtree(self.folder, ignore_errors=True)


class SharedDurableMachine(StreamMachine):
    """The same over a shared durable subscription."""

    def create(self, folder: Path, **options: object) -> World:
        return World.create_subscribed(folder, "sharedDurable", **options)


class DurableMachine(StreamMachine):
    """The same over an unshared one: a new process waits until the broker is rid of the old."""

    def create(self, folder: Path, **options: object) -> World:
        return World.create_subscribed(folder, "durable", **{**options, "receivers": 1})

    def other(self, receivers: int, mode: str) -> dict[str, Any]:
        return {"receivers": 1, "acknowledge": mode}


def explore(examples: int, steps: int, machine: type[StreamMachine] = StreamMachine) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: None)


def test_any_order_of_events_lands_every_message_once() -> None:
    explore(examples=120, steps=40)


@pytest.mark.parametrize("machine", [SharedDurableMachine, DurableMachine])
def test_any_order_of_events_lands_every_published_message_once(machine: type[StreamMachine]) -> None:
    explore(examples=60, steps=40, machine=machine)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("machine", "examples"), [(StreamMachine, 600), (SharedDurableMachine, 200), (DurableMachine, 200)]
)
def test_many_more_orders(machine: type[StreamMachine], examples: int) -> None:
    explore(examples=examples, steps=60, machine=machine)
