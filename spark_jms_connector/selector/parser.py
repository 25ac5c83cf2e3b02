"""Reads a selector's text into a tree, or says where it goes wrong and what was expected there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.selector.lexer import Token, tokenize
from spark_jms_connector.selector.numbers import BEYOND, exact, negate, wrap
from spark_jms_connector.selector.picture import syntax_error
from spark_jms_connector.selector.tree import (
    CONDITIONS,
    INT,
    NUMERIC,
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

MAX_DEPTH = 40
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
# JMS lets a selector see six header fields (3.8.1.1), and not these.
UNSEEN_HEADERS = ("JMSDestination", "JMSReplyTo", "JMSExpiration", "JMSRedelivered", "JMSDeliveryTime")
_VALUE = "a name, a value or '('"


def parse(text: str) -> Condition:
    """The tree of a selector; an empty text is no selector and takes every message, like TRUE (JMS 2.0, 3.8.1.1)."""
    if not text:
        return Boolean(True)
    try:
        return _Parser(text).selector()
    except RecursionError:
        raise SelectorError("The selector is nested too deeply.") from None


class _Parser:
    """One pass over the tokens: a method for each level of precedence, the weakest first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0

    def selector(self) -> Condition:
        start = self._token
        tree = self._condition(self._or(), start)
        if self._token.kind != "end":
            raise self._expected("an operator or the end")
        return tree

    # What comes next

    @property
    def _token(self) -> Token:
        return self._tokens[self._index]

    def _next(self) -> Token:
        token = self._token
        self._index += token.kind != "end"
        return token

    def _found(self, *texts: str) -> Token | None:
        """The next token, taken, if it is one of these keywords or symbols."""
        wanted = self._token.kind in ("keyword", "symbol") and self._token.text in texts
        return self._next() if wanted else None

    def _require(self, text: str, why: str = "") -> None:
        if not self._found(text):
            raise self._expected(f"{text if text.isalpha() else repr(text)}{why}")

    def _required_string(self, what: str) -> str:
        if self._token.kind != "string":
            raise self._expected(what)
        return self._next().text

    def _expected(self, what: str) -> SelectorError:
        return syntax_error(
            self._text, self._token.position, f"Not a JMS selector: expected {what} but found {self._token.shown}"
        )

    def _wrong(self, at: Token, problem: str) -> SelectorError:
        return syntax_error(self._text, at.position, f"Not a JMS selector: {problem}")

    @contextmanager
    def _deeper(self, at: Token) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._wrong(at, f"nested more than {MAX_DEPTH} deep")
        yield
        self._depth -= 1

    # Conditions

    def _or(self) -> Node:
        return self._chain("OR", self._and, Or)

    def _and(self) -> Node:
        return self._chain("AND", self._not, And)

    def _chain(self, word: str, operand: Callable[[], Node], make: type[And] | type[Or]) -> Node:
        start = self._token
        first = operand()
        if not (self._token.kind == "keyword" and self._token.text == word):
            return first
        operands = [self._condition(first, start)]
        while self._found(word):
            start = self._token
            operands.append(self._condition(operand(), start))
        return make(tuple(operands))

    def _not(self) -> Node:
        at = self._found("NOT")
        if at is None:
            return self._predicate()
        with self._deeper(at):
            start = self._token
            return Not(self._condition(self._not(), start))

    def _condition(self, node: Node, start: Token) -> Condition:
        if not isinstance(node, CONDITIONS):
            raise self._wrong(start, "a number or a string alone is no condition, expected a comparison")
        return node

    # Predicates: each looks at what stands left of it

    def _predicate(self) -> Node:
        start = self._token
        left = self._sum()
        if operator := self._found(*COMPARISONS):
            return self._comparison(operator, left, start)
        if self._found("IS"):
            negated = self._found("NOT") is not None
            self._require("NULL")
            return IsNull(self._identifier(left, start, "IS NULL"), negated)
        if negation := self._found("NOT"):
            return self._of_a_kind(left, start, negation)
        return self._of_a_kind(left, start, None)

    def _of_a_kind(self, left: Node, start: Token, negation: Token | None) -> Node:
        negated = negation is not None
        if self._found("BETWEEN"):
            return self._between(left, start, negated)
        if self._found("IN"):
            return In(self._identifier(left, start, "IN"), self._strings(), negated)
        if self._found("LIKE"):
            return self._like(self._identifier(left, start, "LIKE"), negated)
        if negated:
            raise self._expected("BETWEEN, IN or LIKE after NOT")
        return left

    def _comparison(self, operator: Token, left: Node, start: Token) -> Node:
        ordered = operator.text not in ("=", "<>")
        what = f"'{operator.text}' is for numbers" if ordered else "only values can be compared"
        allowed = NUMERIC if ordered else (*NUMERIC, String, Boolean)
        left = self._operand(left, start, allowed, what)
        after = self._token
        return Comparison(operator.text, left, self._operand(self._sum(), after, allowed, what))

    def _between(self, operand: Node, start: Token, negated: bool) -> Node:
        what = "BETWEEN is for numbers"
        operand = self._operand(operand, start, NUMERIC, what)
        start = self._token
        low = self._operand(self._sum(), start, NUMERIC, what)
        self._require("AND", " of BETWEEN")
        start = self._token
        return Between(operand, low, self._operand(self._sum(), start, NUMERIC, what), negated)

    def _operand(self, node: Node, start: Token, allowed: tuple[type, ...], what: str) -> Node:
        if not isinstance(node, allowed):
            raise self._wrong(start, what)
        # Outside arithmetic it makes no difference whether a number is an int or a long.
        return exact(node.value) if isinstance(node, Exact) and node.value in INT else node

    def _identifier(self, node: Node, start: Token, what: str) -> Identifier:
        if not isinstance(node, Identifier):
            raise self._wrong(start, f"only a name can stand before {what}")
        return node

    def _strings(self) -> tuple[str, ...]:
        self._require("(", " after IN")
        values = [self._required_string("a string in IN (…)")]
        while self._found(","):
            values.append(self._required_string("a string in IN (…)"))
        self._require(")", " or ',' in IN (…)")
        return tuple(values)

    def _like(self, identifier: Identifier, negated: bool) -> Node:
        pattern = self._required_string("the pattern of LIKE as a string")
        if not self._found("ESCAPE"):
            return Like(identifier, pattern, None, negated)
        at = self._token
        escape = self._required_string("the character after ESCAPE as a string")
        if len(escape) != 1:
            raise self._wrong(at, "ESCAPE takes a string of one character")
        return Like(identifier, pattern, escape, negated)

    # Arithmetic

    def _sum(self) -> Node:
        return self._arithmetic(("+", "-"), self._product)

    def _product(self) -> Node:
        return self._arithmetic(("*", "/"), self._signed)

    def _arithmetic(self, operators: tuple[str, str], operand: Callable[[], Node]) -> Node:
        start = self._token
        first = operand()
        rest: list[tuple[str, Node]] = []
        while operator := self._found(*operators):
            self._numeric(first, start)
            start = self._token
            rest.append((operator.text, self._numeric(operand(), start)))
        return Arithmetic(first, tuple(rest)) if rest else first

    def _numeric(self, node: Node, start: Token) -> Node:
        if not isinstance(node, NUMERIC):
            raise self._wrong(start, "arithmetic is for numbers")
        return node

    def _signed(self) -> Node:
        sign = self._found("+", "-")
        if sign is None:
            return self._primary()
        if self._token.kind == "number":
            return self._signed_number(sign)
        with self._deeper(sign):
            start = self._token
            return Signed(sign.text, self._numeric(self._signed(), start))

    def _signed_number(self, sign: Token) -> Node:
        token = self._next()
        assert token.number is not None
        if isinstance(token.number, Exact) and token.number.value == BEYOND and sign.text == "-":
            return Exact(-BEYOND, True)
        number = self._in_range(token)
        if sign.text == "+":
            return number
        if isinstance(number, Exact):
            return exact(wrap(-number.value, True), token.text[-1] in "lL")
        return negate(number)

    def _in_range(self, token: Token) -> Exact | Approximate:
        assert token.number is not None
        if isinstance(token.number, Exact) and token.number.value == BEYOND:
            raise self._wrong(token, "whole numbers go from -2^63 to 2^63 - 1")
        return token.number

    def _primary(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return self._in_range(token)
        if token.kind == "string":
            return String(token.text)
        if token.kind == "word":
            return self._name(token)
        if token.text in ("TRUE", "FALSE") and token.kind == "keyword":
            return Boolean(token.text == "TRUE")
        if token.text == "(" and token.kind == "symbol":
            with self._deeper(token):
                inner = self._or()
            self._require(")")
            return inner
        self._index -= token.kind != "end"
        raise self._expected(_VALUE)

    def _name(self, token: Token) -> Identifier:
        if token.text in UNSEEN_HEADERS:
            raise self._wrong(token, f"JMS does not let selectors see {token.text}")
        return Identifier(token.text)
