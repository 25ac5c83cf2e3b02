"""Storage on a local disk: what is durable, when, and what failures look like."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from spark_jms_connector import crash_points, storage_disk
from spark_jms_connector.errors import JournalStorageError
from spark_jms_connector.storage import Storage


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(str(tmp_path / "journal"))


def test_a_file_comes_back_as_it_was_written(storage: Storage) -> None:
    storage.put("segments/a.arrow", [b"one ", pa.py_buffer(b"two")])
    assert storage.read("segments/a.arrow").to_pybytes() == b"one two"
    assert storage.exists("segments/a.arrow")
    assert storage.list("segments") == {"a.arrow": 7}


def test_an_empty_file_is_a_file(storage: Storage) -> None:
    storage.put("empty", b"")
    assert storage.read("empty").size == 0
    assert storage.list("") == {"empty": 0}


def test_what_is_absent(storage: Storage) -> None:
    assert storage.list("segments") == {}
    assert not storage.exists("segments/a")
    storage.delete("segments/a")
    with pytest.raises(FileNotFoundError):
        storage.read("segments/a")


def test_delete_leaves_what_was_read_before(storage: Storage) -> None:
    storage.put("a", b"x" * 100_000)
    before = storage.read("a")
    storage.delete("a")
    assert not storage.exists("a")
    assert before.to_pybytes() == b"x" * 100_000


def test_list_shows_files_of_this_folder_only(storage: Storage, tmp_path: Path) -> None:
    storage.put("a", b"1")
    storage.put("folder/b", b"2")
    (tmp_path / "journal" / f"{storage_disk.TEMPORARY}left-by-a-kill").write_bytes(b"half")
    assert storage.list("") == {"a": 1}


def test_sweep_removes_what_a_kill_left(storage: Storage, tmp_path: Path) -> None:
    storage.put("segments/a", b"1")
    left = tmp_path / "journal" / "segments" / f"{storage_disk.TEMPORARY}left"
    left.write_bytes(b"half")
    storage.sweep("segments")
    storage.sweep("no such folder")
    assert not left.exists()
    assert storage.list("segments") == {"a": 1}


def test_a_writer_whose_file_was_swept_starts_again(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    storage.put("segments/first", b"1")
    swept: list[str] = []

    def sweep_once(point: str) -> None:
        if not swept:
            swept.append(point)
            storage.sweep("segments")

    monkeypatch.setattr(crash_points, "hook", sweep_once)
    storage.put("segments/a", b"whole")
    assert storage.read("segments/a").to_pybytes() == b"whole"


def test_files_and_folders_are_private(storage: Storage, tmp_path: Path) -> None:
    storage.put("segments/a", b"1")
    modes = [stat.S_IMODE((tmp_path / "journal" / name).stat().st_mode) for name in ("", "segments", "segments/a")]
    assert modes == [0o700, 0o700, 0o600]


def test_written_then_synced_then_renamed_then_the_folder_synced(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put("segments/first", b"1")
    steps: list[str] = []
    monkeypatch.setattr(crash_points, "hook", steps.append)
    fsync, rename = os.fsync, os.rename

    def spy_fsync(descriptor: int) -> None:
        found = os.fstat(descriptor)
        steps.append("sync folder" if stat.S_ISDIR(found.st_mode) else f"sync {found.st_size} bytes")
        fsync(descriptor)

    def spy_rename(source: str, target: str) -> None:
        steps.append(f"rename to {os.path.basename(target)}")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", spy_fsync)
    monkeypatch.setattr(os, "rename", spy_rename)
    storage.put("segments/a", b"12345")
    assert steps == [
        "segment before fsync",
        "sync 5 bytes",
        "segment after fsync, before rename",
        "rename to a",
        "sync folder",
    ]


def test_new_folders_are_synced_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(storage_disk, "_sync_folder", synced.append)
    Storage(str(tmp_path / "a" / "b")).put("segments/x", b"1")
    assert synced == [str(tmp_path / part) for part in ("", "a", "a/b", "a/b/segments")]


def test_seal_records_and_plans_are_no_segments(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[str] = []
    monkeypatch.setattr(crash_points, "hook", passed.append)
    storage.put("segments/a.seal", b"1")
    storage.put("plans/a", b"1")
    assert passed == []


@pytest.mark.parametrize("failing", ["fsync", "rename"])
def test_a_failed_write_leaves_nothing(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    storage.put("segments/first", b"1")
    monkeypatch.setattr(os, failing, _raises(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(JournalStorageError, match="write 'segments/a'.*No space left.*Free some space"):
        storage.put("segments/a", b"12345")
    assert os.listdir(tmp_path / "journal" / "segments") == ["first"]


def _raises(error: BaseException) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


def _fails_times(times: int, real: Callable[..., None], error: OSError) -> tuple[Callable[..., None], list[int]]:
    calls: list[int] = []

    def sometimes(*arguments: object) -> None:
        calls.append(len(calls))
        if len(calls) <= times:
            raise error
        real(*arguments)

    return sometimes, calls


def test_a_storage_that_recovers_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage(str(tmp_path), retry_for=30)
    rename, calls = _fails_times(3, os.rename, OSError(errno.EIO, "Input/output error"))
    monkeypatch.setattr(os, "rename", rename)
    storage.put("a", b"1")
    assert storage.list("") == {"a": 1}
    assert len(calls) == 4


def test_pauses_grow_to_two_seconds_and_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, pauses = [0.0], []

    def sleep(seconds: float) -> None:
        pauses.append(round(seconds, 2))
        now[0] += seconds

    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", sleep)
    monkeypatch.setattr(os, "rename", _raises(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(JournalStorageError, match=r"Input/output error.*Tried for 6 s"):
        Storage(str(tmp_path), retry_for=6).put("a", b"1")
    assert pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 0.85]


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_an_unwritable_journal_fails_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    rename, calls = _fails_times(99, os.rename, OSError(code, os.strerror(code)))
    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(JournalStorageError, match="read and write there"):
        Storage(str(tmp_path), retry_for=60).put("a", b"1")
    assert len(calls) == 1


@pytest.mark.parametrize("operation", ["put", "list", "exists", "read", "delete"])
def test_a_journal_below_a_file_fails_at_once(tmp_path: Path, operation: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    storage = Storage(str(tmp_path / "file" / "journal"), retry_for=60)
    arguments = ("a", b"1") if operation == "put" else ("a",)
    with pytest.raises(JournalStorageError, match="Set 'journal' to a folder"):
        getattr(storage, operation)(*arguments)


def test_storage_travels_between_processes(storage: Storage) -> None:
    storage.put("a", b"1")
    copy = pickle.loads(pickle.dumps(storage))
    assert copy.read("a").to_pybytes() == b"1"
    assert repr(copy) == repr(storage)


def test_constructor_does_no_io(tmp_path: Path) -> None:
    Storage(str(tmp_path / "journal"))
    assert list(tmp_path.iterdir()) == []


_PUT_TWICE = """
import sys
from spark_jms_connector.storage import Storage
for name in ("a", "b"):
    Storage(sys.argv[1]).put("segments/" + name, b"12345")
"""


@pytest.mark.parametrize("point", ["segment before fsync", "segment after fsync, before rename"])
def test_a_kill_leaves_whole_files_only(tmp_path: Path, point: str) -> None:
    environment = {**os.environ, crash_points.VARIABLE: f"{point}#2"}
    ended = subprocess.run([sys.executable, "-c", _PUT_TWICE, str(tmp_path)], env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert Storage(str(tmp_path)).list("segments") == {"a": 5}
