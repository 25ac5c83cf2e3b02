"""From sealed segments to a plan: which go in, which rows drop out, how tasks share them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from spark_jms_connector.errors import CorruptJournalError, JournalMismatchError
from spark_jms_connector.source.duplicates import Ranges, dropped_rows
from spark_jms_connector.source.offsets import plan_name
from spark_jms_connector.source.segments import FORMAT, Seal

SLICE_ROWS = 50_000


@dataclass(frozen=True)
class Limits:
    """The most that one micro-batch takes; None is no limit."""

    messages: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class PlannedSegment:
    """A segment in a plan, and the rows of it that are copies."""

    seal: Seal
    dropped: Ranges = ()


@dataclass(frozen=True)
class Slice:
    """What one task reads: some rows of one segment."""

    segment: PlannedSegment
    start: int
    end: int

    @property
    def rows(self) -> int:
        """How many of its rows are no copies."""
        inside = ((max(a, self.start), min(b, self.end)) for a, b in self.segment.dropped)
        return self.end - self.start - sum(b - a for a, b in inside if b > a)


@dataclass(frozen=True)
class Plan:
    """One micro-batch. ``start`` is the plan Spark's start offset names; ``retained`` are the segments of
    earlier plans whose files were still there when this one was written."""

    number: int
    generation: str
    start: str
    segments: tuple[PlannedSegment, ...]
    retained: tuple[str, ...]
    slice_rows: int = SLICE_ROWS
    format: int = FORMAT

    @property
    def name(self) -> str:
        return plan_name(self.number, self.generation)

    @property
    def segment_names(self) -> tuple[str, ...]:
        return tuple(s.seal.name for s in self.segments)

    def slices(self) -> list[Slice]:
        """The same for every caller at any time; a slice of nothing but copies needs no task."""
        slices = [
            Slice(segment, start, min(start + self.slice_rows, segment.seal.rows))
            for segment in self.segments
            for start in range(0, segment.seal.rows, self.slice_rows)
        ]
        return [part for part in slices if part.rows]


def choose(unplanned: Sequence[Seal], limits: Limits) -> list[Seal]:
    """The segments of the next plan: in order, within the limits, at least one if there is one."""
    chosen: list[Seal] = []
    messages = size = 0
    for seal in unplanned:
        messages += seal.rows
        size += seal.bytes
        over = (limits.messages is not None and messages > limits.messages) or (
            limits.bytes is not None and size > limits.bytes
        )
        if chosen and over:
            break
        chosen.append(seal)
    return chosen


def mark_copies(chosen: Iterable[tuple[Seal, pa.Array]], planned: Sequence[pa.Array]) -> tuple[PlannedSegment, ...]:
    """Drop a row only for an already planned copy: of an earlier plan, or earlier in this one."""
    known = list(planned)
    segments = []
    for seal, keys in chosen:
        segments.append(PlannedSegment(seal, dropped_rows(keys, known)))
        known.append(keys)
    return tuple(segments)


def encode_plan(plan: Plan) -> bytes:
    return json.dumps(asdict(plan)).encode()


def decode_plan(name: str, data: bytes) -> Plan:
    try:
        fields = json.loads(data)
    except ValueError:
        raise CorruptJournalError(f"Plan '{name}' of the journal is unreadable: restore it from a backup.") from None
    if int(fields["format"]) > FORMAT:
        raise JournalMismatchError(
            f"Plan '{name}' has format {fields['format']}, this version reads up to {FORMAT}: use a newer version."
        )
    segments = tuple(
        PlannedSegment(Seal(**s["seal"]), tuple((a, b) for a, b in s["dropped"])) for s in fields.pop("segments")
    )
    return Plan(segments=segments, retained=tuple(fields.pop("retained")), **fields)
