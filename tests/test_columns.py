"""Columns: which schemas are possible, and what becomes of each message in them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from spark_jms_connector.columns import STANDARD, STANDARD_DDL, check_schema, convert
from spark_jms_connector.errors import MalformedMessageError, SchemaError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import bytes_value, messages_to_batch
from tests.property_reference import TARGETS, reference, values

PAIR = StructType().add("type", StringType()).add("value", StringType())
SPARK_TYPES: dict[str, DataType] = {
    "STRING": StringType(),
    "TIMESTAMP": TimestampType(),
    "INT": IntegerType(),
    "BIGINT": LongType(),
    "BOOLEAN": BooleanType(),
    "BINARY": BinaryType(),
    "MAP<STRING, STRING>": MapType(StringType(), StringType()),
    "MAP<STRING, STRUCT<type: STRING, value: STRING>>": MapType(StringType(), PAIR),
    "ARRAY<STRUCT<type: STRING, value: STRING>>": ArrayType(PAIR),
}
PROPERTY_TYPES = [
    BooleanType(), ByteType(), ShortType(), IntegerType(), LongType(), FloatType(), DoubleType(), StringType(),
    DecimalType(10, 2),
]  # fmt: skip


def spark_schema(**columns: DataType) -> pa.Schema:
    schema = StructType()
    for name, kind in columns.items():
        schema.add(name, kind)
    return to_arrow_schema(schema, timezone="UTC")


def all_standard() -> pa.Schema:
    return spark_schema(**{name: SPARK_TYPES[column.ddl] for name, column in STANDARD.items()})


def journal(*messages: Message) -> pa.RecordBatch:
    numbered = [replace(message, message_id=f"ID:{number}") for number, message in enumerate(messages)]
    return messages_to_batch(numbered, [str(message.message_id) for message in numbered])


def rows(batch: pa.RecordBatch, target: pa.Schema, **settings: Any) -> list[dict[str, Any]]:
    defaults = {"receiver": "r-0", "first_sequence": 7, "mode": "PERMISSIVE", "corrupt_column": "_corrupt_record"}
    result = convert(batch, target, **{"parse_text": False, **defaults, **settings})
    assert target.equals(result.schema, check_metadata=True)
    result.validate(full=True)
    converted: list[dict[str, Any]] = result.to_pylist()
    return converted


def with_property(*sent: Value | None) -> pa.RecordBatch:
    return journal(*[Message(body="x", properties={} if value is None else {"p": value}) for value in sent])


FULL = Message(
    body="hello",
    properties={"n": Value.of(5), "s": Value.of("ü"), "nothing": Value("null", None)},
    timestamp=1_700_000_000_123,
    delivery_time=1_700_000_000_124,
    correlation_id="c",
    destination="queue:orders",
    reply_to="queue:answers",
    type="order",
    priority=7,
    redelivered=True,
    delivery_count=3,
    group_id="g",
    group_seq=2,
)


def test_standard_columns_are_what_pyspark_makes_of_them() -> None:
    target = all_standard()
    check_schema(target, SourceOptions())
    assert [target.field(name).type for name in STANDARD] == [column.arrow for column in STANDARD.values()]
    assert STANDARD_DDL.startswith("JMSMessageID STRING, JMSTimestamp TIMESTAMP, ")


def test_a_message_in_all_standard_columns() -> None:
    (row,) = rows(journal(FULL), all_standard())
    assert row["JMSTimestamp"].timestamp() == 1_700_000_000.123
    assert row["JMSTimestamp"].utcoffset().total_seconds() == 0
    assert row["JMSDeliveryTime"].microsecond == 124_000
    assert row["JMSExpiration"] is None
    kept = ("JMSMessageID", "JMSCorrelationID", "JMSDestination", "JMSReplyTo", "JMSType", "JMSDeliveryMode")
    assert [row[name] for name in kept] == ["ID:0", "c", "queue:orders", "queue:answers", "order", "PERSISTENT"]
    counted = ("JMSPriority", "JMSRedelivered", "JMSXDeliveryCount", "JMSXGroupID", "JMSXGroupSeq")
    assert [row[name] for name in counted] == [7, True, 3, "g", 2]
    assert [row[name] for name in ("bodyType", "text", "bytes", "map", "stream")] == ["text", "hello", None, None, None]
    assert dict(row["properties"]) == {"n": "5", "s": "ü", "nothing": None}
    assert dict(row["propertyTypes"]) == {"n": "int", "s": "string", "nothing": "null"}
    assert (row["_receiver"], row["_sequence"]) == ("r-0", 7)


def test_map_and_stream_bodies() -> None:
    elements = {"a": Value.of(1), "b": bytes_value(b"\xff"), "c": Value("null", None)}
    batch = journal(
        Message(body=elements, body_type="map"),
        Message(body=tuple(elements.values()), body_type="stream"),
        Message(body={}, body_type="map"),
        Message(body=(), body_type="stream"),
        Message(body=b"", body_type="bytes"),
    )
    shown = [{"type": value.type, "value": value.text} for value in elements.values()]
    got = rows(batch, all_standard())
    assert got[0]["map"] == list(zip(elements, shown, strict=True))
    assert got[1]["stream"] == shown
    assert (got[2]["map"], got[3]["stream"], got[4]["bytes"]) == ([], [], b"")


def test_slices_and_empty_batches_convert_like_whole_ones() -> None:
    target = pa.unify_schemas([all_standard(), spark_schema(n=IntegerType())])
    batch = journal(*[replace(FULL, properties={"n": Value.of(n), "m": Value.of(n)}) for n in range(5)])
    assert rows(batch.slice(2, 2), target, first_sequence=9) == rows(batch, target)[2:4]
    assert rows(batch.slice(0, 0), target) == []


def test_missing_property_maps_are_null() -> None:
    batch = journal(FULL, FULL)
    nothing = pa.array([None, batch.column("properties")[1].as_py()], batch.schema.field("properties").type)
    batch = batch.set_column(batch.schema.get_field_index("properties"), batch.schema.field("properties"), nothing)
    got = rows(batch, spark_schema(properties=SPARK_TYPES["MAP<STRING, STRING>"], n=IntegerType()))
    assert (got[0], got[1]["n"]) == ({"properties": None, "n": None}, 5)


def test_a_time_beyond_timestamps_is_null() -> None:
    batch = journal(Message(expiration=2**63 - 1), Message(expiration=(2**63 - 1) // 1000))
    result = convert(
        batch, spark_schema(JMSExpiration=TimestampType()), receiver="r", first_sequence=0, mode="FAILFAST",
        corrupt_column="c", parse_text=False,
    )  # fmt: skip
    assert result.column(0).is_valid().to_pylist() == [False, True]


@pytest.mark.parametrize("kind", PROPERTY_TYPES, ids=str)
def test_property_columns(kind: DataType) -> None:
    target = spark_schema(p=kind)
    check_schema(target, SourceOptions())
    assert rows(with_property(None, Value("null", None)), target) == [{"p": None}, {"p": None}]


@pytest.mark.parametrize(
    ("sent", "kind", "expected"),
    [
        (Value.of(5), DoubleType(), 5.0),
        (Value("long", str(2**53 + 1)), DoubleType(), None),
        (Value("double", "5.0"), IntegerType(), 5),
        (Value("double", "5.5"), IntegerType(), None),
        (Value("double", "0.1"), FloatType(), None),
        (Value("double", "0.5"), FloatType(), 0.5),
        (Value("float", "0.1"), DoubleType(), 0.10000000149011612),
        (Value("double", "-Infinity"), FloatType(), -math.inf),
        (Value("double", "Infinity"), LongType(), None),
        (Value("int", "128"), ByteType(), None),
        (Value("boolean", "true"), BooleanType(), True),
        (Value("boolean", "true"), IntegerType(), None),
        (Value("int", "1"), BooleanType(), None),
        (Value("double", "1.0E10"), StringType(), "1.0E10"),
        (Value("string", "5"), IntegerType(), None),
        (Value("string", "true"), BooleanType(), None),
    ],
)
def test_lossless_or_malformed(sent: Value, kind: DataType, expected: Any) -> None:
    target = spark_schema(p=kind, _corrupt_record=StringType())
    (row,) = rows(with_property(sent), target)
    assert row["p"] == expected
    assert (row["_corrupt_record"] is None) == (expected is not None)


@given(sent=st.lists(st.none() | values(), max_size=12), parse_text=st.booleans(), target=st.sampled_from(TARGETS))
def test_conversion_agrees_with_the_reference(sent: list[Value | None], parse_text: bool, target: pa.DataType) -> None:
    schema = pa.schema([("p", target), ("_corrupt_record", pa.string())])
    got = rows(with_property(*sent), schema, parse_text=parse_text)
    for value, row in zip(sent, got, strict=True):
        fits, expected = reference(value, target, parse_text)
        assert repr(row["p"]) == repr(expected), value
        assert (row["_corrupt_record"] is None) == fits, value


def test_permissive_keeps_the_rest_and_the_raw_message() -> None:
    batch = journal(
        Message(body=b"\x00", body_type="bytes", properties={"a": Value.of("x"), "b": Value.of(2)}),
        Message(body="good", properties={"a": Value.of(1), "b": Value.of(2)}),
    )
    bad, good = rows(batch, spark_schema(a=IntegerType(), b=IntegerType(), _corrupt_record=StringType()))
    assert (bad["a"], bad["b"]) == (None, 2)
    assert good == {"a": 1, "b": 2, "_corrupt_record": None}
    raw = json.loads(bad["_corrupt_record"])
    assert (raw["JMSMessageID"], raw["bytes"], raw["bodyType"]) == ("ID:0", "AA==", "bytes")
    assert raw["properties"]["a"] == {"type": "string", "value": "x"}
    assert "text" not in raw


def test_dropmalformed_drops_the_row_and_keeps_positions() -> None:
    batch = with_property(Value.of(1), Value.of("x"), Value.of(3))
    got = rows(batch, spark_schema(p=IntegerType(), _sequence=LongType()), mode="DROPMALFORMED")
    assert got == [{"p": 1, "_sequence": 7}, {"p": 3, "_sequence": 9}]


def test_failfast_names_the_message_the_column_and_a_remedy_but_no_value() -> None:
    batch = with_property(Value.of(1), Value.of("secret"))
    with pytest.raises(MalformedMessageError, match="ID:1.*'p'.*string.*INT.*'parseText'") as raised:
        rows(batch, spark_schema(p=IntegerType()), mode="FAILFAST")
    assert "secret" not in str(raised.value)
    assert rows(with_property(Value.of(1)), spark_schema(p=IntegerType()), mode="FAILFAST") == [{"p": 1}]


def test_a_property_named_like_a_standard_column_is_in_properties_only() -> None:
    batch = journal(Message(body="body", properties={"text": Value.of("property")}))
    (row,) = rows(batch, spark_schema(text=StringType(), properties=SPARK_TYPES["MAP<STRING, STRING>"]))
    assert (row["text"], dict(row["properties"])) == ("body", {"text": "property"})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"JMSPriority": StringType()}, "'JMSPriority' of type STRING.*it is INT"),
        ({"JMSTimestamp": TimestampNTZType()}, "'JMSTimestamp'.*it is TIMESTAMP"),
        ({"map": MapType(StringType(), StringType())}, "'map'.*STRUCT"),
        ({"day": DateType()}, "'day' of type DATE32.*BOOLEAN, TINYINT"),
        ({"blob": BinaryType()}, "'blob' of type BINARY.*DECIMAL or STRING"),
        ({"list": ArrayType(StringType())}, "'list'"),
        ({"_corrupt_record": IntegerType()}, "'_corrupt_record' of type INT.*must be STRING"),
        ({"jmsmessageid": StringType()}, "write 'JMSMessageID'"),
    ],
)
def test_impossible_columns_are_refused(columns: dict[str, DataType], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        check_schema(spark_schema(**columns), SourceOptions())


def test_not_null_repeated_and_misnamed_columns_are_refused() -> None:
    with pytest.raises(SchemaError, match="'a'.*NOT NULL"):
        check_schema(to_arrow_schema(StructType().add("a", StringType(), False), timezone="UTC"), SourceOptions())
    with pytest.raises(SchemaError, match="'a' is in the schema more than once"):
        check_schema(pa.schema([("a", pa.string()), ("a", pa.int32())]), SourceOptions())
    with pytest.raises(SchemaError, match="columnNameOfCorruptRecord"):
        check_schema(all_standard(), SourceOptions(column_name_of_corrupt_record="text"))
