"""Every segment this owner knows and what is known of it: planned, landed, acknowledged, may be forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from spark_jms_connector.source.duplicates import all_copies, share_a_key, without
from spark_jms_connector.source.planner import Plan
from spark_jms_connector.source.segments import Seal


@dataclass
class Holding:
    """One segment. ``session`` is the live session whose transaction holds its messages, if any."""

    seal: Seal
    keys: pa.Array
    session: str | None = None
    plan: str | None = None
    logged: bool = False
    settled: bool = False
    landed: bool = False
    acknowledged: bool = False
    has_data: bool = True
    unresolved: pa.Array | None = None
    blockers: set[str] = field(default_factory=set)
    compared: int = -1
    only_copies: bool = False

    @property
    def name(self) -> str:
        return self.seal.name


class Holdings:
    """The segments by name, in the order they came. Not thread-safe: its owner holds a lock."""

    def __init__(self, keep_acknowledged: int = 0) -> None:
        self._all: dict[str, Holding] = {}
        self._plans = 0
        self._keep_acknowledged = keep_acknowledged

    def __contains__(self, name: str) -> bool:
        return name in self._all

    def __iter__(self) -> Iterator[Holding]:
        return iter(self._all.values())

    def get(self, name: str) -> Holding:
        return self._all[name]

    def add(self, holding: Holding) -> None:
        self._all[holding.name] = holding

    def unplanned(self) -> list[Holding]:
        return [h for h in self._all.values() if h.plan is None]

    def planned_keys(self) -> list[pa.Array]:
        return [h.keys for h in self._all.values() if h.plan is not None]

    def only_copies(self, name: str) -> bool:
        """Whether every message of an unplanned segment has a planned copy."""
        holding = self._all[name]
        if holding.plan is None and holding.compared != self._plans:
            holding.compared, holding.only_copies = self._plans, all_copies(holding.keys, self.planned_keys())
        return holding.plan is None and holding.only_copies

    def leftovers(self) -> list[Holding]:
        """Landed segments whose acknowledgement was never confirmed: only their keys are kept."""
        return [h for h in self._all.values() if h.landed and not h.acknowledged and h.session is None]

    # What happens to plans

    def planned(self, plan: Plan) -> None:
        self._plans += 1
        for name in plan.segment_names:
            self._all[name].plan = plan.name

    def logged(self, plan: str) -> None:
        self._set(plan, "logged")

    def settled(self, plan: str) -> list[Holding]:
        """The plan is in Spark's commit log: its messages may be acknowledged."""
        self._set(plan, "logged")
        return self._set(plan, "settled")

    def landed(self, plan: str) -> None:
        """Spark has confirmed it: the data of its segments is no longer needed."""
        self.settled(plan)
        self._set(plan, "landed")

    def _set(self, plan: str, flag: str) -> list[Holding]:
        changed = [h for h in self._all.values() if h.plan is not None and h.plan <= plan]
        for holding in changed:
            setattr(holding, flag, True)
        return changed

    # What happens to sessions

    def acknowledged(self, name: str, session: str, open_sessions: Iterable[str]) -> None:
        """A session's commit succeeded: it acknowledged this segment and all copies it holds."""
        holding = self._all[name]
        others = {other for other in open_sessions if other != session}
        self._unblock(session)
        holding.session = None
        self._confirm(holding, others)
        for copy in self._all.values():
            if copy is not holding and not copy.acknowledged and copy.session is None:
                self._resolve(copy, holding.keys, others)

    def session_over(self, session: str) -> None:
        """A session is closed: nothing it had not sealed will ever be sealed."""
        self._unblock(session)
        for holding in self._all.values():
            if holding.session == session:
                holding.session = None

    def session_committed(self, session: str) -> None:
        self._unblock(session)

    def _resolve(self, copy: Holding, keys: pa.Array, others: set[str]) -> None:
        before = copy.keys if copy.unresolved is None else copy.unresolved
        copy.unresolved = without(before, keys)
        if len(copy.unresolved) < len(before):
            copy.blockers |= others
        if len(copy.unresolved) == 0:
            self._confirm(copy, others)

    def _confirm(self, holding: Holding, others: set[str]) -> None:
        holding.acknowledged = True
        holding.unresolved = None
        holding.blockers |= others

    def _unblock(self, session: str) -> None:
        for holding in self._all.values():
            holding.blockers.discard(session)

    # What may go

    def discardable(self) -> list[Holding]:
        """Acknowledged segments that hold nothing but copies: no plan will ever need them."""
        planned = self.planned_keys()
        return [h for h in self.unplanned() if h.acknowledged and all_copies(h.keys, planned)]

    def superfluous_data(self) -> list[Holding]:
        """Landed, and no live transaction waits for it: the messages themselves can go, the keys may have to stay."""
        return [h for h in self._all.values() if h.landed and h.has_data and h.session is None]

    def forgettable(self) -> list[Holding]:
        """Segments whose keys cannot come again."""
        ready = [h for h in self._all.values() if self._settled_for_good(h)]
        if not ready:
            return []
        voidable = [h.keys for h in self._all.values() if not h.logged]
        return [h for h in self._beyond_the_kept(ready) if not share_a_key(h.keys, voidable)]

    def _settled_for_good(self, holding: Holding) -> bool:
        return holding.landed and holding.acknowledged and not holding.blockers

    def _beyond_the_kept(self, ready: list[Holding]) -> list[Holding]:
        newer = sum(h.seal.rows for h in ready)
        gone = []
        for holding in ready:
            newer -= holding.seal.rows
            if newer >= self._keep_acknowledged:
                gone.append(holding)
        return gone

    def remove(self, name: str) -> None:
        del self._all[name]

    def retained(self) -> tuple[str, ...]:
        """Planned segments whose files are still there."""
        return tuple(h.name for h in self._all.values() if h.plan is not None)
