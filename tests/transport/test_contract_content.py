"""The contract on what a message holds: bodies, properties, headers and the key, unchanged on the way."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from spark_jms_connector.errors import TransportError
from spark_jms_connector.message import Message, Value, message_key, sender_set
from spark_jms_connector.schema import JOURNAL, batch_to_messages, bytes_value
from tests.transport.harness import Bed, fresh_queue, receive, take

PROPERTIES: Mapping[str, Value] = {
    "b_true": Value("boolean", "true"),
    "b_false": Value("boolean", "false"),
    "byte_min": Value("byte", "-128"),
    "byte_max": Value("byte", "127"),
    "short_min": Value("short", "-32768"),
    "short_max": Value("short", "32767"),
    "int_min": Value("int", "-2147483648"),
    "int_max": Value("int", "2147483647"),
    "long_min": Value("long", "-9223372036854775808"),
    "long_max": Value("long", "9223372036854775807"),
    "float_min": Value("float", "1.4E-45"),
    "float_max": Value("float", "3.4028235E38"),
    "float_nan": Value("float", "NaN"),
    "double_tiny": Value("double", "-1.0E-300"),
    "double_max": Value("double", "1.7976931348623157E308"),
    "double_inf": Value("double", "-Infinity"),
    "double_tenth": Value("double", "0.1"),
    "s_empty": Value("string", ""),
    "s_long": Value("string", "x" * 10_000),
    "$dollar_1": Value("string", "a name may have $ and _"),
}
ELEMENTS: Mapping[str, Value] = {
    **PROPERTIES,
    "char": Value("char", "ß"),
    "bytes": bytes_value(bytes(range(256))),
    "none": Value("null", None),
}
UNICODE = "Grüße, Жук, 漢字, עברית, 🐞 \u0001\t\n"

BODIES = {
    "text": Message(body="hello"),
    "text-null": Message(body=None),
    "text-empty": Message(body=""),
    "text-unicode": Message(body=UNICODE),
    "bytes": Message(body=bytes(range(256)), body_type="bytes"),
    "bytes-empty": Message(body=b"", body_type="bytes"),
    "map": Message(body=ELEMENTS, body_type="map"),
    "map-empty": Message(body={}, body_type="map"),
    "stream": Message(body=tuple(ELEMENTS.values()), body_type="stream"),
    "stream-empty": Message(body=(), body_type="stream"),
    "none": Message(body=None, body_type="message"),
}


def one(bed: Bed, message: Message) -> Message:
    """The message as it arrives."""
    bed.send(message)
    (received,) = receive(bed.consumer(), 1)
    return received


@pytest.mark.parametrize("name", BODIES)
def test_bodies_arrive_as_they_were_sent(bed: Bed, name: str) -> None:
    sent = BODIES[name]
    if _refused(bed, sent):
        return
    received = one(bed, sent)
    assert (received.body_type, received.body) == _as_read(bed, name)


def _refused(bed: Bed, sent: Message) -> bool:
    """Whether the body is one that the transport cannot carry; then it was told so."""
    if not bed.differs("bodies") or sent.body_type not in ("map", "stream", "object"):
        return False
    with pytest.raises(TransportError, match=f"no '{sent.body_type}' bodies"):
        bed.send(sent)
    return True


def _as_read(bed: Bed, name: str) -> tuple[str, object]:
    sent = BODIES[name]
    empty = (name == "text-null" and bed.differs("null text")) or (name == "none" and bed.differs("bodies"))
    if empty or (name == "bytes-empty" and bed.differs("empty bytes")):
        return "text", ""
    return sent.body_type, sent.body


def test_objects_are_never_deserialized(bed: Bed) -> None:
    sent = Message(body=None, body_type="object")
    if _refused(bed, sent):
        return
    received = one(bed, sent)
    assert (received.body_type, received.body) == ("object", None)


@pytest.mark.parametrize("body", ["x" * 10_000_000, b"\x00\xff" * 5_000_000], ids=["text", "bytes"])
def test_ten_megabytes(bed: Bed, body: str | bytes) -> None:
    received = one(bed, Message(body=body, body_type="text" if isinstance(body, str) else "bytes"))
    assert received.body == body


def test_properties_keep_type_and_value(bed: Bed) -> None:
    received = one(bed, Message(body="x", properties=PROPERTIES))
    expected = dict(PROPERTIES)
    if bed.differs("property types"):
        expected = {name: Value("string", value.text) for name, value in PROPERTIES.items()}
    assert {name: value for name, value in received.properties.items() if sender_set(name)} == expected


def test_unicode_in_properties_and_headers(bed: Bed) -> None:
    sent = Message(body="x", properties={"straße": Value.of(UNICODE)}, correlation_id=UNICODE, type=UNICODE)
    received = one(bed, sent)
    if bed.differs("supplementary characters"):
        plain, damaged = UNICODE.split("🐞"), received.properties["straße"].text or ""
        assert damaged.startswith(plain[0]) and damaged.endswith(plain[1]) and damaged != UNICODE
    else:
        assert received.properties["straße"] == Value.of(UNICODE)
    assert (received.correlation_id, received.type) == (UNICODE, UNICODE)


def test_headers_the_sender_sets(bed: Bed) -> None:
    sent = Message(
        body="x",
        correlation_id="order-1",
        reply_to="queue:answers",
        type="order",
        delivery_mode="NON_PERSISTENT",
        priority=7,
        group_id="group",
        group_seq=3,
        expiration=int(time.time() * 1000) + 3_600_000,
    )
    received = one(bed, sent)
    assert abs((received.expiration or 0) - (sent.expiration or 0)) < 5_000
    kept = ("correlation_id", "reply_to", "type", "delivery_mode", "priority", "group_id", "group_seq")
    expected = {name: getattr(sent, name) for name in kept}
    if bed.differs("groups"):
        expected |= {"group_id": None, "group_seq": None}
    assert {name: getattr(received, name) for name in kept} == expected


def test_headers_the_provider_sets(bed: Bed) -> None:
    claimed = Message(body="x", message_id="ID:mine", timestamp=1, destination="queue:elsewhere", delivery_count=9)
    before = int(time.time() * 1000)
    received = one(bed, replace(claimed, redelivered=True))
    assert (received.message_id or "").startswith("ID:")
    assert received.message_id != "ID:mine"
    assert before - 5_000 <= (received.timestamp or 0) <= time.time() * 1000 + 5_000
    assert received.destination == str(bed.queue)
    assert (received.delivery_count, received.redelivered) == (1, False)


def test_headers_nobody_sets(bed: Bed) -> None:
    received = one(bed, Message(body="x"))
    unset = ("expiration", "correlation_id", "reply_to", "type", "group_id", "group_seq")
    assert {name: getattr(received, name) for name in unset} == dict.fromkeys(unset)
    assert (received.priority, received.delivery_mode) == (4, "PERSISTENT")


@pytest.mark.parametrize("name", BODIES)
def test_the_key_is_the_same_in_every_transport(bed: Bed, name: str) -> None:
    if _refused(bed, BODIES[name]):
        return
    bed.send(replace(BODIES[name], properties=PROPERTIES, correlation_id="c", group_id="g"))
    batch = take(bed.consumer(), 1)
    (received,) = batch_to_messages(batch)
    assert batch.schema.equals(JOURNAL)
    assert batch.column("key").to_pylist() == [message_key(received, received.message_id or "")]


def test_the_key_is_stable_over_redelivery(bed: Bed) -> None:
    bed.send(Message(body="x", properties=PROPERTIES))
    consumer = bed.consumer()
    first = take(consumer, 1).column("key").to_pylist()
    consumer.rollback()
    assert take(consumer, 1).column("key").to_pylist() == first
    consumer.close()
    assert take(bed.consumer(), 1).column("key").to_pylist() == first


def test_the_key_tells_destination_body_and_properties_apart(bed: Bed) -> None:
    named = {"id": Value.of("same")}
    other = fresh_queue()
    bed.send(
        Message(body="x", properties=named),
        Message(body="y", properties=named),
        Message(body=b"x", body_type="bytes", properties=named),
        Message(body="x", properties={**named, "n": Value("int", "1")}),
        Message(body="x", properties={**named, "n": Value("long", "1")}),
    )
    bed.send(Message(body="x", properties=named), queue=other)
    keys = take(bed.consumer(dedup_key="id"), 5).column("key").to_pylist()
    keys += take(bed.consumer(other, dedup_key="id"), 1).column("key").to_pylist()
    assert len(keys) == 6
    assert len(set(keys)) == (5 if bed.differs("property types") else 6)
