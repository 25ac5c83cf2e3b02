"""The broker goes away in mid-stream and comes back on its data and port: the stream goes on by itself."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.option_rules import read_options
from spark_jms_connector.transport import open_transport
from tests.brokers import free_port
from tests.e2e.jobs import Job
from tests.e2e.processes import until
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures"]
pytestmark = pytest.mark.broker

MESSAGES = 2_000
LONG = 120.0


def in_mid_stream(trial: Trial, job: Job) -> None:
    """Some of the messages have landed, and others are on their way."""
    trial.send(MESSAGES)
    until(lambda: bool(trial.landed()) or not job.running, LONG, "the first rows")


def go(broker: ArtemisBroker, how: str) -> None:
    {"SIGTERM": broker.stop, "SIGKILL": broker.kill}[how]()
    assert not broker.alive


def lands_everything(trial: Trial, job: Job) -> None:
    """The same process lands what was there before and what comes after, each once."""
    trial.until_landed(job)
    trial.stop(job)
    trial.check_exact()


@pytest.mark.parametrize(("how", "mode"), [("SIGTERM", "onJournal"), ("SIGKILL", "onCommit")])
def test_the_stream_goes_on(own_broker: ArtemisBroker, own_trial: Trial, how: str, mode: str) -> None:
    own_trial.settings["acknowledge"] = mode
    job = own_trial.start_loop(trigger="continuous")
    for _ in range(2):
        in_mid_stream(own_trial, job)
        go(own_broker, how)
        own_broker.start()
    own_trial.send(MESSAGES)
    lands_everything(own_trial, job)
    assert job.events()[-1]["report"]["reconnects"] > 0


@pytest.mark.parametrize("mode", ["onCommit", pytest.param("onJournal", marks=pytest.mark.matrix)])
def test_another_broker_takes_over_with_the_same_store(tmp_path: Path, mode: str) -> None:
    """Two urls: the live broker is killed, the second starts on its data, and then the first again."""
    first, second = (ArtemisBroker(tmp_path / "store", free_port()) for _ in range(2))
    connection = {"provider": "artemis", "url": f"{first.url},{second.url}"}
    with closing(open_transport(read_options(connection))) as transport, first:
        trial = Trial(tmp_path, connection, transport, {"acknowledge": mode})
        job = trial.start_loop(trigger="continuous")
        for live, next_one in ((first, second), (second, first)):
            in_mid_stream(trial, job)
            live.kill()
            next_one.start()
        trial.send(MESSAGES)
        lands_everything(trial, job)
        assert job.events()[-1]["report"]["reconnects"] > 1
        trial.close()


def test_it_gives_up_after_the_time_it_was_given(own_broker: ArtemisBroker, own_trial: Trial) -> None:
    own_trial.settings["reconnectTimeout"] = "1s"
    job = own_trial.start_loop(trigger="continuous")
    in_mid_stream(own_trial, job)
    own_broker.kill()
    assert job.wait() == 1, job.text()[-4000:]
    failure = job.events()[-1]["text"]
    assert "'reconnectTimeout'" in failure
    assert own_broker.url in failure
    own_broker.start()
    own_trial.settings.clear()
    own_trial.drain(own_trial.start_loop)
    own_trial.check_exact()


@pytest.mark.spark
@pytest.mark.matrix
def test_a_spark_query_goes_on(own_broker: ArtemisBroker, own_trial: Trial) -> None:
    own_trial.settings |= {"segmentMaxMessages": "500", "maxMessagesPerTrigger": "1000"}
    job = own_trial.start_spark(trigger="continuous")
    in_mid_stream(own_trial, job)
    own_broker.kill()
    own_broker.start()
    own_trial.send(MESSAGES)
    lands_everything(own_trial, job)
