"""A real broker that refuses, or is not there; and passwords, which appear nowhere."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from tests.e2e.lab import Lab, expected

pytestmark = [pytest.mark.spark, pytest.mark.broker]

PASSWORD = "right-and-secret-77ab"
WRONG = "wrong-and-secret-41cd"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArtemisBroker]:
    """A broker that asks for a password."""
    with ArtemisBroker(tmp_path_factory.mktemp("locked"), user="ann", password=PASSWORD) as broker:
        yield broker


@pytest.fixture
def locked_lab(spark: SparkSession, locked: ArtemisBroker, tmp_path: Path) -> Iterator[Lab]:
    login = {"provider": "artemis", "url": locked.url, "user": "ann", "password": PASSWORD}
    transport = open_transport(SourceOptions(**login))  # type: ignore[arg-type]
    laboratory = Lab(spark, login, transport, tmp_path)
    yield laboratory
    laboratory.stop_all()
    transport.close()


def test_a_wrong_password(locked_lab: Lab) -> None:
    said = locked_lab.failure(locked_lab.read(password=WRONG), sink="noop")
    assert "AccessError" in said and "Check the options 'user' and 'password'" in said
    assert WRONG not in said


def test_a_password_appears_nowhere(locked_lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    lab = locked_lab
    sent = lab.send(5)
    frame = lab.read()
    frame.explain(mode="extended")
    frame.explain(mode="formatted")
    query = lab.run(frame)
    query.explain(extended=True)
    assert lab.numbers() == expected(sent)
    shown = capsys.readouterr().out + repr(frame) + "".join(progress.json for progress in query.recentProgress)
    assert "Physical Plan" in shown and "endOffset" in shown
    assert PASSWORD not in shown
    files = [
        file for folder in (lab.checkpoint, lab.journal, lab.table) for file in folder.rglob("*") if file.is_file()
    ]
    assert len(files) > 10
    assert not [file for file in files if PASSWORD.encode() in file.read_bytes()]


def test_a_host_that_does_not_exist(artemis_lab: Lab) -> None:
    said = artemis_lab.failure(artemis_lab.read(url="tcp://no-such-host.invalid:61616"), sink="noop")
    assert "ConnectionLostError" in said and "no-such-host.invalid" in said and "Check the option 'url'" in said


def test_a_broker_that_is_not_running(artemis_lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    said = artemis_lab.failure(artemis_lab.read(url=f"tcp://127.0.0.1:{port}"), sink="noop")
    assert "ConnectionLostError" in said and f"127.0.0.1:{port}" in said and "Is it running and reachable" in said


def test_a_url_that_is_none(artemis_lab: Lab) -> None:
    said = artemis_lab.failure(artemis_lab.read(url="nonsense"), sink="noop")
    assert "ption 'url'" in said and "nonsense" in said and "NullPointer" not in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"selector": "名前 = 'EU'"}, "Correct the option 'selector'"),
        ({"jars": "no/such/client.jar"}, "Option 'jars' names no/such/client.jar, which does not exist"),
        ({"provider": None, "connectionFactory": "com.example.Factory"}, "add 'jars' or 'packages'"),
        ({"connection.reconnectAttempts": "5"}, "cannot be set: the connector needs reconnectAttempts=0"),
        ({"connection.consumerWindowSiz": "5"}, "Did you mean 'connection.consumerWindowSize'?"),
    ],
)
def test_what_the_client_refuses(artemis_lab: Lab, options: dict[str, str | None], said: str) -> None:
    artemis_lab.send(1)
    failure = artemis_lab.failure(artemis_lab.read(**options), sink="noop")
    assert said in failure
    assert artemis_lab.waiting() == 1
