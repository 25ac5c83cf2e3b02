"""A process that is stopped (SIGSTOP) while it holds messages, and wakes up after they went elsewhere."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest

from tests.e2e.jobs import Job
from tests.e2e.processes import family, kill, until
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures"]
pytestmark = [pytest.mark.broker, pytest.mark.matrix]

MESSAGES = 3_000
LONG = 120.0


@pytest.fixture(params=["onCommit", "onJournal"])
def short_lived(own_trial: Trial, request: pytest.FixtureRequest) -> Trial:
    """Connections that the broker gives up after three seconds without a sign of life."""
    own_trial.settings |= {
        "acknowledge": request.param,
        "connection.connectionTTL": "3000",
        "connection.clientFailureCheckPeriod": "1000",
    }
    own_trial.send(MESSAGES)
    return own_trial


def in_mid_stream(trial: Trial, job: Job) -> None:
    until(lambda: bool(trial.landed()) or not job.running, LONG, "the first rows")


def pause(trial: Trial, pids: Sequence[int]) -> None:
    """Stop processes, and wait until the broker has taken back what their sessions held."""
    kill(pids, signal.SIGSTOP)
    until(lambda: trial.depth() + len(trial.safe()) >= trial.sent, LONG, "the broker to take messages back")


def test_a_paused_receiver_wakes_up(short_lived: Trial) -> None:
    job = short_lived.start_loop(trigger="continuous")
    in_mid_stream(short_lived, job)
    pause(short_lived, job.part("helper JVM"))
    kill(job.part("helper JVM"), signal.SIGCONT)
    until(lambda: len(set(short_lived.landed())) == short_lived.sent or not job.running, LONG, "every message")
    short_lived.stop(job)
    short_lived.check_exact()


def test_an_orphan_wakes_up_beside_a_new_owner(short_lived: Trial) -> None:
    old = short_lived.start_loop(trigger="continuous")
    in_mid_stream(short_lived, old)
    orphan = family(old.mark)
    pause(short_lived, orphan)
    short_lived.drain(short_lived.start_loop)
    kill(orphan, signal.SIGCONT)
    assert old.wait() == 1
    assert old.events()[-1]["error"] in ("FencedError", "JournalMismatchError")
    short_lived.drain(short_lived.start_loop)
    short_lived.check_exact()
