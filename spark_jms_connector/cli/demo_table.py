"""How many rows a Delta table has, from its log alone: cheap enough to look many times a second."""

from __future__ import annotations

import json
from pathlib import Path


def rows_in(table: Path) -> int:
    """The rows that the table's commits have added; for a table from which nothing was ever removed."""
    return sum(_added(commit) for commit in (table / "_delta_log").glob("*.json"))


def _added(commit: Path) -> int:
    actions = (json.loads(line) for line in commit.read_text("utf-8").splitlines())
    statistics = (json.loads(action["add"]["stats"]) for action in actions if "add" in action)
    return sum(int(each["numRecords"]) for each in statistics)
