"""The demo does what it says, and leaves nothing running however it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.broker, pytest.mark.slow]

MESSAGES = 1_000
PATIENCE = 400.0
MARK = "SPARK_JMS_TEST_RUN"


class Demo:
    """A demo in a process of its own; all it starts inherits a mark by which the test finds it again."""

    def __init__(self, folder: Path) -> None:
        self._mark = uuid.uuid4().hex
        command = [sys.executable, "-u", "-m", "spark_jms_connector", "demo", "--folder", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--messages", str(MESSAGES)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {MARK: self._mark},
            start_new_session=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self._lines.extend(iter(self.process.stdout.readline, ""))

    @property
    def output(self) -> str:
        return "".join(self._lines)

    def until(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self.output:
            assert self.process.poll() is None and time.monotonic() < deadline, self.output
            time.sleep(0.1)

    def end(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join()
        return code

    def left(self) -> list[str]:
        """What still runs of it, once stragglers had time to notice."""
        deadline = time.monotonic() + 30
        while (found := self._running()) and time.monotonic() < deadline:
            time.sleep(0.2)
        return found

    def _running(self) -> list[str]:
        wanted = f"{MARK}={self._mark}".encode()
        return [str(p) for p in Path("/proc").glob("[0-9]*") if wanted in _content(p / "environ").split(b"\0")]

    def clear(self) -> None:
        for found in self._running():
            os.kill(int(Path(found).name), signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it ended meanwhile, or is somebody else's
        return b""


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    started = Demo(tmp_path / "run")
    yield started
    started.clear()


def figure(output: str, name: str) -> int:
    found = re.search(rf"^ +{name} +([\d,]+)$", output, re.MULTILINE)
    assert found, output
    return int(found[1].replace(",", ""))


def test_every_message_lands_once_although_the_query_was_killed(demo: Demo) -> None:
    code, output = demo.end(), demo.output
    assert code == 0, output
    names = ("sent", "rows", "distinct ids", "lost", "duplicated")
    assert [figure(output, name) for name in names] == [MESSAGES, MESSAGES, MESSAGES, 0, 0]
    assert MESSAGES / 2 <= figure(output, "rows when the query was killed") < MESSAGES
    assert re.search(r"^ *BIGINT +BIGINT +STRING +DOUBLE +INT +BOOLEAN +TIMESTAMP", output, re.MULTILINE), output
    assert len(re.findall(r"^ *\d+ +\d+ +\w+ +[\d.]+ +\d+ +(?:true|false) +2\d\d\d-", output, re.MULTILINE)) == 10
    assert not demo.left()


@pytest.mark.parametrize(
    ("phase", "number", "code"),
    [
        pytest.param("sending", signal.SIGTERM, 128 + signal.SIGTERM, marks=pytest.mark.matrix),
        ("query runs", signal.SIGINT, 128 + signal.SIGINT),
        pytest.param("query starts", signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.matrix),
    ],
)
def test_nothing_is_left_when_it_is_stopped(demo: Demo, phase: str, number: signal.Signals, code: int) -> None:
    demo.until(f"... {phase}")
    os.killpg(demo.process.pid, number)
    assert demo.end() == code, demo.output
    assert not demo.left()
