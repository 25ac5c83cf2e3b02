"""SIGKILL under real Spark and Delta: of the reader at its crash points, of the driver, of the helper's JVM."""

from __future__ import annotations

import pytest

from tests.e2e.jobs import Job
from tests.e2e.processes import kill, until, wait_gone
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures"]
pytestmark = [pytest.mark.spark, pytest.mark.broker]

MESSAGES = 400
SOON = 20.0

# Every kind of point, the modes in turns; each run of a series dies at the next, and only then one drains the queue.
SERIES = {
    "early": (
        ("after receive", "onCommit"),
        ("after seal record, before plan", "onJournal"),
        ("after plan, before Spark logs the offset", "onCommit"),
        ("after offset, before batch", "onJournal"),
    ),
    "late": (
        ("before JMS commit", "onCommit"),
        ("after JMS commit, before it is recorded", "onJournal"),
        ("before segment is deleted", "onCommit"),
    ),
}


@pytest.fixture(autouse=True)
def a_full_queue(trial: Trial) -> None:
    trial.send(MESSAGES)


def finish(trial: Trial) -> None:
    """Nobody kills any more: the next runs drain the queue, and everything is there once."""
    trial.drain(trial.start_spark)
    trial.check_exact()


def reader_dies(trial: Trial, point: str, mode: str) -> None:
    """A dead reader fails the query, which says so; nothing stays behind, nothing is there twice."""
    trial.settings["acknowledge"] = mode
    job = trial.start_spark(die_at=point)
    assert job.wait() == 1, job.text()[-4000:]
    assert job.events()[-1]["error"] == "StreamingQueryException"
    job.leaves_nothing()
    assert not trial.count().doubled, point


def driver_halts(trial: Trial, log: str, mode: str, classes: str) -> None:
    """The driver's JVM dies before it writes one file of the query's logs."""
    trial.settings["acknowledge"] = mode
    job = trial.start_spark(halt_at=log, classes=classes)
    assert job.wait() != 0
    assert not (trial.folder / "checkpoint" / log).exists()
    job.leaves_nothing()
    assert not trial.count().doubled, log


def next_batch(trial: Trial) -> int:
    """The first micro-batch that is in no log yet."""
    return max((int(file.name) for file in (trial.folder / "checkpoint" / "offsets").glob("[0-9]*")), default=-1) + 1


def test_reader_dies_after_receive(trial: Trial) -> None:
    reader_dies(trial, "after receive#2", "onCommit")
    finish(trial)


def test_driver_dies_between_delta_and_the_commit_log(trial: Trial, halting_classes: str) -> None:
    driver_halts(trial, "commits/0", "onCommit", halting_classes)
    assert trial.landed()
    finish(trial)


@pytest.mark.matrix
@pytest.mark.parametrize("series", SERIES)
def test_reader_dies_at(trial: Trial, series: str) -> None:
    for point, mode in SERIES[series]:
        reader_dies(trial, point, mode)
        trial.send(MESSAGES // 2)
    finish(trial)


@pytest.mark.matrix
def test_driver_dies_before_it_logs(trial: Trial, halting_classes: str) -> None:
    for log, mode in (("offsets", "onCommit"), ("commits", "onJournal"), ("offsets", "onJournal")):
        driver_halts(trial, f"{log}/{next_batch(trial)}", mode, halting_classes)
        trial.send(MESSAGES // 2)
    finish(trial)


def streaming(trial: Trial) -> Job:
    """A query in mid-stream: some rows of it are in the table, and more messages come."""
    before = len(trial.landed())
    job = trial.start_spark(trigger="continuous")
    until(lambda: len(trial.landed()) > before or not job.running, 120.0, "the first rows")
    trial.send(MESSAGES)
    return job


@pytest.mark.matrix
def test_parts_die(trial: Trial) -> None:
    """A driver takes reader and helper with it; a query without its reader fails; a lost helper is replaced."""
    for victim in ("driver", "driver JVM", "reader"):
        job = streaming(trial)
        others = job.wait_for_part("reader") + job.wait_for_part("helper JVM")
        job.kill_part(victim)
        wait_gone(others, SOON, "reader and helper")
        assert job.wait() != 0
        job.leaves_nothing()
        assert not trial.count().doubled, victim
    job = streaming(trial)
    victims = job.wait_for_part("helper JVM")
    kill(victims)
    until(lambda: len(set(trial.landed())) == trial.sent or not job.running, 120.0, "every message in the table")
    assert set(job.wait_for_part("helper JVM")).isdisjoint(victims)
    trial.stop(job)
    job.leaves_nothing()
    finish(trial)
