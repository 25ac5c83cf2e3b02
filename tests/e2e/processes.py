"""Processes on this machine: who belongs to which run, waiting for them, ending them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

POLL = 0.02
MARK = "SPARK_JMS_TEST_RUN"


def until(condition: Callable[[], bool], timeout: float, what: str) -> None:
    """Wait for a condition that nothing announces; fail with ``what`` when it does not come true."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"not within {timeout:g} s: {what}"
        time.sleep(POLL)


def family(mark: str) -> list[int]:
    """The living processes that were started, at whatever remove, with this mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _all() if wanted in _read(pid, "environ").split(b"\0")]


def command_line(pid: int) -> str:
    return _read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")


def alive(pid: int) -> bool:
    """Whether it runs; what ended and was not waited for has no command line any more."""
    return bool(_read(pid, "cmdline"))


def kill(pids: Iterable[int], how: signal.Signals = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)


def wait_gone(pids: Iterable[int], timeout: float, what: str) -> None:
    waiting = list(pids)
    until(lambda: not any(map(alive, waiting)), timeout, f"the end of {what}")


def _all() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
