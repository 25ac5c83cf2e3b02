"""One JMS message as plain data: headers, typed properties, body; and the key that names its copies."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

PROPERTY_TYPES = ("boolean", "byte", "short", "int", "long", "float", "double", "string", "null")
BODY_TYPES = ("text", "bytes", "map", "stream", "object", "message")


@dataclass(frozen=True)
class Value:
    """A typed value as JMS knows it: the type's name and the value's text (base64 for bytes)."""

    type: str
    text: str | None

    @classmethod
    def of(cls, value: object) -> Value:
        """The natural JMS value of a Python one: bool, int (int or long), float (double), str, None."""
        if value is None:
            return cls("null", None)
        if isinstance(value, Value):
            return value
        if isinstance(value, bool):
            return cls("boolean", "true" if value else "false")
        if isinstance(value, int):
            return cls("int" if -(2**31) <= value < 2**31 else "long", str(value))
        if isinstance(value, float):
            return cls("double", double_text(value))
        if isinstance(value, str):
            return cls("string", value)
        raise TypeError(f"JMS has no type for {type(value).__name__}")


@dataclass(frozen=True)
class Message:
    """A JMS message. Times are milliseconds since the epoch; None where JMS says 0 or null."""

    body: str | bytes | Mapping[str, Value] | Iterable[Value] | None = None
    body_type: str = "text"
    properties: Mapping[str, Value] = field(default_factory=dict)
    message_id: str | None = None
    timestamp: int | None = None
    delivery_time: int | None = None
    expiration: int | None = None
    correlation_id: str | None = None
    destination: str | None = None
    reply_to: str | None = None
    type: str | None = None
    delivery_mode: str = "PERSISTENT"
    priority: int = 4
    redelivered: bool = False
    delivery_count: int = 1
    group_id: str | None = None
    group_seq: int | None = None


def double_text(value: float) -> str:
    """A double written the way Java's ``Double.toString`` writes it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = format(value, "f") if "e" in repr(value) else repr(value)
        return text if "." in text else text + ".0"
    sign, digits, _ = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{Decimal(repr(value)).adjusted()}"


def sender_set(name: str) -> bool:
    """Whether a property is the sender's own; what providers add may differ between deliveries."""
    return not name.startswith(("JMS", "_AMQ_", "__AMQ_"))


def message_key(message: Message, identity: str) -> bytes:
    """128 bits that copies of one message share and different messages do not.

    Producers may choose ids, and legal copies under two destinations share one: so destination,
    identity, body and the sender's properties all take part.
    """
    digest = hashlib.sha256()
    for part in _canonical(message, identity):
        digest.update(struct.pack(">i", -1 if part is None else len(part)))
        digest.update(part or b"")
    return digest.digest()[:16]


def _canonical(message: Message, identity: str) -> Iterable[bytes | None]:
    yield _utf8(message.destination)
    yield _utf8(identity)
    yield _utf8(message.body_type)
    yield from _body_parts(message)
    for name in sorted(filter(sender_set, message.properties)):
        yield _utf8(name)
        yield from _value_parts(message.properties[name])


def _body_parts(message: Message) -> Iterable[bytes | None]:
    body = message.body
    if body is None or isinstance(body, str):
        yield _utf8(body)
    elif isinstance(body, bytes):
        yield body
    elif isinstance(body, Mapping):
        for name in sorted(body):
            yield _utf8(name)
            yield from _value_parts(body[name])
    else:
        for value in body:
            yield from _value_parts(value)


def _value_parts(value: Value) -> Iterable[bytes | None]:
    yield _utf8(value.type)
    yield _utf8(value.text)


def _utf8(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")
