"""What the query's process found in the table at the end, on its way to the demo."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Report:
    """The figures, and some rows as text; ``columns`` are their names and types."""

    rows: int
    distinct: int
    lowest: int
    highest: int
    redelivered: int
    columns: list[list[str]]
    sample: list[list[str]]

    @property
    def duplicated(self) -> int:
        return self.rows - self.distinct

    def lost(self, sent: int) -> int:
        return sent - self.distinct

    def exactly_once(self, sent: int) -> bool:
        """Whether the ids are exactly 1 to ``sent``, each once."""
        return self.lost(sent) == 0 and self.duplicated == 0 and (self.lowest, self.highest) == (1, sent)


def write_report(report: Report, path: Path) -> None:
    path.write_text(json.dumps(asdict(report)), "utf-8")


def read_report(path: Path) -> Report:
    return Report(**json.loads(path.read_text("utf-8")))
