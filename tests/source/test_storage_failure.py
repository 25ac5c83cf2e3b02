"""Journal storage that fails for a while: waited out from memory; for too long: a clear end, and nothing lost."""

from __future__ import annotations

import errno
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector import storage as storage_module
from spark_jms_connector.errors import JournalStorageError
from spark_jms_connector.storage_disk import Disk
from tests.model.spark_world import QUEUE, World
from tests.source.conftest import finish, sessions

OPERATIONS = ("put", "read", "list", "delete", "exists")


class Weather:
    """Makes a disk's operations fail while it is bad; sleeping passes the time at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.bad_until = 0.0
        self.bad_for: tuple[str, ...] = ()
        self.failures = 0
        for name in OPERATIONS:
            monkeypatch.setattr(Disk, name, self._failing(name, getattr(Disk, name)))
        monkeypatch.setattr(storage_module, "time", self)

    def _failing(self, name: str, real: Any) -> Any:
        def operation(*arguments: Any) -> Any:
            if name in self.bad_for and self.now < self.bad_until:
                self.failures += 1
                raise OSError(errno.EIO, "Input/output error")
            return real(*arguments)

        return operation

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def turn_bad(self, seconds: float, *operations: str) -> None:
        self.bad_for, self.bad_until = operations or OPERATIONS, self.now + seconds


@pytest.fixture
def weather(monkeypatch: pytest.MonkeyPatch) -> Weather:
    return Weather(monkeypatch)


@pytest.fixture(params=["onCommit", "onJournal"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> World:
    return World.create(tmp_path / "journal", acknowledge=request.param, reconnect_timeout=300.0)


def _redelivered(world: World) -> int:
    assert world.process is not None
    report = world.process.stream.report()
    assert report is not None
    return int(report["redelivered"])


@pytest.mark.parametrize("operations", [(), ("put",), ("list",), ("delete",)])
def test_storage_that_fails_again_and_again_for_minutes(
    world: World, weather: Weather, operations: tuple[str, ...]
) -> None:
    world.turn()
    for _ in range(15):
        world.send(4)
        weather.turn_bad(250.0, *operations)
        for _ in range(8):
            world.turn()
    finish(world)
    assert weather.failures > 100
    assert world.story == []
    assert _redelivered(world) == 0


def test_a_start_waits_for_storage_too(world: World, weather: Weather) -> None:
    world.send(5)
    weather.turn_bad(250.0)
    finish(world)
    assert weather.now >= 1250.0


@pytest.mark.parametrize("operations", [("put",), ("list",)])
def test_storage_that_fails_for_longer_than_the_timeout(
    world: World, weather: Weather, operations: tuple[str, ...]
) -> None:
    world.turn()
    world.turn()
    world.send(5)
    weather.turn_bad(1e6, *operations)
    with pytest.raises(JournalStorageError, match=r"Could not .* Tried for 300 s\. Check that the storage is there"):
        for _ in range(20):
            world.turn()
    assert 300 <= weather.now - 1000 < 1300
    weather.turn_bad(0.0)
    assert world.process is not None
    world.process.stream.stop()
    assert sessions(world) == []
    assert all(message.delivery_count <= 1 + world.options.receivers_each for message in world.broker.browse(QUEUE))
    world.die()
    world.send(5)
    finish(world)


def test_a_full_disk_says_what_to_do(world: World, monkeypatch: pytest.MonkeyPatch, weather: Weather) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    world.send(5)
    with monkeypatch.context() as patch, pytest.raises(JournalStorageError, match="Tried for 300 s. Free some space"):
        patch.setattr(Disk, "put", full)
        world.step_spark()
    world.die()
    finish(world)


def test_what_cannot_mend_itself_is_not_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch, weather: Weather
) -> None:
    def denied(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch, pytest.raises(JournalStorageError, match="Allow the users that run"):
        patch.setattr(Disk, "put", denied)
        world.step_spark()
    assert weather.now == 1000.0


def test_no_real_time_passes_here(world: World, weather: Weather) -> None:
    world.options = replace(world.options, receivers=1)
    started = time.monotonic()
    weather.turn_bad(299.0)
    world.step_spark()
    assert time.monotonic() - started < 10
