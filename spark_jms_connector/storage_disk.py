"""Files on a local disk that appear whole under their name and are durable once written."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import uuid
from collections.abc import Sequence

import pyarrow as pa

from spark_jms_connector.crash_points import reached

TEMPORARY = ".tmp-"
_FOLDERS_NOT_SYNCED = (errno.EINVAL, errno.ENOTSUP)


class Disk:
    """A local folder; pyarrow.fs would not sync, and would leave a failed write under its final name."""

    def __init__(self, root: str) -> None:
        self._root = root

    def put(self, path: str, parts: Sequence[pa.Buffer]) -> None:
        final = os.path.join(self._root, path)
        crash_points = path.startswith("segments/") and not path.endswith(".seal")
        try:
            _write_whole(final, parts, crash_points)
        except FileNotFoundError:
            # No folder yet, or somebody swept our unfinished file.
            _make_folder(os.path.dirname(final))
            _write_whole(final, parts, crash_points)

    def read(self, path: str) -> pa.Buffer:
        with pa.memory_map(os.path.join(self._root, path)) as file:
            return file.read_buffer()

    def list(self, folder: str) -> dict[str, int]:
        found = {}
        with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(self._root, folder)) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    if entry.is_file() and not entry.name.startswith(TEMPORARY):
                        found[entry.name] = entry.stat().st_size
        return found

    def delete(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self._root, path))

    def exists(self, path: str) -> bool:
        try:
            return stat.S_ISREG(os.stat(os.path.join(self._root, path)).st_mode)
        except FileNotFoundError:
            return False


def _write_whole(final: str, parts: Sequence[pa.Buffer], crash_points: bool) -> None:
    folder, name = os.path.split(final)
    temporary = os.path.join(folder, f"{TEMPORARY}{uuid.uuid4().hex}-{name}")
    try:
        with open(temporary, "xb", opener=_private) as file:
            for part in parts:
                file.write(part)
            file.flush()
            _pass(crash_points, "segment before fsync")
            os.fsync(file.fileno())
        _pass(crash_points, "segment after fsync, before rename")
        os.rename(temporary, final)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _sync_folder(folder)


def _pass(crash_points: bool, point: str) -> None:
    if crash_points:
        reached(point)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _make_folder(folder: str) -> None:
    if os.path.isdir(folder):
        return
    parent = os.path.dirname(folder)
    _make_folder(parent)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    _sync_folder(parent)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network filesystems cannot sync a folder, and need not.
        if error.errno not in _FOLDERS_NOT_SYNCED:
            raise
    finally:
        os.close(descriptor)


def sweep(folder: str) -> None:
    """Remove unfinished files; a living writer that loses one so writes it again."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if name.startswith(TEMPORARY):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, name))
