"""From segments to a plan: limits, copies, slices, and the file."""

from __future__ import annotations

import json

import pytest

from spark_jms_connector.errors import CorruptJournalError, JournalMismatchError
from spark_jms_connector.source.planner import (
    Limits,
    Plan,
    PlannedSegment,
    Slice,
    choose,
    decode_plan,
    encode_plan,
    mark_copies,
)
from spark_jms_connector.source.segments import FORMAT
from tests.source.conftest import GENERATION, keys, seal

SEGMENTS = [seal("a", 3, 30), seal("b", 3, 300), seal("c", 3, 30)]


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        (Limits(), "abc"),
        (Limits(messages=9), "abc"),
        (Limits(messages=8), "ab"),
        (Limits(messages=6), "ab"),
        (Limits(messages=5), "a"),
        (Limits(messages=1), "a"),
        (Limits(bytes=360), "abc"),
        (Limits(bytes=359), "ab"),
        (Limits(bytes=330), "ab"),
        (Limits(bytes=60), "a"),
        (Limits(bytes=1), "a"),
        (Limits(messages=9, bytes=60), "a"),
        (Limits(messages=5, bytes=1000), "a"),
    ],
)
def test_segments_in_order_within_the_limits_and_at_least_one(limits: Limits, names: str) -> None:
    assert "".join(chosen.name for chosen in choose(SEGMENTS, limits)) == names


def test_nothing_to_choose_from() -> None:
    assert choose([], Limits(messages=1)) == []


def test_a_row_is_dropped_for_a_copy_in_an_earlier_plan_or_earlier_in_this_one() -> None:
    chosen = [(seal("s", 3), keys(*"abb")), (seal("t", 3), keys(*"bcd"))]
    first, second = mark_copies(chosen, [keys("d")])
    assert (first.dropped, second.dropped) == (((2, 3),), ((0, 1), (2, 3)))


def test_two_unplanned_copies_do_not_cancel_each_other() -> None:
    first, second = mark_copies([(seal("s"), keys("a")), (seal("t"), keys("a"))], [])
    assert (first.dropped, second.dropped) == ((), ((0, 1),))


@pytest.mark.parametrize(
    ("rows", "bounds"), [(0, []), (1, [(0, 1)]), (10, [(0, 10)]), (11, [(0, 10), (10, 11)]), (20, [(0, 10), (10, 20)])]
)
def test_slices_cover_every_row_once(rows: int, bounds: list[tuple[int, int]]) -> None:
    planned = PlannedSegment(seal("s", rows))
    plan = Plan(1, GENERATION, "", (planned,), (), slice_rows=10)
    assert plan.slices() == [Slice(planned, start, end) for start, end in bounds]


def test_slices_never_span_segments() -> None:
    plan = Plan(1, GENERATION, "", (PlannedSegment(seal("s", 3)), PlannedSegment(seal("t", 4))), ())
    assert [(part.segment.seal.name, part.start, part.end) for part in plan.slices()] == [("s", 0, 3), ("t", 0, 4)]


def _plan() -> Plan:
    segments = (PlannedSegment(seal("s", 9), ((1, 2), (4, 9))), PlannedSegment(seal("t", 1)))
    return Plan(12, GENERATION, "000000000011.x", segments, ("r", "q"), slice_rows=7)


def test_a_plan_comes_back_from_its_file_with_the_slices_it_had() -> None:
    plan = decode_plan(_plan().name, encode_plan(_plan()))
    assert plan == _plan()
    assert plan.slices() == _plan().slices()
    assert plan.segment_names == ("s", "t")


@pytest.mark.parametrize("length", [0, 1, -1])
def test_a_truncated_plan(length: int) -> None:
    with pytest.raises(CorruptJournalError, match="Plan 'p' of the journal is unreadable: restore it"):
        decode_plan("p", encode_plan(_plan())[:length])


def test_a_plan_of_a_newer_version_is_refused_whatever_else_it_holds() -> None:
    newer = json.loads(encode_plan(_plan())) | {"format": FORMAT + 1, "unheard": "of"}
    with pytest.raises(JournalMismatchError, match=f"'p' has format {FORMAT + 1}.*use a newer version"):
        decode_plan("p", json.dumps(newer).encode())


def test_a_plan_of_an_older_version_is_read() -> None:
    older = json.loads(encode_plan(_plan())) | {"format": FORMAT - 1}
    assert decode_plan("p", json.dumps(older).encode()).segments == _plan().segments
