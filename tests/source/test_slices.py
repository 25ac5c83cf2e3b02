"""What a task reads of a segment."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark_jms_connector.errors import CorruptJournalError
from spark_jms_connector.source.duplicates import Ranges
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.planner import PlannedSegment, Slice
from spark_jms_connector.source.segments import Seal
from spark_jms_connector.source.slices import kept, read_positions, read_slice
from spark_jms_connector.storage import Storage
from tests.source.conftest import GENERATION, batch, seal

TEXTS = list("abcdefgh")


@pytest.fixture
def written(journal: Journal) -> Seal:
    """Eight rows in batches of three, three and two, numbered from 100."""
    batches = [batch(*TEXTS[:3]), batch(*TEXTS[3:6]), batch(*TEXTS[6:])]
    return journal.write_segment("s", batches, "lz4", f"{GENERATION}.r0", 100)[0]


def _texts(batches: list[pa.RecordBatch]) -> list[str]:
    return [text for found in batches for text in found.column("text").to_pylist()]


@pytest.mark.parametrize("dropped", [(), ((0, 1),), ((2, 4), (7, 8)), ((0, 8),), ((1, 2), (3, 4), (5, 7))])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
def test_slices_together_are_the_rows_that_are_no_copies(
    journal: Journal, written: Seal, dropped: Ranges, size: int
) -> None:
    segment = PlannedSegment(written, dropped)
    parts = [Slice(segment, start, min(start + size, 8)) for start in range(0, 8, size)]
    read = [text for part in parts for text in _texts(list(read_slice(journal.storage, part)))]
    assert read == [t for row, t in enumerate(TEXTS) if not any(a <= row < b for a, b in dropped)]


def test_positions_are_those_of_the_receiver_whatever_was_dropped(journal: Journal, written: Seal) -> None:
    part = Slice(PlannedSegment(written, ((1, 2), (3, 4))), 1, 7)
    found = [(first, _texts([rows])) for rows, first in read_positions(journal.storage, part)]
    assert found == [(102, ["c"]), (104, ["e", "f"]), (106, ["g"])]


@pytest.mark.parametrize(
    ("dropped", "ranges"),
    [
        ((), ((12, 18),)),
        (((0, 12), (18, 30)), ((12, 18),)),
        (((0, 13),), ((13, 18),)),
        (((17, 30),), ((12, 17),)),
        (((0, 30),), ()),
        (((12, 18),), ()),
        (((13, 14), (15, 16)), ((12, 13), (14, 15), (16, 18))),
    ],
)
def test_the_kept_rows_of_a_batch(dropped: Ranges, ranges: Ranges) -> None:
    part = Slice(PlannedSegment(seal("s", 30), dropped), 12, 18)
    assert kept(10, 10, part) == ranges


def test_a_batch_outside_the_slice() -> None:
    part = Slice(PlannedSegment(seal("s", 30)), 12, 18)
    assert kept(0, 10, part) == kept(20, 10, part) == ()


def test_a_segment_that_the_executor_does_not_see(journal: Journal, written: Seal) -> None:
    journal.delete_data("s")
    with pytest.raises(CorruptJournalError, match="'s'.*seen from this executor.*storage that all executors share"):
        list(read_slice(journal.storage, Slice(PlannedSegment(written), 0, 8)))


def test_a_damaged_segment_is_never_read_in_part(journal: Journal, written: Seal) -> None:
    data = bytearray(journal.storage.read("segments/s.arrow"))
    data[-20] ^= 1
    journal.storage.put("segments/s.arrow", bytes(data))
    with pytest.raises(CorruptJournalError, match="checksum"):
        next(read_slice(Storage(journal.storage._location.folder), Slice(PlannedSegment(written), 0, 1)))
