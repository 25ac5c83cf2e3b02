"""Removing from the journal what nobody can need again."""

from __future__ import annotations

from spark_jms_connector.crash_points import reached
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.offsets import plan_number


def clean_up(custody: Custody, landed: str) -> None:
    """After ``landed`` (a plan's name, or nothing) was confirmed: delete data, keys and plans that are done with."""
    with custody.changed:
        discard = custody.holdings.discardable()
        data = custody.holdings.superfluous_data()
        forget = custody.holdings.forgettable()
    if data or discard or forget:
        reached("before segment is deleted")
    for holding in data:
        custody.journal.delete_data(holding.name)
        holding.has_data = False
    for holding in forget:
        custody.journal.delete_segment(holding.name)
    for holding in discard:
        custody.journal.discard_segment(holding.name)
    with custody.changed:
        for holding in (*forget, *discard):
            custody.holdings.remove(holding.name)
    if landed:
        _delete_older(custody, plan_number(landed))


def _delete_older(custody: Custody, number: int) -> None:
    journal = custody.journal
    for file in journal.storage.list("plans"):
        if plan_number(file) < number:
            journal.storage.delete(f"plans/{file}")
    for mark in journal.storage.list("marks"):
        kind, _, name = mark.partition("-")
        if kind in ("handed", "landed") and plan_number(name) < number:
            journal.storage.delete(f"marks/{mark}")
