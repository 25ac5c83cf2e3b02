"""What the selector check warns of, and that it is quiet otherwise."""

from __future__ import annotations

import logging

import pytest

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.selector.check import log_selector, warnings


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("NOT a = 1", "NOT binds tighter"),
        ("NOT NOT (a = 1)", "NOT binds tighter"),
        ("a = 5--1", "begins a comment"),
        ("a = 1.5f", "do not read"),
        ("a = 10d", "do not read"),
        ("a = 0xFFL", "suffix"),
        ("a = 017", "octal, which is 15"),
        ("flag", "write flag = TRUE"),
        ("flag AND a = 1", "write flag = TRUE"),
        ("a / 2 = 1", "drops the rest"),
        ("a + 1 = 2", "Arithmetic differs"),
        ("a = b", "Two names compared"),
        ("1 = a", "A value left of a name"),
        ("5 = 'x'", "never true"),
        ("JMSTimestamp > 1 AND JMSPriority = '4'", "never true"),
        ("JMSXDeliveryCount > 1", "set when a message is received"),
        ("JMSXRcvTimestamp > 1", "set when a message is received"),
        ("JMSXGroupSeq = 0", "0 instead of NULL"),
        ("JMSFoo = 1", "no header"),
        ("名前 = 1", "ASCII"),
        ("xpath = 1", "reserved word"),
    ],
)
def test_a_trap_is_named(selector: str, words: str) -> None:
    assert [w for w in warnings(selector) if words in w], warnings(selector)


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "region = 'EU' AND amount > 100",
        "NOT (a = 1) AND a NOT IN ('x') AND b NOT LIKE 'y' AND c IS NOT NULL AND d NOT BETWEEN 1 AND 2",
        "JMSType = 'order' AND JMSTimestamp > 1704067200000 AND JMSXGroupID = 'g' AND JMS_acme = 1",
        "a = 0 AND b = -0.5 AND c = 0x1F AND d = '--' AND e = '017'",
    ],
)
def test_nothing_to_say(selector: str) -> None:
    assert warnings(selector) == []


def test_each_thing_is_said_once() -> None:
    assert len(warnings("a = b OR c = d")) == 1


def test_what_is_no_selector_is_refused() -> None:
    with pytest.raises(SelectorError):
        warnings("a = = 1")


def test_a_stream_logs_what_it_asks_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        log_selector(None)
        log_selector("1 = a", where="a = 1")
    assert [record.levelname for record in caplog.records] == ["INFO", "WARNING"]
    assert "1 = a (for where: a = 1)" in caplog.text
