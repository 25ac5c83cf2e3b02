"""RabbitMQ on loopback, in a process that ends with the test run."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from tests.brokers import free_port

RABBIT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
RABBIT_MISSING = "RabbitMQ is not installed here (on Debian: apt install rabbitmq-server)"


class RabbitBroker:
    """Debian's RabbitMQ with the STOMP plugin, its data in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self._names_port = free_port()
        self._running: list[subprocess.Popen[bytes]] = []

    @staticmethod
    def installed() -> bool:
        return RABBIT.exists()

    @property
    def url(self) -> str:
        return f"stomp://127.0.0.1:{self.port}"

    def start(self, timeout: float = 120) -> RabbitBroker:
        self._folder.mkdir(parents=True, exist_ok=True)
        listeners = f"listeners.tcp.1 = 127.0.0.1:{free_port()}\nstomp.listeners.tcp.1 = 127.0.0.1:{self.port}\n"
        (self._folder / "rabbitmq.conf").write_text(listeners)
        (self._folder / "enabled_plugins").write_text("[rabbitmq_stomp].\n")
        # Erlang's name server too is a child of ours: the one that RabbitMQ would start outlives it.
        self._launch(["epmd", "-address", "127.0.0.1", "-port", str(self._names_port)], self._names_port, timeout)
        self._launch([str(RABBIT)], self.port, timeout)
        return self

    def _launch(self, command: list[str], port: int, timeout: float) -> None:
        self._running.append(self._run(command))
        deadline = time.monotonic() + timeout
        while not listens(port):
            if self._running[-1].poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError((self._folder / "out.log").read_text("utf-8", "replace")[-2000:])
            time.sleep(0.1)

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        with open(self._folder / "out.log", "ab") as out:
            return subprocess.Popen(command, env=self._environment(), stdout=out, stderr=out, start_new_session=True)

    def _environment(self) -> dict[str, str]:
        folder = self._folder
        return os.environ | {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": f"test-{self.port}@localhost",
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(self._names_port),
        }

    def stop(self) -> None:
        while self._running:
            process = self._running.pop()
            for pid in _session(process.pid):
                _kill(pid)
            process.wait()
        shutil.rmtree(self._folder / "mnesia", ignore_errors=True)


def _session(leader: int) -> list[int]:
    """The process and its descendants: it was started as the leader of a session."""
    listed = subprocess.run(["ps", "-eo", "pid=,sess="], capture_output=True, text=True, check=True).stdout
    return [int(pid) for pid, session in map(str.split, listed.splitlines()) if int(session) == leader]


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
