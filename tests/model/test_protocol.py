"""The protocol on paper: every interleaving of a small world, and what each safeguard protects from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.model.protocol import RULE_NAMES, Rules, Scope, search

WORLDS = {
    "two messages, a kill": Scope(messages=2, crashes=1),
    "two messages, a kill, acknowledged at the journal": Scope(messages=2, crashes=1, on_journal=True),
    "one message, two kills": Scope(messages=1, crashes=2),
    "two receivers, two cut connections": Scope(messages=1, receivers=2, cuts=2),
    "two receivers, two messages, a cut connection": Scope(messages=2, receivers=2, cuts=1, segment_size=1),
    "a commit that took effect though it seemed to fail": Scope(messages=2, lies=1, crashes=1),
    "a reader that outlives its driver": Scope(messages=1, crashes=2, zombies=True),
    "a message twice in one transaction": Scope(messages=2, copies=1, cuts=1),
}
LARGE_WORLDS = {
    "one message, three kills": Scope(messages=1, crashes=3),
    "two messages, two kills": Scope(messages=2, crashes=2),
    "two receivers, a cut, a kill": Scope(messages=1, receivers=2, cuts=1, crashes=1),
    "two receivers, a cut, a kill, acknowledged at the journal": Scope(
        messages=1, receivers=2, cuts=1, crashes=1, on_journal=True
    ),
    "two receivers that outlive their driver": Scope(messages=1, receivers=2, crashes=1, zombies=True),
    "a reader that outlives its driver, acknowledged at the journal": Scope(
        messages=1, crashes=2, zombies=True, on_journal=True
    ),
}
# The smallest world in which each safeguard is missed.
NEEDED_IN = {
    "journal_before_commit": "two messages, a kill",
    "drop_copies_of_planned": "two messages, a kill",
    "only_planned_copies_count": "two messages, a kill",
    "keep_keys_until_acknowledged": "two messages, a kill",
    "keep_keys_until_sessions_settle": "two receivers, two cut connections",
    "keep_keys_while_unplanned_copies": "two messages, a kill",
    "look_before_commit": "a reader that outlives its driver",
    "claim_before_list": "a reader that outlives its driver",
    "ignore_late_segments_for_ever": "a reader that outlives its driver",
    "void_unlogged_plans": "two messages, a kill",
    "unlogged_plans_count_as_unplanned": "one message, three kills",
    "delete_after_landing": "two messages, a kill",
}


@pytest.mark.parametrize("world", WORLDS)
def test_every_message_lands_exactly_once(world: str) -> None:
    states, wrong = search(WORLDS[world])
    assert wrong is None
    assert states > 1000


@pytest.mark.matrix
@pytest.mark.parametrize("world", LARGE_WORLDS)
def test_every_message_lands_exactly_once_in_larger_worlds(world: str) -> None:
    assert search(LARGE_WORLDS[world])[1] is None


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_the_search_finds_what_each_safeguard_protects_from(rule: str) -> None:
    world = NEEDED_IN[rule]
    _, wrong = search((WORLDS | LARGE_WORLDS)[world], replace(Rules(), **{rule: False}))
    assert wrong is not None
