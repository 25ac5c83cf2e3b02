"""What a new checkpoint over a used journal gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector.errors import JournalMismatchError
from spark_jms_connector.source.offsets import BEGINNING
from spark_jms_connector.source.stream import Stream
from tests.model.spark_world import Killed, World
from tests.source.conftest import finish, new_checkpoint, sessions, spark_until


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.create(tmp_path / "journal", receivers=1)


def test_a_new_checkpoint_before_anything_was_handed_out_gets_everything(world: World) -> None:
    world.send(3)
    spark_until(world, "log")
    new_checkpoint(world, None)
    finish(world)


def test_a_new_checkpoint_over_a_used_journal_is_refused(world: World) -> None:
    world.send(3)
    spark_until(world, "run")
    new_checkpoint(world, None)
    with pytest.raises(JournalMismatchError, match=r"\(up to plan 1\).*'onNewCheckpoint' to 'continue' .*or 'replay'"):
        world.step_spark()


@pytest.mark.parametrize(("how", "again"), [("continue", 0), ("replay", 3)])
def test_what_a_new_checkpoint_gets_after_a_batch_that_is_not_known_to_have_landed(
    world: World, how: str, again: int
) -> None:
    _two_batches(world)
    world.send(4)
    new_checkpoint(world, how)
    _settle(world)
    assert len(world.landed()) == 10 + again
    assert sorted(set(world.landed())) == [f"m{i}" for i in range(10)]


@pytest.mark.parametrize("how", ["continue", "replay"])
def test_what_a_new_checkpoint_gets_after_a_batch_that_has_landed(world: World, how: str) -> None:
    _two_batches(world)
    assert world.process is not None
    world.process.stream.commit(world.offsets[-1][1])
    world.send(4)
    new_checkpoint(world, how)
    finish(world)


def _two_batches(world: World) -> None:
    for commits in (1, 2):
        world.send(3)
        spark_until(world, "latest", commits=commits)
    world.turn()


def _settle(world: World) -> None:
    for _ in range(60):
        world.turn()
    assert world.phase == "latest"


@pytest.mark.parametrize("first", ["continue", "replay"])
@pytest.mark.parametrize("second", ["continue", "replay"])
@pytest.mark.parametrize("turns", [1, 3])
def test_a_checkpoint_deleted_twice_in_a_row(world: World, first: str, second: str, turns: int) -> None:
    _two_batches(world)
    new_checkpoint(world, first)
    for _ in range(turns):
        world.step_spark()
    new_checkpoint(world, second)
    world.send(4)
    _settle(world)
    assert sorted(set(world.landed())) == [f"m{i}" for i in range(10)]
    assert len(world.landed()) == 10 + (3 if (first, second) == ("replay", "replay") else 0)


def _die(*_: Any) -> None:
    raise Killed("here")


@pytest.mark.parametrize(
    ("how", "acknowledged"),
    [("continue", True), ("continue", False), ("replay", True), ("replay", False)],
)
def test_a_checkpoint_deleted_before_the_logged_batch_was_handed_out(
    world: World, how: str, acknowledged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That batch is void, and the one before it is known to have landed: Spark said so when it ran this one again."""
    world.send(3)
    spark_until(world, "clog")
    if not acknowledged:
        world.broker.fail_next_commit(sessions(world)[0], applied=True)
    world.send(4)
    spark_until(world, "tell", commits=1)
    world.die()
    with monkeypatch.context() as patch:
        patch.setattr(Stream, "_hand_out", _die)
        world.step_spark()
    assert world.process is None
    new_checkpoint(world, how)
    finish(world)


def test_offsets_of_a_new_checkpoint_go_on_from_the_old_ones(world: World) -> None:
    _two_batches(world)
    world.send(1)
    new_checkpoint(world, "continue")
    spark_until(world, "latest", commits=1)
    start, end = world.offsets[0]
    assert start == BEGINNING and end.plan == 3
