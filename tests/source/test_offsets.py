"""Offsets as Spark's logs keep them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark_jms_connector.errors import JournalMismatchError
from spark_jms_connector.source.offsets import BEGINNING, Offset, plan_name, plan_number


def test_an_offset_comes_back_from_json() -> None:
    offset = Offset("f00d", 7, "00000002-abcdef01")
    assert Offset.from_json(json.loads(json.dumps(offset.to_json()))) == offset
    assert not offset.is_beginning
    assert offset.plan_name == "000000000007.00000002-abcdef01"


def test_the_beginning_names_no_journal_and_no_plan() -> None:
    assert Offset.from_json(BEGINNING.to_json()) == BEGINNING
    assert BEGINNING.is_beginning
    assert BEGINNING.plan_name == ""


@pytest.mark.parametrize("value", [{}, {"journal": "a", "plan": 1}, {"journal": "a", "plan": "x", "generation": "g"}])
def test_an_offset_of_another_source_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(JournalMismatchError, match="belongs to another source.*checkpoint location of its own"):
        Offset.from_json(value)


def test_plans_sort_by_number_then_by_generation() -> None:
    older, newer = "00000009-ffffffff", "00000010-00000000"
    names = [plan_name(2, newer), plan_name(10, older), plan_name(2, older), plan_name(999, older)]
    assert sorted(names) == [names[2], names[0], names[1], names[3]]
    assert [plan_number(name) for name in sorted(names)] == [2, 2, 10, 999]
