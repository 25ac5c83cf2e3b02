"""A Spark SQL predicate as the JMS selector that takes the same messages, or a refusal that names what has none.

NOT is carried down to the comparisons, so that what is NULL in Spark need only be not true in the selector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import sqlglot
from sqlglot import exp

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.selector.picture import syntax_error
from spark_jms_connector.selector.printer import to_text
from spark_jms_connector.selector.sql_columns import Column, columns_of, resolve
from spark_jms_connector.selector.sql_comparisons import OPPOSITE, between, compare, is_null
from spark_jms_connector.selector.sql_literals import Constant, constant
from spark_jms_connector.selector.sql_patterns import like_pattern, pattern_for
from spark_jms_connector.selector.sql_strings import lift
from spark_jms_connector.selector.tree import And, Boolean, In, Like, Node, Or

HINT = "Filter in Spark after load() instead."
_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARGUMENTS = {"this", "expression", "expressions", "low", "high", "to", "quoted", "is_string", "table", "query"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def translate(predicate: str, schema: str | pa.Schema, time_zone: str | None = None, parse_text: bool = False) -> str:
    """The selector for a predicate over a schema's columns; raise SelectorError if there is none that is exactly it.

    ``time_zone`` is the Spark session's, for times written without one. ``parse_text``: properties may be read from
    text, which no selector does, so only STRING columns can be named.
    """
    tree = parse_predicate(predicate)
    try:
        return to_text(_Translation(columns_of(schema), time_zone, parse_text).condition(tree, False))
    except RecursionError:
        raise SelectorError(f"The predicate is nested too deeply. {HINT}") from None


def parse_predicate(predicate: str) -> exp.Expr:
    """The predicate as a syntax tree; raise SelectorError if it is none."""
    lifted = lift(predicate)
    try:
        trees = sqlglot.parse(lifted.text, read="spark")
    except sqlglot.errors.ParseError as error:
        place = error.errors[0]
        position = lifted.original(_offset(lifted.text, place["line"], place["col"], place["highlight"]))
        raise syntax_error(predicate, position, "Not a Spark predicate: it cannot be read from here on") from None
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        raise SelectorError(f"Not a Spark predicate: {predicate}") from None
    tree = trees[0] if len(trees) == 1 else None
    if tree is None:
        raise SelectorError("Not a Spark predicate: expected one condition.")
    for literal in list(tree.find_all(exp.Literal)):
        string = lifted.string(literal.this) if literal.is_string else None
        if string is not None:
            literal.set("this", string)
    return tree


def _offset(text: str, line: int, column: int, highlight: str | None) -> int:
    """A position from a parser that counts lines from 1 and points at the end of a word."""
    start = sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])
    return max(0, min(len(text), start + column - len(highlight or "x")))


@dataclass(frozen=True)
class _Translation:
    columns: Mapping[str, Column]
    time_zone: str | None
    parse_text: bool

    def condition(self, node: exp.Expr, negated: bool) -> Node:
        """What is true when the node is, or, negated, when it is false."""
        if isinstance(node, exp.Paren):
            return self.condition(node.this, negated)
        if isinstance(node, exp.Not):
            return self.condition(node.this, not negated)
        if isinstance(node, exp.And | exp.Or):
            operands = tuple(self.condition(part, negated) for part in node.flatten())
            return And(operands) if isinstance(node, exp.And) is not negated else Or(operands)
        if isinstance(node, exp.Boolean):
            return Boolean(bool(node.this) is not negated)
        try:
            return self._predicate(node, negated)
        except ValueError as error:
            raise _refusal(node, str(error)) from None

    def _predicate(self, node: exp.Expr, negated: bool) -> Node:
        _check_arguments(node)
        operator = _COMPARISONS.get(type(node))
        if operator is not None:
            return self._comparison(node, operator, negated)
        rule = _RULES.get(type(node))
        if rule is None:
            raise ValueError("selectors know nothing like it")
        return rule(self, node, negated)

    def _comparison(self, node: exp.Expr, operator: str, negated: bool) -> Node:
        left, right = node.this, node.expression
        if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
            left, right, operator = right, left, _TURNED.get(operator, operator)
        column, value = self._column(left), self._constant(right)
        return compare(column, OPPOSITE[operator] if negated else operator, value, self.time_zone)

    def _flag(self, node: exp.Expr, negated: bool) -> Node:
        column = self._column(node)
        if column.type != "BOOLEAN":
            raise ValueError(f"a {column.type} alone is no condition")
        return compare(column, "=", Constant("boolean", truth=not negated), None)

    def _between(self, node: exp.Expr, negated: bool) -> Node:
        column, low, high = self._column(node.this), self._constant(node.args["low"]), self._constant(node.args["high"])
        if not negated:
            return between(column, low, high, self.time_zone)
        return Or((compare(column, "<", low, self.time_zone), compare(column, ">", high, self.time_zone)))

    def _in(self, node: exp.Expr, negated: bool) -> Node:
        if not node.expressions:
            raise ValueError("IN takes a list of constants here")
        column, values = self._column(node.this), [self._constant(value) for value in node.expressions]
        if column.type == "STRING" and all(value.kind == "string" for value in values):
            return In(column.identifier, tuple(value.text for value in values), negated)
        self._check_list(column, values)
        parts = tuple(compare(column, "<>" if negated else "=", value, self.time_zone) for value in values)
        if len(parts) == 1:
            return parts[0]
        return And(parts) if negated else Or(parts)

    def _check_list(self, column: Column, values: list[Constant]) -> None:
        if len({value.kind for value in values}) > 1:
            raise ValueError("the constants in IN are of several types: write them in one")
        if column.timestamp and values[0].kind == "string":
            # Without ANSI mode Spark compares them as texts, unlike with '='.
            raise ValueError("texts in IN: write timestamp'…'")
        if values[0].kind == "exact":
            widest = max(values, key=lambda value: value.whole_digits)
            # Spark compares all of a list in one type.
            compare(column, "=", Constant("exact", whole_digits=widest.whole_digits, scale=_scale(values)), None)

    def _like(self, node: exp.Expr, negated: bool, escape: str = "\\") -> Node:
        pattern = self._constant(node.expression)
        if pattern.kind != "string":
            raise ValueError("the pattern must be a string")
        negated = negated is not bool(node.args.get("negate"))
        return Like(self._text_column(node.this).identifier, *like_pattern(pattern.text, escape), negated)

    def _escape(self, node: exp.Expr, negated: bool) -> Node:
        inner, escape = node.this, self._constant(node.expression)
        if not isinstance(inner, exp.Like) or escape.kind != "string" or len(escape.text) != 1:
            raise ValueError("selectors know nothing like it")
        return self._like(inner, negated, escape.text)

    def _part(self, before: str, after: str) -> Callable[[exp.Expr, bool], Node]:
        def rule(node: exp.Expr, negated: bool) -> Node:
            part = self._constant(node.expression)
            if part.kind != "string":
                raise ValueError("it must be given a string")
            return Like(self._text_column(node.this).identifier, *pattern_for(before, part.text, after), negated)

        return rule

    def _is(self, node: exp.Expr, negated: bool) -> Node:
        column, value = self._column(node.this), node.expression
        if isinstance(value, exp.Null):
            return is_null(column, negated)
        if not isinstance(value, exp.Boolean) or column.type != "BOOLEAN":
            raise ValueError("selectors know nothing like it")
        return self._same(column, Constant("boolean", truth=bool(value.this)), negated)

    def _null_safe(self, node: exp.Expr, negated: bool) -> Node:
        left, right = node.this, node.expression
        if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
            left, right = right, left
        column, value = self._column(left), self._constant(right)
        return is_null(column, negated) if value.kind == "null" else self._same(column, value, negated)

    def _same(self, column: Column, value: Constant, negated: bool) -> Node:
        """Equal, where NULL is simply not equal."""
        if not negated:
            return compare(column, "=", value, self.time_zone)
        return Or((compare(column, "<>", value, self.time_zone), is_null(column, False)))

    def _column(self, node: exp.Expr) -> Column:
        if isinstance(node, exp.Paren):
            return self._column(node.this)
        if not isinstance(node, exp.Column) or node.table or not isinstance(node.this, exp.Identifier):
            raise ValueError(f"`{_shown(node)}` is not a column; a selector compares one column with constants")
        try:
            return resolve(node.name, self.columns, self.parse_text)
        except ValueError as error:
            raise ValueError(f"column '{node.name}' {error}") from None

    def _text_column(self, node: exp.Expr) -> Column:
        column = self._column(node)
        if column.type != "STRING":
            raise ValueError(f"column '{column.name}' is {column.type}, not STRING")
        return column

    def _constant(self, node: exp.Expr) -> Constant:
        try:
            found = constant(node)
        except ValueError as error:
            raise ValueError(f"`{_shown(node)}` {error}") from None
        if found is None:
            raise ValueError(f"`{_shown(node)}` is not a constant; a selector compares one column with constants")
        return found


_RULES: dict[type[exp.Expr], Callable[[_Translation, exp.Expr, bool], Node]] = {
    exp.Column: _Translation._flag,
    exp.Between: _Translation._between,
    exp.In: _Translation._in,
    exp.Like: _Translation._like,
    exp.Escape: _Translation._escape,
    exp.Is: _Translation._is,
    exp.NullSafeEQ: _Translation._null_safe,
    exp.NullSafeNEQ: lambda self, node, negated: self._null_safe(node, not negated),
    exp.StartsWith: lambda self, node, negated: self._part("", "%")(node, negated),
    exp.EndsWith: lambda self, node, negated: self._part("%", "")(node, negated),
    exp.Contains: lambda self, node, negated: self._part("%", "%")(node, negated),
}


def _check_arguments(node: exp.Expr) -> None:
    """Refuse what the parser says about a node in words that are not known here: they may change its meaning."""
    for part in node.walk():
        known = _ARGUMENTS | ({"negate"} if isinstance(part, exp.Like) else set())
        if any(value and name not in known for name, value in part.args.items()):
            raise ValueError("selectors know nothing like it")


def _scale(values: list[Constant]) -> int:
    return max(value.scale for value in values)


def _shown(node: exp.Expr) -> str:
    return node.sql("spark")


def _refusal(node: exp.Expr, reason: str) -> SelectorError:
    return SelectorError(f"The predicate `{_shown(node)}` has no exact JMS selector: {reason}. {HINT}")
