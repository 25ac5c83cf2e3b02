"""From a claim to a running stream: the journal's custody, and where Spark stands in it."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from spark_jms_connector.options import SourceOptions
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.housekeeping import clean_up
from spark_jms_connector.source.journal import Journal
from spark_jms_connector.source.planner import Plan
from spark_jms_connector.source.recovery import Position, Takeover, take_over
from spark_jms_connector.source.settings import journal_terms
from spark_jms_connector.storage import Storage

log = logging.getLogger(__name__)


@dataclass
class Progress:
    """How far Spark has come, by the names of plans: in its commit log, confirmed to us, handed out by us."""

    journal_id: str
    base: int
    plan: Plan | None
    settled: str
    committed: str
    handed: str = ""


def open_journal(options: SourceOptions, retry_for: float) -> Journal:
    uri = options.journal or ""
    return Journal(Storage(uri, options.storage, retry_for), uri)


def take_custody(options: SourceOptions, position: Position, patient: bool) -> tuple[Custody, Progress, bool]:
    """Take the journal over; the last says whether its last owner ended cleanly."""
    journal = open_journal(options, options.reconnect_timeout)
    taken = take_over(journal, position, journal_terms(options))
    custody = Custody(journal, taken.claim.generation, taken.holdings, options.segment_compression, patient)
    _record_landed(custody, taken, position)
    start = position.start.plan_name
    progress = Progress(taken.claim.journal, taken.base.number, taken.base.rerun, settled=start, committed=start)
    leftovers = len(taken.holdings.leftovers())
    if leftovers:
        log.info("Journal %s: %d segments whose acknowledgement was never confirmed.", options.journal, leftovers)
    return custody, progress, taken.clean


def _record_landed(custody: Custody, taken: Takeover, position: Position) -> None:
    """Spark's start offset is in its commit log: that is news if the last owner died before it was told."""
    landed = taken.base.head.name if taken.base.head and taken.base.landed else position.start.plan_name
    if landed:
        custody.journal.mark("landed", landed)
    clean_up(custody, landed)
