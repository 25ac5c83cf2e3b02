"""SIGKILL at every named point, on a real broker: after a restart every message is in the table once."""

from __future__ import annotations

import signal

import pytest

from spark_jms_connector.crash_points import POINTS
from tests.e2e.stream_process import SPARK_POINTS
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures"]
pytestmark = pytest.mark.broker

MESSAGES = 1_000
ALL = (*POINTS, *SPARK_POINTS)
MODES = ("onCommit", "onJournal")


def kill_and_count(trial: Trial, point: str, mode: str) -> None:
    """The queue is full at the first start; the process dies at the point; the next ones finish."""
    trial.settings["acknowledge"] = mode
    trial.send(MESSAGES)
    job = trial.start_loop(die_at=point)
    assert job.wait() == -signal.SIGKILL, job.text()[-4000:]
    job.leaves_nothing()
    trial.drain(trial.start_loop)
    trial.check_exact()


def test_without_a_kill(trial: Trial) -> None:
    trial.send(MESSAGES)
    trial.drain(trial.start_loop)
    trial.check_exact()


@pytest.mark.parametrize(
    ("point", "mode"),
    [
        ("after receive", "onCommit"),
        ("segment after rename, before seal record", "onJournal"),
        ("after seal record, before plan", "onCommit"),
        ("after offset, before batch", "onJournal"),
        ("table written, before the commit log", "onCommit"),
        ("before JMS commit", "onCommit"),
        ("after JMS commit, before it is recorded", "onJournal"),
    ],
)
def test_kill_at(trial: Trial, point: str, mode: str) -> None:
    kill_and_count(trial, point, mode)


@pytest.mark.matrix
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("point", ALL)
def test_kill_at_the_first_passing(trial: Trial, point: str, mode: str) -> None:
    kill_and_count(trial, point, mode)


@pytest.mark.matrix
@pytest.mark.parametrize(("point", "mode"), list(zip(ALL, MODES * len(ALL), strict=False)))
def test_kill_at_the_second_passing(trial: Trial, point: str, mode: str) -> None:
    kill_and_count(trial, f"{point}#2", mode)


@pytest.mark.matrix
@pytest.mark.parametrize(("point", "mode"), list(zip(ALL, MODES[::-1] * len(ALL), strict=False)))
def test_kill_at_the_third_passing(trial: Trial, point: str, mode: str) -> None:
    kill_and_count(trial, f"{point}#3", mode)


@pytest.mark.matrix
@pytest.mark.parametrize("mode", MODES)
def test_kill_again_and_again(trial: Trial, mode: str) -> None:
    """Each run dies at another point than the one before, with both modes in turns."""
    trial.send(MESSAGES)
    for number, point in enumerate(ALL):
        trial.settings["acknowledge"] = MODES[(MODES.index(mode) + number) % 2]
        job = trial.start_loop(die_at=point)
        assert job.wait() == -signal.SIGKILL, job.text()[-4000:]
        trial.send(200)
    trial.drain(trial.start_loop)
    trial.check_exact()
