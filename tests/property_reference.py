"""Property conversion value by value, in plain Python: slow, obvious, and what the fast one is compared with."""

from __future__ import annotations

import re
import struct
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from spark_jms_connector.message import Value, double_text

TARGETS = [
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(),
    pa.decimal128(5, 2), pa.decimal128(38, 0), pa.decimal128(38, 38), pa.decimal128(20, 10),
]  # fmt: skip
BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}
BLANK = "".join(map(chr, range(33)))
NUMBER = re.compile(r"[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)")
HEX = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?")
EXACT = Context(prec=500)


def values() -> st.SearchStrategy[Value]:
    """Values of every JMS type, at the edges and in between; text that is nearly a number."""
    whole = st.sampled_from(sorted(BITS)).flatmap(
        lambda kind: st.integers(-(2 ** (BITS[kind] - 1)), 2 ** (BITS[kind] - 1) - 1).map(
            lambda number: Value(kind, str(number))
        )
    )
    edges = st.sampled_from([2**n + d for n in (7, 15, 24, 31, 53, 62) for d in (-1, 0, 1)]).map(
        lambda number: Value("long", str(number))
    )
    nice = st.integers(-(10**6), 10**6).map(lambda number: number / 8)
    doubles = (st.floats() | nice).map(lambda number: Value("double", double_text(number)))
    floats = (st.floats(width=32) | nice).map(lambda number: Value("float", double_text(single(number))))
    booleans = st.booleans().map(Value.of)
    return whole | edges | doubles | floats | booleans | words().map(Value.of) | st.just(Value("null", None))


def words() -> st.SearchStrategy[str]:
    integers = st.integers(-(2**70), 2**70).map(str) | st.integers(-200, 200).map("{:+}".format)
    numbers = st.floats().map(double_text) | st.floats(allow_nan=False, allow_infinity=False).map(float.hex)
    around = st.sampled_from(["{}", " {}", "{} ", "\t{}\n", "{}f", "{}D", "+{}", "00{}", "{}."])
    odd = st.sampled_from(
        ["", "true", "TRUE", "True ", "yes", ".", "-", "1e400", "-1e400", "0x", "0x1", "0x.8p1", "0x1p2000", "1_0",
         "٣", "nan", "inf", "NaNf", "1e", ".5", "5.", "1E+2", "\u00a05"]
    )  # fmt: skip
    return st.builds(str.format, around, integers | numbers) | odd | st.text(max_size=5)


def reference(value: Value | None, target: pa.DataType, parse_text: bool) -> tuple[bool, Any]:
    """Whether a value fits a column, and what it becomes there."""
    if value is None or value.text is None:
        return True, None
    if target == pa.string():
        return True, value.text
    if value.type == "string" and not parse_text:
        return False, None
    result = _convert(value.type, value.text, target)
    return result is not None, result


def _convert(kind: str, text: str, target: pa.DataType) -> Any:
    if target == pa.bool_():
        return text.lower() == "true" if kind in ("boolean", "string") else None
    if kind == "boolean":
        return None
    if pa.types.is_decimal(target):
        return _decimal(text, target)
    if kind == "string":
        return _java_integer(text, target) if pa.types.is_integer(target) else _java_float(text, target)
    number = int(text) if kind in BITS else single(float(text)) if kind == "float" else float(text)
    return _lossless(number, target)


def _lossless(number: int | float, target: pa.DataType) -> Any:
    if number != number:
        return None if pa.types.is_integer(target) else number
    if pa.types.is_integer(target):
        if number in (float("inf"), float("-inf")) or int(number) != number:
            return None
        return int(number) if _in_range(int(number), target) else None
    floating = float(number) if target == pa.float64() else single(float(number))
    return floating if floating == number else None


def _java_integer(text: str, target: pa.DataType) -> int | None:
    if not re.fullmatch(r"[+-]?[0-9]+", text) or not _in_range(int(text), target):
        return None
    return int(text)


def _java_float(text: str, target: pa.DataType) -> float | None:
    trimmed = text.strip(BLANK)
    if HEX.fullmatch(trimmed):
        number = _from_hex(trimmed.rstrip("fFdD"))
    elif NUMBER.fullmatch(trimmed) and not re.search(r"(NaN|Infinity)[fFdD]", trimmed):
        number = float(trimmed.rstrip("fFdD"))
    else:
        return None
    return number if target == pa.float64() else single(number)


def _from_hex(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("-inf") if text.startswith("-") else float("inf")


def _decimal(text: str, target: pa.DataType) -> Decimal | None:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return None
    number = Decimal(text)
    if number.adjusted() > 76 or number.adjusted() < -76:
        return Decimal((0, (0,), -target.scale)) if number == 0 else None
    scaled = number.quantize(Decimal((0, (1,), -target.scale)), context=EXACT)
    fits = scaled == number and len(scaled.as_tuple().digits) <= target.precision
    return (scaled.copy_abs() if scaled == 0 else scaled) if fits else None


def _in_range(number: int, target: pa.DataType) -> bool:
    half: int = 2 ** (target.bit_width - 1)
    return -half <= number < half


def single(number: float) -> float:
    """The nearest float of 32 bits."""
    try:
        result: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("-inf") if number < 0 else float("inf")
    return result
