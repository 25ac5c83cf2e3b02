"""A process that plays Spark's loop around the real stream, with logs and table on disk, and can be killed anywhere."""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path

import pyarrow as pa

from spark_jms_connector import crash_points
from spark_jms_connector.columns import convert
from spark_jms_connector.errors import JmsConnectorError
from spark_jms_connector.option_rules import parse_source_options
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.source.offsets import BEGINNING, Offset
from spark_jms_connector.source.planner import Slice
from spark_jms_connector.source.slices import read_positions
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.source.watchdog import die_with_parent
from spark_jms_connector.storage import Storage
from spark_jms_connector.transport import open_transport

LOGGED, WRITTEN, CONFIRMED = (
    "offset logged, before partitions",
    "table written, before the commit log",
    "commit logged, before the source is told",
)
SPARK_POINTS = (LOGGED, WRITTEN, CONFIRMED)
POLLING_DELAY = 0.01  # Spark's own
SCHEMA = pa.schema([pa.field("n", pa.int32())])
_passed = {point: itertools.count(1) for point in SPARK_POINTS}


def reached(point: str, wanted: str | None) -> None:
    """Die here if asked to, as the source does at its own crash points."""
    name, _, nth = (wanted or "").partition("#")
    if name == point and next(_passed[point]) == int(nth or 1):
        os.kill(os.getpid(), signal.SIGKILL)


class Checkpoint:
    """Spark's offset log and commit log, and a table that knows which batches it has, as Delta does."""

    def __init__(self, folder: Path) -> None:
        self._offsets, self._commits, self._table = (folder / name for name in ("offsets", "commits", "table"))
        for path in (self._offsets, self._commits, self._table):
            path.mkdir(parents=True, exist_ok=True)

    @property
    def logged(self) -> int:
        return len(list(self._offsets.glob("*.json")))

    @property
    def committed(self) -> int:
        return len(list(self._commits.glob("*.json")))

    def start(self) -> Offset:
        """Where the last confirmed batch ended."""
        return self.batch(self.committed)[1] if self.committed else BEGINNING

    def batch(self, number: int) -> tuple[Offset, Offset]:
        start, end = json.loads((self._offsets / f"{number}.json").read_text())
        return Offset.from_json(start), Offset.from_json(end)

    def log_offset(self, start: Offset, end: Offset) -> None:
        _write(self._offsets / f"{self.logged + 1}.json", [start.to_json(), end.to_json()])

    def log_commit(self) -> None:
        _write(self._commits / f"{self.logged}.json", {})

    def append(self, rows: list[int | None]) -> None:
        """Write the rows of the last logged batch, unless they are there already."""
        file = self._table / f"{self.logged}.json"
        if not file.exists():
            _write(file, rows)


def _write(file: Path, value: object) -> None:
    hidden = file.with_suffix(".tmp")
    hidden.write_text(json.dumps(value))
    hidden.rename(file)


class Loop:
    """Micro-batches in the order Spark 4.2 calls a source."""

    def __init__(self, stream: Stream, options: SourceOptions, folder: Path, die_at: str | None) -> None:
        assert options.journal is not None
        self._options = options
        self._stream = stream
        self._storage = Storage(options.journal, options.storage)
        self._checkpoint = Checkpoint(folder)
        self._die_at = die_at

    def finish_last_batch(self) -> None:
        """After a crash Spark first runs again what is logged and not confirmed."""
        if self._checkpoint.logged > self._checkpoint.committed:
            self._run_batch()

    def trigger(self) -> bool:
        """One turn; whether there was a batch."""
        start = self._checkpoint.start()
        end = self._stream.latest_offset(start)
        if end == start:
            return False
        self._checkpoint.log_offset(start, end)
        reached(LOGGED, self._die_at)
        if not start.is_beginning:
            self._stream.commit(start)
        self._run_batch()
        return True

    def _run_batch(self) -> None:
        start, end = self._checkpoint.batch(self._checkpoint.logged)
        slices = self._stream.slices(start, end)
        rows = [n for part in slices for n in self._read(part)]
        self._checkpoint.append(rows)
        reached(WRITTEN, self._die_at)
        self._checkpoint.log_commit()
        reached(CONFIRMED, self._die_at)
        print(json.dumps({"batch": self._checkpoint.committed, "rows": len(rows)}), flush=True)

    def _read(self, part: Slice) -> list[int | None]:
        """As a task does: what does not fit the schema is NULL."""
        rows: list[int | None] = []
        for batch, first in read_positions(self._storage, part):
            made = convert(
                batch,
                SCHEMA,
                receiver=part.segment.seal.receiver,
                first_sequence=first,
                mode="PERMISSIVE",
                corrupt_column="corrupt",
                parse_text=self._options.parses_text,
            )
            rows += made.column("n").to_pylist()
        return rows


def run(options: SourceOptions, folder: Path, trigger: str, die_at: str | None) -> None:
    stream = Stream(options, open_transport(options))
    if trigger == "availableNow":
        stream.prepare_for_available_now()
    loop = Loop(stream, options, folder, die_at)
    loop.finish_last_batch()
    pause = threading.Event()
    while loop.trigger() or trigger == "continuous" and not (folder / "stop").exists():
        pause.wait(POLLING_DELAY)
    stream.stop()
    print(json.dumps({"ended": trigger, "report": stream.report()}), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=json.loads, required=True)
    parser.add_argument("--trigger", choices=("availableNow", "continuous"), default="availableNow")
    parser.add_argument("--die-at", help="a crash point of the source or of Spark's loop, or 'point#n'")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)
    die_with_parent()
    if given.die_at and given.die_at.partition("#")[0] in crash_points.POINTS:
        os.environ[crash_points.VARIABLE] = given.die_at
    try:
        run(parse_source_options(given.options), given.folder, given.trigger, given.die_at)
    except JmsConnectorError as error:
        print(json.dumps({"error": type(error).__name__, "text": str(error)}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
