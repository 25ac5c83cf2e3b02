"""Streams in processes of their own: started, watched, and killed whole or in part."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_jms_connector import crash_points
from tests.e2e.processes import MARK, command_line, family, kill, until, wait_gone

ROOT = Path(__file__).parent.parent.parent
LONG = 120.0
# Java that starts quickly counts here, not Java that becomes fast.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# What tells the parts of a running job apart, by their command lines.
PARTS = {
    "driver JVM": "org.apache.spark.deploy.SparkSubmit",
    "reader": "python_streaming_source_runner",
    "helper JVM": "sparkjms.JmsHelper",
}


@dataclass
class Job:
    """One run of a module as a process, with everything it starts."""

    process: subprocess.Popen[bytes]
    mark: str
    output: Path

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def wait(self, timeout: float = LONG) -> int:
        """Its return code; a job that does not end is killed and fails the test."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not end within {timeout:g} s:\n{self.text()[-4000:]}") from None

    def part(self, name: str) -> list[int]:
        """The processes that play a part: see PARTS; or the ``driver``, which is the job itself."""
        if name == "driver":
            return [self.process.pid] if self.running else []
        return [pid for pid in family(self.mark) if PARTS[name] in command_line(pid)]

    def wait_for_part(self, name: str, timeout: float = LONG) -> list[int]:
        until(lambda: bool(self.part(name)) or not self.running, timeout, f"start of the {name}")
        found = self.part(name)
        assert found, f"ended without a {name}:\n{self.text()[-4000:]}"
        return found

    def kill(self) -> None:
        """End the whole tree at once."""
        while pids := family(self.mark):
            kill(pids)
            self.process.wait()

    def kill_part(self, name: str) -> None:
        pids = self.wait_for_part(name)
        kill(pids)
        if name == "driver":
            self.process.wait()

    def leaves_nothing(self, timeout: float = 15.0) -> None:
        """The job has ended: everything it started must end by itself, soon."""
        wait_gone(family(self.mark), timeout, f"what {self.output.name} left behind")

    def text(self) -> str:
        return self.output.read_text("utf-8", "replace") if self.output.exists() else ""

    def events(self) -> list[dict[str, Any]]:
        """What it reported, one JSON object a line."""
        lines = self.text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


def start_job(module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Job:
    """Run a module of ours as a process; what it writes goes to a new file in ``folder``."""
    mark = uuid.uuid4().hex
    output = folder / f"{module.rpartition('.')[2]}-{mark[:8]}.log"
    variables = os.environ | {MARK: mark, "PYSPARK_PYTHON": sys.executable, "JAVA_TOOL_OPTIONS": QUICK_JAVA}
    variables.pop(crash_points.VARIABLE, None)
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env=variables | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Job(process, mark, output)
