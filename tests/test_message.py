"""Messages as plain data: natural values, Java's way of writing doubles, and the key."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_jms_connector.message import Message, Value, double_text, message_key, sender_set

SAMPLE = Message(body="x", properties={"a": Value.of(1)}, destination="queue:q", message_id="ID:1")


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (None, Value("null", None)),
        (True, Value("boolean", "true")),
        (2**31 - 1, Value("int", "2147483647")),
        (2**31, Value("long", "2147483648")),
        (-(2**31), Value("int", "-2147483648")),
        (1.5, Value("double", "1.5")),
        ("text", Value("string", "text")),
        (Value("byte", "1"), Value("byte", "1")),
    ],
)
def test_natural_values(given_value: object, expected: Value) -> None:
    assert Value.of(given_value) == expected


def test_values_jms_does_not_know() -> None:
    with pytest.raises(TypeError, match="bytes"):
        Value.of(b"")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (123456789.5, "1.234567895E8"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
    ],
)
def test_doubles_as_java_writes_them(number: float, text: str) -> None:
    assert double_text(number) == text


@example(9999999999.9)
@given(st.floats(allow_nan=False))
def test_doubles_read_back_as_themselves(number: float) -> None:
    assert float(double_text(number)) == number


@given(st.sampled_from(["JMSXGroupID", "JMS_vendor", "_AMQ_x", "__AMQ_CID"]), st.text())
def test_what_providers_add_does_not_change_the_key(name: str, text: str) -> None:
    assert not sender_set(name)
    marked = replace(SAMPLE, properties={**SAMPLE.properties, name: Value.of(text)})
    assert message_key(marked, "i") == message_key(SAMPLE, "i")


def test_what_differs_between_deliveries_does_not_change_the_key() -> None:
    again = replace(SAMPLE, redelivered=True, delivery_count=3, timestamp=5)
    assert message_key(again, "i") == message_key(SAMPLE, "i")


@pytest.mark.parametrize(
    "other",
    [
        replace(SAMPLE, destination="queue:r"),
        replace(SAMPLE, body="y"),
        replace(SAMPLE, body=None),
        replace(SAMPLE, body=""),
        replace(SAMPLE, body=b"x", body_type="bytes"),
        replace(SAMPLE, properties={}),
        replace(SAMPLE, properties={"a": Value("long", "1")}),
        replace(SAMPLE, properties={"b": Value.of(1)}),
    ],
)
def test_what_names_a_message_changes_the_key(other: Message) -> None:
    assert message_key(other, "i") != message_key(SAMPLE, "i")
    assert len(message_key(other, "i")) == 16


def test_identity_changes_the_key_and_order_of_properties_does_not() -> None:
    assert message_key(SAMPLE, "i") != message_key(SAMPLE, "j")
    names = {"a": Value.of(1), "b": Value.of(2)}
    turned = dict(reversed(names.items()))
    assert message_key(replace(SAMPLE, properties=names), "i") == message_key(replace(SAMPLE, properties=turned), "i")


def test_parts_cannot_be_moved_across_their_borders() -> None:
    left = replace(SAMPLE, body=(Value.of("ab"), Value.of("c")), body_type="stream")
    right = replace(SAMPLE, body=(Value.of("a"), Value.of("bc")), body_type="stream")
    assert message_key(left, "i") != message_key(right, "i")
