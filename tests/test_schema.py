"""The journal's columns hold every message whole."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jms_connector.message import BODY_TYPES, Message, Value, message_key
from spark_jms_connector.schema import EMPTY, JOURNAL, batch_to_messages, bytes_value, messages_to_batch
from tests.property_reference import values

# Half of a surrogate pair cannot be written as UTF-8.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LONG = st.none() | st.integers(-(2**63), 2**63 - 1)
INT = st.integers(-(2**31), 2**31 - 1)
BODIES = {
    "text": st.none() | TEXT,
    "bytes": st.none() | st.binary(),
    "map": st.none() | st.dictionaries(TEXT, values()),
    "stream": st.none() | st.lists(values()).map(tuple),
    "object": st.none(),
    "message": st.none(),
}


@st.composite
def messages(draw: st.DrawFn) -> Message:
    kind = draw(st.sampled_from(BODY_TYPES))
    return Message(
        body=draw(BODIES[kind]),
        body_type=kind,
        properties=draw(st.dictionaries(TEXT, values(), max_size=4)),
        message_id=draw(st.none() | TEXT),
        timestamp=draw(LONG),
        delivery_time=draw(LONG),
        expiration=draw(LONG),
        correlation_id=draw(st.none() | TEXT),
        destination=draw(st.none() | TEXT),
        reply_to=draw(st.none() | TEXT),
        type=draw(st.none() | TEXT),
        delivery_mode=draw(st.sampled_from(["PERSISTENT", "NON_PERSISTENT"])),
        priority=draw(st.integers(0, 9)),
        redelivered=draw(st.booleans()),
        delivery_count=draw(st.integers(1, 2**31 - 1)),
        group_id=draw(st.none() | TEXT),
        group_seq=draw(st.none() | INT),
    )


@given(st.lists(messages(), max_size=3))
def test_messages_come_back_as_they_went_in(given_messages: list[Message]) -> None:
    batch = messages_to_batch(given_messages, ["i"] * len(given_messages))
    assert batch.schema.equals(JOURNAL)
    assert batch_to_messages(batch) == given_messages
    assert batch.column("key").to_pylist() == [message_key(message, "i") for message in given_messages]


def test_an_empty_batch_has_the_schema() -> None:
    assert EMPTY.num_rows == 0
    assert EMPTY.schema.equals(messages_to_batch([], []).schema)


def test_every_message_needs_its_identity() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        messages_to_batch([Message()], [])


def test_byte_arrays_in_bodies_are_base64() -> None:
    value = bytes_value(b"\x00\xff")
    assert (value.type, base64.b64decode(value.text or "")) == ("bytes", b"\x00\xff")
    assert value == Value("bytes", "AP8=")
