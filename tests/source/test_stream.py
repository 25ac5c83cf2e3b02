"""The stream's answers to Spark: ownership, limits, waiting, closing, commits in doubt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector.errors import FencedError, JournalMismatchError
from spark_jms_connector.source.offsets import BEGINNING
from spark_jms_connector.source.stream import Stream
from tests.model.spark_world import QUEUE, World
from tests.source.conftest import Driver, files, finish, sessions, spark_until


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.create(tmp_path / "journal", receivers=1)


def _driver(world: World, **options: Any) -> Driver:
    world.options = replace(world.options, **options)
    driver = Driver(world)
    driver.ask()
    return driver


# One owner


def _orphan_with_a_segment(world: World) -> Stream:
    """A reader that has sealed messages which no plan holds, and has been taken over since."""
    driver = _driver(world)
    world.send(3)
    driver.step(5)
    assert files(world, "segments")
    orphan = driver.stream
    world.orphan()
    world.step_spark()
    return orphan


def test_a_fenced_reader_plans_nothing(world: World) -> None:
    orphan = _orphan_with_a_segment(world)
    before = files(world, "plans")
    with pytest.raises(FencedError, match="taken over"):
        orphan.latest_offset(BEGINNING)
    assert files(world, "plans") == before
    finish(world)


def test_a_fenced_reader_hands_out_nothing(world: World) -> None:
    driver = _driver(world)
    world.send(3)
    end = driver.ask()
    world.orphan()
    world.step_spark()
    with pytest.raises(FencedError, match="taken over"):
        driver.stream.slices(BEGINNING, end)
    assert not [name for name in files(world, "marks") if "handed" in name]
    finish(world)


def test_slices_of_a_plan_it_did_not_hand_out_are_refused(world: World) -> None:
    driver = _driver(world)
    world.send(3)
    end = driver.ask()
    with pytest.raises(JournalMismatchError, match="asks for plan 2 from plan 0.*changed under the running query"):
        driver.stream.slices(BEGINNING, replace(end, plan=2))
    assert driver.stream.slices(BEGINNING, BEGINNING) == []


# Limits


def test_no_batch_holds_more_messages_than_allowed(world: World) -> None:
    world.send(20)
    driver = _driver(world, max_messages_per_trigger=7, segment_max_messages=3, acknowledge="onJournal")
    driver.run_all()
    assert max(map(len, driver.batches)) <= 7
    assert max(map(len, driver.batches)) == 6
    assert sum(map(len, driver.batches)) == 20


def test_a_limit_below_the_segment_size_makes_smaller_segments(world: World) -> None:
    world.send(10)
    driver = _driver(world, max_messages_per_trigger=2, segment_max_messages=1000)
    driver.run_all()
    assert [len(found) for found in driver.batches] == [2] * 5


def test_no_batch_holds_more_bytes_than_allowed_but_each_at_least_one_message(world: World) -> None:
    world.send(5)
    driver = _driver(world, max_bytes_per_trigger=1)
    driver.run_all()
    assert [len(found) for found in driver.batches] == [1] * 5


def test_spark_may_lift_the_limits(world: World) -> None:
    world.send(10)
    driver = _driver(world, max_messages_per_trigger=3, acknowledge="onJournal")
    driver.run_all(unlimited=True)
    assert max(map(len, driver.batches)) > 3


# Waiting for enough


def test_a_batch_waits_for_the_minimum(world: World) -> None:
    driver = _driver(world, min_messages_per_trigger=5, segment_max_messages=100)
    world.send(4)
    assert not driver.run()
    driver.now += world.options.max_trigger_delay - 1
    assert not driver.run()
    world.send(1)
    assert driver.run()
    assert driver.batches == [[f"m{i}" for i in range(5)]]


def test_but_no_longer_than_the_longest_delay(world: World) -> None:
    driver = _driver(world, min_messages_per_trigger=5, max_trigger_delay=30.0)
    driver.now += 1000
    world.send(2)
    assert not driver.run()
    driver.now += 29
    assert not driver.run()
    driver.now += 1
    assert driver.run()
    world.send(2)
    assert not driver.run(), "the delay starts anew with every batch"


def test_nor_when_no_receiver_can_take_more(world: World) -> None:
    driver = _driver(world, min_messages_per_trigger=1000, segment_max_messages=3)
    world.send(10)
    assert driver.run()


def test_the_first_question_waits_for_what_is_there(world: World) -> None:
    world.send(3)
    driver = Driver(world, first_wait=10.0)
    assert driver.stream.latest_offset(BEGINNING) != BEGINNING


# Closing


def test_a_stopped_stream_has_said_so_and_the_next_is_not_careful(world: World) -> None:
    driver = _driver(world)
    world.send(3)
    driver.step(3)
    driver.stream.stop()
    assert sessions(world) == []
    assert [name for name in files(world, "marks") if "closed" in name]
    again = _driver(world)
    again.step()
    assert [s.spec.prefetch for s in sessions(world)] == [None]


def test_a_stream_that_failed_has_not_closed(world: World) -> None:
    driver = _driver(world)
    driver.crews[0]._custody.fail(FencedError("over"))
    driver.stream.stop()
    assert not [name for name in files(world, "marks") if "closed" in name]


def test_a_stream_that_never_ran_stops_in_silence(world: World) -> None:
    Driver(world).stream.stop()
    assert not world.folder.exists()


# Commits in doubt, and ids that are kept


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("mode", ["onCommit", "onJournal"])
def test_a_commit_of_unknown_outcome(world: World, applied: bool, mode: str) -> None:
    world.options = replace(world.options, acknowledge=mode)
    world.turn()
    world.turn()
    world.broker.fail_next_commit(sessions(world)[0], applied=applied)
    world.send(5)
    finish(world)
    world.send(5)
    finish(world)


@pytest.mark.parametrize(("keep", "again"), [(0, True), (3, False)])
def test_a_copy_of_an_acknowledged_message_is_recognised_while_its_id_is_kept(
    world: World, keep: int, again: bool
) -> None:
    world.options = replace(world.options, keep_acknowledged_ids=keep)
    world.send(3)
    message = world.broker.browse(QUEUE)[0]
    for commits in (1, 2):
        spark_until(world, "latest", commits=commits)
        world.send(1) if commits == 1 else None
    world.turn()
    world.send(1)
    spark_until(world, "latest", commits=3)
    world.broker.repeat(message)
    for _ in range(20):
        world.turn()
    assert (world.landed().count("m0") == 2) == again
