"""Writes a tree as text that reads back as the same tree, in the forms that brokers agree on.

Parentheses stand around every compound operand, since some brokers let NOT bind tighter than comparisons, and two
minus signs never meet, since some take them for a comment.
"""

from __future__ import annotations

from spark_jms_connector.message import double_text
from spark_jms_connector.selector.tree import (
    INT,
    And,
    Approximate,
    Arithmetic,
    Between,
    Boolean,
    Comparison,
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


def to_text(tree: Node) -> str:
    """The selector a tree stands for."""
    if isinstance(tree, And | Or):
        word = " AND " if isinstance(tree, And) else " OR "
        return word.join(_condition(operand) for operand in tree.operands)
    if isinstance(tree, Not):
        return f"NOT ({to_text(tree.operand)})"
    if isinstance(tree, Comparison):
        return f"{_operand(tree.left)} {tree.operator} {_operand(tree.right)}"
    if isinstance(tree, Between):
        return f"{_operand(tree.operand)} {_not(tree)}BETWEEN {_operand(tree.low)} AND {_operand(tree.high)}"
    if isinstance(tree, In | Like | IsNull):
        return f"{tree.identifier.name} {_of_name(tree)}"
    return _arithmetic(tree)


def _condition(tree: Node) -> str:
    """An operand of AND or OR."""
    return f"({to_text(tree)})" if isinstance(tree, And | Or | Not) else to_text(tree)


def _of_name(tree: In | Like | IsNull) -> str:
    if isinstance(tree, IsNull):
        return "IS NOT NULL" if tree.negated else "IS NULL"
    if isinstance(tree, In):
        return f"{_not(tree)}IN ({', '.join(map(quoted, tree.values))})"
    escape = "" if tree.escape is None else f" ESCAPE {quoted(tree.escape)}"
    return f"{_not(tree)}LIKE {quoted(tree.pattern)}{escape}"


def _not(tree: Between | In | Like) -> str:
    return "NOT " if tree.negated else ""


def _arithmetic(tree: Node) -> str:
    if isinstance(tree, Arithmetic):
        return _primary(tree.first) + "".join(f" {symbol} {_primary(operand)}" for symbol, operand in tree.rest)
    if isinstance(tree, Signed):
        # In parentheses even a number: without them the sign would become the number's own.
        inner = tree.operand
        return tree.sign + (inner.name if isinstance(inner, Identifier) else f"({to_text(inner)})")
    return _value(tree)


def _operand(tree: Node) -> str:
    """An operand of a comparison; what is compared is never itself a condition."""
    return f"({to_text(tree)})" if isinstance(tree, Arithmetic | Signed) else to_text(tree)


def _primary(tree: Node) -> str:
    """An operand of arithmetic: anything but a name or a plain number in parentheses."""
    text = to_text(tree)
    return f"({text})" if isinstance(tree, Arithmetic | Signed) or text.startswith("-") else text


def _value(tree: Node) -> str:
    if isinstance(tree, Exact):
        return f"{tree.value}L" if tree.long and tree.value in INT else str(tree.value)
    if isinstance(tree, Approximate):
        return double_text(tree.value)
    if isinstance(tree, Boolean):
        return "TRUE" if tree.value else "FALSE"
    if isinstance(tree, String):
        return quoted(tree.value)
    assert isinstance(tree, Identifier)
    return tree.name


def quoted(text: str) -> str:
    """A string literal: a quote in it is doubled, and nothing else has a meaning (JMS 2.0, 3.8.1.1)."""
    return "'" + text.replace("'", "''") + "'"
