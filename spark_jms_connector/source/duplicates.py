"""Which rows are copies: comparing keys by the segment, never one by one."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from spark_jms_connector.source.segments import KEY_BYTES

Ranges = tuple[tuple[int, int], ...]


def copies_of(keys: pa.Array, known: Sequence[pa.Array]) -> pa.BooleanArray:
    """For each key, whether one of the known arrays holds it."""
    if not known or len(keys) == 0:
        return pa.repeat(False, len(keys))
    return pc.is_in(keys, value_set=pa.chunked_array(known, pa.binary(KEY_BYTES)).combine_chunks())


def all_copies(keys: pa.Array, known: Sequence[pa.Array]) -> bool:
    return len(keys) > 0 and bool(pc.all(copies_of(keys, known)).as_py())


def share_a_key(keys: pa.Array, others: Sequence[pa.Array]) -> bool:
    return bool(pc.any(copies_of(keys, others)).as_py())


def without(keys: pa.Array, settled: pa.Array) -> pa.Array:
    """The keys that are not among the settled ones."""
    return keys.filter(pc.invert(copies_of(keys, [settled])))


def repeated_rows(keys: pa.Array) -> list[int]:
    """The rows whose key stood earlier in the same array."""
    if len(pc.unique(keys)) == len(keys):
        return []
    seen: set[bytes] = set()
    repeated = []
    for row, key in enumerate(keys.to_pylist()):
        if key in seen:
            repeated.append(row)
        seen.add(key)
    return repeated


def dropped_rows(keys: pa.Array, known: Sequence[pa.Array]) -> Ranges:
    """The rows to drop: copies of known keys, and repetitions within the array, as ranges."""
    rows = set(pc.indices_nonzero(copies_of(keys, known)).to_pylist())
    rows.update(repeated_rows(keys))
    return as_ranges(sorted(rows))


def as_ranges(rows: Sequence[int]) -> Ranges:
    """Sorted row numbers as half-open ranges."""
    ranges: list[tuple[int, int]] = []
    for row in rows:
        if ranges and ranges[-1][1] == row:
            ranges[-1] = (ranges[-1][0], row + 1)
        else:
            ranges.append((row, row + 1))
    return tuple(ranges)


def rows_in(ranges: Ranges) -> int:
    return sum(end - start for start, end in ranges)
