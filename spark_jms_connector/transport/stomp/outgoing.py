"""A message as the headers and body of a SEND frame; what STOMP cannot carry is refused by name."""

from __future__ import annotations

import uuid

from spark_jms_connector.errors import TransportError
from spark_jms_connector.message import Message, sender_set
from spark_jms_connector.transport.base import Destination
from spark_jms_connector.transport.stomp.dialect import Dialect

# Headers that mean something to brokers or to readers: a property of that name would be taken for it.
_RESERVED = frozenset(
    ("destination", "destination-type", "transaction", "receipt", "content-length", "content-type", "ack")
    + ("subscription", "message-id", "amqp-message-id", "correlation-id", "reply-to", "type", "priority", "expires")
    + ("expiration", "persistent", "timestamp", "redelivered", "browser", "amq-msg-type", "transformation")
)
_DUPLICATE_ID = "_AMQ_DUPL_ID"  # Artemis' own, which senders set


def frame_of(message: Message, destination: Destination, dialect: Dialect) -> tuple[dict[str, str | None], str | bytes]:
    """Headers, all but the transaction, and body."""
    body = _body(message)
    headers: dict[str, str | None] = {
        **dialect.send_headers(destination),
        "correlation-id": message.correlation_id,
        "reply-to": _reply_to(message.reply_to, dialect),
        "type": message.type,
        "priority": str(message.priority),
        "persistent": "true" if message.delivery_mode == "PERSISTENT" else dialect.not_persistent,
        "expires": None if message.expiration is None else str(message.expiration),
        "JMSXGroupID": message.group_id,
        "JMSXGroupSeq": None if message.group_seq is None else str(message.group_seq),
        **dialect.send_extras(message),
    }
    if isinstance(body, bytes):
        headers["content-length"] = str(len(body))
    elif dialect.text_has_length:
        headers["content-length"] = str(len(body.encode("utf-8", "replace")))
    elif "\0" in body:
        raise _unsendable(f"to {dialect.name}: its text holds a NUL character. Send it as bytes")
    if dialect.message_id_header is not None:
        headers[dialect.message_id_header] = f"ID:{uuid.uuid4()}"
    if dialect.content_types:
        headers["content-type"] = "application/octet-stream" if isinstance(body, bytes) else "text/plain"
    headers |= _properties(message)
    for name, value in headers.items():
        if value is not None and "\0" in value:
            raise _unsendable(f": the value of '{name}' holds a NUL character. Remove it")
    # A lone surrogate is no text in UTF-8; Java clients send '?' for it too.
    safe = {name: value if value is None else _utf8(value) for name, value in headers.items()}
    return safe, body if isinstance(body, bytes) else _utf8(body)


def _body(message: Message) -> str | bytes:
    if message.body_type in ("text", "message") and (message.body is None or isinstance(message.body, str)):
        return message.body or ""
    if message.body_type == "bytes":
        return message.body if isinstance(message.body, bytes) else b""
    raise _unsendable(
        f": STOMP has no '{message.body_type}' bodies. Send text or bytes, or use the broker's JMS client"
    )


def _properties(message: Message) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name, value in message.properties.items():
        if not sender_set(name) and name != _DUPLICATE_ID:
            continue  # what a provider set on the way here it sets itself again
        if not name or any(character in name for character in ":\\\r\n\0"):
            raise _unsendable(f": a property's name {name!r} holds a colon, backslash, line break or NUL. Rename it")
        if name in _RESERVED:
            raise _unsendable(f": its property '{name}' would be taken for STOMP's header of that name. Rename it")
        found[name] = value.text
    return found


def _reply_to(text: str | None, dialect: Dialect) -> str | None:
    kind, colon, name = (text or "").partition(":")
    if kind in ("queue", "topic") and colon:
        return dialect.reply_to(Destination(name, kind))
    return text


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _unsendable(reason: str) -> TransportError:
    return TransportError(f"A message cannot be sent over STOMP{'' if reason[0] == ':' else ' '}{reason}.")
