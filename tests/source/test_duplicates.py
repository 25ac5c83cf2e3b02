"""Which rows are copies."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark_jms_connector.source.duplicates import (
    all_copies,
    as_ranges,
    copies_of,
    dropped_rows,
    repeated_rows,
    rows_in,
    share_a_key,
    without,
)
from tests.source.conftest import keys

NONE = keys()


def test_copies_of_known_keys() -> None:
    assert copies_of(keys("a", "b", "c"), [keys("c", "x"), NONE, keys("a")]).to_pylist() == [True, False, True]
    assert copies_of(keys("a"), []).to_pylist() == [False]
    assert copies_of(NONE, [keys("a")]).to_pylist() == []


def test_a_sliced_array_is_compared_by_its_own_rows() -> None:
    assert copies_of(keys("a", "b", "c").slice(1), [keys("x", "c", "a").slice(1, 1)]).to_pylist() == [False, True]


def test_all_copies() -> None:
    assert all_copies(keys("a", "b"), [keys("a"), keys("b")])
    assert not all_copies(keys("a", "b"), [keys("a")])
    assert not all_copies(keys("a"), [])
    assert not all_copies(NONE, [keys("a")])


def test_share_a_key() -> None:
    assert share_a_key(keys("a", "b"), [keys("x"), NONE, keys("y", "b")])
    assert not share_a_key(keys("a", "b"), [keys("x"), NONE])
    assert not share_a_key(keys("a"), [])
    assert not share_a_key(NONE, [keys("a")])


def test_without() -> None:
    assert without(keys("a", "b", "c"), keys("b", "x")).equals(keys("a", "c"))
    assert without(keys("a"), NONE).equals(keys("a"))
    assert len(without(keys("a"), keys("a"))) == 0


@pytest.mark.parametrize(("given", "repeated"), [("", []), ("abc", []), ("abab", [2, 3]), ("aaa", [1, 2])])
def test_only_the_first_of_equal_keys_stays(given: str, repeated: list[int]) -> None:
    assert repeated_rows(keys(*given)) == repeated


def test_dropped_rows_are_copies_and_repetitions() -> None:
    assert dropped_rows(keys(*"abcacd"), [keys("b"), keys("d")]) == ((1, 2), (3, 6))
    assert dropped_rows(keys(*"abc"), []) == ()
    assert dropped_rows(NONE, [keys("a")]) == ()


def test_ranges_are_half_open() -> None:
    assert as_ranges([0, 1, 2, 5, 7, 8]) == ((0, 3), (5, 6), (7, 9))
    assert as_ranges([]) == ()
    assert rows_in(((0, 3), (5, 6))) == 4


def test_many_keys_at_once() -> None:
    many = keys(*(str(number) for number in range(20_000)))
    known = [many.slice(start, 100) for start in range(0, 20_000, 200)]
    assert rows_in(dropped_rows(many, known)) == 10_000
    assert rows_in(dropped_rows(pa.concat_arrays([many, many]), [])) == 20_000
