"""Finds Java, and runs a Java program that lives no longer than this process."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from spark_jms_connector.errors import JavaError

MINIMUM = 17
_START_TIMEOUT = 120.0
_TAIL_LINES = 20

log = logging.getLogger(__name__)


def find_java() -> str:
    """The ``java`` of JAVA_HOME, or else of PATH; JavaError when there is none or it is too old."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java: str | None = str(Path(home, "bin", "java"))
        if not os.access(str(java), os.X_OK):
            raise JavaError(
                f"JAVA_HOME is {home}, but there is no {java}: point it to a Java {MINIMUM} or newer, or unset it."
            )
    else:
        java = shutil.which("java")
    if java is None:
        raise JavaError(
            f"There is no Java: install Java {MINIMUM} or newer (on Debian: apt install openjdk-17-jre-headless),"
            " and set JAVA_HOME or put 'java' on PATH."
        )
    version = java_version(java)
    if version < MINIMUM:
        raise JavaError(f"{java} is Java {version}; Java {MINIMUM} or newer is needed. Set JAVA_HOME to one.")
    return java


def java_version(java: str) -> int:
    """The major version; read from the installation where possible, which is quicker than asking."""
    release = Path(os.path.realpath(java)).parent.parent / "release"
    try:
        found = re.search(r'^JAVA_VERSION="([^"]+)"', release.read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        found = None
    return _major(found[1]) if found else _ask_version(java)


def _ask_version(java: str) -> int:
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise JavaError(f"{java} does not run ({error}): set JAVA_HOME to a Java {MINIMUM} or newer.") from error
    found = re.search(r'version "([^"]+)"', run.stderr + run.stdout)
    if found is None:
        raise JavaError(f"{java} does not tell its version: set JAVA_HOME to a Java {MINIMUM} or newer.")
    return _major(found[1])


def _major(version: str) -> int:
    parts = re.findall(r"\d+", version)
    return int(parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0])


class JavaProcess:
    """A Java program that says READY on its first line and ends when its standard input does."""

    def __init__(self, arguments: Sequence[str], scrub: Callable[[str], str] = str) -> None:
        self._arguments = arguments
        self._scrub = scrub
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._drain: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        process = self._process
        return process is not None and process.poll() is None

    @property
    def tail(self) -> str:
        """The last it wrote to standard error, for error messages."""
        if self._drain is not None and not self.alive:
            self._drain.join(1)
        return "\n".join(self._tail)

    def start(self, greeting: str | None = None) -> list[str]:
        """Run it, write a first line to it, and wait until it is ready; returns what it said besides READY."""
        process = subprocess.Popen(
            [find_java(), *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C is for Python, which then stops it in order
        )
        self._process = process
        self._drain = threading.Thread(target=self._read_stderr, args=(process,), name="java-stderr", daemon=True)
        self._drain.start()
        timer = threading.Timer(_START_TIMEOUT, process.kill)
        timer.start()
        try:
            return self._await_ready(process, greeting)
        except BaseException:
            self.kill()
            raise
        finally:
            timer.cancel()

    def _await_ready(self, process: subprocess.Popen[str], greeting: str | None) -> list[str]:
        assert process.stdin and process.stdout
        try:
            if greeting is not None:
                process.stdin.write(greeting + "\n")
                process.stdin.flush()
        except OSError:
            pass  # it ended already; its standard error says why
        for line in process.stdout:
            if line.startswith("READY"):
                return line.split()[1:]
        process.wait()
        words = self.tail or "it said nothing"
        raise JavaError(f"The Java process did not start (exit code {process.returncode}): {words}")

    def _read_stderr(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr
        for line in process.stderr:
            text = self._scrub(line.rstrip())
            self._tail.append(text)
            log.debug("java[%d]: %s", process.pid, text)

    def stop(self, timeout: float = 10.0) -> None:
        """Let it end in order, or kill it when that takes too long."""
        if self._process is None:
            return
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._release()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        process = self._process
        if process is not None:
            process.kill()
            self._release()

    def _release(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.wait()
        if self._drain:
            self._drain.join(5)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
