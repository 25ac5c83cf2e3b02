"""Reading what one task was given: the rows of a slice, without the copies."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from spark_jms_connector.errors import CorruptJournalError
from spark_jms_connector.source.duplicates import Ranges
from spark_jms_connector.source.planner import Slice
from spark_jms_connector.source.segments import decode_segment
from spark_jms_connector.storage import Storage


def read_slice(storage: Storage, part: Slice) -> Iterator[pa.RecordBatch]:
    """The batches of a slice in the journal's schema."""
    for batch, _ in read_positions(storage, part):
        yield batch


def read_positions(storage: Storage, part: Slice) -> Iterator[tuple[pa.RecordBatch, int]]:
    """The batches of a slice, each with the sequence number of its first row."""
    seal = part.segment.seal
    try:
        data = storage.read(f"segments/{seal.name}.arrow")
    except FileNotFoundError:
        raise CorruptJournalError(
            f"Segment '{seal.name}' is not at '{storage}' as seen from this executor. Either the journal was deleted or"
            " moved, or it is on a disk that only the driver sees: put it on storage that all executors share."
        ) from None
    reader = decode_segment(data, seal)
    position = 0
    for index in range(reader.num_record_batches):
        batch = reader.get_batch(index)
        for start, end in kept(position, batch.num_rows, part):
            yield batch.slice(start - position, end - start), seal.first_sequence + start
        position += batch.num_rows


def kept(position: int, rows: int, part: Slice) -> Ranges:
    """The rows of a batch (by their number in the segment) that are in the slice and are no copies."""
    start, end = max(position, part.start), min(position + rows, part.end)
    ranges = []
    for drop_start, drop_end in part.segment.dropped:
        if drop_end <= start or drop_start >= end:
            continue
        if drop_start > start:
            ranges.append((start, drop_start))
        start = max(start, drop_end)
    if start < end:
        ranges.append((start, end))
    return tuple(ranges)
