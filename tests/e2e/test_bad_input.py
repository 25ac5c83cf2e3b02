"""What a user gets wrong: the error comes as early as it can and says which option or column, and what to do."""

from __future__ import annotations

import socket

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tests.e2e.lab import Collected, Lab

pytestmark = pytest.mark.spark

CONTINUOUS = {"processingTime": "0 seconds"}
PASSWORD = "not-to-be-shown-5d1c"


def test_no_options_at_all(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="'queue' and 'topic' are both missing: name what to read"):
        spark.readStream.format("jms").load()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"queue": None}, "'queue' and 'topic' are both missing: name what to read"),
        ({"url": None}, "Option 'url' is missing: say where the broker is"),
        ({"journal": None}, "Option 'journal' is missing: a folder or URI"),
        ({"maxMessagePerTrigger": "5"}, "Did you mean 'maxMessagesPerTrigger'?"),
        ({"url": "tcp://broker:61616"}, "add 'provider' (one of artemis"),
        ({"provider": "activemqq", "url": "tcp://broker:61616"}, "Option 'provider' is 'activemqq': it must be one of"),
        ({"receivers": "0"}, "Option 'receivers' is '0': it must be at least 1"),
        ({"receiveTimeout": "soon"}, "Option 'receiveTimeout' is 'soon': it must be a duration such as"),
        ({"passwordFile": "secret.txt"}, "Options password and passwordFile exclude each other"),
        ({"onNewCheckpoint": "restart"}, "Option 'onNewCheckpoint' is 'restart': it must be one of continue, replay"),
        ({"path": "orders"}, "Unknown option 'path'"),
    ],
)
def test_options_are_checked_at_load(lab: Lab, options: dict[str, str | None], said: str) -> None:
    refusal = lab.refusal(schema=None, **options)
    assert said in refusal
    assert lab.connection["password"] not in refusal


def test_options_are_checked_when_the_query_starts_if_there_is_a_schema(lab: Lab) -> None:
    """Spark makes no source at load() when it need not ask for the schema."""
    said = lab.failure(lab.read(queue=None), sink="noop")
    assert "OptionError: Options 'queue' and 'topic' are both missing" in said


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("text STRING, tags ARRAY<STRING>", "Column 'tags' of type"),
        ("JMSTimestamp STRING", "Column 'JMSTimestamp' of type STRING cannot be filled: as a standard column it is"),
        ("jmsmessageid STRING", "write 'JMSMessageID'"),
        ("text STRING, n INT NOT NULL", "Column 'n' of type INT cannot be filled: it is NOT NULL"),
        ("text STRING, _corrupt_record INT", "Column '_corrupt_record' of type INT cannot be filled"),
    ],
)
def test_a_schema_that_cannot_be_filled(lab: Lab, schema: str, said: str) -> None:
    lab.send(1)
    failure = lab.failure(lab.read(schema), sink="noop")
    assert "SchemaError" in failure and said in failure
    assert lab.left() == 1


@pytest.mark.parametrize("trigger", [{"availableNow": True}, CONTINUOUS])
def test_a_wrong_token(lab: Lab, trigger: dict[str, object]) -> None:
    said = lab.failure(lab.read(password=PASSWORD), sink="noop", trigger=trigger)
    assert "AccessError" in said and "set 'password' to the one it was started with" in said
    assert PASSWORD not in said


def test_no_broker_answers(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    said = lab.failure(lab.read(url=f"memory://127.0.0.1:{port}"), sink="noop")
    assert "ConnectionLostError" in said and f"127.0.0.1:{port}: is it still running?" in said


def test_a_url_that_is_none(lab: Lab) -> None:
    said = lab.failure(lab.read(url="memory://nowhere"), sink="noop")
    assert "Option 'url' is 'memory://nowhere'" in said and "memory://127.0.0.1:PORT" in said


def test_a_password_file_that_is_not_there(lab: Lab) -> None:
    missing = str(lab.folder / "missing.txt")
    said = lab.failure(lab.read(password=None, passwordFile=missing), sink="noop")
    assert f"Option 'passwordFile' names {missing}, which cannot be read" in said


def test_a_journal_that_cannot_be_written(lab: Lab) -> None:
    file = lab.folder / "file"
    file.write_text("no folder")
    lab.send(1)
    said = lab.failure(lab.read(journal=str(file / "journal"), reconnectTimeout="1s"), sink="noop")
    assert "JournalStorageError" in said and str(file) in said
    assert lab.left() == 1


def test_a_journal_that_an_executor_does_not_see(lab: Lab) -> None:
    sent = lab.send(3)

    def lose_it(frame: DataFrame, batch: int) -> None:
        for segment in lab.segments():
            segment.rename(segment.with_suffix(".gone"))
        frame.collect()

    said = lab.failure(sink=lose_it)
    assert "as seen from this executor" in said and "storage that all executors share" in said
    for segment in (lab.journal / "segments").glob("*.gone"):
        segment.rename(segment.with_suffix(".arrow"))
    collected = Collected()
    lab.run(sink=collected)
    assert collected.numbers == list(sent)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selector": "n > > 0"}, "OptionError: Option 'selector': Not a JMS selector: expected"),
        ({"where": "n = = 0"}, "OptionError: Option 'where': Not a Spark predicate"),
        ({"where": "n + 1 > 0"}, "SelectorError: Option 'where': The predicate `n + 1 > 0` has no exact JMS selector"),
    ],
)
def test_what_is_no_selector(lab: Lab, options: dict[str, str | None], words: str) -> None:
    lab.send(1)
    assert words in lab.failure(lab.read(**options), sink="noop")
    assert lab.left() == 1


def test_a_batch_read_says_that_there_is_none(lab: Lab) -> None:
    with pytest.raises(PySparkException, match="reader"):
        lab.spark.read.format("jms").options(**lab.options()).load().collect()
