"""Whether a message matches a selector, in three-valued logic: True, False, None for unknown (JMS 2.0, 3.8.1.2)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TypeAlias

from spark_jms_connector.message import Message
from spark_jms_connector.selector.numbers import compute, negate
from spark_jms_connector.selector.parser import parse
from spark_jms_connector.selector.tree import (
    And,
    Approximate,
    Arithmetic,
    Between,
    Boolean,
    Comparison,
    Condition,
    Exact,
    Identifier,
    In,
    IsNull,
    Like,
    Node,
    Not,
    Or,
    Signed,
    String,
)
from spark_jms_connector.selector.values import MISFIT, Misfit, value_of

Truth: TypeAlias = bool | None
Value: TypeAlias = Exact | Approximate | str | bool | Misfit | None

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matcher(selector: str | None) -> Callable[[Message], bool]:
    """Whether a message is selected; raise SelectorError if the text is no selector. None and "" select all."""
    if not selector:
        return lambda message: True
    return partial(selects, parse(selector))


def selects(tree: Condition, message: Message) -> bool:
    """A message is selected only if the selector is true: false and unknown both leave it (JMS 2.0, 3.8.1.1)."""
    return evaluate(tree, message) is True


def evaluate(tree: Node, message: Message) -> Truth:
    """The truth of a condition about a message."""
    if isinstance(tree, And):
        return _all(evaluate(operand, message) for operand in tree.operands)
    if isinstance(tree, Or):
        return _negated(_all(_negated(evaluate(operand, message)) for operand in tree.operands))
    if isinstance(tree, Not):
        return _negated(evaluate(tree.operand, message))
    if isinstance(tree, Comparison):
        return _compare(tree.operator, _value(tree.left, message), _value(tree.right, message))
    if isinstance(tree, Between):
        return _between(tree, message)
    if isinstance(tree, IsNull):
        return (_value(tree.identifier, message) is None) is not tree.negated
    if isinstance(tree, In | Like):
        return _of_text(tree, _value(tree.identifier, message))
    value = _value(tree, message)
    # JMS leaves open what a name alone means that is no boolean; it is no truth.
    return value if value is None else value is True


def _all(truths: Iterable[Truth]) -> Truth:
    result: Truth = True
    for truth in truths:
        if truth is False:
            return False
        if truth is None:
            result = None
    return result


def _negated(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _between(tree: Between, message: Message) -> Truth:
    operand, low, high = (_value(node, message) for node in (tree.operand, tree.low, tree.high))
    if tree.negated:
        outside = (_compare("<", operand, low), _compare(">", operand, high))
        return _negated(_all(map(_negated, outside)))
    return _all((_compare(">=", operand, low), _compare("<=", operand, high)))


def _of_text(tree: In | Like, value: Value) -> Truth:
    if value is None:
        return None
    if isinstance(tree, In):
        found = isinstance(value, str) and value in tree.values
    else:
        found = isinstance(value, str) and _pattern(tree.pattern, tree.escape).fullmatch(value) is not None
    return found is not tree.negated


@lru_cache(maxsize=256)
def _pattern(pattern: str, escape: str | None) -> re.Pattern[str]:
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            # At the very end it stands for itself.
            parts.append(re.escape(next(characters, character)))
        else:
            parts.append({"%": ".*", "_": "."}.get(character) or re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


def _compare(symbol: str, left: Value, right: Value) -> Truth:
    """NULL makes it unknown, unlike types make it false, even for ``<>`` (JMS 2.0, 3.8.1.1)."""
    if left is None or right is None:
        return None
    if isinstance(left, Exact | Approximate) and isinstance(right, Exact | Approximate):
        return _compare_numbers(symbol, left, right)
    texts = isinstance(left, str) and isinstance(right, str)
    booleans = isinstance(left, bool) and isinstance(right, bool)
    if symbol in ("=", "<>") and (texts or booleans):
        return (left == right) is (symbol == "=")
    return False


def _compare_numbers(symbol: str, left: Exact | Approximate, right: Exact | Approximate) -> bool:
    # A long becomes a double first, as in Java; Python would compare the two exactly.
    if isinstance(left, Exact) and isinstance(right, Exact):
        return _COMPARE[symbol](left.value, right.value)
    return _COMPARE[symbol](float(left.value), float(right.value))


def _value(node: Node, message: Message) -> Value:
    if isinstance(node, Identifier):
        return value_of(node.name, message)
    if isinstance(node, Exact | Approximate):
        return node
    if isinstance(node, String | Boolean):
        return node.value
    if isinstance(node, Signed):
        value = _value(node.operand, message)
        if isinstance(value, Exact | Approximate):
            return negate(value) if node.sign == "-" else value
        return None if value is None else MISFIT
    if isinstance(node, Arithmetic):
        return _arithmetic(node, message)
    return evaluate(node, message)


def _arithmetic(node: Arithmetic, message: Message) -> Value:
    result = _value(node.first, message)
    for symbol, operand in node.rest:
        result = _combine(symbol, result, _value(operand, message))
    return result


def _combine(symbol: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    if isinstance(left, Exact | Approximate) and isinstance(right, Exact | Approximate):
        return compute(symbol, left, right)
    return MISFIT
