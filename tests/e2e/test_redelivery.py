"""A broker counts deliveries, and gives up on a message after ten: crash loops must not use them up."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.message import Message, Value
from spark_jms_connector.option_rules import read_options
from spark_jms_connector.transport import open_transport
from tests.classic import ClassicBroker
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures"]
pytestmark = pytest.mark.broker

MESSAGES = 2_000
KILLS = 15
RECEIVERS = 2
KILLED_AT = (
    "after receive",
    "after seal record, before plan",
    "after offset, before batch",
    "before JMS commit",
    "before segment is deleted",
)


def kill_in_a_row(trial: Trial, point: str, times: int) -> None:
    for _ in range(times):
        job = trial.start_loop(die_at=point)
        assert job.wait() == -signal.SIGKILL, job.text()[-4000:]
        job.leaves_nothing()


def lands_all_and_dead_letters_none(trial: Trial, letters: str = "DLQ") -> None:
    trial.drain(trial.start_loop)
    assert trial.depth(letters) == 0
    trial.check_exact()


def limited(request: pytest.FixtureRequest, broker: str, folder: Path) -> tuple[Trial, str]:
    """A queue on a broker of its own that counts deliveries, and where it puts what had too many of them."""
    started: ArtemisBroker | ClassicBroker
    if broker == "classic":
        started, provider, letters = ClassicBroker(folder / "broker"), "activemq", "ActiveMQ.DLQ"
    else:
        address = None if broker == "artemis that drops" else "DLQ"
        started, provider, letters = ArtemisBroker(folder / "broker", dead_letter_address=address), "artemis", "DLQ"
    started.start()
    request.addfinalizer(started.stop)
    connection = {"provider": provider, "url": started.url}
    transport = open_transport(read_options(connection))
    request.addfinalizer(transport.close)
    trial = Trial(folder, connection, transport)
    request.addfinalizer(trial.close)
    return trial, letters


# Each run gets a little through and dies with all the rest of the queue sent ahead to it.
@pytest.mark.parametrize(
    ("broker", "point", "mode"),
    [
        ("artemis", "before JMS commit#3", "onCommit"),
        ("classic", "before JMS commit#3", "onCommit"),
        pytest.param("artemis that drops", "before JMS commit#3", "onCommit", marks=pytest.mark.matrix),
        pytest.param("artemis", "before JMS commit#3", "onJournal", marks=pytest.mark.matrix),
        pytest.param("artemis", "after receive#6", "onCommit", marks=pytest.mark.matrix),
        pytest.param("classic", "after receive#6", "onJournal", marks=pytest.mark.matrix),
    ],
)
def test_many_kills_use_up_no_deliveries(
    request: pytest.FixtureRequest, tmp_path: Path, broker: str, point: str, mode: str
) -> None:
    trial, letters = limited(request, broker, tmp_path)
    trial.settings |= {"acknowledge": mode, "segmentMaxMessages": "50", "maxMessagesPerTrigger": "100"}
    trial.send(MESSAGES)
    kill_in_a_row(trial, point, KILLS)
    assert trial.depth() > 0
    lands_all_and_dead_letters_none(trial, letters)


@pytest.mark.matrix
@pytest.mark.parametrize("point", ["after receive", "before JMS commit"])
def test_runs_that_never_commit_cost_one_message_each_receiver(own_trial: Trial, point: str) -> None:
    """No client can hold back the count of a message it takes and never commits: but it can take just one."""
    own_trial.send(MESSAGES)
    kill_in_a_row(own_trial, point, KILLS)
    own_trial.drain(own_trial.start_loop)
    dead = own_trial.depth("DLQ")
    assert dead <= RECEIVERS
    result = own_trial.count()
    assert not result.doubled and not result.foreign
    assert len(result.lost) == (dead if point == "after receive" else 0)


def test_a_malformed_message_holds_nothing_back(own_trial: Trial) -> None:
    """Its number is no number, so its row has none; ten kills around it change nothing."""
    own_trial.send(500)
    own_trial.send_these([Message("?", properties={"n": Value.of("no number")})])
    own_trial.send(500)
    for passing in (2, 3):
        for point in KILLED_AT:
            own_trial.send(200)
            kill_in_a_row(own_trial, f"{point}#{passing}", 1)
    own_trial.drain(own_trial.start_loop)
    assert own_trial.rows().count(None) == 1
    lands_all_and_dead_letters_none(own_trial)
