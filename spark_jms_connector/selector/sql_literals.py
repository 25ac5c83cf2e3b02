"""The constants of a Spark predicate, with the types that Spark gives them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from spark_jms_connector.selector.numbers import as_float

_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_TIMESTAMPS = ("TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMP")
_PLAIN = re.compile(r"[0-9]+|[0-9]+\.[0-9]*|\.[0-9]+")
_EXPONENT = re.compile(r"(?:[0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,4}")
MOST_DIGITS = 38


@dataclass(frozen=True)
class Constant:
    """A value and its type: exact (whole or decimal), double, float, string, boolean, timestamp, date or null."""

    kind: str
    text: str = ""
    number: Fraction = Fraction(0)
    double: float = 0.0
    truth: bool = False
    whole_digits: int = 0
    scale: int = 0

    @property
    def integral(self) -> bool:
        return self.kind == "exact" and self.scale == 0


def constant(node: exp.Expr) -> Constant | None:
    """What a constant stands for, or None if it is none of those known here; ValueError says what is wrong with it."""
    if isinstance(node, exp.Paren):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        return _negated(constant(node.this))
    if isinstance(node, exp.Null):
        return Constant("null")
    if isinstance(node, exp.Boolean):
        return Constant("boolean", truth=bool(node.this))
    if isinstance(node, exp.Cast):
        return _typed(node)
    if isinstance(node, exp.Literal):
        return Constant("string", str(node.this)) if node.is_string else _number(str(node.this))
    return None


def _negated(found: Constant | None) -> Constant | None:
    if found is None or found.kind not in ("exact", "double", "float"):
        return None
    return Constant(
        found.kind, number=-found.number, double=-found.double, whole_digits=found.whole_digits, scale=found.scale
    )


def _number(text: str) -> Constant | None:
    if _EXPONENT.fullmatch(text):
        return Constant("double", double=_finite(float(text)))
    return _exact(text) if _PLAIN.fullmatch(text) else None


def _exact(text: str) -> Constant:
    whole, _, fraction = text.partition(".")
    digits = len(whole.lstrip("0"))
    if digits + len(fraction) > MOST_DIGITS:
        raise ValueError(f"has more than {MOST_DIGITS} digits")
    return Constant("exact", number=Fraction(Decimal(text)), whole_digits=digits, scale=len(fraction))


def _finite(value: float) -> float:
    if value in (float("inf"), float("-inf")):
        raise ValueError("is out of the range of its type")
    return value


def _typed(node: exp.Cast) -> Constant | None:
    """``10L``, ``1.5D``, ``date'…'`` and the like, which are parsed as casts of a literal."""
    kind, inner = node.to.this.name, node.this
    if not isinstance(inner, exp.Literal):
        return None
    text = str(inner.this)
    if inner.is_string and (kind in _TIMESTAMPS or kind == "DATE"):
        return Constant("date" if kind == "DATE" else "timestamp", text)
    if kind == "DECIMAL":
        return _decimal(node, text)
    return None if inner.is_string else _typed_number(kind, text)


def _typed_number(kind: str, text: str) -> Constant | None:
    if kind in _INTEGERS and re.fullmatch("[0-9]{1,19}", text):
        # Spark reads the sign with the number, but nobody needs the one value that only that way fits.
        if int(text) >= 2 ** (_INTEGERS[kind] - 1):
            raise ValueError("is out of the range of its type")
        return _exact(text)
    if not _PLAIN.fullmatch(text) and not _EXPONENT.fullmatch(text):
        return None
    if kind == "DOUBLE":
        return Constant("double", double=_finite(float(text)))
    return Constant("float", double=_single(text)) if kind == "FLOAT" else None


def _single(text: str) -> float:
    double = float(text)
    try:
        below, above = (as_float(math.nextafter(double, towards)) for towards in (-math.inf, math.inf))
    except OverflowError:
        raise ValueError("is out of the range of its type") from None
    # Rounding to a double and then to a float is rounding to a float only if no float's bound is that near.
    if below != above and as_float(double) != double:
        raise ValueError("is too near to the middle of two floats: write a double (…D)")
    return as_float(double)


def _decimal(node: exp.Cast, text: str) -> Constant | None:
    """``1.5BD``; a cast that would round is none."""
    sizes = [int(size.name) for size in node.to.expressions]
    if len(sizes) != 2 or not _PLAIN.fullmatch(text):
        return None
    found = _exact(text)
    return found if (found.whole_digits + found.scale, found.scale) <= (sizes[0], sizes[1]) else None
