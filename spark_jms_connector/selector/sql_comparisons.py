"""A column compared with a constant, as a selector that is true exactly when Spark's comparison is.

What Spark finds NULL may become false here, since nothing above these nodes negates them.
"""

from __future__ import annotations

import math
from fractions import Fraction

from spark_jms_connector.selector.numbers import as_float, exact
from spark_jms_connector.selector.sql_columns import FLOATING, WHOLE, Column
from spark_jms_connector.selector.sql_literals import MOST_DIGITS, Constant
from spark_jms_connector.selector.sql_times import microseconds
from spark_jms_connector.selector.tree import (
    LONG,
    And,
    Approximate,
    Boolean,
    Comparison,
    IsNull,
    Node,
    Not,
    Or,
    String,
)

NEVER = Boolean(False)
OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def compare(column: Column, operator: str, value: Constant, time_zone: str | None) -> Node:
    """``column operator value``; ValueError says why there is no such selector."""
    if column.timestamp:
        return _sent(column, operator, Fraction(_instant(value, time_zone), 1000))
    if column.type in WHOLE and value.kind in ("exact", "double"):
        return _whole_column(column, operator, value)
    if column.type in FLOATING and value.kind in ("exact", "double", "float"):
        return _floating(column, operator, _as_double(column, value))
    if {column.type, value.kind} <= {"STRING", "string", "BOOLEAN", "boolean"} and column.type.lower() == value.kind:
        if operator not in ("=", "<>"):
            raise ValueError(f"selectors do not order a {column.type} by '{operator}'")
        right = String(value.text) if value.kind == "string" else Boolean(value.truth)
        return Comparison(operator, column.identifier, right)
    raise ValueError(f"column '{column.name}' is {column.type}, so write {_wanted(column)}, not {_shown(value)}")


def _wanted(column: Column) -> str:
    return {"STRING": "a string", "BOOLEAN": "TRUE or FALSE", "TIMESTAMP": "timestamp'…'"}.get(column.type, "a number")


def _shown(value: Constant) -> str:
    return {"exact": "a number", "null": "NULL, which equals nothing"}.get(value.kind, f"a {value.kind}")


def between(column: Column, low: Constant, high: Constant, time_zone: str | None) -> Node:
    """``column BETWEEN low AND high``; simpler than its halves, since NaN is not between anything."""
    if column.type not in FLOATING:
        return And((compare(column, ">=", low, time_zone), compare(column, "<=", high, time_zone)))
    compare(column, ">=", low, time_zone), compare(column, "<=", high, time_zone)
    least, most = _as_double(column, low), _as_double(column, high)
    return And(
        (
            Comparison(">=", column.identifier, _double(least, -0.0)),
            Comparison("<=", column.identifier, _double(most, 0.0)),
        )
    )


def is_null(column: Column, negated: bool) -> Node:
    """A time that was not set is 0 for JMS and NULL in the column."""
    if not column.timestamp:
        return IsNull(column.identifier, negated)
    if negated:
        return Comparison("<>", column.identifier, exact(0))
    return Or((IsNull(column.identifier), Comparison("=", column.identifier, exact(0))))


# Times


def _instant(value: Constant, time_zone: str | None) -> int:
    if value.kind not in ("timestamp", "date", "string"):
        raise ValueError(f"a TIMESTAMP is compared with timestamp'…' here, not with {_shown(value)}")
    if value.kind == "date" and ":" in value.text:
        raise ValueError("a date has no time of day here")
    try:
        return microseconds(value.text, time_zone)
    except ValueError as error:
        raise ValueError(f"'{value.text}' {error}") from None


def _sent(column: Column, operator: str, milliseconds: Fraction) -> Node:
    found = _whole(column, operator, milliseconds)
    if found == NEVER or operator in (">", ">=") and milliseconds > 0 or operator == "=" and milliseconds != 0:
        return found
    return And((found, Comparison(">", column.identifier, exact(0))))


# Whole numbers


def _whole_column(column: Column, operator: str, value: Constant) -> Node:
    if value.kind == "double":
        # Minus zero would be less than zero to brokers that compare as Java's objects do.
        return Comparison(operator, column.identifier, Approximate(value.double + 0.0))
    if max(WHOLE[column.type], value.whole_digits) + value.scale > MOST_DIGITS:
        raise ValueError(f"Spark would need more than {MOST_DIGITS} digits to compare them")
    if not LONG.start < value.number < LONG.stop - 1:
        # Without ANSI mode it takes even NULL for less than such a number.
        raise ValueError("Spark's own answer depends on its settings when a number is out of the range of BIGINT")
    return _whole(column, operator, value.number)


def _whole(column: Column, operator: str, value: Fraction) -> Node:
    """A whole number compared with any number: what lies between two of them moves to the next."""
    bound = math.floor(value) if operator in ("<=", ">") else math.ceil(value)
    if operator in ("=", "<>") and bound != value:
        return NEVER if operator == "=" else IsNull(column.identifier, True)
    return Comparison(operator, column.identifier, exact(bound))


# Floating-point numbers


def _as_double(column: Column, value: Constant) -> float:
    if value.kind != "exact":
        return value.double
    double = value.number.numerator / value.number.denominator
    if column.type == "FLOAT" and value.integral and (abs(double) > 2**127 or as_float(double) != value.number):
        raise ValueError("the number is not exactly a FLOAT: write a double, such as 16777217D")
    return double


def _floating(column: Column, operator: str, value: float) -> Node:
    """NaN is larger than all numbers in Spark, and in JMS not even unequal to be ordered: so ``>`` is not ``<=``."""
    name = column.identifier
    if operator in (">", ">="):
        return Not(_floating(column, OPPOSITE[operator], value))
    if value != 0 or operator in ("<", "<="):
        return Comparison(operator, name, _double(value, -0.0 if operator == "<" else 0.0))
    # Brokers that compare as Java's objects do hold minus zero for less than zero.
    zero = And((Comparison(">=", name, Approximate(-0.0)), Comparison("<=", name, Approximate(0.0))))
    return zero if operator == "=" else Not(zero)


def _double(value: float, zero: float) -> Node:
    if value == 0:
        return Approximate(zero)
    return exact(int(value)) if value.is_integer() and abs(value) < 2**53 else Approximate(value)
