"""The data source and its reader without a Spark session: options, pickling, secrets, a whole micro-batch."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows
from pyspark.sql.types import IntegerType, StringType, StructType

from pyspark_jms import DefaultSource
from spark_jms_connector import AccessError, JavaError, JmsDataSource, OptionError, SchemaError, SelectorError
from spark_jms_connector.columns import STANDARD
from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.source import stream_reader
from spark_jms_connector.source.stream_reader import JmsStreamReader
from spark_jms_connector.transport.base import Destination
from spark_jms_connector.transport.memory import MemoryServer

SECRET = "never-shown-93f0"
SCHEMA = StructType().add("text", StringType()).add("n", IntegerType())
JAVA = {"url": "tcp://127.0.0.1:1", "provider": "artemis"}
OPTIONS = {"url": "memory://127.0.0.1:1", "queue": "q", "journal": "unused", "password": SECRET}


def source(**changed: str) -> JmsDataSource:
    return made_of({**OPTIONS, **changed})


def made_of(options: dict[str, str]) -> JmsDataSource:
    """As Spark makes it."""
    return JmsDataSource(CaseInsensitiveDict(options))  # type: ignore[arg-type]


@pytest.fixture
def reader(memory_server: MemoryServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JmsStreamReader]:
    """A reader in this process, which has no driver to die with."""
    monkeypatch.setattr(stream_reader, "die_with_parent", lambda: None)
    options = {"url": memory_server.url, "password": memory_server.token, "journal": str(tmp_path / "journal")}
    made = source(**options, receiveTimeout="20ms").streamReader(SCHEMA)
    yield made
    made.stop()


def send(server: MemoryServer, count: int) -> None:
    producer = server.broker.transport().open_producer(Destination("q"))
    messages = [Message(body=f"m{n}", properties={"n": Value.of(n)}) for n in range(count)]
    producer.send(messages_to_batch(messages, [""] * count))
    producer.commit()
    producer.close()


def test_it_is_called_jms() -> None:
    assert JmsDataSource.name() == DefaultSource.name() == "jms"
    assert issubclass(DefaultSource, JmsDataSource)


def test_options_are_read_whatever_their_case() -> None:
    assert "maxMessagesPerTrigger=7" in repr(source(MAXMESSAGESPERTRIGGER="7"))


def test_a_source_that_cannot_work_is_not_made() -> None:
    with pytest.raises(OptionError, match="'queue' and 'topic' are both missing"):
        made_of({})


def test_the_schema_of_none_is_all_standard_columns() -> None:
    parsed = source().schema()
    assert [part.split()[0] for part in parsed.split(", ") if part.split()[0] in STANDARD] == list(STANDARD)


@pytest.mark.parametrize("dumps", [pickle.dumps, CloudPickleSerializer().dumps])
def test_source_and_reader_travel(dumps: object) -> None:
    assert callable(dumps)
    for travelled in (source(), source().streamReader(SCHEMA)):
        again = pickle.loads(dumps(travelled))
        assert type(again) is type(travelled)
    assert repr(pickle.loads(dumps(source()))) == repr(source())


def test_secrets_are_masked() -> None:
    made = source(**JAVA, **{"journal.secret_key": SECRET, "connection.trustStorePassword": SECRET})
    for shown in (repr(made), str(made), repr(made.streamReader(SCHEMA)), f"{made.__dict__['_parsed']}"):
        assert SECRET not in shown
    assert "password=********" in repr(made)


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, ReadAllAvailable()),
        ({"maxMessagesPerTrigger": "5"}, ReadMaxRows(5)),
        ({"maxBytesPerTrigger": "1k"}, ReadMaxBytes(1024)),
    ],
)
def test_the_default_limit_is_what_the_options_say(options: dict[str, str], limit: object) -> None:
    assert source(**options).streamReader(SCHEMA).getDefaultReadLimit() == limit


def test_nothing_is_touched_before_a_question_is_asked(tmp_path: Path) -> None:
    made = source(journal=str(tmp_path / "journal")).streamReader(SCHEMA)
    made.initialOffset()
    made.stop()
    assert not (tmp_path / "journal").exists()


def test_a_schema_is_checked_before_anything_else() -> None:
    made = source().streamReader(StructType().add("JMSPriority", StringType()))
    for question in (made.initialOffset, made.prepareForTriggerAvailableNow):
        with pytest.raises(SchemaError, match="'JMSPriority'"):
            question()


def test_a_micro_batch_from_end_to_end(reader: JmsStreamReader, memory_server: MemoryServer) -> None:
    send(memory_server, 3)
    reader.prepareForTriggerAvailableNow()
    start = reader.initialOffset()
    end = reader.latestOffset(start, ReadAllAvailable())
    parts = pickle.loads(pickle.dumps(reader.partitions(start, end)))
    rows = pa.Table.from_batches([batch for part in parts for batch in reader.read(part)]).to_pylist()
    assert sorted(rows, key=lambda row: row["n"]) == [{"text": f"m{n}", "n": n} for n in range(3)]
    assert reader.latestOffset(end, ReadAllAvailable()) == end
    assert memory_server.broker.sessions == []
    report = reader.reportLatestOffset()
    assert report is not None and (report["journaled"], report["acknowledged"], report["plan"]) == (3, 3, 1)


def test_partitions_may_be_asked_for_twice(reader: JmsStreamReader, memory_server: MemoryServer) -> None:
    send(memory_server, 3)
    reader.prepareForTriggerAvailableNow()
    start = reader.initialOffset()
    end = reader.latestOffset(start, ReadAllAvailable())
    assert reader.partitions(start, end) == reader.partitions(start, end)
    assert list(reader.partitions(end, end)) == []


def test_secrets_are_not_logged(
    memory_server: MemoryServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_reader, "die_with_parent", lambda: None)
    made = source(url=memory_server.url, journal=str(tmp_path / "journal")).streamReader(SCHEMA)
    made.prepareForTriggerAvailableNow()
    with caplog.at_level(logging.DEBUG), pytest.raises(AccessError) as caught:
        made.latestOffset(made.initialOffset(), ReadAllAvailable())
    made.stop()
    assert SECRET not in caplog.text and SECRET not in str(caught.value)
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]


def test_without_java_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_reader, "die_with_parent", lambda: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    journal = str(tmp_path / "journal")
    made = source(url="tcp://127.0.0.1:1", provider="artemis", journal=journal).streamReader(SCHEMA)
    made.prepareForTriggerAvailableNow()
    with pytest.raises(JavaError, match="install Java 17 or newer"):
        made.latestOffset(made.initialOffset(), ReadAllAvailable())
    made.stop()


def test_where_becomes_the_selector(
    memory_server: MemoryServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(stream_reader, "die_with_parent", lambda: None)
    options = {"url": memory_server.url, "password": memory_server.token, "journal": str(tmp_path / "journal")}
    made = source(**options, receiveTimeout="20ms", where="N >= 2.5").streamReader(SCHEMA)
    assert "selector='n >= 3'" in repr(made)
    send(memory_server, 5)
    with caplog.at_level(logging.INFO):
        made.latestOffset(made.initialOffset(), ReadAllAvailable())
    assert "The broker is asked for: n >= 3 (for where: N >= 2.5)" in caplog.text
    assert len(memory_server.broker.browse(Destination("q"))) == 3
    made.stop()


def test_where_without_a_selector_is_refused_before_anything_connects() -> None:
    made = source(where="text = 'x'").streamReader(SCHEMA)
    with pytest.raises(SelectorError, match="Option 'where': .*column 'text' is not a header"):
        made.initialOffset()
    assert "where=" in repr(made)


def test_where_does_not_see_the_corrupt_record() -> None:
    schema = StructType().add("raw", StringType()).add("n", IntegerType())
    assert "selector='raw IS NULL'" in repr(source(where="raw IS NULL").streamReader(schema))
    made = source(where="raw IS NULL", columnNameOfCorruptRecord="raw").streamReader(schema)
    with pytest.raises(SelectorError, match="column 'raw' is not in the schema"):
        made.initialOffset()
