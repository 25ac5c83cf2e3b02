"""A plain Java client that sends messages, so that what arrives was not sent by the code under test."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spark_jms_connector.message import Message, Value
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.transport.base import Destination
from spark_jms_connector.transport.java import find_java
from spark_jms_connector.transport.packages import resolve

SENDER = Path(__file__).parent / "java" / "SendMessages.java"
NULL, EMPTY = "-", "_"


def send_with_java(provider: str, url: str, destination: Destination, messages: Sequence[Message]) -> None:
    """Send messages in one transaction with a provider's own client."""
    client = PROVIDERS[provider]
    path = os.pathsep.join(map(str, resolve(client.packages)))
    command = [find_java(), "-cp", path, str(SENDER), client.connection_factory, url, str(destination)]
    lines = "".join("\t".join(line) + "\n" for message in messages for line in described(message))
    run = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def described(message: Message) -> Iterator[list[str]]:
    """The lines that tell the client what to send."""
    yield ["body", message.body_type, _body(message.body)]
    for name, value in message.properties.items():
        yield ["property", *_value(name, value)]
    for name, value in _items(message):
        yield ["item", *_value(name, value)]
    for name, text in _headers(message):
        yield ["header", name, encoded(text)]


def _body(body: object) -> str:
    if isinstance(body, bytes):
        return base64.b64encode(body).decode() or EMPTY
    return encoded(body) if isinstance(body, str) else NULL


def _items(message: Message) -> Iterable[tuple[str, Value]]:
    body = message.body
    if isinstance(body, dict):
        return body.items()
    return [("", value) for value in body] if isinstance(body, tuple) else []


def _value(name: str, value: Value) -> list[str]:
    return [value.type, name, NULL if value.text is None else encoded(value.text)]


def _headers(message: Message) -> Iterator[tuple[str, str]]:
    texts = {
        "JMSCorrelationID": message.correlation_id,
        "JMSType": message.type,
        "JMSReplyTo": message.reply_to,
        "JMSXGroupID": message.group_id,
        "JMSXGroupSeq": None if message.group_seq is None else str(message.group_seq),
        "JMSPriority": str(message.priority),
        "JMSDeliveryMode": message.delivery_mode,
    }
    yield from ((name, text) for name, text in texts.items() if text is not None)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode() or EMPTY
