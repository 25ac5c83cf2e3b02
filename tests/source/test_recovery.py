"""Taking a journal over: whose segments count, and which checkpoints fit."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector.errors import CorruptJournalError, FencedError, JournalMismatchError
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.offsets import BEGINNING, Offset, plan_name
from spark_jms_connector.source.recovery import Position, Takeover, Terms, take_over
from spark_jms_connector.source.segments import segment_name
from spark_jms_connector.storage import Storage
from tests.model.spark_world import Killed, World
from tests.source.conftest import batch, files, finish, plan, spark_until

TERMS = Terms({"destination": "queue:orders", "selector": None})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.create(tmp_path / "journal", receivers=1)


# Whose segments count


def _own(journal: Journal) -> Takeover:
    return take_over(journal, Position(BEGINNING), TERMS)


def _seal(journal: Journal, owner: Takeover, number: int) -> str:
    name = segment_name(owner.claim.generation, 0, number)
    journal.write_segment(name, [batch(name)], "none", "r0", 0)
    return name


def _held(owner: Takeover) -> set[str]:
    return {holding.name for holding in owner.holdings}


def test_what_was_sealed_before_the_listing_is_taken_over(journal: Journal) -> None:
    first = _own(journal)
    names = {_seal(journal, first, number) for number in range(3)}
    second = _own(journal)
    assert _held(second) == names
    names.add(_seal(journal, second, 0))
    assert _held(_own(journal)) == names


def test_a_fenced_owners_late_segment_is_ignored_for_ever(journal: Journal) -> None:
    first = _own(journal)
    early = _seal(journal, first, 0)
    second = _own(journal)
    late = _seal(journal, first, 1)
    third = _own(journal)
    assert _held(second) == _held(third) == {early}
    later = _seal(journal, first, 2), _seal(journal, second, 0)
    assert _held(_own(journal)) == {early}
    assert not {late, *later} & journal.list().sealed


def test_a_segment_sealed_while_an_owner_died_taking_over_still_counts(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _own(journal)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Journal, "write_opening", _die)
        _own(journal)
    late = _seal(journal, first, 0)
    assert _held(_own(journal)) == {late}


def _die(*_: Any) -> None:
    raise Killed("here")


def test_unsealed_data_is_swept(journal: Journal) -> None:
    first = _own(journal)
    name = _seal(journal, first, 0)
    journal.storage.delete(f"segments/{name}.seal")
    assert _held(_own(journal)) == set()
    assert journal.storage.list("segments") == {}


def test_earlier_owners_leave_nothing_behind(journal: Journal) -> None:
    for _ in range(5):
        journal.mark("closed", _own(journal).claim.generation)
    listing = journal.list()
    assert len(listing.claims) == len(listing.openings) == len(listing.closed) == 1


def test_a_start_is_clean_when_there_was_no_owner_or_it_closed(journal: Journal) -> None:
    first = _own(journal)
    second = _own(journal)
    journal.mark("closed", second.claim.generation)
    assert [first.clean, second.clean, _own(journal).clean] == [True, False, True]


def test_two_claims_at_the_same_moment(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Journal.claim

    def claimed_twice(self: Journal, earlier: Any, pins: Any) -> Any:
        ours = real(self, earlier, pins)
        real(self, [*earlier, ours.generation], pins)
        return ours

    monkeypatch.setattr(Journal, "claim", claimed_twice)
    with pytest.raises(FencedError, match="claimed by another query at the same moment"):
        _own(journal)


# Which checkpoints fit


def _refused(world: World, text: str, error: type[Exception] = JournalMismatchError) -> None:
    """The next start fails with this text, and leaves the journal to whoever has it."""
    world.die()
    before = files(world, "claims")
    with pytest.raises(error, match=text):
        world.step_spark()
    world.die()
    assert files(world, "claims") == before


@pytest.mark.parametrize("phase", ["latest", "tell"])
def test_a_journal_that_is_gone(world: World, phase: str) -> None:
    world.send(3)
    spark_until(world, "clog")
    spark_until(world, "latest")
    world.send(3)
    spark_until(world, phase)
    world.die()
    shutil.rmtree(world.folder)
    _refused(world, "continues journal [0-9a-f]{32}, but there is none at .*deleted or moved.*with a new checkpoint")


def test_another_journal(world: World, tmp_path: Path) -> None:
    world.send(3)
    spark_until(world, "latest", commits=1)
    world.die()
    other = World.create(tmp_path / "other")
    other.step_spark()
    other.die()
    world.folder, world.options = other.folder, other.options
    _refused(
        world, "continues journal [0-9a-f]{32}, but .*other' is journal [0-9a-f]{32}: it was made for another query"
    )


def test_an_older_checkpoint(world: World) -> None:
    for commits in (1, 2, 3):
        world.send(3)
        spark_until(world, "latest", commits=commits)
    world.die()
    del world.offsets[2:]
    world.commits = 2
    _refused(world, "stands at plan 2 of journal .*already handed out plan 3: the checkpoint is older.*onNewCheckpoint")
    world.commits = 1
    _refused(world, "stands at plan 2 of journal .*already handed out plan 3")
    del world.offsets[1:]
    world.commits = 0
    _refused(world, "stands at plan 1 of journal")


def test_a_batch_that_has_landed_is_not_run_again(world: World) -> None:
    world.send(3)
    spark_until(world, "latest", commits=1)
    assert world.process is not None
    world.process.stream.commit(world.offsets[-1][1])
    world.commits = 0
    _refused(world, "stands at plan 1 of journal .*already handed out plan 1")


def test_a_batch_is_not_run_again_when_another_owners_was_handed_out_in_its_place(journal: Journal) -> None:
    first = _own(journal)
    ours = replace(plan(1), generation=first.claim.generation)
    journal.write_plan(ours)
    journal.mark("handed", plan_name(1, "00000007-bbbbbbbb"))
    end = Offset(first.claim.journal, 1, first.claim.generation)
    with pytest.raises(JournalMismatchError, match="already handed out plan 1: the checkpoint is older"):
        take_over(journal, Position(BEGINNING, end), TERMS)


@pytest.mark.parametrize("rerun", [False, True])
def test_a_plan_that_is_missing(world: World, rerun: bool) -> None:
    world.send(3)
    spark_until(world, "run" if rerun else "latest", commits=0 if rerun else 1)
    for path in (world.folder / "plans").iterdir():
        path.unlink()
    _refused(world, "continues plan 1 of journal .*has no such plan.*Restore both together.*onNewCheckpoint")


def test_a_segment_of_the_batch_that_is_run_again_is_gone(world: World) -> None:
    world.send(3)
    spark_until(world, "run")
    for path in (world.folder / "segments").iterdir():
        path.unlink()
    world.die()
    with pytest.raises(CorruptJournalError, match="Segment .* is missing.*restore the file from a backup"):
        world.step_spark()


def test_a_segment_that_was_truncated(world: World) -> None:
    world.send(3)
    spark_until(world, "log")
    [path] = (world.folder / "segments").glob("*.arrow")
    path.write_bytes(path.read_bytes()[:-5])
    world.die()
    with pytest.raises(CorruptJournalError, match=r"Segment .* is \d+ bytes long instead of \d+.*restore"):
        world.step_spark()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"queue": "other"}, r"made for destination 'queue:orders' (now 'queue:other')"),
        ({"selector": "a = 1"}, r"made for selector None (now 'a = 1')"),
    ],
)
def test_pins_that_changed(world: World, change: dict[str, Any], text: str) -> None:
    world.send(3)
    finish(world)
    world.options = replace(world.options, **change)
    _refused(world, re.escape(text) + ".*'allowSubscriptionReset' to true")
    world.options = replace(world.options, allow_subscription_reset=True)
    position = Position(world.offsets[-1][1])
    assert world.options.journal is not None
    journal = Journal(Storage(world.options.journal), world.options.journal)
    pins = {"destination": f"queue:{world.options.queue}", "selector": world.options.selector}
    taken = take_over(journal, position, Terms(pins, allow_reset=True))
    assert journal.read_claim(taken.claim.generation).pins == pins
    assert take_over(journal, position, Terms(pins)).claim.journal == taken.claim.journal
