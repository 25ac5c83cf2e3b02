"""A broker that lets a session hold only so many messages never makes a stream wait for more."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.message import Message, Value
from spark_jms_connector.option_rules import read_options
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Transport
from tests.brokers import artemis_connection
from tests.classic import ClassicBroker
from tests.e2e.jobs import LONG
from tests.e2e.processes import until
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures", "tests.e2e.road_fixtures"]
pytestmark = pytest.mark.broker

MESSAGES = 3_000
# Micro-batches that no window of these brokers can fill: a stream that waited for them would take for ever.
PATIENT = {
    "minMessagesPerTrigger": str(MESSAGES),
    "maxTriggerDelay": "10m",
    "segmentMaxMessages": "50000",
    "maxMessagesPerTrigger": "50000",
    "receivers": "1",
}
MODES = ("onCommit", "onJournal")


def made(request: pytest.FixtureRequest, trial: Trial) -> Trial:
    request.addfinalizer(trial.close)
    return trial


def lands_all_without_waiting(trial: Trial, mode: str) -> str:
    trial.settings |= {**PATIENT, "acknowledge": mode}
    job = trial.start_loop(trigger="continuous")
    until(lambda: len(trial.safe()) > MESSAGES // 2 or not job.running, LONG, "more messages than any window holds")
    trial.stop(job)
    for name in PATIENT:
        del trial.settings[name]
    trial.drain(trial.start_loop)
    trial.check_exact()
    return job.text()


@pytest.mark.parametrize("mode", MODES)
def test_classic_with_too_large_a_prefetch(
    request: pytest.FixtureRequest, tmp_path: Path, classic: ClassicBroker, to_classic: Transport, mode: str
) -> None:
    """Classic then sends 200 messages and nothing more."""
    connection = {"provider": "activemq", "url": classic.url, "prefetch": "1000"}
    trial = made(request, Trial(tmp_path, connection, to_classic))
    trial.send(MESSAGES)
    assert "maxPageSize" in lands_all_without_waiting(trial, mode)


@pytest.mark.parametrize("mode", MODES)
def test_classic_over_stomp(
    request: pytest.FixtureRequest, tmp_path: Path, classic: ClassicBroker, to_classic: Transport, mode: str
) -> None:
    trial = made(request, Trial(tmp_path, {"url": classic.stomp_url}, to_classic))
    trial.send(MESSAGES)
    lands_all_without_waiting(trial, mode)


@pytest.mark.parametrize("mode", MODES)
def test_artemis_that_pages(request: pytest.FixtureRequest, tmp_path: Path, mode: str) -> None:
    """While an address pages, a session gets 20 MB and nothing more; text counts double there."""
    with ArtemisBroker(tmp_path / "broker", page_above=2**20) as broker:
        connection = artemis_connection(broker)
        transport = open_transport(read_options(connection))
        request.addfinalizer(transport.close)
        trial = made(request, Trial(tmp_path, connection, transport))
        trial.send_these([Message(f"{n:<10000}", properties={"n": Value.of(n)}) for n in range(MESSAGES)])
        trial.sent = MESSAGES
        assert "max-read-page-bytes" in lands_all_without_waiting(trial, mode)
