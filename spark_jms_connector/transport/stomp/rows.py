"""Message frames as rows of the journal: headers are read in bulk and columns built whole, without message objects."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import pyarrow as pa

from spark_jms_connector.message import sender_set
from spark_jms_connector.schema import EMPTY, JOURNAL, VALUE
from spark_jms_connector.transport.base import ConsumerSpec
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import Frame, number, parse_head

_LENGTH = struct.Struct(">i").pack
_KINDS = {"text": _LENGTH(4) + b"text", "bytes": _LENGTH(5) + b"bytes"}
_REMEMBERED_NAMES = 10_000


# One message. A plain tuple, because Python's garbage collector soon leaves those alone; ``Cells`` names its places.
Row = tuple[Any, ...]
IDENTITY = 0


class Cells(NamedTuple):
    """The cells of one message that can differ over STOMP, in the journal's order but for the identity."""

    identity: str | None
    key: bytes
    message_id: str | None
    timestamp: int | None
    expiration: int | None
    correlation_id: str | None
    destination: str
    reply_to: str | None
    type: str | None
    delivery_mode: str
    priority: int
    redelivered: bool
    delivery_count: int
    group_id: str | None
    group_seq: int | None
    properties: tuple[tuple[str, str], ...]
    body_type: str
    text: bytes | None
    bytes: bytes | None


class RowReader:
    """Reads frames for one consumer."""

    def __init__(self, dialect: Dialect, spec: ConsumerSpec) -> None:
        self._dialect = dialect
        self._spec = spec
        self._dedup_key = None if spec.dedup_key == "JMSMessageID" else spec.dedup_key
        self._names: dict[str, bytes] = {}
        self._places: dict[str, tuple[str, bytes]] = {}

    def read(self, frame: Frame, again: bool = False) -> Row:
        """``again``: it was given back here, without the broker's knowledge."""
        dialect, body = self._dialect, frame.body
        headers = parse_head(frame.head)
        pop = headers.pop
        text = dialect.is_text(frame, headers)
        text = is_utf8(body) if text is not False else False
        body_type = "text" if text else "bytes"
        message_id = dialect.message_id(headers)
        destination, place = self._place(pop("destination", ""))
        redelivered = pop("redelivered", "") == "true" or again
        reply_to = pop("reply-to", None)
        correlation_id = pop("correlation-id", None)
        timestamp, expires = pop("timestamp", None), pop("expires", None)
        group = pop("JMSXGroupID", None) or pop("_AMQ_GROUP_ID", None)
        group_seq = pop("JMSXGroupSeq", None)
        kind, priority, persistent = pop("type", None), pop("priority", None), pop("persistent", "")
        for name in dialect.hidden:
            pop(name, None)
        identity = message_id
        if self._dedup_key is not None:
            identity = correlation_id if self._dedup_key == "JMSCorrelationID" else headers.get(self._dedup_key)
        properties = tuple(sorted(headers.items()))
        return (
            identity,
            self._key(place, identity or "", body_type, body, properties),
            message_id,
            dialect.timestamp(timestamp),
            None if expires is None or expires == "0" else number(expires) or None,
            correlation_id,
            destination,
            reply_to and dialect.destination(reply_to, self._spec.destination),
            kind,
            "PERSISTENT" if persistent == "true" else "NON_PERSISTENT",
            4 if priority is None else number(priority) or 0,
            redelivered,
            2 if redelivered else 1,  # STOMP brokers do not count
            group,
            None if group_seq is None else number(group_seq),
            properties,
            body_type,
            body if text else None,
            None if text else body,
        )

    def _key(
        self, place: bytes, identity: str, body_type: str, body: bytes, properties: tuple[tuple[str, str], ...]
    ) -> bytes:
        """The same as ``message.message_key``, from what is at hand here."""
        who = identity.encode("utf-8", "replace")
        length, names = _LENGTH, self._names
        parts = [place, length(len(who)), who, _KINDS[body_type], length(len(body)), body]
        for name, value in properties:
            prefix = names.get(name)
            if prefix is None:
                prefix = self._remember(name)
            if prefix:
                data = value.encode("utf-8", "replace")
                parts += (prefix, length(len(data)), data)
        return hashlib.sha256(b"".join(parts)).digest()[:16]

    def _place(self, text: str) -> tuple[str, bytes]:
        """A destination as columns show it, and what it adds to a key."""
        found = self._places.get(text)
        if found is None:
            if len(self._places) >= _REMEMBERED_NAMES:
                self._places.clear()
            shown = self._dialect.destination(text, self._spec.destination)
            data = shown.encode("utf-8", "replace")
            found = self._places[text] = shown, _LENGTH(len(data)) + data
        return found

    def _remember(self, name: str) -> bytes:
        """What a property's name and type add to a key; nothing where the provider set it."""
        if len(self._names) >= _REMEMBERED_NAMES:
            self._names.clear()
        data = name.encode("utf-8", "replace")
        prefix = _LENGTH(len(data)) + data + _LENGTH(6) + b"string" if sender_set(name) else b""
        self._names[name] = prefix
        return prefix


def to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows as one Arrow batch in the journal's schema."""
    if not rows:
        return EMPTY
    columns = Cells(*zip(*rows, strict=True))  # type: ignore[arg-type]  # each cell is now a whole column
    count = len(rows)
    cells: dict[str, Any] = {
        "key": columns.key,
        "JMSMessageID": columns.message_id,
        "JMSTimestamp": columns.timestamp,
        "JMSExpiration": columns.expiration,
        "JMSCorrelationID": columns.correlation_id,
        "JMSDestination": columns.destination,
        "JMSReplyTo": columns.reply_to,
        "JMSType": columns.type,
        "JMSDeliveryMode": columns.delivery_mode,
        "JMSPriority": columns.priority,
        "JMSRedelivered": columns.redelivered,
        "JMSXDeliveryCount": columns.delivery_count,
        "JMSXGroupID": columns.group_id,
        "JMSXGroupSeq": columns.group_seq,
        "bodyType": columns.body_type,
        "bytes": columns.bytes,
    }
    built = {
        "properties": _properties(columns.properties),  # type: ignore[arg-type]
        "text": pa.array(columns.text, pa.binary()).cast(pa.string()),
    }
    arrays = []
    for field in JOURNAL:
        if field.name in cells:
            built[field.name] = pa.array(cells[field.name], field.type)
        arrays.append(built[field.name] if field.name in built else pa.nulls(count, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=JOURNAL)


def _properties(rows: Sequence[tuple[tuple[str, str], ...]]) -> pa.MapArray:
    offsets = pa.array([0, *accumulate(map(len, rows))], pa.int32())
    flat = list(chain.from_iterable(rows))
    names = pa.array([name for name, _ in flat], pa.string())
    texts = pa.array([value for _, value in flat], pa.string())
    types = pa.repeat(pa.scalar("string"), len(flat))
    items = pa.StructArray.from_arrays([types, texts], fields=list(VALUE))
    return pa.MapArray.from_arrays(offsets, names, items)


def is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
