"""Taking a journal over: check Spark's position against it, claim it, then list what is in it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from spark_jms_connector.errors import CorruptJournalError, FencedError, JournalMismatchError
from spark_jms_connector.source.duplicates import rows_in
from spark_jms_connector.source.holdings import Holding, Holdings
from spark_jms_connector.source.journal import Claim, Journal, Listing
from spark_jms_connector.source.offsets import Offset, plan_number
from spark_jms_connector.source.planner import Plan
from spark_jms_connector.source.segments import segment_generation

log = logging.getLogger(__name__)

LONG_AGO = "0"


@dataclass(frozen=True)
class Position:
    """Where Spark stands: ``end`` is set when it runs a logged batch again."""

    start: Offset
    end: Offset | None = None

    @property
    def head(self) -> Offset:
        return self.end or self.start


@dataclass(frozen=True)
class Terms:
    """What the query says about its journal."""

    pins: Mapping[str, str | None]
    on_new_checkpoint: str | None = None
    allow_reset: bool = False
    keep_acknowledged: int = 0


@dataclass(frozen=True)
class Base:
    """What the chain that ends in Spark's offset has decided; every other plan is void.

    ``head`` is its last plan, ``rerun`` the same if Spark runs it again, ``earlier`` the segments it is done with.
    """

    number: int = 0
    head: Plan | None = None
    rerun: Plan | None = None
    landed: bool = False
    earlier: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Takeover:
    """A journal that is now ours."""

    claim: Claim
    holdings: Holdings
    base: Base
    clean: bool


def take_over(journal: Journal, position: Position, terms: Terms) -> Takeover:
    """Look before claiming, so that a query that may not have the journal does not fence the one that has."""
    seen = journal.list()
    _find_base(journal, seen, position, terms)
    claim = journal.claim(seen.claims, terms.pins)
    listing = journal.list()
    if listing.claims[-1] != claim.generation:
        raise FencedError(
            f"Journal '{journal.uri}' was claimed by another query at the same moment: start one of them."
        )
    base = _find_base(journal, listing, position, terms)
    accepted = _accepted(journal, listing, claim.generation)
    holdings = _hold(journal, listing, accepted, base, terms)
    journal.write_opening(claim.generation, sorted(accepted))
    _tidy(journal, listing, accepted, base, claim.generation)
    clean = not seen.claims or seen.claims[-1] in seen.closed
    log.info("Journal %s: %d segments taken over as generation %s.", journal.uri, len(accepted), claim.generation)
    return Takeover(claim, holdings, base, clean)


# Does Spark's checkpoint fit the journal?


def _find_base(journal: Journal, listing: Listing, position: Position, terms: Terms) -> Base:
    if listing.claims:
        _check_claim(journal, journal.read_claim(listing.claims[-1]), position, terms)
    elif not position.head.is_beginning:
        raise JournalMismatchError(
            f"The checkpoint continues journal {position.head.journal}, but there is none at '{journal.uri}': it was"
            " deleted or moved. Point option 'journal' to where it is now. If it is gone, messages that were in it"
            " and on the broker no more are lost; start over with a new checkpoint."
        )
    if position.end is not None:
        return _rerun_base(journal, listing, position.end)
    if not position.start.is_beginning:
        return _continue_base(journal, listing, position.start)
    return _new_checkpoint_base(journal, listing, terms)


def _check_claim(journal: Journal, claim: Claim, position: Position, terms: Terms) -> None:
    if not position.head.is_beginning and position.head.journal != claim.journal:
        raise JournalMismatchError(
            f"The checkpoint continues journal {position.head.journal}, but '{journal.uri}' is journal {claim.journal}:"
            " it was made for another query, or made anew. Point option 'journal' to the one this query has used,"
            " or give the query a new checkpoint and a new journal."
        )
    changed = [k for k in terms.pins if claim.pins.get(k) != terms.pins[k]]
    if changed and not terms.allow_reset:
        was = ", ".join(f"{k} {claim.pins.get(k)!r} (now {terms.pins[k]!r})" for k in changed)
        raise JournalMismatchError(
            f"Journal '{journal.uri}' was made for {was}. Use another journal for another destination or selector,"
            " or set option 'allowSubscriptionReset' to true to go on with this one."
        )


def _rerun_base(journal: Journal, listing: Listing, end: Offset) -> Base:
    landed, handed = listing.last_landed, listing.last_handed
    if landed and plan_number(landed) >= end.plan or handed and handed > end.plan_name:
        raise JournalMismatchError(_older(journal, end, max(landed, handed)))
    plan = _existing_plan(journal, listing, end)
    return Base(plan.number, plan, rerun=plan, earlier=frozenset(plan.retained))


def _continue_base(journal: Journal, listing: Listing, start: Offset) -> Base:
    if max(listing.last_handed, listing.last_landed) > start.plan_name:
        raise JournalMismatchError(_older(journal, start, max(listing.last_handed, listing.last_landed)))
    plan = _existing_plan(journal, listing, start)
    return Base(plan.number, plan, landed=True, earlier=frozenset(plan.retained) | frozenset(plan.segment_names))


def _new_checkpoint_base(journal: Journal, listing: Listing, terms: Terms) -> Base:
    if not listing.handed:
        return Base()
    if terms.on_new_checkpoint is None:
        raise JournalMismatchError(
            f"Journal '{journal.uri}' has already handed messages to a query with another checkpoint (up to plan"
            f" {plan_number(listing.last_handed)}). If that checkpoint was deleted, set option 'onNewCheckpoint' to"
            " 'continue' (only what was never handed out) or 'replay' (again all that is not known to have landed)."
            " If that query still runs, give this one a journal of its own."
        )
    plan = journal.read_plan(listing.last_handed)
    replay = terms.on_new_checkpoint == "replay" and listing.last_landed != plan.name
    earlier = frozenset(plan.retained) | (frozenset() if replay else frozenset(plan.segment_names))
    return Base(plan.number, plan, landed=not replay, earlier=earlier)


def _existing_plan(journal: Journal, listing: Listing, offset: Offset) -> Plan:
    if offset.plan_name not in listing.plans:
        raise JournalMismatchError(
            f"The checkpoint continues plan {offset.plan} of journal '{journal.uri}', which has no such plan: the"
            " checkpoint and the journal are not from the same moment. Restore both together, or start over with a new"
            " checkpoint and option 'onNewCheckpoint'."
        )
    return journal.read_plan(offset.plan_name)


def _older(journal: Journal, offset: Offset, reached: str) -> str:
    return (
        f"The checkpoint stands at plan {offset.plan} of journal '{journal.uri}', which has already handed out plan"
        f" {plan_number(reached)}: the checkpoint is older than the journal (restored from a backup?) or belongs to"
        " another query. Use the checkpoint that belongs to it, or a new one with option 'onNewCheckpoint'."
    )


# What is taken over


def _accepted(journal: Journal, listing: Listing, generation: str) -> frozenset[str]:
    """What the last owner took over and what was sealed since; a fenced owner's late segments never count."""
    earlier = [name for name in listing.openings if name < generation]
    if not earlier:
        return listing.sealed
    inherited = journal.read_opening(earlier[-1])
    return frozenset(n for n in listing.sealed if n in inherited or segment_generation(n) >= earlier[-1])


def _hold(journal: Journal, listing: Listing, accepted: frozenset[str], base: Base, terms: Terms) -> Holdings:
    holdings = Holdings(terms.keep_acknowledged)
    for name in sorted(accepted):
        seal, keys = journal.read_seal(name)
        holding = Holding(seal, keys, acknowledged=name in listing.acknowledged, has_data=name in listing.data)
        if name in base.earlier:
            holding.plan, holding.logged, holding.settled, holding.landed = LONG_AGO, True, True, True
        elif base.rerun is not None and name in base.rerun.segment_names:
            holding.plan, holding.logged = base.rerun.name, True
        if not holding.landed and name not in _only_copies(base) and listing.data.get(name) != seal.length:
            raise CorruptJournalError(_damaged(journal, name, listing.data.get(name), seal.length))
        holdings.add(holding)
    _check_present(journal, holdings, base)
    return holdings


def _check_present(journal: Journal, holdings: Holdings, base: Base) -> None:
    needed = set(base.rerun.segment_names) - _only_copies(base) if base.rerun is not None else set()
    for name in sorted(needed):
        if name not in holdings:
            raise CorruptJournalError(_damaged(journal, name, None, None))


def _only_copies(base: Base) -> frozenset[str]:
    """Segments of the batch to run again from which it takes no row: an owner before may have removed them."""
    planned = base.rerun.segments if base.rerun is not None else ()
    return frozenset(s.seal.name for s in planned if rows_in(s.dropped) == s.seal.rows)


def _damaged(journal: Journal, name: str, size: int | None, wanted: int | None) -> str:
    how = "missing" if size is None else f"{size} bytes long instead of {wanted}"
    return (
        f"Segment '{name}' of journal '{journal.uri}' is {how}. Its messages may be gone from the broker: restore the"
        " file from a backup of the journal's storage."
    )


def _tidy(journal: Journal, listing: Listing, accepted: frozenset[str], base: Base, generation: str) -> None:
    """Remove what counts no more: old plans, unsealed and late segments, earlier owners, half-written files.

    A void plan with a higher number stays for now: a driver that was only paused may still log it.
    """
    for folder in ("segments", "plans", "marks", "claims", "openings"):
        journal.storage.sweep(folder)
    keep = {listing.last_handed, base.head.name if base.head else ""}
    for plan in listing.plans - keep:
        if plan_number(plan) <= base.number:
            journal.delete_plan(plan)
    for name in (set(listing.data) | listing.sealed) - accepted:
        if segment_generation(name) < generation:
            journal.delete_segment(name)
    for name in listing.acknowledged - accepted:
        journal.unmark("acknowledged", name)
    for earlier in {*listing.claims, *listing.openings, *listing.closed}:
        if earlier < generation:
            journal.forget_generation(earlier)
