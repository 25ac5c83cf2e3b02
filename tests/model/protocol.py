"""The source's protocol as a small model: broker, receivers, journal, Spark's logs and crashes, as one state.

Every step a part can take is a rule that turns one state into others. ``search`` walks all of them
and reports the first state in which a message has landed twice, or has come to rest without having
landed. ``Rules`` switches each safeguard off, to show that the search finds what it protects from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

Rows = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """The safeguards. All on is the protocol."""

    journal_before_commit: bool = True
    drop_copies_of_planned: bool = True
    only_planned_copies_count: bool = True
    keep_keys_until_acknowledged: bool = True
    keep_keys_until_sessions_settle: bool = True
    keep_keys_while_unplanned_copies: bool = True
    look_before_commit: bool = True
    claim_before_list: bool = True
    ignore_late_segments_for_ever: bool = True
    void_unlogged_plans: bool = True
    unlogged_plans_count_as_unplanned: bool = True
    delete_after_landing: bool = True


@dataclass(frozen=True)
class Segment:
    id: int
    generation: int
    rows: Rows


@dataclass(frozen=True)
class Plan:
    id: int
    start: int
    kept: Rows
    segments: frozenset[int]
    retained: frozenset[int]


@dataclass(frozen=True)
class Receiver:
    session: int = 0
    filling: Rows = ()
    sealed: int = 0
    looked: bool = False


@dataclass(frozen=True)
class Process:
    """What a reader process knows; gone with it."""

    generation: int
    phase: str
    receivers: tuple[Receiver, ...]
    known: frozenset[int] = frozenset()
    planned: frozenset[int] = frozenset()
    forgotten: frozenset[int] = frozenset()
    resolved: frozenset[int] = frozenset()
    blockers: frozenset[tuple[int, int]] = frozenset()
    returned: int = 0


@dataclass(frozen=True)
class State:
    queue: frozenset[int]
    held: frozenset[tuple[int, int]] = frozenset()
    sessions: frozenset[int] = frozenset()
    segments: frozenset[Segment] = frozenset()
    acknowledged: frozenset[int] = frozenset()
    plans: frozenset[Plan] = frozenset()
    claim: int = 0
    opening: frozenset[int] | None = None
    opening_generation: int = 0
    offsets: tuple[int, ...] = ()
    commits: int = 0
    delta: tuple[Rows, ...] = ()
    process: Process | None = None
    zombie: Process | None = None
    serial: int = 1
    crashes: int = 0
    cuts: int = 0
    lies: int = 0
    copies: int = 0

    def segment(self, sid: int) -> Segment:
        return next((s for s in self.segments if s.id == sid), Segment(sid, 0, ()))

    def plan(self, pid: int) -> Plan | None:
        return next((p for p in self.plans if p.id == pid), None)

    def rows(self, sids: frozenset[int]) -> frozenset[int]:
        return frozenset(row for s in self.segments if s.id in sids for row in s.rows)


@dataclass(frozen=True)
class Scope:
    """How large a world is searched."""

    messages: int = 2
    receivers: int = 1
    crashes: int = 0
    cuts: int = 0
    lies: int = 0
    copies: int = 0
    zombies: bool = False
    on_journal: bool = False
    segment_size: int = 2


Step = tuple[str, State]


def search(scope: Scope, rules: Rules = Rules(), limit: int = 2_000_000) -> tuple[int, str | None]:
    """All reachable states: how many, and the first wrong one as a story (None: there is none)."""
    first = State(
        queue=frozenset(range(1, scope.messages + 1)),
        crashes=scope.crashes,
        cuts=scope.cuts,
        lies=scope.lies,
        copies=scope.copies,
    )
    came_from: dict[State, tuple[State | None, str]] = {first: (None, "")}
    frontier = [first]
    while frontier:
        state = frontier.pop()
        steps = list(_steps(state, scope, rules))
        wrong = _doubled(state) or (None if steps else _lost(state, scope))
        if wrong:
            return len(came_from), f"{wrong}\n{_story(state, came_from)}"
        for name, following in steps:
            if following not in came_from:
                came_from[following] = (state, name)
                frontier.append(following)
        if len(came_from) > limit:
            raise AssertionError("the world is larger than thought")
    return len(came_from), None


def _doubled(state: State) -> str | None:
    landed = [row for rows in state.delta for row in rows]
    return f"doubled: {landed}" if len(landed) != len(set(landed)) else None


def _lost(state: State, scope: Scope) -> str | None:
    landed = sorted(row for rows in state.delta for row in rows)
    return None if landed == list(range(1, scope.messages + 1)) else f"at rest with only {landed}"


def _story(state: State, came_from: dict[State, tuple[State | None, str]]) -> str:
    names = []
    at: State | None = state
    while at is not None:
        at, name = came_from[at]
        names.append(name)
    return " -> ".join(reversed([n for n in names if n]))


def _steps(state: State, scope: Scope, rules: Rules) -> Iterator[Step]:
    if state.process is None:
        yield "start", _started(state, scope, rules)
    else:
        yield from _spark_steps(state, scope, rules)
        for index in range(scope.receivers):
            yield from _receiver_steps(state, state.process, index, scope, rules, zombie=False)
        yield from _forget_steps(state, rules)
    if state.zombie is not None:
        for index in range(scope.receivers):
            yield from _receiver_steps(state, state.zombie, index, scope, rules, zombie=True)
    yield from _faults(state, scope)


# Starting: claim, then list


def _started(state: State, scope: Scope, rules: Rules) -> State:
    process = Process(state.claim + 1, "claimed", (Receiver(),) * scope.receivers)
    if rules.claim_before_list:
        return replace(state, process=process, claim=process.generation)
    listed = replace(process, phase="listed early", known=_accepted(state, rules))
    return replace(state, process=listed)


def _accepted(state: State, rules: Rules) -> frozenset[int]:
    """What a new owner takes over: the last owner's inheritance and what that owner sealed itself."""
    everything = frozenset(s.id for s in state.segments)
    if state.opening is None or not rules.ignore_late_segments_for_ever:
        return everything
    own = frozenset(s.id for s in state.segments if s.generation >= state.opening_generation)
    return (state.opening & everything) | own


def _opened(state: State, process: Process, rules: Rules) -> State:
    """Read the chain that ends in Spark's last logged offset; all other plans are void."""
    head_id = state.offsets[-1] if state.offsets else 0
    if not rules.void_unlogged_plans and state.plans:
        head_id = max(p.id for p in state.plans)
    head = state.plan(head_id)
    known = process.known if process.phase == "listed early" else _accepted(state, rules)
    planned = (head.segments | head.retained) & frozenset(s.id for s in state.segments) if head else frozenset()
    rerun = len(state.offsets) > state.commits
    opened = replace(process, phase="logged" if rerun else "idle", known=known, planned=planned, returned=0)
    return replace(
        state,
        process=opened,
        claim=max(state.claim, process.generation),
        opening=known,
        opening_generation=process.generation,
    )


# Spark: latestOffset, offset log, batch, commit log


def _spark_steps(state: State, scope: Scope, rules: Rules) -> Iterator[Step]:
    process = state.process
    assert process is not None
    if process.phase in ("claimed", "listed early"):
        yield "open", _opened(state, process, rules)
    elif process.phase == "idle" and not _commits_due(state, process, scope):
        if _unplanned(state, process):
            yield "plan", _plan(state, process, rules)
    elif process.phase == "planned":
        yield (
            "log offset",
            replace(
                state, offsets=(*state.offsets, process.returned), process=replace(process, phase="logged", returned=0)
            ),
        )
    elif process.phase == "logged":
        yield "run batch", _run(state, process)
    elif process.phase == "ran":
        yield "commit log", replace(state, commits=len(state.offsets), process=replace(process, phase="idle"))


def _unplanned(state: State, process: Process) -> list[Segment]:
    present = [s for s in state.segments if s.id in process.known and s.id not in process.planned]
    return sorted((s for s in present if s.id not in process.forgotten), key=lambda s: s.id)


def _plan(state: State, process: Process, rules: Rules) -> State:
    seen = set(state.rows(process.planned - process.forgotten))
    if not rules.drop_copies_of_planned:
        seen = set()
    chosen = _unplanned(state, process)
    if not rules.only_planned_copies_count:
        counts = [row for s in chosen for row in s.rows]
        seen |= {row for row in counts if counts.count(row) > 1}
    kept: list[int] = []
    for segment in chosen:
        for row in segment.rows:
            if row not in seen or not rules.drop_copies_of_planned:
                kept.append(row)
                seen.add(row)
    plan = Plan(
        state.serial,
        state.offsets[-1] if state.offsets else 0,
        tuple(kept),
        frozenset(s.id for s in chosen),
        process.planned,
    )
    after = replace(process, phase="planned", planned=process.planned | plan.segments, returned=plan.id)
    return replace(state, plans=state.plans | {plan}, serial=state.serial + 1, process=after)


def _run(state: State, process: Process) -> State:
    """Delta skips a batch id it has: a re-run of the same batch changes nothing."""
    plan = state.plan(state.offsets[-1])
    assert plan is not None
    present = state.rows(plan.segments)
    rows = tuple(row for row in plan.kept if row in present)
    delta = state.delta if len(state.delta) == len(state.offsets) else (*state.delta, rows)
    return replace(state, delta=delta, process=replace(process, phase="ran"))


def _landed(state: State, sid: int) -> bool:
    logged = state.offsets[: state.commits]
    return any(sid in p.segments for p in state.plans if p.id in logged)


# A receiver: fill, seal, look, commit


def _receiver_steps(
    state: State, process: Process, index: int, scope: Scope, rules: Rules, zombie: bool
) -> Iterator[Step]:
    me = process.receivers[index]
    tag = f"{'zombie ' if zombie else ''}receiver {index} "

    def become(base: State, receiver: Receiver, owner: Process = process) -> State:
        receivers = (*owner.receivers[:index], receiver, *owner.receivers[index + 1 :])
        changed = replace(owner, receivers=receivers)
        return replace(base, zombie=changed) if zombie else replace(base, process=changed)

    ready = zombie or process.phase not in ("claimed", "listed early", "logged") or me.session
    if not me.session and ready and not zombie and (state.queue or state.held):
        opened = replace(state, sessions=state.sessions | {state.serial}, serial=state.serial + 1)
        yield tag + "opens", become(opened, Receiver(session=state.serial))
    if me.session and not me.sealed and len(me.filling) < scope.segment_size and me.session in state.sessions:
        for message in state.queue:
            took = replace(state, queue=state.queue - {message}, held=state.held | {(me.session, message)})
            yield tag + f"takes {message}", become(took, replace(me, filling=(*me.filling, message)))
            if state.copies and len(me.filling) + 2 <= scope.segment_size:
                twice = replace(took, copies=state.copies - 1)
                yield (
                    tag + f"takes {message} twice",
                    become(twice, replace(me, filling=(*me.filling, message, message))),
                )
    if me.session and me.filling and not me.sealed:
        segment = Segment(state.serial, process.generation, me.filling)
        sealed = replace(state, segments=state.segments | {segment}, serial=state.serial + 1)
        known = process if zombie else replace(process, known=process.known | {segment.id})
        yield tag + "seals", become(sealed, replace(me, filling=(), sealed=segment.id), known)
        if not rules.journal_before_commit and me.session in state.sessions:
            gone = frozenset(h for h in state.held if h[0] != me.session)
            yield tag + "commits unsealed", become(replace(state, held=gone), replace(me, session=me.session))
    if me.session and me.session not in state.sessions and not me.sealed:
        yield tag + "notices the loss", become(state, Receiver(), _settled(process, me.session))
    if me.sealed and not me.looked and (zombie or _may_commit(state, process, me, scope, rules)):
        if rules.look_before_commit and state.claim > process.generation:
            if zombie:
                yield tag + "is fenced", _give_back(become(state, Receiver()), me.session)
        else:
            yield tag + "looks", become(state, replace(me, looked=True))
    if me.sealed and me.looked:
        yield from _commit_steps(state, process, me, become, tag, zombie)


def _may_commit(state: State, process: Process, me: Receiver, scope: Scope, rules: Rules) -> bool:
    if scope.on_journal:
        return True
    if me.sealed in process.planned:
        return _landed(state, me.sealed)
    copies = state.rows(process.planned - process.forgotten)
    return set(state.segment(me.sealed).rows) <= copies


def _commits_due(state: State, process: Process, scope: Scope) -> bool:
    """JMS commits of what is in the commit log finish before latestOffset plans anew."""
    return any(r.sealed and _landed(state, r.sealed) for r in process.receivers)


def _commit_steps(state: State, process: Process, me: Receiver, become, tag: str, zombie: bool) -> Iterator[Step]:  # type: ignore[no-untyped-def]
    if me.session not in state.sessions:
        yield tag + "fails to commit", become(state, Receiver(), _settled(process, me.session))
        return
    gone = replace(state, held=frozenset(h for h in state.held if h[0] != me.session))
    if state.lies:
        lied = replace(gone, lies=state.lies - 1, sessions=state.sessions - {me.session})
        yield tag + "commits, is told it failed", become(lied, Receiver(), _settled(process, me.session))
    recorded = replace(gone, acknowledged=gone.acknowledged | {me.sealed})
    yield (
        tag + "commits, dies unrecorded" if zombie else tag + "commits",
        become(gone if zombie else recorded, replace(me, sealed=0, looked=False), _acknowledged(gone, process, me)),
    )


def _settled(process: Process, session: int) -> Process:
    return replace(process, blockers=frozenset(b for b in process.blockers if b[1] != session))


def _acknowledged(state: State, process: Process, me: Receiver) -> Process:
    settled = _settled(process, me.session)
    others = frozenset(r.session for r in process.receivers if r.session and r.session != me.session)
    rows = state.segment(me.sealed).rows
    blocking = frozenset((row, other) for row in rows for other in others)
    return replace(settled, blockers=settled.blockers | blocking, resolved=settled.resolved | frozenset(rows))


# Forgetting keys and deleting segments


def _forget_steps(state: State, rules: Rules) -> Iterator[Step]:
    process = state.process
    assert process is not None
    if process.phase in ("claimed", "listed early"):
        return
    live = frozenset(r.sealed for r in process.receivers if r.sealed)
    planned_rows = state.rows(process.planned - process.forgotten)
    for segment in _unplanned(state, process):
        if segment.id in state.acknowledged and set(segment.rows) <= planned_rows:
            yield f"discard segment {segment.id}", replace(state, segments=state.segments - {segment})
    for sid in process.planned - process.forgotten:
        if not any(s.id == sid for s in state.segments) or sid in live and rules.keep_keys_until_acknowledged:
            continue
        if not _landed(state, sid) and rules.delete_after_landing:
            continue
        if _forgettable(state, process, state.segment(sid), rules):
            smaller = frozenset(s for s in state.segments if s.id != sid)
            yield (
                f"forget segment {sid}",
                replace(state, segments=smaller, process=replace(process, forgotten=process.forgotten | {sid})),
            )


def _forgettable(state: State, process: Process, segment: Segment, rules: Rules) -> bool:
    acknowledged = segment.id in state.acknowledged or set(segment.rows) <= process.resolved
    if rules.keep_keys_until_acknowledged and not acknowledged:
        return False
    if rules.keep_keys_until_sessions_settle and any(b[0] in segment.rows for b in process.blockers):
        return False
    if rules.keep_keys_while_unplanned_copies:
        return not any(set(s.rows) & set(segment.rows) for s in _voidable(state, process, rules))
    return True


def _voidable(state: State, process: Process, rules: Rules) -> list[Segment]:
    """Segments in no plan that Spark has logged: they may have to be planned (again)."""
    pending = state.plan(process.returned) if rules.unlogged_plans_count_as_unplanned else None
    extra = [s for s in state.segments if pending is not None and s.id in pending.segments]
    return _unplanned(state, process) + extra


# What can go wrong


def _give_back(state: State, session: int) -> State:
    back = frozenset(m for s, m in state.held if s == session)
    return replace(
        state,
        queue=state.queue | back,
        held=frozenset(h for h in state.held if h[0] != session),
        sessions=state.sessions - {session},
    )


def _faults(state: State, scope: Scope) -> Iterator[Step]:
    if state.crashes and state.process is not None:
        fewer = replace(state, crashes=state.crashes - 1)
        killed = replace(fewer, process=None)
        for receiver in state.process.receivers:
            if receiver.session:
                killed = _give_back(killed, receiver.session)
        yield "kill", killed
        if scope.zombies and state.zombie is None and any(r.session for r in state.process.receivers):
            yield "driver dies, reader lives on", replace(fewer, process=None, zombie=state.process)
    if state.cuts:
        for session in state.sessions:
            yield f"cut session {session}", _give_back(replace(state, cuts=state.cuts - 1), session)
    if state.zombie is not None:
        gone = replace(state, zombie=None)
        for receiver in state.zombie.receivers:
            if receiver.session:
                gone = _give_back(gone, receiver.session)
        yield "zombie dies", gone


RULE_NAMES = tuple(f.name for f in fields(Rules))
