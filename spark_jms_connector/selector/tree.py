"""What a selector says, as immutable nodes; chains are flat, so a tree is only as deep as its text is nested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

INT = range(-(2**31), 2**31)
LONG = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Exact:
    """A whole number; ``long`` decides where arithmetic wraps, as in Java."""

    value: int
    long: bool = False


@dataclass(frozen=True)
class Approximate:
    """A double."""

    value: float


@dataclass(frozen=True)
class String:
    """A text."""

    value: str


@dataclass(frozen=True)
class Boolean:
    """TRUE or FALSE."""

    value: bool


@dataclass(frozen=True)
class Identifier:
    """A header or a property by name."""

    name: str


@dataclass(frozen=True)
class Signed:
    """``-`` or ``+`` before an expression; before a number it belongs to the number."""

    sign: str
    operand: Node


@dataclass(frozen=True)
class Arithmetic:
    """Operators of one precedence, from left to right: ``first``, then each operator with its operand."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Comparison:
    """``=``, ``<>``, ``<``, ``<=``, ``>`` or ``>=``."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Between:
    """``operand [NOT] BETWEEN low AND high``."""

    operand: Node
    low: Node
    high: Node
    negated: bool = False


@dataclass(frozen=True)
class In:
    """``identifier [NOT] IN ('a', 'b')``."""

    identifier: Identifier
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True)
class Like:
    """``identifier [NOT] LIKE 'pattern' [ESCAPE 'c']``."""

    identifier: Identifier
    pattern: str
    escape: str | None = None
    negated: bool = False


@dataclass(frozen=True)
class IsNull:
    """``identifier IS [NOT] NULL``."""

    identifier: Identifier
    negated: bool = False


@dataclass(frozen=True)
class Not:
    """``NOT operand``."""

    operand: Node


@dataclass(frozen=True)
class And:
    """Two or more operands."""

    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """Two or more operands."""

    operands: tuple[Node, ...]


Literal: TypeAlias = Exact | Approximate | String | Boolean
Number: TypeAlias = Exact | Approximate
Condition: TypeAlias = Comparison | Between | In | Like | IsNull | Not | And | Or | Boolean | Identifier
Node: TypeAlias = Literal | Signed | Arithmetic | Condition

CONDITIONS = (Comparison, Between, In, Like, IsNull, Not, And, Or, Boolean, Identifier)
NUMERIC = (Exact, Approximate, Signed, Arithmetic, Identifier)


def nodes(tree: Node) -> list[Node]:
    """A node and all below it, in the order of the text."""
    found: list[Node] = [tree]
    for child in children(tree):
        found += nodes(child)
    return found


def children(tree: Node) -> tuple[Node, ...]:
    if isinstance(tree, And | Or):
        return tree.operands
    if isinstance(tree, Not | Signed):
        return (tree.operand,)
    if isinstance(tree, Arithmetic):
        return (tree.first, *(operand for _, operand in tree.rest))
    if isinstance(tree, Comparison):
        return (tree.left, tree.right)
    if isinstance(tree, Between):
        return (tree.operand, tree.low, tree.high)
    return (tree.identifier,) if isinstance(tree, In | Like | IsNull) else ()
