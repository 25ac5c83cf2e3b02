"""Named places where a process may die; tests kill it there."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable

VARIABLE = "SPARK_JMS_CRASH_AT"
POINTS = (
    "after receive",
    "segment before fsync",
    "segment after fsync, before rename",
    "segment after rename, before seal record",
    "after seal record, before plan",
    "after plan, before Spark logs the offset",
    "after offset, before batch",
    "before JMS commit",
    "after JMS commit, before it is recorded",
    "before segment is deleted",
)

hook: Callable[[str], None] | None = None
# next() on a counter is one step even when several receivers pass the same point at once.
_passed = {point: itertools.count(1) for point in POINTS}


def reached(point: str) -> None:
    """Die here if the environment says so (``point``, or ``point#3`` for the third time); else go on."""
    if point not in _passed:
        raise ValueError(f"Unknown crash point '{point}': one of {', '.join(POINTS)}.")
    if hook is not None:
        hook(point)
    wanted = os.environ.get(VARIABLE)
    if wanted:
        _die_if(wanted, point)


def _die_if(wanted: str, point: str) -> None:
    name, _, nth = wanted.partition("#")
    if name not in _passed:
        raise ValueError(f"{VARIABLE} names no crash point: '{name}' is none of {', '.join(POINTS)}.")
    if name == point and next(_passed[point]) == int(nth or 1):
        os.kill(os.getpid(), signal.SIGKILL)
