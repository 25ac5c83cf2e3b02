"""Numbers as Java writes and computes them: literals, wrapping, division, promotion (JMS 2.0, 3.8.1.1)."""

from __future__ import annotations

import math
import re
import struct

from spark_jms_connector.selector.tree import INT, Approximate, Exact, Number

NUMBER = re.compile(
    r"""
      0[xX](?P<hexfloat>[0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+)(?P<hexsuffix>[fFdD]?)
    | 0[xX](?P<hex>[0-9a-fA-F]+)(?P<hexlong>[lL]?)
    | (?P<float>(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+(?=[fFdD]))
      (?P<suffix>[fFdD]?)
    | (?P<whole>[0-9]+)(?P<long>[lL]?)
    """,
    re.VERBOSE,
)
BEYOND = 2**63  # only with a minus before it


def read_number(found: re.Match[str]) -> Number:
    """The number a match of NUMBER stands for; ValueError says what is wrong with it."""
    if found["float"]:
        return Approximate(_single(_double(found["float"]), found["suffix"]))
    if found["hexfloat"]:
        return Approximate(_single(_hex_double(found["hexfloat"]), found["hexsuffix"]))
    if found["hex"]:
        return _bits(int(found["hex"], 16), found["hexlong"])
    digits = found["whole"]
    if len(digits) > 1 and digits.startswith("0"):
        if not set(digits) <= set("01234567"):
            raise ValueError("begins with 0, so it is octal, but has digits above 7")
        return _bits(int(digits, 8), found["long"])
    # The bound on the digits: Python refuses to convert very long ones.
    if len(digits) > 19 or int(digits) > BEYOND:
        raise ValueError("is out of range: whole numbers go from -2^63 to 2^63 - 1")
    return exact(int(digits), bool(found["long"]))


def exact(value: int, long: bool = False) -> Exact:
    """A whole number, long where it must be."""
    return Exact(value, long or value not in INT)


def _bits(value: int, suffix: str) -> Exact:
    """Hexadecimal and octal numbers may use all 64 bits, and then are negative."""
    if value >= 2**64:
        raise ValueError("is out of range: it has more than 64 bits")
    return exact(wrap(value, True), bool(suffix))


def _double(text: str) -> float:
    value = float(text)
    mantissa = re.split("[eE]", text)[0]
    if math.isinf(value) or value == 0 and mantissa.strip("0."):
        raise ValueError("is out of the range of a double")
    return value


def _hex_double(text: str) -> float:
    try:
        value = float.fromhex("0x" + text)
    except (ValueError, OverflowError):
        raise ValueError("is no double") from None
    return value


def _single(value: float, suffix: str) -> float:
    """With the suffix f it is the nearest float, widened."""
    if suffix not in ("f", "F"):
        return value
    try:
        narrow = as_float(value)
    except OverflowError:
        raise ValueError("is out of the range of a float") from None
    if narrow == 0 and value != 0:
        raise ValueError("is out of the range of a float")
    return narrow


def as_float(value: float) -> float:
    """The nearest 32-bit float."""
    return float(struct.unpack(">f", struct.pack(">f", value))[0])


def wrap(value: int, long: bool) -> int:
    """What is left of a whole number in 64 or 32 bits."""
    size = 2**64 if long else 2**32
    return (value + size // 2) % size - size // 2


def negate(number: Number) -> Number:
    if isinstance(number, Exact):
        return Exact(wrap(-number.value, number.long), number.long)
    return Approximate(-number.value)


def compute(operator: str, left: Number, right: Number) -> Number | None:
    """The result of an operator; None for a whole number divided by zero, which has none."""
    if isinstance(left, Exact) and isinstance(right, Exact):
        return _compute_exact(operator, left, right)
    return Approximate(_compute_double(operator, float(left.value), float(right.value)))


def _compute_exact(operator: str, left: Exact, right: Exact) -> Exact | None:
    a, b, long = left.value, right.value, left.long or right.long
    if operator == "/":
        if b == 0:
            return None
        value = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    else:
        value = a + b if operator == "+" else a - b if operator == "-" else a * b
    return Exact(wrap(value, long), long)


def _compute_double(operator: str, a: float, b: float) -> float:
    if operator == "+":
        return a + b
    if operator == "-":
        return a - b
    if operator == "*":
        return a * b
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
