"""Spark's recovery situations, made by failing sinks and by editing the checkpoint between runs: exact counts."""

from __future__ import annotations

import shutil

import pytest
from pyspark.sql import DataFrame

from tests.e2e.lab import Collected, Lab, expected

pytestmark = pytest.mark.spark

SMALL = {"maxMessagesPerTrigger": "10", "receivers": "1"}


def test_a_batch_run_but_not_in_the_commit_log_is_not_doubled(lab: Lab) -> None:
    sent = lab.send(20)
    lab.run(lab.read(**SMALL))
    assert lab.logged("commits") == [0, 1]
    lab.forget_commit(1)
    later = lab.send(5)
    lab.run(lab.read(**SMALL))
    assert lab.numbers() == expected(sent, later)
    assert lab.left() == 0


def test_a_batch_logged_and_not_run_is_run(lab: Lab) -> None:
    """Delta lost its last commit too: the rows come from the journal, since the broker has them no more."""
    sent = lab.send(20)
    lab.run(lab.read(**SMALL))
    lab.forget_commit(1)
    last = max((lab.table / "_delta_log").glob("*.json"))
    for file in (lab.table / "_delta_log").glob(f"*{last.stem}*"):
        file.unlink()
    lab.run(lab.read(**SMALL))
    assert lab.numbers() == expected(sent)


def test_a_batch_whose_sink_failed_is_run_again(lab: Lab) -> None:
    sent = lab.send(30)
    failing = Collected(fail_at=1, after=False)
    lab.failure(lab.read(**SMALL), sink=failing)
    assert lab.logged("offsets") == [0, 1] and lab.logged("commits") == [0]
    collected = Collected()
    lab.run(lab.read(**SMALL), sink=collected)
    assert expected(failing.numbers, collected.numbers) == expected(sent)
    assert lab.left() == 0


def test_a_rerun_has_the_same_rows_whatever_the_options_are_then(lab: Lab) -> None:
    lab.send(30)
    failing = Collected(fail_at=1)
    lab.failure(lab.read(**SMALL), sink=failing)
    lab.send(30)
    collected = Collected()
    lab.run(lab.read(maxMessagesPerTrigger="25", receivers="3"), sink=collected)
    assert sorted(collected.batches[1]) == sorted(failing.batches[1])


def test_a_batch_committed_without_the_source_being_told_is_not_doubled(lab: Lab) -> None:
    """Its messages were never acknowledged and come again; they are known to be copies."""
    sent = lab.send(30)
    failing = Collected(fail_at=1)
    lab.failure(lab.read(**SMALL), sink=failing)
    shutil.copy(lab.checkpoint / "commits" / "0", lab.checkpoint / "commits" / "1")
    collected = Collected()
    lab.run(lab.read(**SMALL), sink=collected)
    assert expected(failing.numbers, collected.numbers) == expected(sent)
    assert lab.left() == 0


def test_an_offset_that_was_never_logged_is_planned_anew(lab: Lab) -> None:
    """Plans that Spark did not log are void: their messages are in the next one."""
    sent = lab.send(20)
    failing = Collected(fail_at=0, after=False)
    lab.failure(lab.read(**SMALL), sink=failing)
    lab.forget_commit(0, "offsets")
    collected = Collected()
    # Handed out, as Spark calls it, is what Spark asked for after it logged the offset: here only we know better.
    lab.run(lab.read(**SMALL, onNewCheckpoint="replay"), sink=collected)
    assert collected.numbers == expected(sent)


def test_delta_written_by_foreach_batch_is_exact(lab: Lab) -> None:
    sent = lab.send(30)

    def write(frame: DataFrame, batch: int) -> None:
        once = {"txnAppId": "tests", "txnVersion": str(batch)}
        frame.write.format("delta").mode("append").options(**once).save(str(lab.table))

    def write_and_fail(frame: DataFrame, batch: int) -> None:
        write(frame, batch)
        if batch == 1:
            raise RuntimeError("after the write")

    lab.failure(lab.read(**SMALL), sink=write_and_fail)
    lab.run(lab.read(**SMALL), sink=write)
    assert lab.numbers() == expected(sent)


def test_the_number_of_receivers_may_change(lab: Lab) -> None:
    sent = lab.send(60)
    failing = Collected(fail_at=1)
    lab.failure(lab.read(maxMessagesPerTrigger="10", receivers="4"), sink=failing)
    later = lab.send(20)
    collected = Collected()
    lab.run(lab.read(maxMessagesPerTrigger="10", receivers="2"), sink=collected)
    assert expected(failing.numbers_of(0), collected.numbers) == expected(sent, later)


@pytest.mark.broker
def test_an_unfinished_batch_on_artemis_lands_once(artemis_lab: Lab) -> None:
    sent = artemis_lab.send(30)
    failing = Collected(fail_at=1, after=False)
    artemis_lab.failure(artemis_lab.read(**SMALL), sink=failing)
    later = artemis_lab.send(5)
    collected = Collected()
    artemis_lab.run(artemis_lab.read(**SMALL), sink=collected)
    assert expected(failing.numbers, collected.numbers) == expected(sent, later)
    assert artemis_lab.waiting() == 0
