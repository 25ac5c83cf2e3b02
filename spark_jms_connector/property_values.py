"""Typed property values into a column, whole arrays at a time: what does not fit without loss becomes null.

JMS' own conversions (JMS 2.0, 3.5.4) are narrower for numbers, since its getters cannot say that
nothing was lost; text is read by its rules exactly, those of Java's ``valueOf``.
"""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

INTEGERS = ("byte", "short", "int", "long")
FLOATS = ("float", "double")

_PLAIN = r"^-?[0-9]{1,18}$"
_WHOLE = r"^[+-]?[0-9]+$"
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_BLANKS = r"[\x00-\x20]*"
_FLOATING = rf"^{_BLANKS}(?:[+-]?(?:NaN|Infinity)|{_DECIMAL}[fFdD]?){_BLANKS}$"
_HEX = rf"^{_BLANKS}[+-]?0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?{_BLANKS}$"
_PARTS = r"^[+-]?0*(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*?)0*(?:[eE]\+?(?P<exponent>-?[0-9]{1,5}))?$"
_WIDE = pa.decimal256(76, 38)
_DIGITS = 38


def convert_values(types: pa.Array, texts: pa.Array, target: pa.DataType, *, parse_text: bool) -> pa.Array:
    """The values as ``target``; null where there is none and where it does not fit.

    A value is there exactly where ``texts`` is not null, so the caller can tell the two apart.
    """
    if pa.types.is_string(target):
        return texts
    words = _where(_among(types, ("string",)), texts) if parse_text else pa.nulls(len(texts), pa.string())
    if pa.types.is_boolean(target):
        return _booleans(pc.coalesce(_where(_among(types, ("boolean",)), texts), words))
    if pa.types.is_decimal(target):
        return _decimals(pc.coalesce(_where(_among(types, INTEGERS + FLOATS), texts), words), target)
    whole = _where(_among(types, INTEGERS), texts)
    doubles = _doubles(types, texts)
    if pa.types.is_integer(target):
        return pc.coalesce(_integers(pc.coalesce(whole, words), target), _doubles_to_integers(doubles, target))
    exact = pc.coalesce(doubles, _integers_to_doubles(_integers(whole, pa.int64())))
    return pc.coalesce(_narrow(exact, target), _parse_floats(words, target))


def _where(mask: pa.Array, values: pa.Array) -> pa.Array:
    """The values where the mask is true, null elsewhere."""
    return pc.if_else(pc.fill_null(mask, False), values, pa.scalar(None, values.type))


def _among(types: pa.Array, names: tuple[str, ...]) -> pa.Array:
    return pc.is_in(types, value_set=pa.array(names, pa.string()))


def _matching(texts: pa.Array, pattern: str) -> pa.Array:
    return _where(pc.match_substring_regex(texts, pattern), texts)


def _booleans(texts: pa.Array) -> pa.Array:
    return pc.equal(pc.ascii_lower(texts), "true")


def _integers(texts: pa.Array, target: pa.DataType) -> pa.Array:
    low, high = _range(target)
    plain = _matching(texts, _PLAIN)
    numbers = plain.cast(pa.int64())
    if plain.null_count > texts.null_count:
        numbers = pc.coalesce(numbers, _long_integers(texts))
    fits = pc.and_(pc.greater_equal(numbers, low), pc.less_equal(numbers, high))
    return _where(fits, numbers).cast(target)


def _long_integers(texts: pa.Array) -> pa.Array:
    """Whole numbers however written; a cast straight to integers would refuse all rows for one that is too large."""
    digits = pc.replace_substring_regex(_matching(texts, _WHOLE), r"^([+-]?)0+([0-9])", r"\1\2")
    numbers = _where(pc.less_equal(pc.utf8_length(digits), 20), digits).cast(pa.decimal128(_DIGITS, 0))
    low, high = (pa.scalar(Decimal(bound), numbers.type) for bound in _range(pa.int64()))
    return _where(pc.and_(pc.greater_equal(numbers, low), pc.less_equal(numbers, high)), numbers).cast(pa.int64())


def _doubles(types: pa.Array, texts: pa.Array) -> pa.Array:
    """What was sent as float or double; a float is widened from its own precision, as Java does."""
    singles = _parse_floats(_where(_among(types, ("float",)), texts), pa.float32())
    return pc.coalesce(
        singles.cast(pa.float64()), _parse_floats(_where(_among(types, ("double",)), texts), pa.float64())
    )


def _parse_floats(texts: pa.Array, target: pa.DataType) -> pa.Array:
    if texts.null_count == len(texts):
        return pa.nulls(len(texts), target)
    trimmed = pc.utf8_trim(_matching(texts, _FLOATING), "".join(map(chr, range(0x21))))
    numbers = pc.replace_substring_regex(trimmed, r"[fFdD]$", "").cast(target)
    hexadecimal = pc.fill_null(pc.match_substring_regex(texts, _HEX), False)
    if not pc.any(hexadecimal).as_py():
        return numbers
    return pc.replace_with_mask(numbers, hexadecimal, _parse_hex(texts.filter(hexadecimal)).cast(target, safe=False))


def _parse_hex(texts: pa.Array) -> pa.Array:
    return pa.array([_hex(text) for text in texts.to_pylist()], pa.float64())


def _hex(text: str) -> float:
    stripped = text.strip("".join(map(chr, range(0x21)))).rstrip("fFdD")
    try:
        return float.fromhex(stripped)
    except OverflowError:
        return float("-inf") if stripped.startswith("-") else float("inf")


def _doubles_to_integers(doubles: pa.Array, target: pa.DataType) -> pa.Array:
    low, high = _range(target)
    inside = pc.and_(pc.greater_equal(doubles, float(low)), pc.less(doubles, float(high + 1)))
    fits = pc.and_(inside, pc.equal(pc.trunc(doubles), doubles))
    return _where(fits, doubles).cast(pa.int64(), safe=False).cast(target)


def _integers_to_doubles(numbers: pa.Array) -> pa.Array:
    doubles = numbers.cast(pa.float64(), safe=False)
    back = _where(pc.less(doubles, 2.0**63), doubles).cast(pa.int64(), safe=False)
    return _where(pc.equal(back, numbers), doubles)


def _narrow(doubles: pa.Array, target: pa.DataType) -> pa.Array:
    narrowed = doubles.cast(target, safe=False)
    same = pc.or_(pc.equal(narrowed.cast(pa.float64()), doubles), pc.is_nan(doubles))
    return _where(same, narrowed)


def _decimals(texts: pa.Array, target: pa.DataType) -> pa.Array:
    wide = _sane(_matching(texts, f"^{_DECIMAL}$")).cast(_WIDE)
    rounded = pc.round(wide, ndigits=target.scale)
    limit = pa.scalar(Decimal((0, (9,) * target.precision, -target.scale)), _WIDE)
    fits = pc.and_(pc.equal(wide, rounded), pc.less_equal(pc.abs(rounded), limit))
    return _where(fits, rounded).cast(target)


def _sane(texts: pa.Array) -> pa.Array:
    """Only numbers that the widest decimal can hold at all, as the cast would otherwise refuse all rows."""
    parts = pc.extract_regex(texts, _PARTS)
    exponent = pc.struct_field(parts, "exponent")
    shift = pc.if_else(pc.equal(exponent, ""), "0", exponent).cast(pa.int32())
    whole = pc.add(pc.utf8_length(pc.struct_field(parts, "whole")), shift)
    fraction = pc.subtract(pc.utf8_length(pc.struct_field(parts, "fraction")), shift)
    return _where(pc.and_(pc.less_equal(whole, _DIGITS), pc.less_equal(fraction, _DIGITS)), texts)


def _range(target: pa.DataType) -> tuple[int, int]:
    half = 2 ** (target.bit_width - 1)
    return -half, half - 1
