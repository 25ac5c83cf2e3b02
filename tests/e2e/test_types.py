"""Every header, property type and body, sent by a plain Java client, arrives in Delta equal, on every road."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.message import Message, Value
from spark_jms_connector.option_rules import read_options
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination
from tests.classic import ClassicBroker
from tests.e2e.lab import Lab
from tests.java_sender import send_with_java
from tests.transport.test_contract_content import BODIES, ELEMENTS, PROPERTIES, UNICODE

pytestmark = [pytest.mark.spark, pytest.mark.broker]

LONG_TEXT = "x" * 65_536
EXTREMES: Mapping[str, Value] = {
    **PROPERTIES,
    "double_nan": Value("double", "NaN"),
    "double_minus_zero": Value("double", "-0.0"),
    "float_minus_zero": Value("float", "-0.0"),
    "s_64k": Value("string", LONG_TEXT),
    "s_unicode": Value("string", UNICODE),
}
EVERYTHING = Message(
    body="every header and every property",
    properties=EXTREMES,
    correlation_id="order-1",
    reply_to="queue:answers",
    type="order",
    priority=7,
    group_id="group",
    group_seq=3,
)
SENT: Mapping[str, Message] = {
    **BODIES,
    "object": Message(body=None, body_type="object"),
    "everything": EVERYTHING,
}
# Over STOMP a body is text or bytes, and a text may not be null.
TEXTUAL = ("text", "text-empty", "text-unicode", "bytes", "everything")
# Properties that a road damages, and why.
_CLASSIC = {"s_unicode": "ActiveMQ Classic damages characters outside the Basic Multilingual Plane in properties"}
CANNOT_CARRY: Mapping[str, Mapping[str, str]] = {"classic": _CLASSIC, "stomp-classic": _CLASSIC}
ROADS = ("artemis", "classic", "qpid", "artemis-javax", "stomp-artemis", "stomp-classic")


@pytest.fixture(params=ROADS)
def types_lab(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Iterator[tuple[str, Lab]]:
    """A laboratory over one road, with everything that it can carry already on its queue."""
    road = str(request.param)
    sender, connection = _road(request, road)
    transport = open_transport(read_options(connection))
    lab = Lab(spark, connection, transport, tmp_path)
    names = [name for name in SENT if "stomp" not in road or name in TEXTUAL]
    send_with_java(*sender, Destination(lab.queue), [_named(name) for name in names])
    lab.sent = len(names)
    yield road, lab
    lab.stop_all()
    transport.close()


def _road(request: pytest.FixtureRequest, road: str) -> tuple[tuple[str, str], dict[str, str]]:
    """The Java client that sends and its url, and the options of who reads."""
    if "classic" in road:
        classic: ClassicBroker = request.getfixturevalue("classic")
        reader = {"url": classic.stomp_url} if "stomp" in road else {"provider": "activemq", "url": classic.url}
        return ("activemq", classic.url), reader
    artemis: ArtemisBroker = request.getfixturevalue("artemis")
    if road == "qpid":  # Artemis cannot turn every stream of its own client into AMQP, and keeps it back
        return ("qpid", artemis.amqp_url), {"provider": "qpid", "url": artemis.amqp_url}
    reader = {"url": artemis.stomp_url} if "stomp" in road else {"provider": road, "url": artemis.url}
    return ("artemis", artemis.url), reader


def _named(name: str) -> Message:
    message = SENT[name]
    return Message(**{**vars(message), "properties": {**message.properties, "case": Value("string", name)}})


def test_what_is_sent_arrives_in_delta(types_lab: tuple[str, Lab]) -> None:
    road, lab = types_lab
    lab.run(lab.read(schema=None))
    arrived = {row.properties["case"]: row for row in lab.rows()}
    assert len(arrived) == len(lab.rows()) == lab.sent
    for name, row in arrived.items():
        check_body(road, name, row)
        check_properties(road, name, row)
    check_headers(road, arrived["everything"], lab.queue)


def check_body(road: str, name: str, row: Row) -> None:
    sent = SENT[name]
    assert row.bodyType == sent.body_type, name
    shown = {kind: getattr(row, kind) for kind in ("text", "bytes", "map", "stream")}
    wanted: dict[str, Any] = dict.fromkeys(shown)
    if sent.body is not None:
        wanted[sent.body_type] = _shown(sent.body)
    assert {kind: _plain(value) for kind, value in shown.items()} == wanted, name


def _shown(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: (value.type, value.text) for name, value in body.items()}
    return [(value.type, value.text) for value in body] if isinstance(body, tuple) else body


def _plain(value: Any) -> Any:
    if isinstance(value, bytearray | bytes):
        return bytes(value)
    if isinstance(value, dict):
        return {name: tuple(cell) for name, cell in value.items()}
    return [tuple(cell) for cell in value] if isinstance(value, list) else value


def check_properties(road: str, name: str, row: Row) -> None:
    sent = {key: value for key, value in SENT[name].properties.items() if key not in CANNOT_CARRY.get(road, {})}
    ours = {key: text for key, text in row.properties.items() if key in sent}
    assert ours == {key: value.text for key, value in sent.items()}, name
    types = {key: kind for key, kind in row.propertyTypes.items() if key in sent}
    assert types == {key: "string" if "stomp" in road else value.type for key, value in sent.items()}, name


def check_headers(road: str, row: Row, queue: str) -> None:
    assert (row.JMSCorrelationID, row.JMSType, row.JMSReplyTo) == ("order-1", "order", "queue:answers")
    assert (row.JMSDestination, row.JMSPriority, row.JMSDeliveryMode) == (f"queue:{queue}", 7, "PERSISTENT")
    assert (row.JMSRedelivered, row.JMSXDeliveryCount, row.JMSExpiration) == (False, 1, None)
    assert row.JMSTimestamp is not None
    assert row.JMSMessageID


def test_byte_arrays_are_base64() -> None:
    assert base64.b64decode(ELEMENTS["bytes"].text or "") == bytes(range(256))
