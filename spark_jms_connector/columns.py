"""The DataFrame's columns, once: their names, types and meaning, and how the journal's rows become them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark_jms_connector.errors import MalformedMessageError, SchemaError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.property_values import convert_values

_VALUE = pa.struct([pa.field("type", pa.string()), pa.field("value", pa.string())])
_PAIRS = pa.list_(pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", _VALUE)]))
# As pyspark lays them out, down to the names of inner fields.
_ARROW: dict[str, pa.DataType] = {
    "STRING": pa.string(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "BOOLEAN": pa.bool_(),
    "BINARY": pa.binary(),
    "MAP<STRING, STRING>": pa.map_(pa.string(), pa.string()),
    "MAP<STRING, STRUCT<type: STRING, value: STRING>>": pa.map_(pa.string(), _VALUE),
    "ARRAY<STRUCT<type: STRING, value: STRING>>": pa.list_(pa.field("element", _VALUE)),
}
_PROPERTY_TYPES = "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL or STRING"
_DDL = {pa.int8(): "TINYINT", pa.int16(): "SMALLINT", pa.float32(): "FLOAT", pa.float64(): "DOUBLE"}
_DDL |= {arrow: ddl for ddl, arrow in _ARROW.items()}
_LAST_MILLISECOND = (2**63 - 1) // 1000


@dataclass(frozen=True)
class Column:
    """A column that every message can fill."""

    name: str
    ddl: str
    doc: str

    @property
    def arrow(self) -> pa.DataType:
        return _ARROW[self.ddl]


STANDARD: dict[str, Column] = {
    column.name: column
    for column in (
        Column("JMSMessageID", "STRING", "The provider's id of the message, `ID:…`."),
        Column("JMSTimestamp", "TIMESTAMP", "When the message was handed over to be sent."),
        Column("JMSDeliveryTime", "TIMESTAMP", "Before which it was not to be delivered."),
        Column("JMSExpiration", "TIMESTAMP", "When it expires; NULL: never."),
        Column("JMSCorrelationID", "STRING", "What the sender relates it to."),
        Column("JMSDestination", "STRING", "Where it was sent: `queue:NAME`."),
        Column("JMSReplyTo", "STRING", "Where a reply should go: `queue:NAME` or `topic:NAME`."),
        Column("JMSType", "STRING", "The sender's name for this kind of message."),
        Column("JMSDeliveryMode", "STRING", "`PERSISTENT` or `NON_PERSISTENT`."),
        Column("JMSPriority", "INT", "0 to 9; 4 is normal."),
        Column("JMSRedelivered", "BOOLEAN", "Whether it was probably delivered before."),
        Column("JMSXDeliveryCount", "INT", "Which delivery this was, from 1."),
        Column("JMSXGroupID", "STRING", "The group it belongs to."),
        Column("JMSXGroupSeq", "INT", "Its place within the group."),
        Column("bodyType", "STRING", "`text`, `bytes`, `map`, `stream`, `object` or `message` (no body)."),
        Column("text", "STRING", "The body of a text message."),
        Column("bytes", "BINARY", "The body of a bytes message."),
        Column("map", "MAP<STRING, STRUCT<type: STRING, value: STRING>>", "The body of a map message."),
        Column("stream", "ARRAY<STRUCT<type: STRING, value: STRING>>", "The body of a stream message."),
        Column("properties", "MAP<STRING, STRING>", "All properties as text."),
        Column("propertyTypes", "MAP<STRING, STRING>", "The types the properties were set with."),
        Column("_receiver", "STRING", "Which receiver took the message."),
        Column("_sequence", "BIGINT", "Its position within that receiver: with `_receiver`, order and identity."),
    )
}
STANDARD_DDL = ", ".join(f"{column.name} {column.ddl}" for column in STANDARD.values())
_BY_LOWER = {name.lower(): name for name in STANDARD}


def check_schema(target: pa.Schema, options: SourceOptions) -> None:
    """Raise SchemaError on the first column that no message could fill."""
    corrupt = options.column_name_of_corrupt_record
    if corrupt in STANDARD:
        raise SchemaError(f"Option 'columnNameOfCorruptRecord' is '{corrupt}', which is a standard column: rename it.")
    for field in target:
        reason = _refusal(field, corrupt)
        if reason:
            raise SchemaError(f"Column '{field.name}' of type {_shown(field.type)} cannot be filled: {reason}.")
    repeated = {name for name in target.names if target.names.count(name) > 1}
    if repeated:
        raise SchemaError(f"Column '{min(repeated)}' is in the schema more than once: keep one.")


def _refusal(field: pa.Field, corrupt: str) -> str | None:
    if not field.nullable:
        return "it is NOT NULL, but a message may have nothing for it; declare it nullable"
    if field.name == corrupt:
        return None if pa.types.is_string(field.type) else "it takes corrupt records, so it must be STRING"
    standard = STANDARD.get(_BY_LOWER.get(field.name.lower(), ""))
    if standard is None:
        return None if _property_type(field.type) else f"a message property can be {_PROPERTY_TYPES}"
    if standard.name != field.name:
        return f"it differs from the standard column '{standard.name}' in case only; write '{standard.name}'," + (
            " or read a property of that name from 'properties'"
        )
    return None if field.type.equals(standard.arrow) else f"as a standard column it is {standard.ddl}"


def _property_type(kind: pa.DataType) -> bool:
    checks = (pa.types.is_boolean, pa.types.is_signed_integer, pa.types.is_string, pa.types.is_decimal)
    return any(check(kind) for check in checks) or kind in (pa.float32(), pa.float64())


def _shown(kind: pa.DataType) -> str:
    return _DDL.get(kind, str(kind).upper())


def convert(
    batch: pa.RecordBatch,
    target: pa.Schema,
    *,
    receiver: str,
    first_sequence: int,
    mode: str,
    corrupt_column: str,
    parse_text: bool,
) -> pa.RecordBatch:
    """Rows of the journal as rows of the DataFrame; ``mode`` says what becomes of those that do not fit."""
    rows = _Rows(batch, receiver, first_sequence, parse_text)
    arrays = {name: rows.column(name, target.field(name).type) for name in target.names if name != corrupt_column}
    malformed = rows.malformed()
    if mode == "FAILFAST" and rows.misfits:
        raise MalformedMessageError(rows.complaint(target))
    if corrupt_column in target.names:
        arrays[corrupt_column] = _corrupt_records(batch, malformed)
    result = pa.RecordBatch.from_arrays([arrays[name] for name in target.names], schema=target)
    return result.filter(pc.invert(malformed)) if mode == "DROPMALFORMED" and rows.misfits else result


class _Rows:
    """A batch on its way into columns, and what did not fit so far."""

    def __init__(self, batch: pa.RecordBatch, receiver: str, first_sequence: int, parse_text: bool) -> None:
        self.batch = batch
        self.misfits: dict[str, pa.Array] = {}
        self._parse_text = parse_text
        self._made: dict[str, Callable[[], pa.Array]] = {
            "properties": lambda: self._property_map("value"),
            "propertyTypes": lambda: self._property_map("type"),
            "_receiver": lambda: pa.repeat(pa.scalar(receiver, pa.string()), batch.num_rows),
            "_sequence": lambda: _count_from(first_sequence, batch.num_rows),
        }

    def column(self, name: str, kind: pa.DataType) -> pa.Array:
        if name in self._made:
            return self._made[name]()
        if name not in STANDARD:
            return self._property(name, kind)
        values = self.batch.column(name)
        return _timestamps(values) if pa.types.is_timestamp(kind) else values.cast(kind)

    def malformed(self) -> pa.Array:
        """Which rows have a value that did not fit."""
        result = pa.repeat(pa.scalar(False), self.batch.num_rows)
        for misfit in self.misfits.values():
            result = pc.or_(result, misfit)
        return result

    def complaint(self, target: pa.Schema) -> str:
        """The first value that did not fit, by message, column and type; never the value: it may be a secret."""
        rows = {name: pc.index(misfit, True).as_py() for name, misfit in self.misfits.items()}
        name = min(rows, key=lambda name: rows[name])
        message = self.batch.column("JMSMessageID")[rows[name]].as_py()
        sent = pc.struct_field(self._values(name), "type")[rows[name]].as_py()
        return (
            f"Message {message} does not fit the schema: its property '{name}' is of JMS type {sent} and cannot become"
            f" {_shown(target.field(name).type)} without loss. Declare the column as STRING (or set 'parseText' if it"
            " is text), or use another 'mode' than FAILFAST."
        )

    def _values(self, name: str) -> pa.Array:
        """Each row's value of one property; a few times faster than Arrow's own lookup in maps."""
        entries = self._entries
        chosen = pc.equal(entries.column("name"), name)
        rows = pc.index_in(_count_from(0, self.batch.num_rows), value_set=entries.column("row").filter(chosen))
        return entries.column("value").filter(chosen).take(rows)

    @cached_property
    def _entries(self) -> pa.RecordBatch:
        """All properties of all rows, one below the other."""
        lists = self.batch.column("properties").cast(_PAIRS)
        pairs = pc.list_flatten(lists)
        parts = [pc.list_parent_indices(lists), pc.struct_field(pairs, 0), pc.struct_field(pairs, 1)]
        return pa.RecordBatch.from_arrays(parts, ["row", "name", "value"])

    def _property(self, name: str, kind: pa.DataType) -> pa.Array:
        found = self._values(name)
        texts = pc.struct_field(found, "value")
        values = convert_values(pc.struct_field(found, "type"), texts, kind, parse_text=self._parse_text)
        misfit = pc.and_(pc.is_valid(texts), pc.is_null(values))
        if pc.any(misfit).as_py():
            self.misfits[name] = misfit
        return values

    def _property_map(self, part: str) -> pa.Array:
        properties = self.batch.column("properties")
        starts = pc.if_else(properties.is_valid(), properties.offsets[:-1], pa.scalar(None, pa.int32()))
        offsets = pa.concat_arrays([starts, properties.offsets[-1:]])
        return pa.MapArray.from_arrays(offsets, properties.keys, pc.struct_field(properties.items, part))


def _timestamps(milliseconds: pa.Array) -> pa.Array:
    # A provider may write "never" as the largest long, or overflow to the smallest: neither is a timestamp.
    far = pc.or_(pc.greater(milliseconds, _LAST_MILLISECOND), pc.less(milliseconds, -_LAST_MILLISECOND))
    known = pc.if_else(pc.fill_null(far, True), pa.scalar(None, pa.int64()), milliseconds)
    return known.cast(pa.timestamp("ms", tz="UTC")).cast(_ARROW["TIMESTAMP"])


def _count_from(first: int, count: int) -> pa.Array:
    return pc.cumulative_sum(pa.repeat(pa.scalar(1, pa.int64()), count), start=first - 1)


def _corrupt_records(batch: pa.RecordBatch, malformed: pa.Array) -> pa.Array:
    records = [_raw(row) for row in batch.filter(malformed).to_pylist()]
    return pc.replace_with_mask(pa.nulls(batch.num_rows, pa.string()), malformed, pa.array(records, pa.string()))


def _raw(row: dict[str, Any]) -> str:
    """A message as JSON, whole but for what it does not have."""
    shown = {name: _plain(name, value) for name, value in row.items() if name != "key" and value is not None}
    return json.dumps(shown, ensure_ascii=False)


def _plain(name: str, value: Any) -> Any:
    if name in ("properties", "map"):
        return dict(value)
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value
