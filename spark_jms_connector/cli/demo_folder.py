"""The demo's one folder: what is where in it, and whose it is."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from types import TracebackType
from typing import TextIO

MARK = ".spark-jms-demo"
CONTENT = ("broker", "journal", "checkpoint", "orders", "spark", "query.log", "report.json")


class FolderRefusedError(Exception):
    """The folder is not the demo's to use."""


class DemoFolder:
    """A folder the demo made itself, emptied of its earlier run, and held until the demo ends."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._mark: TextIO | None = None

    @property
    def broker(self) -> Path:
        return self.path / "broker"

    @property
    def journal(self) -> Path:
        return self.path / "journal"

    @property
    def checkpoint(self) -> Path:
        return self.path / "checkpoint"

    @property
    def table(self) -> Path:
        return self.path / "orders"

    @property
    def spark(self) -> Path:
        return self.path / "spark"

    @property
    def log(self) -> Path:
        return self.path / "query.log"

    @property
    def report(self) -> Path:
        return self.path / "report.json"

    def __enter__(self) -> DemoFolder:
        self._refuse_foreign()
        self.path.mkdir(parents=True, exist_ok=True)
        self._hold()
        for name in CONTENT:
            _remove(self.path / name)
        self.spark.mkdir()
        return self

    def _refuse_foreign(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise FolderRefusedError(f"{self.path} is a file: name a folder with --folder.")
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / MARK).is_file():
            raise FolderRefusedError(
                f"{self.path} is not empty, and no demo made it: it stays as it is. Name another with --folder."
            )

    def _hold(self) -> None:
        self._mark = open(self.path / MARK, "w")  # noqa: SIM115  (held until the demo ends)
        try:
            fcntl.flock(self._mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._mark.close()
            raise FolderRefusedError(f"Another demo runs in {self.path}: name another folder with --folder.") from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._mark is not None:
            self._mark.close()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
