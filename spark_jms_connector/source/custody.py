"""What receivers and planner share: the holdings under one lock, and the journal's word on each of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from spark_jms_connector.source.holdings import Holding, Holdings
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.segments import segment_name


@dataclass
class Counters:
    """What happened since the start, for progress reports."""

    received: int = 0
    redelivered: int = 0
    journaled: int = 0
    duplicates: int = 0
    acknowledged: int = 0
    dead_lettered: int = 0
    reconnects: int = 0


@dataclass
class Custody:
    """One owner's journal while it runs. Writes happen outside the lock, decisions inside.

    ``demand``: Spark waits for messages. ``patient``: an empty queue is no reason to seal few messages.
    ``enough``: nothing more is to be received in this run.
    """

    journal: Journal
    generation: str
    holdings: Holdings
    compression: str = "none"
    patient: bool = False
    demand: bool = False
    enough: bool = False
    ever_connected: bool = False
    counters: Counters = field(default_factory=Counters)
    sessions: set[str] = field(default_factory=set)
    changed: threading.Condition = field(default_factory=threading.Condition)
    failure: BaseException | None = None

    def session_opened(self, session: str) -> None:
        with self.changed:
            self.sessions.add(session)

    def session_over(self, session: str) -> None:
        with self.changed:
            self.sessions.discard(session)
            self.holdings.session_over(session)
            self.changed.notify_all()

    def session_committed(self, session: str) -> None:
        """A commit that acknowledged no rows of ours, only dead letters."""
        with self.changed:
            self.holdings.session_committed(session)

    def seal(
        self, session: str, receiver: int, number: int, batches: Sequence[pa.RecordBatch], first_sequence: int
    ) -> Holding:
        name = segment_name(self.generation, receiver, number)
        seal, keys = self.journal.write_segment(
            name, batches, self.compression, f"{self.generation}.r{receiver}", first_sequence
        )
        holding = Holding(seal, keys, session=session)
        with self.changed:
            self.holdings.add(holding)
            self.counters.journaled += seal.rows
            self.changed.notify_all()
        return holding

    def check_owner(self) -> None:
        """Every owner: seal, look for a higher claim, then commit."""
        self.journal.check_owner(self.generation)

    def acknowledged(self, holding: Holding, session: str) -> None:
        self.journal.mark("acknowledged", holding.name)
        with self.changed:
            self.holdings.acknowledged(holding.name, session, self.sessions)
            self.counters.acknowledged += holding.seal.rows
            self.changed.notify_all()

    def may_commit(self, holding: Holding) -> bool:
        with self.changed:
            return holding.settled or self.holdings.only_copies(holding.name)

    def unplanned_of(self, receiver: str) -> int:
        with self.changed:
            return sum(h.seal.receiver == receiver for h in self.holdings.unplanned())

    def count(self, **more: int) -> None:
        with self.changed:
            for name, by in more.items():
                setattr(self.counters, name, getattr(self.counters, name) + by)

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()

    def notify(self) -> None:
        """A receiver has something to tell those who wait."""
        with self.changed:
            self.changed.notify_all()

    def set_demand(self, wanted: bool) -> None:
        with self.changed:
            if self.demand != wanted:
                self.demand = wanted
                self.changed.notify_all()

    def set_enough(self) -> None:
        """Nothing more is to be received in this run."""
        with self.changed:
            self.enough = True
            self.changed.notify_all()

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool:
        with self.changed:
            return self.changed.wait_for(condition, timeout)
