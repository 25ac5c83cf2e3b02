"""The journal's folders and files: what each is called, and how it is written and read. No decisions."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa

from spark_jms_connector.crash_points import reached
from spark_jms_connector.errors import CorruptJournalError, FencedError, JournalError, JournalMismatchError
from spark_jms_connector.source.planner import Plan, decode_plan, encode_plan
from spark_jms_connector.source.segments import (
    FORMAT,
    Seal,
    batch_keys,
    decode_seal,
    encode_seal,
    encode_segment,
    make_seal,
)
from spark_jms_connector.storage import Storage


@dataclass(frozen=True)
class Claim:
    """One owner's word that the journal is now its own; the highest generation wins."""

    generation: str
    journal: str
    pins: Mapping[str, str | None]
    owner: str = ""
    format: int = FORMAT


@dataclass(frozen=True)
class Listing:
    """What stands in the journal's folders at one moment, by name."""

    claims: tuple[str, ...]
    openings: tuple[str, ...]
    plans: frozenset[str]
    data: Mapping[str, int]
    sealed: frozenset[str]
    handed: frozenset[str] = field(default_factory=frozenset)
    landed: frozenset[str] = field(default_factory=frozenset)
    acknowledged: frozenset[str] = field(default_factory=frozenset)
    closed: frozenset[str] = field(default_factory=frozenset)

    @property
    def last_handed(self) -> str:
        return max(self.handed, default="")

    @property
    def last_landed(self) -> str:
        return max(self.landed, default="")


class Journal:
    """Named files on storage. Every file is written once under a name never used before."""

    def __init__(self, storage: Storage, uri: str) -> None:
        self.storage = storage
        self.uri = uri

    def list(self) -> Listing:
        segments = self.storage.list("segments")
        marks: dict[str, set[str]] = {"handed": set(), "landed": set(), "acknowledged": set(), "closed": set()}
        for mark in self.storage.list("marks"):
            kind, _, name = mark.partition("-")
            marks.setdefault(kind, set()).add(name)
        return Listing(
            claims=tuple(sorted(_stems(self.storage.list("claims"), ".json"))),
            openings=tuple(sorted(_stems(self.storage.list("openings"), ".json"))),
            plans=frozenset(_stems(self.storage.list("plans"), ".json")),
            data={n.removesuffix(".arrow"): size for n, size in segments.items() if n.endswith(".arrow")},
            sealed=frozenset(_stems(segments, ".seal")),
            **{kind: frozenset(names) for kind, names in marks.items()},
        )

    # Ownership

    def read_claim(self, generation: str) -> Claim:
        fields = self._read_json(f"claims/{generation}.json")
        if fields["format"] > FORMAT:
            raise JournalMismatchError(
                f"Journal '{self.uri}' has format {fields['format']}, this version reads up to {FORMAT}: "
                "use a newer version of the connector."
            )
        return Claim(**fields)

    def claim(self, earlier: Sequence[str], pins: Mapping[str, str | None]) -> Claim:
        """Take the next generation; the journal's id comes from its first owner."""
        number = int(earlier[-1].partition("-")[0]) + 1 if earlier else 1
        journal = self.read_claim(earlier[-1]).journal if earlier else uuid.uuid4().hex
        generation = f"{number:08d}-{secrets.token_hex(4)}"
        owner = f"process {os.getpid()} on {platform.node()} since {datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
        claim = Claim(generation, journal, dict(pins), owner)
        self.storage.put(f"claims/{generation}.json", json.dumps(asdict(claim)).encode())
        return claim

    def check_owner(self, generation: str) -> None:
        """Raise FencedError when a higher claim exists."""
        claims = _stems(self.storage.list("claims"), ".json")
        highest = max(claims, default="")
        if highest > generation:
            raise FencedError(
                f"Journal '{self.uri}' was taken over by {self._owner(highest)}: this"
                " query has stopped receiving and has given back what it had not committed. One journal serves one"
                " query; if you did not start a second one on purpose, give each query a journal of its own."
            )
        if generation not in claims:
            raise CorruptJournalError(
                f"Journal '{self.uri}' has lost its owner's claim: it was deleted or moved under the running query."
                " Put it back, or start over with a new journal and a new checkpoint."
            )

    def _owner(self, generation: str) -> str:
        with contextlib.suppress(JournalError):  # an owner after that one may be tidying up
            return self.read_claim(generation).owner
        return "another query"

    def write_opening(self, generation: str, segments: Sequence[str]) -> None:
        self.storage.put(f"openings/{generation}.json", json.dumps({"segments": list(segments)}).encode())

    def read_opening(self, generation: str) -> frozenset[str]:
        return frozenset(self._read_json(f"openings/{generation}.json")["segments"])

    # Segments

    def write_segment(
        self, name: str, batches: Sequence[pa.RecordBatch], compression: str, receiver: str, first_sequence: int
    ) -> tuple[Seal, pa.Array]:
        """Data first, seal record last: no seal record, no segment."""
        data = encode_segment(batches, compression)
        rows = sum(batch.num_rows for batch in batches)
        size = sum(batch.nbytes for batch in batches)
        seal = make_seal(name, data, rows, size, receiver, first_sequence)
        keys = batch_keys(batches)
        self.storage.put(f"segments/{name}.arrow", data)
        reached("segment after rename, before seal record")
        self.storage.put(f"segments/{name}.seal", encode_seal(seal, keys))
        reached("after seal record, before plan")
        return seal, keys

    def read_seal(self, name: str) -> tuple[Seal, pa.Array]:
        return decode_seal(name, self._read(f"segments/{name}.seal"))

    def delete_data(self, name: str) -> None:
        self.storage.delete(f"segments/{name}.arrow")

    def delete_segment(self, name: str) -> None:
        """Of a landed segment, data first: a seal record alone is a memory of keys."""
        self.storage.delete(f"segments/{name}.arrow")
        self.storage.delete(f"segments/{name}.seal")
        self.unmark("acknowledged", name)

    def discard_segment(self, name: str) -> None:
        """Of one that no plan holds, the seal record first: data alone is nothing."""
        self.storage.delete(f"segments/{name}.seal")
        self.delete_segment(name)

    # Plans and marks

    def write_plan(self, plan: Plan) -> None:
        self.storage.put(f"plans/{plan.name}.json", encode_plan(plan))

    def read_plan(self, name: str) -> Plan:
        return decode_plan(name, self._read(f"plans/{name}.json").to_pybytes())

    def delete_plan(self, name: str) -> None:
        self.storage.delete(f"plans/{name}.json")

    def mark(self, kind: str, name: str) -> None:
        self.storage.put(f"marks/{kind}-{name}", b"")

    def unmark(self, kind: str, name: str) -> None:
        self.storage.delete(f"marks/{kind}-{name}")

    def forget_generation(self, generation: str) -> None:
        for path in (f"openings/{generation}.json", f"marks/closed-{generation}", f"claims/{generation}.json"):
            self.storage.delete(path)

    def _read(self, path: str) -> pa.Buffer:
        try:
            return self.storage.read(path)
        except FileNotFoundError:
            raise CorruptJournalError(
                f"'{path}' is missing in journal '{self.uri}': it was deleted or moved. Restore it from a backup."
            ) from None

    def _read_json(self, path: str) -> dict[str, Any]:
        try:
            value = json.loads(self._read(path).to_pybytes())
        except ValueError:
            raise CorruptJournalError(
                f"'{path}' in journal '{self.uri}' is unreadable: restore it from a backup."
            ) from None
        return dict(value)


def _stems(files: Mapping[str, int], suffix: str) -> list[str]:
    """Names of the files that count: an empty one is a write that never returned, on storage that shows it early."""
    return [name.removesuffix(suffix) for name, size in files.items() if name.endswith(suffix) and size > 0]
