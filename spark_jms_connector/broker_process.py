"""A broker in a Java process of its own: started, stopped in order, killed, and started again on its ports."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from spark_jms_connector.transport.java import JavaProcess

Broker = TypeVar("Broker", bound="BrokerProcess")


class BrokerProcess:
    """What every broker on loopback has in common; which one it is, its subclasses say."""

    def __init__(self, data_dir: str | Path) -> None:
        self._data_dir = Path(data_dir)
        self._process: JavaProcess | None = None

    def _arguments(self) -> list[str]:
        """How Java runs it, on the ports it had before."""
        raise NotImplementedError

    def _listens(self, ports: list[int]) -> None:
        """It is ready, on these ports."""
        raise NotImplementedError

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.alive

    def start(self: Broker) -> Broker:
        """Start it, and return once it accepts connections; again after ``stop`` or ``kill``, on the same ports."""
        if not self.alive:
            self._data_dir.mkdir(parents=True, exist_ok=True)
            process = JavaProcess(self._arguments())
            self._listens(list(map(int, process.start())))
            self._process = process
        return self

    def stop(self) -> None:
        """Stop it in order."""
        if self._process is not None:
            if self._process.pid is not None and self._process.alive:
                os.kill(self._process.pid, signal.SIGTERM)
            self._process.stop(30)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()

    def restart(self) -> None:
        """Stop it and start it again on the same ports, with its messages."""
        self.stop()
        self.start()

    def __enter__(self: Broker) -> Broker:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def as_arguments(options: Mapping[str, str | None]) -> list[str]:
    """``--name value`` for each option that is set."""
    return [part for name, value in options.items() if value is not None for part in (f"--{name}", value)]
