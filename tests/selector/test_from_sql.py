"""Spark predicates as selectors: what they become, and what is refused and why."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jms_connector.columns import STANDARD_DDL
from spark_jms_connector.errors import SelectorError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.selector.evaluate import matcher
from spark_jms_connector.selector.from_sql import translate
from spark_jms_connector.selector.parser import parse

SCHEMA = (
    "region STRING, Amount DOUBLE, n INT, l BIGINT, f FLOAT, flag BOOLEAN, price DECIMAL(10, 2), `my col` INT,"
    f" JMSXState INT, {STANDARD_DDL}"
)


def translated(predicate: str, zone: str | None = "Europe/Berlin") -> str:
    return translate(predicate, SCHEMA, zone)


@pytest.mark.parametrize(
    ("predicate", "selector"),
    [
        ("region = 'EU'", "region = 'EU'"),
        ("REGION == 'it''s'", "region = 'it''s'"),
        ("'EU' != region", "region <> 'EU'"),
        (r"region = 'a\'b\\c'", r"region = 'a''b\c'"),
        ("5 >= n", "n <= 5"),
        ("n BETWEEN 1 AND 2.5", "n >= 1 AND n <= 2"),
        ("n NOT BETWEEN 1.5 AND 2.5", "n < 2 OR n > 2"),
        ("n = 1.5", "FALSE"),
        ("n <> 1.5", "n IS NOT NULL"),
        ("n IN (1, 2)", "n = 1 OR n = 2"),
        ("n NOT IN (1, 2)", "n <> 1 AND n <> 2"),
        ("n IN (1)", "n = 1"),
        ("l > 1e0", "l > 1.0"),
        ("region IN ('a', 'b')", "region IN ('a', 'b')"),
        ("NOT region IN ('a')", "region NOT IN ('a')"),
        ("amount < 10", "Amount < 10"),
        ("amount > 10", "NOT (Amount <= 10)"),
        ("amount BETWEEN 10 AND 20", "Amount >= 10 AND Amount <= 20"),
        ("amount = 0", "Amount >= -0.0 AND Amount <= 0.0"),
        ("amount < 0", "Amount < -0.0"),
        ("amount = 0.1", "Amount = 0.1"),
        ("f = 0.1F", "f = 0.10000000149011612"),
        ("flag", "flag = TRUE"),
        ("NOT flag", "flag = FALSE"),
        ("flag IS NOT TRUE", "flag <> TRUE OR flag IS NULL"),
        ("flag IS FALSE AND n IS NOT NULL", "flag = FALSE AND n IS NOT NULL"),
        ("region LIKE 'a%'", "region LIKE 'a%'"),
        ("region NOT LIKE 'a_' ESCAPE '!'", "region NOT LIKE 'a_'"),
        (r"region LIKE '100\%'", r"region LIKE '100\%' ESCAPE '\'"),
        (r"region LIKE 'a\\\\b'", r"region LIKE 'a\b'"),
        ("startswith(region, 'a_b')", r"region LIKE 'a\_b%' ESCAPE '\'"),
        ("NOT contains(region, 'x')", "region NOT LIKE '%x%'"),
        ("region <=> 'x'", "region = 'x'"),
        ("NOT (region <=> 'x')", "region <> 'x' OR region IS NULL"),
        ("region <=> NULL", "region IS NULL"),
        ("JMSTimestamp > timestamp'2026-01-01'", "JMSTimestamp > 1767222000000"),
        ("JMSTimestamp < timestamp'2026-01-01 00:00:00Z'", "JMSTimestamp < 1767225600000 AND JMSTimestamp > 0"),
        ("NOT (JMSTimestamp >= '2026-01-01')", "JMSTimestamp < 1767222000000 AND JMSTimestamp > 0"),
        ("JMSTimestamp = timestamp'2026-01-01 00:00:00.0005'", "FALSE"),
        ("JMSTimestamp IS NULL", "JMSTimestamp IS NULL OR JMSTimestamp = 0"),
        ("JMSTimestamp IS NOT NULL", "JMSTimestamp <> 0"),
        ("NOT (n = 1 AND (region = 'a' OR flag))", "n <> 1 OR (region <> 'a' AND flag = FALSE)"),
        ("JMSDeliveryMode = 'PERSISTENT' AND JMSPriority > 4", "JMSDeliveryMode = 'PERSISTENT' AND JMSPriority > 4"),
    ],
)
def test_what_it_becomes(predicate: str, selector: str) -> None:
    assert translated(predicate) == selector
    parse(selector)


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("lower(region) = 'eu'", "`LOWER(region)` is not a column"),
        ("n + 1 = 2", "`n + 1` is not a column"),
        ("n = l", "`l` is not a constant"),
        ("n = 1 AND region RLIKE 'x'", "The predicate `region RLIKE 'x'`"),
        ("region ILIKE 'x'", "selectors know nothing like it"),
        ("region LIKE ANY ('x', 'y')", "is not a constant"),
        (r"region LIKE 'a\\b'", "Spark refuses its escape character"),
        ("region > 'x'", "do not order a STRING"),
        ("flag > FALSE", "do not order a BOOLEAN"),
        ("n = '5'", "column 'n' is INT, so write a number, not a string"),
        ("region = 5", "column 'region' is STRING, so write a string"),
        ("flag = 'true'", "write TRUE or FALSE"),
        ("n = NULL", "NULL, which equals nothing"),
        ("n IN (1, NULL)", "of several types"),
        ("n IN (1, 2e0)", "of several types"),
        ("n IN (SELECT 1)", "list of constants"),
        ("JMSTimestamp IN ('2026-01-01')", "texts in IN"),
        ("n", "a INT alone is no condition"),
        ("f = 16777217", "not exactly a FLOAT"),
        ("n = 1.5F", "so write a number, not a float"),
        ("n < 99999999999999999999", "out of the range of BIGINT"),
        ("l = 1.1234567890123456789", "more than 38 digits"),
        ("price > 1", "column 'price' is DECIMAL(10, 2), and JMS has nothing like it"),
        ("`my col` = 1", "a name that no selector can hold"),
        ("nowhere = 1", "column 'nowhere' is not in the schema"),
        ("text = 'x'", "is not a header or a property"),
        ("JMSExpiration IS NULL", "does not let selectors see"),
        ("JMSXDeliveryCount = 1", "set when a message is received"),
        ("JMSXState = 1", "set when a message is received"),
        ("JMSXGroupSeq = 1", "0 instead of NULL"),
        ("JMSTimestamp > 5", "compared with timestamp'…' here"),
        ("JMSTimestamp > timestamp'2026-02-30'", "is no time"),
        ("JMSTimestamp > timestamp'tomorrow'", "written in a way that is not known"),
        ("JMSTimestamp > current_timestamp()", "is not a constant"),
        ("t.n = 1", "`t.n` is not a column"),
        ("n = 1 AS b", "selectors know nothing like it"),
        ("n BETWEEN SYMMETRIC 1 AND 2", "selectors know nothing like it"),
        ("(n = 1) IS NOT TRUE", "is not a column"),
        ("'a' 'b' = region", "is not a constant"),
        ("n = 128Y", "out of the range of its type"),
    ],
)
def test_what_has_no_exact_selector_is_refused_by_name(predicate: str, words: str) -> None:
    with pytest.raises(SelectorError) as found:
        translated(predicate)
    assert words in str(found.value)
    assert str(found.value).endswith("Filter in Spark after load() instead.")


@pytest.mark.parametrize(
    ("predicate", "caret"),
    [
        ("n = = 1", "    ^"),
        ("region = 'x", "         ^"),
        ("region = 'long text' AND AND n = 1", "                         ^"),
        ("n = 1 -- why", "      ^"),
    ],
)
def test_an_error_of_syntax_shows_the_place(predicate: str, caret: str) -> None:
    with pytest.raises(SelectorError) as found:
        translated(predicate)
    assert str(found.value).splitlines()[1:] == [f"  {predicate}", f"  {caret}"]


@pytest.mark.parametrize("predicate", ["", "  ", ";", "n = 1; n = 2"])
def test_no_predicate_at_all(predicate: str) -> None:
    with pytest.raises(SelectorError, match="Not a Spark predicate"):
        translated(predicate)


@given(text=st.one_of(st.text(max_size=20), st.lists(st.sampled_from(("n", "=", "NOT", "(", ")", "'a'", "IN", "1")))))
@example("(" * 5000)
@example("NOT " * 5000 + "flag")
@example("n = 1 OR " * 3000 + "n = 2")
@settings(deadline=None)
def test_any_text_is_translated_or_refused(text: str | list[str]) -> None:
    try:
        parse(translated(text if isinstance(text, str) else " ".join(text)))
    except SelectorError as error:
        assert not error.retriable


def test_a_time_without_a_zone_needs_one() -> None:
    with pytest.raises(SelectorError, match="has no time zone: write one, such as Z, or give 'timeZone'"):
        translated("JMSTimestamp > timestamp'2026-01-01'", zone=None)
    assert (
        translated("JMSTimestamp > timestamp'2026-01-01 00:00:00+02:00'", zone=None) == "JMSTimestamp > 1767218400000"
    )


def test_a_schema_of_arrow() -> None:
    schema = pa.schema([("n", pa.int16()), ("JMSTimestamp", pa.timestamp("us", tz="UTC")), ("d", pa.decimal128(5, 2))])
    assert translate("n > 1 AND JMSTimestamp > '1970-01-01 00:00:01Z'", schema) == "n > 1 AND JMSTimestamp > 1000"
    with pytest.raises(SelectorError, match="DECIMAL128"):
        translate("d > 1", schema)


def test_columns_that_differ_in_case_only() -> None:
    with pytest.raises(SelectorError, match="names more than one column"):
        translate("a = 1", "a INT, A INT")


def test_properties_that_may_be_text() -> None:
    with pytest.raises(SelectorError, match="with 'parseText'"):
        translate("n = 1", SCHEMA, None, parse_text=True)
    assert translate("region = 'x' AND JMSPriority = 1", SCHEMA, None, parse_text=True)


@pytest.mark.parametrize("ddl", ["", "n", "nonsense (", "SELECT 1"])
def test_a_schema_that_is_none(ddl: str) -> None:
    with pytest.raises(SelectorError, match="Not a schema"):
        translate("n = 1", ddl)


@pytest.mark.parametrize("predicate", ["amount > 5", "amount >= 5", "amount <> 5", "NOT (amount <= 5)"])
def test_not_a_number_is_larger_than_all_numbers(predicate: str) -> None:
    matches = matcher(translated(predicate))
    assert matches(Message(properties={"Amount": Value("double", "NaN")}))
    assert not matches(Message())
