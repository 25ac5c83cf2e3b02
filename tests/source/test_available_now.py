"""Trigger.AvailableNow: what is there is read, and then it ends."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector.schema import EMPTY
from spark_jms_connector.source.offsets import BEGINNING
from spark_jms_connector.transport.base import Received
from spark_jms_connector.transport.memory_session import ConsumerSession
from tests.model.spark_world import Sessions, World
from tests.source.conftest import Driver, files, finish, sessions


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.create(tmp_path / "journal", receivers=1)


def _drain(world: World, **options: Any) -> Driver:
    world.options = replace(world.options, **options)
    driver = Driver(world)
    driver.stream.prepare_for_available_now()
    driver.pace = 0.5
    return driver


@pytest.mark.parametrize("mode", ["onCommit", "onJournal"])
@pytest.mark.parametrize("count", [0, 1, 10])
def test_available_now_reads_what_is_there_and_ends(world: World, mode: str, count: int) -> None:
    if count:
        world.send(count)
    driver = _drain(world, acknowledge=mode, receivers=2)
    driver.run_all()
    assert sorted(t for found in driver.batches for t in found) == sorted(f"m{i}" for i in range(count))
    assert sessions(world) == []
    assert [name for name in files(world, "marks") if "closed" in name]
    world.send(1)
    assert not driver.run()


def test_available_now_ends_though_messages_keep_coming(world: World) -> None:
    world.send(20)
    driver = _drain(world, max_messages_per_trigger=3)
    for _ in range(40):
        world.send(2)
        if not driver.run():
            break
    assert 7 <= len(driver.batches) < 30
    assert {f"m{i}" for i in range(20)} <= {t for found in driver.batches for t in found}
    assert sessions(world) == []
    world.die()
    world.offsets, world.commits = [(BEGINNING, driver.at)], 1
    world.table = dict(enumerate(driver.batches, -100))
    finish(world)


def test_available_now_without_a_browser_ends_when_the_queue_is_empty(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sessions, "depth", lambda *_: None)
    world.send(5)
    driver = _drain(world)
    driver.run_all()
    assert sum(map(len, driver.batches)) == 5
    assert sessions(world) == []


def test_available_now_waits_for_no_minimum(world: World) -> None:
    world.send(2)
    driver = _drain(world, min_messages_per_trigger=1000)
    driver.run_all()
    assert driver.batches == [["m0", "m1"]]


def test_available_now_does_not_take_a_slow_broker_for_an_empty_queue(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = ConsumerSession.receive, itertools.count()

    def slow(session: ConsumerSession, *limits: Any) -> Received:
        return Received(EMPTY) if next(calls) < 3 else real(session, *limits)

    monkeypatch.setattr(ConsumerSession, "receive", slow)
    world.send(5)
    driver = _drain(world, prefetch=1)
    driver.run_all()
    assert sum(map(len, driver.batches)) == 5
