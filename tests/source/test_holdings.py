"""When a segment's keys, data and files may go, and when not yet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark_jms_connector.source.holdings import Holding, Holdings
from tests.source.conftest import holding, keys, plan


def _names(found: list[Holding]) -> list[str]:
    return [h.name for h in found]


def _landed(holdings: Holdings, number: int, *names: str) -> None:
    """Plan, hand out and confirm."""
    made = plan(number, *names)
    holdings.planned(made)
    holdings.landed(made.name)


def _holdings(*all_of_them: Holding, keep: int = 0) -> Holdings:
    holdings = Holdings(keep)
    for one in all_of_them:
        holdings.add(one)
    return holdings


def test_landed_and_acknowledged_with_nobody_else_open_is_forgotten() -> None:
    holdings = _holdings(holding("s", "a", session="one"))
    _landed(holdings, 1, "s")
    assert _names(holdings.forgettable()) == []
    holdings.acknowledged("s", "one", ["one"])
    assert _names(holdings.forgettable()) == ["s"]


def test_acknowledged_before_it_landed_is_kept() -> None:
    holdings = _holdings(holding("s", "a", session="one"))
    holdings.acknowledged("s", "one", ["one"])
    made = plan(1, "s")
    holdings.planned(made)
    for step in (holdings.logged, holdings.settled):
        step(made.name)
        assert _names(holdings.forgettable()) == []
    holdings.landed(made.name)
    assert _names(holdings.forgettable()) == ["s"]


def test_keys_are_kept_while_an_unplanned_segment_holds_a_copy() -> None:
    holdings = _holdings(holding("s", "a", acknowledged=True), holding("copy", "x", "a"))
    _landed(holdings, 1, "s")
    assert _names(holdings.forgettable()) == []


def test_a_copy_in_a_plan_that_spark_has_not_logged_counts_as_unplanned() -> None:
    holdings = _holdings(holding("s", "a", acknowledged=True), holding("copy", "x", "a"))
    _landed(holdings, 1, "s")
    second = plan(2, "copy")
    holdings.planned(second)
    assert _names(holdings.forgettable()) == []
    holdings.logged(second.name)
    assert _names(holdings.forgettable()) == ["s"]


def test_other_unplanned_segments_keep_nothing() -> None:
    holdings = _holdings(holding("s", "a", acknowledged=True), holding("other", "x"), holding("empty"))
    _landed(holdings, 1, "s")
    assert _names(holdings.forgettable()) == ["s"]


@pytest.mark.parametrize("end", [Holdings.session_committed, Holdings.session_over])
def test_keys_are_kept_until_every_session_open_at_the_commit_is_through(end: Callable[[Holdings, str], None]) -> None:
    holdings = _holdings(holding("s", "a", session="one"))
    _landed(holdings, 1, "s")
    holdings.acknowledged("s", "one", ["one", "two", "three"])
    assert _names(holdings.forgettable()) == []
    end(holdings, "two")
    assert _names(holdings.forgettable()) == []
    end(holdings, "three")
    assert _names(holdings.forgettable()) == ["s"]


def test_a_session_that_acknowledges_a_segment_of_its_own_is_through_with_the_others() -> None:
    holdings = _holdings(holding("s", "a", session="one"), holding("t", "b", session="two"))
    _landed(holdings, 1, "s", "t")
    holdings.acknowledged("s", "one", ["one", "two"])
    holdings.acknowledged("t", "two", ["one", "two"])
    assert _names(holdings.forgettable()) == ["s"]
    holdings.session_over("one")
    assert _names(holdings.forgettable()) == ["s", "t"]


def test_a_commit_of_unknown_outcome_leaves_the_keys_as_leftovers() -> None:
    holdings = _holdings(holding("s", "a", "b", session="one"))
    _landed(holdings, 1, "s")
    assert _names(holdings.leftovers()) == []
    holdings.session_over("one")
    assert _names(holdings.leftovers()) == ["s"]
    assert _names(holdings.forgettable()) == []


def test_copies_acknowledged_elsewhere_settle_a_leftover_bit_by_bit() -> None:
    holdings = _holdings(holding("s", "a", "b"))
    _landed(holdings, 1, "s")
    for number, key in ((2, "a"), (3, "b")):
        name = f"copy-{key}"
        holdings.add(holding(name, key, session=key))
        _landed(holdings, number, name)
        assert _names(holdings.leftovers()) == ["s"]
        holdings.acknowledged(name, key, [key, "other"])
    assert _names(holdings.leftovers()) == []
    assert _names(holdings.forgettable()) == []
    holdings.session_over("other")
    assert _names(holdings.forgettable()) == ["s", "copy-a", "copy-b"]


def test_a_partly_settled_leftover_waits_for_the_sessions_open_at_each_commit() -> None:
    holdings = _holdings(holding("s", "a", "b"), holding("t", "a", session="one"), holding("u", "b", session="two"))
    _landed(holdings, 1, "s", "t", "u")
    holdings.acknowledged("t", "one", ["one", "early"])
    holdings.acknowledged("u", "two", ["two"])
    assert "s" not in _names(holdings.forgettable())
    holdings.session_over("early")
    assert "s" in _names(holdings.forgettable())


def test_a_copy_in_a_live_transaction_is_not_settled_by_another_commit() -> None:
    holdings = _holdings(holding("s", "a", session="one"), holding("copy", "a", session="two"))
    _landed(holdings, 1, "s", "copy")
    holdings.acknowledged("s", "one", ["one", "two"])
    assert not holdings.get("copy").acknowledged


@pytest.mark.parametrize(("keep", "gone"), [(0, "stu"), (1, "st"), (2, "st"), (3, "s"), (4, "s"), (5, ""), (9, "")])
def test_at_least_so_many_acknowledged_keys_stay_the_newest_ones(keep: int, gone: str) -> None:
    segments = [holding(name, f"{name}1", f"{name}2", acknowledged=True) for name in "stu"]
    holdings = _holdings(*segments, keep=keep)
    _landed(holdings, 1, *"stu")
    assert _names(holdings.forgettable()) == list(gone)


def test_data_goes_when_it_landed_and_no_transaction_waits_for_it() -> None:
    holdings = _holdings(holding("s", "a", session="one"), holding("t", "b"))
    assert _names(holdings.superfluous_data()) == []
    _landed(holdings, 1, "s", "t")
    assert _names(holdings.superfluous_data()) == ["t"]
    holdings.session_over("one")
    assert _names(holdings.superfluous_data()) == ["s", "t"]
    holdings.get("s").has_data = False
    assert _names(holdings.superfluous_data()) == ["t"]


def test_acknowledged_copies_that_no_plan_has_are_discarded() -> None:
    holdings = _holdings(holding("s", "a", "b"), holding("copy", "a", acknowledged=True))
    assert _names(holdings.discardable()) == []
    holdings.planned(plan(1, "s"))
    assert _names(holdings.discardable()) == ["copy"]
    holdings.add(holding("unsure", "b"))
    holdings.add(holding("more", "b", "c", acknowledged=True))
    assert _names(holdings.discardable()) == ["copy"]


def test_only_copies() -> None:
    holdings = _holdings(holding("s", "a", "b"), holding("copy", "a"), holding("more", "a", "c"))
    assert not holdings.only_copies("copy")
    holdings.planned(plan(1, "s"))
    assert holdings.only_copies("copy")
    assert not holdings.only_copies("more")
    assert not holdings.only_copies("s")


def test_what_is_said_of_a_plan_is_said_of_all_before_it_and_none_after() -> None:
    holdings = _holdings(*(holding(name, name) for name in "stu"))
    for number, name in enumerate("stu", 1):
        holdings.planned(plan(number, name))
    assert _names(holdings.settled(plan(2).name)) == ["s", "t"]
    assert [h.settled for h in holdings] == [h.logged for h in holdings] == [True, True, False]
    assert not any(h.landed for h in holdings)


def test_planned_and_unplanned() -> None:
    holdings = _holdings(holding("s", "a"), holding("t", "b"))
    holdings.planned(plan(1, "s"))
    assert _names(holdings.unplanned()) == ["t"]
    assert holdings.retained() == ("s",)
    assert [found.equals(keys("a")) for found in holdings.planned_keys()] == [True]
    holdings.remove("s")
    assert "s" not in holdings
    assert holdings.retained() == ()
