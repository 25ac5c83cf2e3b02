"""The journal's files: written once, read back, refused when newer or damaged, and few after any number of batches."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from spark_jms_connector.errors import CorruptJournalError, FencedError, JournalMismatchError
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.segments import FORMAT
from spark_jms_connector.storage import Storage
from tests.model.spark_world import QUEUE, Killed, World
from tests.source.conftest import GENERATION, batch, files, finish, plan, sessions, spark_until

PINS = {"destination": "queue:orders", "selector": None}


# Ownership


def test_the_first_claim_names_the_journal_and_later_ones_keep_the_name(journal: Journal) -> None:
    first = journal.claim((), PINS)
    second = journal.claim((first.generation,), PINS)
    assert first.journal == second.journal
    assert journal.list().claims == (first.generation, second.generation)
    assert journal.read_claim(second.generation) == second
    assert "process" in second.owner


def test_the_highest_claim_owns(journal: Journal) -> None:
    first = journal.claim((), PINS)
    journal.check_owner(first.generation)
    second = journal.claim((first.generation,), PINS)
    journal.check_owner(second.generation)
    with pytest.raises(FencedError, match="'the-journal' was taken over by process .* since .*a journal of its own"):
        journal.check_owner(first.generation)


def test_claims_are_compared_by_number_far_beyond_ten(journal: Journal) -> None:
    claims: list[str] = []
    for _ in range(12):
        claims.append(journal.claim(claims, PINS).generation)
    assert claims == sorted(claims)
    assert journal.list().claims == tuple(claims)


def test_an_owner_whose_claim_is_gone(journal: Journal) -> None:
    claim = journal.claim((), PINS)
    journal.forget_generation(claim.generation)
    with pytest.raises(CorruptJournalError, match="lost its owner's claim.*new journal and a new checkpoint"):
        journal.check_owner(claim.generation)


@pytest.mark.parametrize("more", [{}, {"unheard": "of"}])
def test_a_claim_of_a_newer_version_is_refused_whatever_else_it_holds(journal: Journal, more: dict[str, str]) -> None:
    claim = replace(journal.claim((), PINS), format=FORMAT + 1)
    journal.storage.put(f"claims/{claim.generation}.json", json.dumps(asdict(claim) | more).encode())
    with pytest.raises(JournalMismatchError, match=f"has format {FORMAT + 1}.*newer version of the connector"):
        journal.read_claim(claim.generation)


def test_a_claim_of_an_older_version_is_read(journal: Journal) -> None:
    claim = replace(journal.claim((), PINS), format=FORMAT - 1)
    journal.storage.put(f"claims/{claim.generation}.json", json.dumps(asdict(claim)).encode())
    assert journal.read_claim(claim.generation) == claim


def test_openings(journal: Journal) -> None:
    journal.write_opening(GENERATION, ["b", "a"])
    assert journal.read_opening(GENERATION) == {"a", "b"}
    assert journal.list().openings == (GENERATION,)


@pytest.mark.parametrize("text", [b"", b'{"segments": ["a'])
def test_a_truncated_opening(journal: Journal, text: bytes) -> None:
    journal.storage.put(f"openings/{GENERATION}.json", text)
    with pytest.raises(CorruptJournalError, match="'openings/.*' in journal 'the-journal' is unreadable"):
        journal.read_opening(GENERATION)


# Segments, plans, marks


def test_no_seal_record_no_segment(journal: Journal) -> None:
    seal, keys = journal.write_segment("s", [batch("a", "b")], "none", "r0", 7)
    assert journal.read_seal("s") == (seal, keys)
    assert (seal.rows, seal.first_sequence, seal.length) == (2, 7, journal.list().data["s"])
    journal.storage.delete("segments/s.seal")
    assert journal.list().sealed == frozenset()
    with pytest.raises(CorruptJournalError, match=r"'segments/s.seal' is missing in journal 'the-journal'"):
        journal.read_seal("s")


def test_a_deleted_segment_leaves_nothing(journal: Journal) -> None:
    journal.write_segment("s", [batch("a")], "none", "r0", 0)
    journal.mark("acknowledged", "s")
    journal.delete_segment("s")
    journal.delete_segment("s")
    assert journal.storage.list("segments") == journal.storage.list("marks") == {}


def test_plans_and_marks(journal: Journal) -> None:
    first, second = plan(1, "a"), plan(2, "b", start="x", retained=["a"])
    for made in (first, second):
        journal.write_plan(made)
        journal.mark("handed", made.name)
    journal.mark("landed", first.name)
    journal.mark("acknowledged", "a")
    journal.mark("closed", GENERATION)
    listing = journal.list()
    assert listing.plans == {first.name, second.name}
    assert (listing.last_handed, listing.last_landed) == (second.name, first.name)
    assert listing.acknowledged == {"a"}
    assert listing.closed == {GENERATION}
    assert journal.read_plan(second.name) == second
    journal.delete_plan(second.name)
    with pytest.raises(CorruptJournalError, match="is missing in journal 'the-journal'"):
        journal.read_plan(second.name)


def test_an_empty_folder_is_an_empty_journal(journal: Journal) -> None:
    listing = journal.list()
    assert (listing.claims, listing.last_handed, listing.last_landed) == ((), "", "")


# Housekeeping


@pytest.mark.parametrize("mode", ["onCommit", "onJournal"])
def test_after_many_batches_there_are_few_files(tmp_path: Path, mode: str) -> None:
    world = World.create(tmp_path, acknowledge=mode)
    sizes = []
    for _ in range(50):
        world.send(7)
        while len(world.landed()) < world.sent or world.phase != "latest":
            world.turn()
        sizes.append(len(files(world)))
    assert world.commits >= 50
    assert max(sizes[10:]) <= max(sizes[:10])
    assert len(files(world, "plans")) <= 2
    assert len([name for name in files(world, "marks") if "acknowledged" not in name]) <= 4
    assert sum((world.folder / name).stat().st_size for name in files(world)) < 300_000
    finish(world)


def test_kept_ids_are_kept_without_their_messages(tmp_path: Path) -> None:
    world = World.create(tmp_path, keep_acknowledged_ids=30, receivers=1)
    for _ in range(20):
        world.send(3)
        spark_until(world, "clog")
        spark_until(world, "latest")
    finish(world)
    found = files(world, "segments")
    assert 10 <= sum(name.endswith(".seal") for name in found) <= 13
    assert sum(name.endswith(".arrow") for name in found) <= 3


def test_leftovers_are_kept_without_their_messages_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World.create(tmp_path, receivers=1)
    world.send(3)
    spark_until(world, "clog")
    world.broker.fail_next_commit(sessions(world)[0], applied=True)
    spark_until(world, "latest", commits=1)
    world.turn()
    world.send(3)
    finish(world)
    spark_until(world, "latest")
    assert [name.endswith(".arrow") for name in files(world, "segments")].count(True) <= 1
    world.die()
    with caplog.at_level("INFO"):
        world.step_spark()
    assert "1 segments whose acknowledgement was never confirmed" in caplog.text


@pytest.mark.parametrize("nth", range(1, 6))
def test_a_death_after_any_deletion_of_a_clean_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
    """One that drops data, forgets keys, and discards a segment of nothing but copies."""
    world = World.create(tmp_path, receivers=2)
    world.send(1)
    [message] = world.broker.browse(QUEUE)
    spark_until(world, "latest", commits=1)
    world.send(1)
    spark_until(world, "log")
    world.broker.repeat(message)
    for index in (0, 1) * 4:
        world.step_receiver(index)
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "delete", _dying(Storage.delete, nth))
        while not world.story and world.phase != "run":
            world.step_spark()
    assert world.story and world.process is None
    finish(world)


def _dying(real: Callable[[Storage, str], None], nth: int) -> Callable[[Storage, str], None]:
    deletions = itertools.count(1)

    def delete(storage: Storage, path: str) -> None:
        real(storage, path)
        if next(deletions) == nth:
            raise Killed(path)

    return delete
