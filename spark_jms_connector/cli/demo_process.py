"""The query's process: started apart from the demo, and killed with everything it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import TracebackType

from spark_jms_connector.cli.demo_folder import DemoFolder

TAIL_LINES = 30
GONE_WITHIN = 30.0


class QueryFailedError(Exception):
    """The query's process ended by itself, and not well."""


class QueryProcess:
    """One run of the demo's query."""

    def __init__(self, folder: DemoFolder, url: str, batch: int, last: bool = False) -> None:
        self._folder = folder
        arguments = [str(folder.path), url, str(batch), str(os.getpid()), *(["--last"] if last else [])]
        self._command = [sys.executable, "-m", "spark_jms_connector.cli.demo_query", *arguments]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Run it in a session of its own, so that Ctrl-C reaches only the demo; its words go to the log."""
        scratch = str(self._folder.spark)
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "TMPDIR": scratch, "SPARK_LOCAL_DIRS": scratch}
        with open(self._folder.log, "ab") as log:
            self._process = subprocess.Popen(
                self._command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def check(self) -> None:
        """Raise QueryFailedError if it has failed."""
        if self._process is not None and self._process.poll() not in (None, 0):
            lines = self._folder.log.read_text("utf-8", "replace").splitlines()[-TAIL_LINES:]
            raise QueryFailedError("\n".join([f"the query ended; the end of {self._folder.log}:", *lines]))

    def kill(self) -> None:
        """SIGKILL for the process and all below it, and wait until they are gone."""
        process = self._process
        if process is None:
            return
        family = descendants(process.pid, _parents()) if self.alive else set()
        for pid in {process.pid, *family} if self.alive else family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        _wait(lambda: not family & set(_parents()))

    def __enter__(self) -> QueryProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def descendants(pid: int, parents: dict[int, int]) -> set[int]:
    """All processes below one, given each process' parent."""
    children = {child for child, parent in parents.items() if parent == pid}
    return children.union(*(descendants(child, parents) for child in children))


def _parents() -> dict[int, int]:
    """Each living process' parent; the dead who wait for their parent's notice do not count."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    fields = (line.split() for line in listed.splitlines())
    return {int(pid): int(parent) for pid, parent, state, *_ in fields if not state.startswith("Z")}


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GONE_WITHIN
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
