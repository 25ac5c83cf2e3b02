"""The file of selector cases: every line has the answer it expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jms_connector.selector.cases import Case, read_cases

FILE = Path(__file__).parents[1] / "data" / "selector-cases.tsv"
CASES = list(read_cases(FILE.read_text("utf-8").split("\n")))


def test_the_file_is_whole() -> None:
    assert len(CASES) == 200


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"line {case.line}")
def test_case(case: Case) -> None:
    assert case.answer == case.expected, case.selector


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a = 1", "line 1 is no case"),
        ("a = 1\t{}", "line 1 is no case"),
        ("a = 1\t{\ttrue", "line 1 is no case"),
        ('a = 1\t{"a": 5}\ttrue', "line 1 is no case"),
        ("a = 1\t{}\tmaybe", "line 1 expects 'maybe'"),
    ],
)
def test_a_line_that_is_no_case(line: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        list(read_cases([line]))
