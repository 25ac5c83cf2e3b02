"""What went wrong for others, step by step: each story in one process, on the memory broker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector import crash_points
from spark_jms_connector.errors import FencedError, JournalMismatchError, UnreadableMessageError
from spark_jms_connector.message import Message
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.source.offsets import BEGINNING
from spark_jms_connector.source.receiver import Receiver
from spark_jms_connector.storage import Storage
from tests.model.spark_world import QUEUE, World, kill_at


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.create(tmp_path / "journal")


def start(world: World) -> None:
    """Open the journal and the sessions, before anything is sent."""
    world.step_spark()
    for index in range(world.options.receivers_each):
        world.step_receiver(index)


def spark_until(world: World, phase: str) -> None:
    for _ in range(50):
        world.turn()
        if world.phase == phase:
            return
    raise AssertionError(f"Spark never came to '{phase}'")


def receivers(world: World) -> list[Receiver]:
    assert world.process is not None
    return list(world.process.crew[0].receivers)


def finish(world: World) -> None:
    world.settle()
    world.check_exactly_once()


@pytest.mark.parametrize("mode", ["onCommit", "onJournal"])
def test_a_queue_that_is_full_when_the_query_first_starts(tmp_path: Path, mode: str) -> None:
    world = World.create(tmp_path, acknowledge=mode)
    world.send(50)
    finish(world)
    assert world.broker.transport().depth(QUEUE) == 0


@pytest.mark.parametrize("point", crash_points.POINTS)
@pytest.mark.parametrize("mode", ["onCommit", "onJournal"])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_death_at_every_crash_point(tmp_path: Path, point: str, mode: str, times: int) -> None:
    world = World.create(tmp_path, acknowledge=mode)
    world.send(90)
    kill_at(point, times)
    died = False
    for _ in range(400):
        world.turn()
        died = died or bool(world.story)
        if died and len(world.landed()) == world.sent:
            break
    assert world.story == [f"Killed: {point}"]
    finish(world)


@pytest.mark.parametrize("phase", ["log", "tell", "partitions", "run", "clog"])
def test_each_of_sparks_recovery_situations(world: World, phase: str) -> None:
    world.send(10)
    for _ in range(2):
        spark_until(world, phase)
        world.die()
    finish(world)


def test_a_message_committed_by_another_receiver_while_a_cut_one_still_holds_it(world: World) -> None:
    start(world)
    world.send(1)
    first, second = receivers(world)
    holder, other = (first, second) if _takes(world, 0) else (second, first)
    world.broker.cut(_session_of(world, holder))
    world.step_receiver(other.index)
    spark_until(world, "latest")
    spark_until(world, "latest") if world.phase != "latest" else None
    world.step_spark()
    world.step_receiver(holder.index)
    finish(world)


def _takes(world: World, index: int) -> bool:
    """Let a receiver take the message and hold it in hand, unsealed."""
    assert world.process is not None
    custody = world.process.crew[0]._custody
    custody.demand, custody.patient = False, True
    world.step_receiver(index)
    world.step_receiver(1 - index)
    filling = [r.filling for r in world.process.crew[0].receivers]
    assert sum(filling) == 1
    custody.patient = False
    return filling[index] == 1


def _session_of(world: World, receiver: Any) -> Any:
    return receiver._consumer


def test_a_void_plan_takes_its_decisions_with_it(world: World) -> None:
    """A copy dropped by a plan that Spark never logged is dropped again, though its original has long landed."""
    world.options = replace(world.options, receivers=1)
    world.send(1)
    kill_at("before JMS commit", 1)
    spark_until(world, "latest")
    for _ in range(20):
        world.turn()
    world.send(2)
    kill_at("after plan, before Spark logs the offset", 1)
    for _ in range(30):
        world.turn()
    finish(world)


def test_two_copies_in_the_journal_that_no_plan_has_yet(world: World) -> None:
    world.options = replace(world.options, receivers=1, acknowledge="onJournal")
    world.send(2)
    kill_at("before JMS commit", 1)
    world.turn()
    world.turn()
    kill_at("before JMS commit", 1)
    for _ in range(3):
        world.turn()
    finish(world)


def test_a_message_delivered_twice_into_one_transaction(world: World) -> None:
    world.send(1)
    [message] = world.broker.browse(QUEUE)
    world.broker.repeat(message)
    finish(world)


def test_a_copy_of_an_acknowledged_message_is_dropped_while_ids_are_kept(tmp_path: Path) -> None:
    world = World.create(tmp_path, keep_acknowledged_ids=100)
    world.send(3)
    [message, *_] = world.broker.browse(QUEUE)
    finish(world)
    world.broker.repeat(message)
    for _ in range(20):
        world.turn()
    world.check_exactly_once()


def test_dropped_copies_are_acknowledged(world: World) -> None:
    world.send(6)
    kill_at("after JMS commit, before it is recorded", 1)
    finish(world)
    assert world.broker.transport().depth(QUEUE) == 0


def test_other_numbers_of_receivers_after_a_restart(world: World) -> None:
    world.options = replace(world.options, receivers=4)
    world.send(30)
    spark_until(world, "run")
    world.die()
    world.options = replace(world.options, receivers=2)
    finish(world)


def test_an_orphaned_reader_is_fenced_by_the_new_owner(world: World) -> None:
    world.send(5)
    spark_until(world, "clog")
    world.orphan()
    spark_until(world, "latest")
    zombie = world.zombies[0]
    with pytest.raises(FencedError, match="taken over"):
        for _ in range(5):
            zombie.stream.latest_offset(world.offsets[-1][1])
    finish(world)


def test_expired_messages_in_mid_batch_are_simply_not_there(tmp_path: Path) -> None:
    world = World.create(tmp_path)
    producer = world.broker.transport().open_producer(QUEUE)
    producer.send(messages_to_batch([Message("late", expiration=1)], [""]))
    producer.commit()
    world.send(5)
    finish(world)


def test_an_unreadable_message_stops_the_stream_but_holds_no_other_back(world: World) -> None:
    world.send(5)
    _send_without_id(world)
    world.send(5)
    with pytest.raises(UnreadableMessageError, match="deadLetterQueue"):
        for _ in range(100):
            world.turn()
    world.die()
    for _ in range(10):
        with pytest.raises(UnreadableMessageError):
            for _ in range(100):
                world.turn()
        world.die()
    world.options = replace(world.options, dead_letter_queue="dead")
    finish(world)


def test_an_unreadable_message_goes_to_the_dead_letter_queue(tmp_path: Path) -> None:
    from spark_jms_connector.transport.base import Destination

    world = World.create(tmp_path, dead_letter_queue="dead")
    _send_without_id(world)
    world.send(5)
    finish(world)
    assert [m.body for m in world.broker.browse(Destination("dead"))] == ["nameless"]


def _send_without_id(world: World) -> None:
    producer = world.broker.transport().open_producer(QUEUE, message_ids=False)
    producer.send(messages_to_batch([Message("nameless")], [""]))
    producer.commit()


def test_the_journal_stays_small(world: World) -> None:
    for _ in range(30):
        world.send(7)
        for _ in range(20):
            world.turn()
    finish(world)
    files = [path for path in world.folder.rglob("*") if path.is_file()]
    assert len(files) < 30, sorted(map(str, files))


def test_an_idle_stream_touches_neither_storage_nor_broker(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.send(3)
    finish(world)
    assert world.process is not None
    stream, start_offset = world.process.stream, world.offsets[-1][1]
    stream.latest_offset(start_offset)
    for name in ("put", "read", "list", "delete", "exists"):
        monkeypatch.setattr(Storage, name, lambda *_: pytest.fail("storage I/O while idle"))
    for _ in range(100):
        assert stream.latest_offset(start_offset) == start_offset


def test_asking_for_the_first_offset_again_resets_nothing(world: World) -> None:
    world.send(10)
    spark_until(world, "log")
    assert BEGINNING.to_json()["plan"] == 0
    assert world.process is not None
    assert world.process.stream.latest_offset(BEGINNING) == world.end
    finish(world)


def test_a_batch_before_the_last_one_is_confirmed_is_refused(world: World) -> None:
    """As asynchronous progress tracking would have it."""
    world.send(10)
    spark_until(world, "clog")
    assert world.process is not None
    stream = world.process.stream
    world.send(10)
    first = world.offsets[-1][1]
    world._clog(stream)
    spark_until(world, "log")
    second = world.end
    with pytest.raises(JournalMismatchError, match="asyncProgressTrackingEnabled"):
        stream.slices(first, second)
