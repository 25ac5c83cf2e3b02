"""The selector language as a whole: what is printed reads back, nothing raises but the selector error."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.selector import tree as t
from spark_jms_connector.selector.check import warnings
from spark_jms_connector.selector.evaluate import evaluate, matcher
from spark_jms_connector.selector.lexer import KEYWORDS, SYMBOLS, is_identifier
from spark_jms_connector.selector.parser import MAX_DEPTH, parse
from spark_jms_connector.selector.printer import to_text
from tests.selector.trees import conditions, messages

PIECES = (*KEYWORDS, *SYMBOLS, "a", "'x'", "''", "1", "0x1F", "1.5", ".5e3", "1L", "08", "%", "'", '"', "名", "\0")


@given(tree=conditions)
@settings(max_examples=300, deadline=None)
def test_what_is_printed_reads_back(tree: t.Node) -> None:
    assert parse(to_text(tree)) == tree


@given(tree=conditions)
def test_no_two_minus_signs_meet_and_not_has_parentheses(tree: t.Node) -> None:
    without_strings = to_text(_without_strings(tree))
    assert "--" not in without_strings
    assert not [w for w in warnings(without_strings) if "NOT binds" in w or "comment" in w]


def _without_strings(tree: t.Node) -> t.Node:
    return parse("a = 1") if any(isinstance(n, t.String | t.In | t.Like) for n in t.nodes(tree)) else tree


@given(tree=conditions, message=messages)
@settings(max_examples=300, deadline=None)
def test_evaluation_never_raises(tree: t.Node, message: Message) -> None:
    assert evaluate(tree, message) in (True, False, None)


@given(tree=conditions, message=messages)
@settings(max_examples=300, deadline=None)
def test_not_turns_true_and_false_and_keeps_unknown(tree: t.Node, message: Message) -> None:
    truth = evaluate(tree, message)
    assert evaluate(t.Not(tree), message) is (None if truth is None else not truth)


@given(text=st.one_of(st.text(max_size=30), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)))
@example("(" * 100_000)
@example("NOT " * 100_000)
@example("a = " + "-" * 100_000 + "b")
@example("a = " + "(" * 30 + "1" + ")" * 30)
@example("a = 1" + " + 1" * 50_000)
@example("a = 1" + " AND a = 1" * 20_000)
@example("9" * 100_000 + " = a")
@example("a = 1e" + "9" * 10_000)
@example("a = 0x" + "." * 3 + "p1")
@example("a = '" + "x" * 100_000)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_selector_or_the_selector_error(text: str) -> None:
    try:
        tree = parse(text)
    except SelectorError as error:
        assert not error.retriable
        assert error.position is None or 0 <= error.position <= len(text)
        return
    assert evaluate(tree, Message()) in (True, False, None)
    assert parse(to_text(tree)) == tree
    warnings(text)


@pytest.mark.parametrize("opening", ["(", "NOT (", "-("])
def test_nesting_as_deep_as_allowed(opening: str) -> None:
    depth = MAX_DEPTH // opening.count("(") // (2 if len(opening) > 1 else 1)
    core = "a = 1" if "-" not in opening else "a"
    text = opening * depth + core + ")" * depth + (" = 1" if "-" in opening else "")
    assert parse(to_text(parse(text))) == parse(text)
    with pytest.raises(SelectorError, match="nested more than"):
        parse("(" * (MAX_DEPTH + 1) + "a = 1" + ")" * (MAX_DEPTH + 1))


@pytest.mark.parametrize(
    ("text", "problem", "caret"),
    [
        ("region = = 'EU'", "expected a name, a value or '(' but found '='", "         ^"),
        ("a = 1 b = 2", "expected an operator or the end but found 'b'", "      ^"),
        ("a = 1 AND", "expected a name, a value or '(' but found the end", "         ^"),
        ("a BETWEEN 1 OR 2", "expected AND of BETWEEN but found 'OR'", "            ^"),
        ("p IN ('a', 5)", "expected a string in IN (…) but found '5'", "           ^"),
        ("p > 'a'", "'>' is for numbers", "    ^"),
        ("a != 1", "'!=' (it is written <>) is no part", "  ^"),
        ('a = "x"', "A double quote (strings stand in single quotes: 'x')", "    ^"),
        ("a = 'x", "has no closing quote", "    ^"),
        ("a = 08", "begins with 0, so it is octal", "    ^"),
        ("a = 5abc", "must be followed by a space", "    ^"),
        ("a = 9223372036854775808", "whole numbers go from", "    ^"),
        ("a = 1e999", "out of the range of a double", "    ^"),
        ("a = 1 AND JMSRedelivered = TRUE", "does not let selectors see JMSRedelivered", "          ^"),
        ("名前 = = 1", "but found '='", "       ^"),
        ("a\n= = 1", "but found '='", "    ^"),
        ("(a = 1", "expected ')' but found the end", "      ^"),
        ("a + 1", "no condition", "^"),
    ],
)
def test_an_error_shows_the_place(text: str, problem: str, caret: str) -> None:
    with pytest.raises(SelectorError) as found:
        parse(text)
    said = str(found.value).splitlines()
    assert problem in said[0]
    assert said[1] == "  " + text.replace("\n", " ")
    assert said[2] == "  " + caret


def test_a_long_text_is_shown_in_part() -> None:
    with pytest.raises(SelectorError) as found:
        parse("a = 1 OR " * 100 + "= 5" + " OR a = 1" * 100)
    _, line, caret = str(found.value).splitlines()
    assert len(line) < 100
    assert line[caret.index("^")] == "="


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("-9223372036854775808", t.Exact(-(2**63), True)),
        ("0xFFFFFFFFFFFFFFFF", t.Exact(-1)),
        ("0x7FFFFFFFL", t.Exact(2**31 - 1)),
        ("-010", t.Exact(-8)),
        ("+.5", t.Approximate(0.5)),
        ("0.1f", t.Approximate(0.10000000149011612)),
        ("0x1.8p1", t.Approximate(3.0)),
        ("08.5", t.Approximate(8.5)),
        ("3000000000", t.Exact(3_000_000_000, True)),
    ],
)
def test_number_literals(literal: str, value: t.Node) -> None:
    assert parse(f"a = {literal}") == t.Comparison("=", t.Identifier("a"), value)


def test_ints_wrap_as_ints_and_longs_as_longs() -> None:
    message = Message(properties={"p": Value("int", str(2**31 - 1)), "q": Value("long", str(2**31 - 1))})
    assert evaluate(parse("p + 1 < 0"), message) is True
    assert evaluate(parse("q + 1 < 0"), message) is False
    assert evaluate(parse("-2147483648 - 1 > 0"), message) is True
    assert evaluate(parse("-2147483648L - 1 > 0"), message) is False


@pytest.mark.parametrize(
    "text", ["-a = 1", "NOT (-a = 1)", "a + s = 1", "s * a = 1", "1 / 0 = s", "1 BETWEEN 0 AND -a"]
)
def test_what_is_missing_stays_unknown(text: str) -> None:
    assert evaluate(parse(text), Message(properties={"s": Value.of("text")})) is None


def test_signs_never_stand_side_by_side() -> None:
    assert to_text(parse("a = 5 - -1 OR a = --1 OR a = - -b")) == "a = (5 - (-1)) OR a = (-(-1)) OR a = (-(-b))"


def test_not_a_number_is_equal_to_nothing() -> None:
    message = Message(properties={"p": Value("double", "NaN")})
    assert evaluate(parse("p = p"), message) is False
    assert evaluate(parse("p <> 1"), message) is True
    assert evaluate(parse("p / 0 = p"), message) is False


@pytest.mark.parametrize("name", ["a", "_", "$a1", "名前", "né"])
def test_names(name: str) -> None:
    assert is_identifier(name)


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a.b", "a b", "null", "Like", "a\0"])
def test_what_is_no_name(name: str) -> None:
    assert not is_identifier(name)


def test_no_selector_takes_everything() -> None:
    assert matcher(None)(Message()) and matcher("")(Message())


def test_only_what_is_true_is_taken() -> None:
    assert matcher("a = 1")(Message(properties={"a": Value.of(1)}))
    assert not matcher("a = 1")(Message(properties={"a": Value.of(2)}))
    assert not matcher("NOT (a = 1)")(Message())


@pytest.mark.parametrize("text", [" ", "\t\n"])
def test_white_space_alone_is_refused(text: str) -> None:
    with pytest.raises(SelectorError):
        parse(text)
