"""Delivery counts are a fuse: no crash loop and no unreadable message may burn it for good messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spark_jms_connector.errors import UnreadableMessageError
from spark_jms_connector.transport.memory_broker import MemoryBroker
from tests.model.spark_world import QUEUE, World
from tests.source.conftest import finish, send_without_id


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.create(tmp_path / "journal")
    world.broker = MemoryBroker(max_deliveries=10)
    return world


def _live_until_killed(world: World, phase: str, turns: int) -> None:
    """One process whose batches never come past a phase, killed after so many turns."""
    for _ in range(turns):
        for index in range(world.options.receivers_each):
            world.step_receiver(index)
        if world.process is None or world.phase != phase:
            world.step_spark()
    world.die()


@pytest.mark.parametrize("phase", ["log", "run"])
@pytest.mark.parametrize("turns", [8, 40])
@pytest.mark.parametrize("receivers", [1, 2])
def test_a_crash_loop_longer_than_the_redelivery_limit(world: World, phase: str, turns: int, receivers: int) -> None:
    world.options = replace(world.options, receivers=receivers)
    world.send(150)
    for _ in range(12):
        _live_until_killed(world, phase, turns)
    assert world.broker.dropped == []
    finish(world)


def test_a_crash_loop_under_inflow(world: World) -> None:
    for _ in range(12):
        world.send(20)
        _live_until_killed(world, "run", 10)
    assert world.broker.dropped == []
    finish(world)


def _run_into_it(world: World) -> None:
    with pytest.raises(UnreadableMessageError, match="deadLetterQueue"):
        for _ in range(200):
            world.turn()
    world.die()


@pytest.mark.parametrize("receivers", [1, 2])
def test_good_messages_around_an_unreadable_one_pass_and_are_not_worn_out(world: World, receivers: int) -> None:
    world.options = replace(world.options, receivers=receivers)
    world.send(5)
    send_without_id(world)
    world.send(5)
    _run_into_it(world)
    before = _counts(world)
    for _ in range(3):
        _run_into_it(world)
    assert {f"m{number}" for number in range(5)} <= set(world.landed())
    assert all(count <= before.get(body, 1) + 1 for body, count in _counts(world).items() if body != "nameless")
    assert {message.body for message in world.broker.dropped} <= {"nameless"}
    world.options = replace(world.options, dead_letter_queue="dead")
    finish(world)


def _counts(world: World) -> dict[object, int]:
    return {message.body: message.delivery_count for message in world.broker.browse(QUEUE)}


def test_good_messages_behind_several_unreadable_ones_survive_the_redelivery_limit(world: World) -> None:
    for _ in range(3):
        send_without_id(world)
    world.send(5)
    for _ in range(30):
        try:
            for _ in range(30):
                world.turn()
        except UnreadableMessageError:
            world.die()
    assert [message.body for message in world.broker.dropped] == ["nameless"] * 3
    finish(world)


@pytest.mark.parametrize("receivers", [1, 2])
def test_a_graceful_stop_spares_what_was_only_prefetched(world: World, receivers: int) -> None:
    world.options = replace(world.options, receivers=receivers)
    world.send(50)
    for _ in range(4):
        world.turn()
    assert world.process is not None
    world.process.stream.stop()
    counts = list(_counts(world).values())
    assert counts.count(1) >= 50 - 6 * receivers
    world.die()
    finish(world)
