"""A checkpoint and a journal that do not belong together, and a damaged journal: errors, never a silent gap."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from tests.e2e.lab import Collected, Lab, expected

pytestmark = pytest.mark.spark

SMALL = {"maxMessagesPerTrigger": "10", "receivers": "1"}


def after_a_failed_batch(lab: Lab) -> Collected:
    """30 messages: ten landed, ten handed out to a batch that failed, ten never handed out."""
    lab.send(30)
    failing = Collected(fail_at=1)
    lab.failure(lab.read(**SMALL), sink=failing)
    assert [len(rows) for rows in failing.batches.values()] == [10, 10]
    return failing


def test_a_deleted_checkpoint_is_no_fresh_start(lab: Lab) -> None:
    after_a_failed_batch(lab)
    lab.delete_checkpoint()
    collected = Collected()
    said = lab.failure(lab.read(**SMALL), sink=collected)
    assert "JournalMismatchError" in said and "'onNewCheckpoint'" in said
    assert "'continue'" in said and "'replay'" in said and str(lab.journal) in said
    assert collected.rows == []


def test_on_new_checkpoint_continue_reads_what_was_never_handed_out(lab: Lab) -> None:
    after_a_failed_batch(lab)
    lab.delete_checkpoint()
    collected = Collected()
    lab.run(lab.read(**SMALL, onNewCheckpoint="continue"), sink=collected)
    assert collected.numbers == list(range(20, 30))
    assert lab.left() == 0


def test_on_new_checkpoint_replay_reads_what_is_not_known_to_have_landed(lab: Lab) -> None:
    after_a_failed_batch(lab)
    lab.delete_checkpoint()
    collected = Collected()
    lab.run(lab.read(**SMALL, onNewCheckpoint="replay"), sink=collected)
    assert collected.numbers == list(range(10, 30))
    assert lab.left() == 0


def test_on_new_checkpoint_may_stay_set(lab: Lab) -> None:
    """It is about a new checkpoint only: on later starts it changes nothing."""
    after_a_failed_batch(lab)
    lab.delete_checkpoint()
    collected = Collected()
    lab.run(lab.read(**SMALL, onNewCheckpoint="replay"), sink=collected)
    later = lab.send(5)
    lab.run(lab.read(**SMALL, onNewCheckpoint="replay"), sink=collected)
    assert collected.numbers == expected(range(10, 30), later)


def test_a_checkpoint_from_a_backup_is_refused(lab: Lab) -> None:
    lab.send(10)
    lab.run(lab.read(**SMALL), sink="noop")
    backup = shutil.copytree(lab.checkpoint, lab.folder / "backup")
    lab.send(20)
    lab.run(lab.read(**SMALL), sink="noop")
    lab.delete_checkpoint()
    shutil.copytree(backup, lab.checkpoint)
    said = lab.failure(lab.read(**SMALL), sink="noop")
    assert "JournalMismatchError" in said and "older than the journal" in said and "'onNewCheckpoint'" in said


def test_a_deleted_journal_is_noticed(lab: Lab) -> None:
    lab.send(10)
    lab.run(sink="noop")
    shutil.rmtree(lab.journal)
    said = lab.failure(sink="noop")
    assert "JournalMismatchError" in said and "deleted or moved" in said and "'journal'" in said
    assert not list(lab.journal.glob("claims/*"))


def test_a_moved_journal_goes_on_where_it_is_now(lab: Lab) -> None:
    collected = Collected()
    first = lab.send(10)
    lab.run(sink=collected)
    elsewhere = lab.folder / "elsewhere"
    lab.journal.rename(elsewhere)
    second = lab.send(10)
    assert "deleted or moved" in lab.failure(sink=collected)
    lab.run(lab.read(journal=str(elsewhere)), sink=collected)
    assert collected.numbers == expected(first, second)


def test_another_querys_journal_is_refused(lab: Lab) -> None:
    other = replace(lab, folder=lab.folder / "other", queries=lab.queries)
    lab.send(5)
    lab.run(sink="noop")
    other.send(5)
    other.run(sink="noop")
    said = lab.failure(lab.read(journal=str(other.journal)), sink="noop")
    assert "JournalMismatchError" in said and "made for another query" in said and str(other.journal) in said


def test_a_journal_of_another_queue_is_refused_unless_allowed(lab: Lab) -> None:
    collected = Collected()
    first = lab.send(5)
    lab.run(sink=collected)
    old, lab.queue = lab.queue, f"{lab.queue}-other"
    second = lab.send(5)
    said = lab.failure(sink=collected)
    assert f"queue:{old}" in said and f"queue:{lab.queue}" in said and "'allowSubscriptionReset'" in said
    lab.run(lab.read(allowSubscriptionReset="true"), sink=collected)
    assert collected.numbers == expected(first, second)


@pytest.mark.broker
def test_a_journal_of_another_selector_is_refused_unless_allowed(artemis_lab: Lab) -> None:
    lab = artemis_lab
    first, second = lab.send(5, region="EU"), lab.send(5, region="US")
    collected = Collected()
    lab.run(lab.read(selector="region = 'EU'"), sink=collected)
    other = {"selector": "region = 'US'"}
    said = lab.failure(lab.read(**other), sink=collected)
    assert "region = 'EU'" in said and "region = 'US'" in said and "'allowSubscriptionReset'" in said
    lab.run(lab.read(**other, allowSubscriptionReset="true"), sink=collected)
    assert collected.numbers == expected(first, second)


def test_a_truncated_segment_is_named_and_not_skipped(lab: Lab) -> None:
    failing = after_a_failed_batch(lab)
    segment = lab.segments()[-1]
    whole = segment.read_bytes()
    segment.write_bytes(whole[:-10])
    collected = Collected()
    said = lab.failure(lab.read(**SMALL), sink=collected)
    assert "CorruptJournalError" in said and segment.stem in said and "backup" in said
    assert collected.rows == []
    segment.write_bytes(whole)
    lab.run(lab.read(**SMALL), sink=collected)
    assert expected(failing.numbers_of(0), collected.numbers) == list(range(30))


def test_a_damaged_segment_is_named_and_not_skipped(lab: Lab) -> None:
    after_a_failed_batch(lab)
    segment = lab.segments()[-1]
    whole = segment.read_bytes()
    middle = len(whole) // 2
    segment.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    collected = Collected()
    said = lab.failure(lab.read(**SMALL), sink=collected)
    assert "CorruptJournalError" in said and segment.stem in said and "checksum" in said
    assert collected.rows == []


def test_a_missing_segment_is_named_and_not_skipped(lab: Lab) -> None:
    after_a_failed_batch(lab)
    segment = lab.segments()[-1]
    segment.unlink()
    said = lab.failure(lab.read(**SMALL), sink=Collected())
    assert "CorruptJournalError" in said and segment.stem in said and "missing" in said


def test_a_damaged_seal_record_is_named(lab: Lab) -> None:
    after_a_failed_batch(lab)
    seal = lab.segments()[-1].with_suffix(".seal")
    seal.write_bytes(seal.read_bytes()[:-1])
    said = lab.failure(lab.read(**SMALL), sink=Collected())
    assert "CorruptJournalError" in said and seal.stem in said


def test_a_missing_plan_is_an_error(lab: Lab) -> None:
    after_a_failed_batch(lab)
    for plan in (lab.journal / "plans").iterdir():
        plan.unlink()
    said = lab.failure(lab.read(**SMALL), sink=Collected())
    assert "JournalMismatchError" in said and "no such plan" in said
