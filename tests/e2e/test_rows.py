"""Messages as rows: standard and typed columns, what does not fit, another schema after a restart."""

from __future__ import annotations

import json
import time

import pytest
from pyspark.sql.datasource import DataSource

from spark_jms_connector.columns import STANDARD
from spark_jms_connector.message import Message, Value
from tests.e2e.lab import Collected, Lab, expected

pytestmark = pytest.mark.spark

TYPED = "n INT, region STRING, urgent BOOLEAN, amount DOUBLE, price DECIMAL(10,2), big BIGINT, missing INT"
STRICT = "text STRING, n INT, amount INT, _corrupt_record STRING"


def test_without_a_schema_there_are_all_standard_columns(lab: Lab) -> None:
    lab.send(1, region="EU")
    frame, collected = lab.read(schema=None), Collected()
    assert frame.columns == list(STANDARD)
    lab.run(frame, sink=collected)
    (row,) = collected.rows
    assert (row.text, row.bodyType, row.JMSDestination) == ("m0", "text", f"queue:{lab.queue}")
    assert row.properties == {"n": "0", "region": "EU"}
    assert row.propertyTypes == {"n": "int", "region": "string"}
    assert row.JMSMessageID.startswith("ID:") and row.JMSTimestamp is not None
    assert (row.JMSRedelivered, row.JMSExpiration, row._sequence) == (False, None, 0)


def test_times_do_not_depend_on_the_sessions_time_zone(lab: Lab, request: pytest.FixtureRequest) -> None:
    lab.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    request.addfinalizer(lambda: lab.spark.conf.unset("spark.sql.session.timeZone"))
    before = time.time()
    lab.send(1)
    collected = Collected()
    lab.run(lab.read("JMSTimestamp TIMESTAMP").selectExpr("unix_millis(JMSTimestamp) AS sent"), sink=collected)
    (row,) = collected.rows
    assert before - 1 <= row.sent / 1000 <= time.time() + 1


def test_properties_fill_columns_of_their_type(lab: Lab) -> None:
    lab.send(1, region="EU", urgent=True, amount=1.5, price=Value("double", "2.25"), big=2**40)
    collected = Collected()
    lab.run(lab.read(TYPED), sink=collected)
    (row,) = collected.rows
    assert row.asDict(recursive=True) | {"price": str(row.price)} == {
        "n": 0,
        "region": "EU",
        "urgent": True,
        "amount": 1.5,
        "price": "2.25",
        "big": 2**40,
        "missing": None,
    }


def with_a_misfit(lab: Lab) -> None:
    lab.send(1, amount=1)
    lab.send(1, amount="many")
    lab.send(1, amount=3)


def test_permissive_keeps_the_raw_message_of_what_does_not_fit(lab: Lab) -> None:
    with_a_misfit(lab)
    collected = Collected()
    lab.run(lab.read(STRICT), sink=collected)
    by_number = {row.n: row for row in collected.rows}
    assert [by_number[n].amount for n in range(3)] == [1, None, 3]
    assert [by_number[n]._corrupt_record is None for n in range(3)] == [True, False, True]
    raw = json.loads(by_number[1]._corrupt_record)
    assert raw["text"] == "m1" and raw["properties"]["amount"] == {"type": "string", "value": "many"}


def test_the_raw_message_goes_to_the_column_the_option_names(lab: Lab) -> None:
    with_a_misfit(lab)
    collected = Collected()
    frame = lab.read("n INT, amount INT, bad STRING", columnNameOfCorruptRecord="bad")
    lab.run(frame, sink=collected)
    assert {row.n for row in collected.rows if row.bad} == {1}


def test_dropmalformed_drops_it(lab: Lab) -> None:
    with_a_misfit(lab)
    collected = Collected()
    lab.run(lab.read(STRICT, mode="DROPMALFORMED"), sink=collected)
    assert collected.numbers == [0, 2]
    assert lab.left() == 0


def test_failfast_stops_the_query_and_loses_nothing(lab: Lab) -> None:
    """The message stays in the journal: the next run, with a schema that fits, has it."""
    with_a_misfit(lab)
    said = lab.failure(lab.read(STRICT, mode="FAILFAST"), sink=Collected())
    assert "'amount'" in said and "FAILFAST" in said and "ID:memory" in said and "many" not in said
    collected = Collected()
    lab.run(lab.read("n INT, amount STRING", mode="FAILFAST"), sink=collected)
    assert sorted((row.n, row.amount) for row in collected.rows) == [(0, "1"), (1, "many"), (2, "3")]


def test_another_schema_after_a_restart_loses_nothing(lab: Lab) -> None:
    first = lab.send(5, region="EU")
    failing = Collected(fail_at=0)
    lab.failure(lab.read("n INT"), sink=failing)
    second = lab.send(5, region="US")
    collected = Collected()
    lab.run(lab.read("n INT, region STRING, text STRING, JMSMessageID STRING"), sink=collected)
    assert collected.numbers == expected(first, second)
    assert {row.region for row in collected.rows} == {"EU", "US"}
    assert {row.text for row in collected.rows} == {f"m{n}" for n in range(10)}


@pytest.mark.broker
def test_bodies_of_all_kinds_from_artemis(artemis_lab: Lab) -> None:
    artemis_lab.put(
        Message(body="grüße", body_type="text"),
        Message(body=b"\x00\x01", body_type="bytes"),
        Message(body={"a": Value("int", "1")}, body_type="map"),
        Message(body=(Value("string", "x"),), body_type="stream"),
        Message(body=None, body_type="message"),
    )
    collected = Collected()
    artemis_lab.run(artemis_lab.read(schema=None), sink=collected)
    rows = {row.bodyType: row for row in collected.rows}
    assert rows["text"].text == "grüße"
    assert bytes(rows["bytes"].bytes) == b"\x00\x01"
    assert rows["map"].map["a"].asDict() == {"type": "int", "value": "1"}
    assert rows["stream"].stream[0].value == "x"
    assert set(rows) == {"text", "bytes", "map", "stream", "message"}


@pytest.mark.broker
def test_a_selector_leaves_the_rest_on_the_queue(artemis_lab: Lab) -> None:
    wanted = artemis_lab.send(10, region="EU")
    artemis_lab.send(7, region="US")
    artemis_lab.run(artemis_lab.read(selector="region = 'EU'"))
    assert artemis_lab.numbers() == expected(wanted)
    assert artemis_lab.waiting() == 7


@pytest.mark.parametrize("options", [{"selector": "n > 2"}, {"where": "N > 2.5"}], ids=["selector", "where"])
def test_only_what_matches_is_taken(lab: Lab, options: dict[str, str | None]) -> None:
    lab.send(10)
    lab.run(lab.read(**options))
    assert lab.numbers() == expected(range(3, 10))
    assert lab.left() == 3


class Registered(DataSource):
    """A source that only the session knows that it was registered in."""

    @classmethod
    def name(cls) -> str:
        return "registered"

    def schema(self) -> str:
        return "n INT"


def test_spark_finds_the_source_by_itself(lab: Lab) -> None:
    """In a session where nothing was registered, as the one source that is missing shows."""
    lab.spark.dataSource.register(Registered)
    lab.spark.read.format("registered").load()
    session = lab.spark.newSession()
    with pytest.raises(Exception, match="Failed to find the data source: registered"):
        session.read.format("registered").load()
    sent, collected = lab.send(5), Collected()
    frame = session.readStream.format("jms").options(**lab.options()).schema("n INT").load()
    lab.run(frame, sink=collected)
    assert collected.numbers == expected(sent)
