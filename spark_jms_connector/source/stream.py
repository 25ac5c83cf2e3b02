"""The stream: answers Spark's questions from the journal and ties JMS commits to Spark's logs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from spark_jms_connector.crash_points import reached
from spark_jms_connector.errors import JournalError, JournalMismatchError
from spark_jms_connector.options import SourceOptions, spark_name
from spark_jms_connector.source.available_now import Drain
from spark_jms_connector.source.crew import Crew, ThreadedCrew
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.duplicates import rows_in
from spark_jms_connector.source.housekeeping import clean_up
from spark_jms_connector.source.offsets import Offset
from spark_jms_connector.source.ownership import Progress, open_journal, take_custody
from spark_jms_connector.source.planner import Limits, Plan, Slice, choose, mark_copies
from spark_jms_connector.source.receiver import Receiver
from spark_jms_connector.source.recovery import Position
from spark_jms_connector.source.settings import destinations, receiver_settings
from spark_jms_connector.transport.base import Transport

FIRST_WAIT = 5.0
SEAL_WAIT = 5.0
COMMIT_WAIT = 120.0
DRAIN_PAUSE = 0.1

CrewMaker = Callable[[list[Receiver], Custody], Crew]


@dataclass(frozen=True)
class Owned:
    """What exists once the journal is ours."""

    custody: Custody
    crew: Crew
    progress: Progress


class Stream:
    """One query's view of one queue. Called by one thread; its receivers have their own."""

    def __init__(
        self,
        options: SourceOptions,
        transport: Transport,
        make_crew: CrewMaker = ThreadedCrew,
        clock: Callable[[], float] = time.monotonic,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._options = options
        self._transport = transport
        self._make_crew = make_crew
        self._clock = clock
        self._first_wait = first_wait
        self._owned: Owned | None = None
        self._waiting_since: float | None = None
        self._drain: Drain | None = None
        self._finished = False

    # Spark's questions

    def latest_offset(self, start: Offset, unlimited: bool = False) -> Offset:
        """The end of the next micro-batch, or ``start`` when there is none yet."""
        owned = self._own(Position(start))
        self._settle(owned, start)
        if owned.progress.plan is not None and owned.progress.plan.start == start.plan_name:
            return self._offset(owned, owned.progress.plan)
        if self._finished:
            return start
        plan = self._receive(owned, start, unlimited)
        self._raise_failure(owned)
        return start if plan is None else self._offset(owned, plan)

    def _receive(self, owned: Owned, start: Offset, unlimited: bool) -> Plan | None:
        options = self._options
        limits = Limits() if unlimited else Limits(options.max_messages_per_trigger, options.max_bytes_per_trigger)
        if self._drain is not None:
            self._drain.look()
        owned.crew.start()
        if self._drain is not None:
            return self._drain_next(owned, self._drain, start, limits)
        return self._next_plan(owned, start, limits)

    def slices(self, start: Offset, end: Offset) -> list[Slice]:
        """What the tasks of a logged micro-batch read: the same whenever it is asked."""
        if start == end:
            return []  # Spark's first batch of a query that found nothing yet
        owned = self._own(Position(start, end))
        if owned.progress.committed != start.plan_name:
            raise JournalMismatchError(
                "Spark runs a micro-batch before it has confirmed the one before it: this source needs each batch in"
                " the commit log before the next. Set option 'asyncProgressTrackingEnabled' to false."
            )
        plan = owned.progress.plan
        if plan is None or plan.name != end.plan_name or plan.start != start.plan_name:
            raise JournalMismatchError(
                f"Spark asks for plan {end.plan} from plan {start.plan}, which journal '{self._options.journal}' did"
                " not hand out: the checkpoint was changed under the running query."
            )
        owned.custody.check_owner()
        self._hand_out(owned, plan)
        return plan.slices()

    def commit(self, end: Offset) -> None:
        """Spark has confirmed everything up to ``end``."""
        owned = self._owned
        if owned is None or end.is_beginning or owned.progress.committed == end.plan_name:
            return
        self._settle(owned, end)
        custody = owned.custody
        custody.check_owner()
        custody.journal.mark("landed", end.plan_name)
        with custody.changed:
            custody.holdings.landed(end.plan_name)
        owned.progress.committed = end.plan_name
        clean_up(custody, end.plan_name)

    def prepare_for_available_now(self) -> None:
        self._drain = Drain(self._depth, self._options.receive_timeout, self._clock)

    def report(self) -> dict[str, Any] | None:
        """Where the journal stands, for Spark's progress report."""
        owned = self._owned
        if owned is None:
            return None
        with owned.custody.changed:
            waiting = sum(h.seal.rows for h in owned.custody.holdings.unplanned())
            counters = {spark_name(name): value for name, value in asdict(owned.custody.counters).items()}
        plan = owned.progress.plan
        number = plan.number if plan else owned.progress.base
        return {"journal": owned.progress.journal_id, "plan": number, "unplannedMessages": waiting, **counters}

    def stop(self) -> None:
        """Close the sessions gracefully and say so in the journal."""
        if self._owned is not None and not self._finished:
            self._close_sessions(self._owned)
        self._transport.close()

    def _close_sessions(self, owned: Owned) -> None:
        self._finished = True
        owned.crew.stop()
        if owned.custody.failure is None:
            with contextlib.suppress(JournalError):  # without the mark the next start is only more careful
                open_journal(self._options, retry_for=0.0).mark("closed", owned.custody.generation)

    # Owning the journal

    def _own(self, position: Position) -> Owned:
        if self._owned is None:
            self._owned = self._open(position)
        self._raise_failure(self._owned)
        return self._owned

    def _open(self, position: Position) -> Owned:
        options = self._options
        patient = options.min_messages_per_trigger is not None and self._drain is None
        custody, progress, clean = take_custody(options, position, patient)
        each = [receiver_settings(options, found, careful=not clean) for found in destinations(options)]
        receivers = [
            Receiver(index, settings, self._transport, custody, self._clock)
            for index, settings in enumerate(each * options.receivers_each)
        ]
        return Owned(custody, self._make_crew(receivers, custody), progress)

    def _raise_failure(self, owned: Owned) -> None:
        if owned.custody.failure is not None:
            owned.crew.stop()
            raise owned.custody.failure

    def _offset(self, owned: Owned, plan: Plan) -> Offset:
        return Offset(owned.progress.journal_id, plan.number, plan.generation)

    # Commits tied to Spark's commit log

    def _settle(self, owned: Owned, start: Offset) -> None:
        """What ``start`` ends is in the commit log: acknowledge it, and be done before Spark goes on."""
        if start.is_beginning or owned.progress.settled == start.plan_name:
            return
        custody = owned.custody
        with custody.changed:
            custody.holdings.settled(start.plan_name)
            custody.changed.notify_all()
        owned.crew.wait_for(lambda: not any(r.commit_due for r in owned.crew.receivers), COMMIT_WAIT)
        owned.progress.settled = start.plan_name
        self._raise_failure(owned)

    # Planning

    def _next_plan(self, owned: Owned, start: Offset, limits: Limits) -> Plan | None:
        self._see_what_is_there(owned)
        if not self._worth_planning(owned):
            return None
        self._have_sealed(owned)
        return self._plan(owned, start, limits)

    def _see_what_is_there(self, owned: Owned) -> None:
        """The first time, let every receiver fill or find the queue empty: Trigger.Once asks only once."""
        wait, self._first_wait = self._first_wait, 0.0
        if wait:
            owned.crew.wait_for(lambda: all(r.idle or r.full() for r in owned.crew.receivers), wait)

    def _worth_planning(self, owned: Owned) -> bool:
        """Whether there are messages, and enough of them or for long enough."""
        receivers, custody = owned.crew.receivers, owned.custody
        with custody.changed:
            ready = sum(h.seal.rows for h in custody.holdings.unplanned())
        ready += sum(r.filling for r in receivers)
        if not ready:
            custody.set_demand(not custody.patient)
            return False
        now = self._clock()
        self._waiting_since = self._waiting_since or now
        minimum = self._options.min_messages_per_trigger or 1
        overdue = now - self._waiting_since >= self._options.max_trigger_delay
        return ready >= minimum or overdue or all(r.full() for r in receivers)

    def _have_sealed(self, owned: Owned) -> None:
        """Ask receivers for what they have in hand, and wait until it is in the journal."""
        owned.custody.set_demand(True)
        asked = [(r, r.segments) for r in owned.crew.receivers if r.filling]
        owned.crew.wait_for(lambda: all(r.segments > before or not r.filling for r, before in asked), SEAL_WAIT)

    def _plan(self, owned: Owned, start: Offset, limits: Limits) -> Plan | None:
        custody = owned.custody
        with custody.changed:
            seals = choose([h.seal for h in custody.holdings.unplanned()], limits)
            if not seals:
                return None
            custody.demand = False
            chosen = [(seal, custody.holdings.get(seal.name).keys) for seal in seals]
            segments = mark_copies(chosen, custody.holdings.planned_keys())
            retained = custody.holdings.retained()
        custody.check_owner()
        number = max(owned.progress.base, start.plan) + 1
        plan = Plan(number, custody.generation, start.plan_name, segments, retained)
        custody.journal.write_plan(plan)
        reached("after plan, before Spark logs the offset")
        with custody.changed:
            custody.holdings.planned(plan)
            custody.counters.duplicates += sum(rows_in(s.dropped) for s in segments)
        owned.progress.plan = plan
        self._waiting_since = None
        return plan

    def _hand_out(self, owned: Owned, plan: Plan) -> None:
        """Spark has logged the offset: from now on the plan's decisions stand."""
        custody = owned.custody
        if owned.progress.handed != plan.name:
            custody.journal.mark("handed", plan.name)
            owned.progress.handed = plan.name
            with custody.changed:
                custody.holdings.logged(plan.name)
        reached("after offset, before batch")

    # Trigger.AvailableNow

    def _drain_next(self, owned: Owned, drain: Drain, start: Offset, limits: Limits) -> Plan | None:
        """Plan what there is, until the run is over; then close the sessions."""
        custody, receivers = owned.custody, owned.crew.receivers
        while custody.failure is None:
            custody.set_demand(False)
            if drain.enough(custody):
                custody.set_enough()
            owned.crew.wait_for(lambda: all(r.idle or r.full() or custody.enough for r in receivers), 1.0)
            self._have_sealed(owned)
            plan = self._plan(owned, start, limits)
            if plan is not None:
                return plan
            if drain.over(custody, receivers):
                self._close_sessions(owned)
                return None
            owned.crew.wait_for(lambda: any(r.filling or r.waiting for r in receivers), DRAIN_PAUSE)
        return None

    def _depth(self) -> int | None:
        """How many messages wait, on all queues together; None where a browser cannot tell."""
        depths = [self._transport.depth(found, self._options.selector) for found in destinations(self._options)]
        known = [depth for depth in depths if depth is not None]
        return sum(known) if len(known) == len(depths) else None
