"""The journal's columns: one row holds one message whole, so that any schema can be read from it later."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from spark_jms_connector.message import Message, Value, message_key

VALUE = pa.struct([pa.field("type", pa.string()), pa.field("value", pa.string())])

JOURNAL = pa.schema(
    [
        pa.field("key", pa.binary(16), nullable=False),
        pa.field("JMSMessageID", pa.string()),
        pa.field("JMSTimestamp", pa.int64()),
        pa.field("JMSDeliveryTime", pa.int64()),
        pa.field("JMSExpiration", pa.int64()),
        pa.field("JMSCorrelationID", pa.string()),
        pa.field("JMSDestination", pa.string()),
        pa.field("JMSReplyTo", pa.string()),
        pa.field("JMSType", pa.string()),
        pa.field("JMSDeliveryMode", pa.string()),
        pa.field("JMSPriority", pa.int32()),
        pa.field("JMSRedelivered", pa.bool_()),
        pa.field("JMSXDeliveryCount", pa.int32()),
        pa.field("JMSXGroupID", pa.string()),
        pa.field("JMSXGroupSeq", pa.int32()),
        pa.field("properties", pa.map_(pa.string(), VALUE)),
        pa.field("bodyType", pa.string()),
        pa.field("text", pa.string()),
        pa.field("bytes", pa.binary()),
        pa.field("map", pa.map_(pa.string(), VALUE)),
        pa.field("stream", pa.list_(VALUE)),
    ]
)


EMPTY = pa.RecordBatch.from_pylist([], schema=JOURNAL)


def messages_to_batch(messages: Sequence[Message], identities: Sequence[str]) -> pa.RecordBatch:
    """Rows of the journal for messages and the identities their keys are made of."""
    rows = [_row(message, identity) for message, identity in zip(messages, identities, strict=True)]
    return pa.RecordBatch.from_pylist(rows, schema=JOURNAL)


def batch_to_messages(batch: pa.RecordBatch) -> list[Message]:
    """The messages that the rows of a journal batch hold."""
    return [_message(row) for row in batch.to_pylist()]


def _row(message: Message, identity: str) -> dict[str, Any]:
    body = {message.body_type: _body_column(message)}
    return {
        "key": message_key(message, identity),
        "JMSMessageID": message.message_id,
        "JMSTimestamp": message.timestamp,
        "JMSDeliveryTime": message.delivery_time,
        "JMSExpiration": message.expiration,
        "JMSCorrelationID": message.correlation_id,
        "JMSDestination": message.destination,
        "JMSReplyTo": message.reply_to,
        "JMSType": message.type,
        "JMSDeliveryMode": message.delivery_mode,
        "JMSPriority": message.priority,
        "JMSRedelivered": message.redelivered,
        "JMSXDeliveryCount": message.delivery_count,
        "JMSXGroupID": message.group_id,
        "JMSXGroupSeq": message.group_seq,
        "properties": [(name, _tagged(value)) for name, value in sorted(message.properties.items())],
        "bodyType": message.body_type,
        "text": body.get("text"),
        "bytes": body.get("bytes"),
        "map": body.get("map"),
        "stream": body.get("stream"),
    }


def _body_column(message: Message) -> Any:
    body = message.body
    if message.body_type == "map" and body is not None:
        return [(name, _tagged(value)) for name, value in cast(Mapping[str, Value], body).items()]
    if message.body_type == "stream" and body is not None:
        return [_tagged(value) for value in cast(Iterable[Value], body)]
    return body


def _tagged(value: Value) -> dict[str, str | None]:
    return {"type": value.type, "value": value.text}


def _untagged(cell: Mapping[str, str | None]) -> Value:
    return Value(cell["type"] or "null", cell["value"])


def _message(row: Mapping[str, Any]) -> Message:
    return Message(
        body=_body_value(row),
        body_type=row["bodyType"],
        properties={name: _untagged(cell) for name, cell in row["properties"] or ()},
        message_id=row["JMSMessageID"],
        timestamp=row["JMSTimestamp"],
        delivery_time=row["JMSDeliveryTime"],
        expiration=row["JMSExpiration"],
        correlation_id=row["JMSCorrelationID"],
        destination=row["JMSDestination"],
        reply_to=row["JMSReplyTo"],
        type=row["JMSType"],
        delivery_mode=row["JMSDeliveryMode"] or "PERSISTENT",
        priority=4 if row["JMSPriority"] is None else row["JMSPriority"],
        redelivered=bool(row["JMSRedelivered"]),
        delivery_count=row["JMSXDeliveryCount"] or 1,
        group_id=row["JMSXGroupID"],
        group_seq=row["JMSXGroupSeq"],
    )


def _body_value(row: Mapping[str, Any]) -> Any:
    kind = row["bodyType"]
    if kind == "map" and row["map"] is not None:
        return {name: _untagged(cell) for name, cell in row["map"]}
    if kind == "stream" and row["stream"] is not None:
        return tuple(_untagged(cell) for cell in row["stream"])
    return row.get(kind) if kind in ("text", "bytes") else None


def bytes_value(data: bytes) -> Value:
    """A byte array inside a map or stream body."""
    return Value("bytes", base64.b64encode(data).decode("ascii"))
