"""What landed, read without Spark, and whether it is exactly what was sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq


def rows_of_loop(folder: Path) -> list[int | None]:
    """The rows in the table of a stream process."""
    return [row for file in sorted((folder / "table").glob("*.json")) for row in json.loads(file.read_text())]


def rows_of_delta(table: Path, column: str = "n") -> list[int | None]:
    """One column of a Delta table, from the files its log holds active."""
    rows: list[int | None] = []
    for name in active_files(table):
        rows += pq.ParquetFile(table / name).read([column]).column(column).to_pylist()
    return rows


def active_files(table: Path) -> list[str]:
    """The data files of the latest version; the log of a young table is whole."""
    active: dict[str, None] = {}
    for commit in sorted((table / "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                active[unquote(action["add"]["path"])] = None
            elif "remove" in action:
                active.pop(unquote(action["remove"]["path"]), None)
    return list(active)


@dataclass(frozen=True)
class Count:
    """Sent and landed, compared."""

    sent: int
    rows: int
    distinct: int
    lost: tuple[int, ...]
    doubled: tuple[int, ...]
    foreign: tuple[int, ...]

    @property
    def exact(self) -> bool:
        return not (self.lost or self.doubled or self.foreign)

    def __str__(self) -> str:
        facts = f"sent {self.sent}, rows {self.rows}, distinct {self.distinct}"
        return f"{facts}, lost {_some(self.lost)}, duplicated {_some(self.doubled)}, never sent {_some(self.foreign)}"


def count(sent: Collection[int], landed: Iterable[int], maybe: Collection[int] = ()) -> Count:
    """Every ``sent`` must be there once, every ``maybe`` at most once, and nothing else."""
    times = Counter(landed)
    wanted, possible = set(sent), set(maybe)
    return Count(
        sent=len(wanted | possible & times.keys()),
        rows=sum(times.values()),
        distinct=len(times),
        lost=tuple(sorted(wanted - times.keys())),
        doubled=tuple(sorted(n for n, seen in times.items() if seen > 1)),
        foreign=tuple(sorted(times.keys() - wanted - possible)),
    )


def _some(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")
    return f"{len(numbers)}" + (f" ({shown})" if numbers else "")
