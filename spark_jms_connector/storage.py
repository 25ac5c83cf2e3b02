"""Files of the journal on disks and object stores: the only module that knows the one from the other."""

from __future__ import annotations

import errno
import logging
import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, TypeVar

import pyarrow as pa
from pyarrow import fs

from spark_jms_connector.errors import JournalStorageError
from spark_jms_connector.storage_disk import TEMPORARY, Disk, sweep
from spark_jms_connector.storage_location import HDFS, Location, locate

Part: TypeAlias = "bytes | pa.Buffer"
T = TypeVar("T")

_NONE: Mapping[str, str] = MappingProxyType({})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_ONE_REQUEST = 4 * 2**20
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
_WRONG_PLACE = (errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)
_DENIED_WORDS = ("ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "PERMISSION_DENIED", "Forbidden")
_NO_BUCKET_WORDS = ("NO_SUCH_BUCKET", "ContainerNotFound", "Bucket not found")

log = logging.getLogger(__name__)


class _Backend(Protocol):
    def put(self, path: str, parts: Sequence[pa.Buffer]) -> None: ...
    def read(self, path: str) -> pa.Buffer: ...
    def list(self, folder: str) -> dict[str, int]: ...
    def delete(self, path: str) -> None: ...
    def exists(self, path: str) -> bool: ...


class Storage:
    """A folder, local or remote, whose files appear whole and are durable once written."""

    def __init__(self, uri: str, options: Mapping[str, str] = _NONE, retry_for: float = 0.0) -> None:
        self._given = (uri, dict(options), retry_for)
        self._location = locate(uri, options)
        self._retry_for = retry_for

    def __reduce__(self) -> tuple[Any, ...]:
        return Storage, self._given

    def __repr__(self) -> str:
        return f"Storage({self._location.shown!r})"

    def put(self, path: str, data: Part | Sequence[Part]) -> None:
        """Write a file: durable when this returns, and under its name whole or (where the storage can) not at all."""
        parts = [data] if isinstance(data, (bytes, pa.Buffer)) else data
        buffers = [part if isinstance(part, pa.Buffer) else pa.py_buffer(part) for part in parts]
        self._retried("write", path, lambda: self._backend.put(path, buffers))

    def read(self, path: str) -> pa.Buffer:
        """The whole file, without a copy where the storage is local; FileNotFoundError if there is none."""
        return self._retried("read", path, lambda: self._backend.read(path), final=FileNotFoundError)

    def list(self, folder: str) -> dict[str, int]:
        """Name and size of the files directly in a folder; nothing if there is no such folder."""
        return self._retried("list", folder, lambda: self._backend.list(folder))

    def delete(self, path: str) -> None:
        """Remove a file, if it is there."""
        self._retried("delete", path, lambda: self._backend.delete(path))

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        return self._retried("look for", path, lambda: self._backend.exists(path))

    def sweep(self, folder: str) -> None:
        """Remove what killed writers left unfinished; a living one that loses its file so starts it again."""
        if self._location.local:
            place = os.path.join(self._location.folder, folder)
            self._retried("sweep", folder, lambda: sweep(place))

    @cached_property
    def _backend(self) -> _Backend:
        return Disk(self._location.folder) if self._location.local else _Remote(self._location)

    def _retried(self, verb: str, path: str, action: Callable[[], T], final: type[OSError] | tuple[()] = ()) -> T:
        until, pause = time.monotonic() + self._retry_for, _FIRST_PAUSE
        while True:
            try:
                return action()
            except final:
                raise
            except OSError as error:
                left = until - time.monotonic()
                if _hopeless(error) or left <= 0:
                    raise self._failed(verb, path, error) from None
                if pause == _FIRST_PAUSE:
                    log.warning("%s Trying again for up to %g s.", self._cause(verb, path, error), self._retry_for)
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _cause(self, verb: str, path: str, error: OSError) -> str:
        place = f"'{path}' in the journal {self._location.shown}"
        return f"Could not {verb} {place}: {self._location.scrub(str(error))}."

    def _failed(self, verb: str, path: str, error: OSError) -> JournalStorageError:
        return JournalStorageError(f"{self._cause(verb, path, error)} {_advice(error, self._retry_for)}")


def _denied(error: OSError) -> bool:
    return error.errno in _DENIED or any(word in str(error) for word in _DENIED_WORDS)


def _hopeless(error: OSError) -> bool:
    return _denied(error) or error.errno in _WRONG_PLACE or "Unable to load lib" in str(error)


def _advice(error: OSError, tried_for: float) -> str:
    if _denied(error):
        return (
            "Allow the users that run the driver and the executors to read and write there, or choose another journal."
        )
    if error.errno in _WRONG_PLACE:
        return "Set 'journal' to a folder that exists or can be created."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"Tried for {tried_for:g} s. Free some space there and start the query again."
    return f"Tried for {tried_for:g} s. Check that the storage is there and answers, then start the query again."


class _Remote:
    """A folder of an object store or of HDFS, through pyarrow.fs."""

    def __init__(self, location: Location) -> None:
        self._location = location

    @cached_property
    def _fs(self) -> fs.FileSystem:
        return self._location.connect()

    def _at(self, path: str) -> str:
        return f"{self._location.folder}/{path}"

    def put(self, path: str, parts: Sequence[pa.Buffer]) -> None:
        try:
            self._write(path, parts)
        except OSError as error:
            if not isinstance(error, FileNotFoundError) and not any(word in str(error) for word in _NO_BUCKET_WORDS):
                raise
            self._need_bucket(create=True)
            self._write(path, parts)

    def _write(self, path: str, parts: Sequence[pa.Buffer]) -> None:
        # Closing completes an upload whatever went wrong before, so what fits into one request is written in one go.
        if sum(part.size for part in parts) <= _ONE_REQUEST:
            parts = [pa.py_buffer(b"".join(parts))]
        folder, _, name = self._at(path).rpartition("/")
        target = f"{folder}/{TEMPORARY}{uuid.uuid4().hex}-{name}" if self._location.kind == HDFS else self._at(path)
        with self._fs.open_output_stream(target) as stream:
            for part in parts:
                stream.write(part)
        if target != self._at(path):
            self._fs.move(target, self._at(path))

    def read(self, path: str) -> pa.Buffer:
        try:
            with self._fs.open_input_file(self._at(path)) as file:
                return file.read_buffer()
        except FileNotFoundError:
            self._need_bucket()
            raise

    def list(self, folder: str) -> dict[str, int]:
        selector = fs.FileSelector(self._at(folder).rstrip("/"), allow_not_found=True)
        found = [entry for entry in self._fs.get_file_info(selector) if entry.type == fs.FileType.File]
        if not found:
            self._need_bucket()
        return {entry.base_name: entry.size for entry in found if not entry.base_name.startswith(TEMPORARY)}

    def delete(self, path: str) -> None:
        try:
            self._fs.delete_file(self._at(path))
        except OSError:  # HDFS does not say that it was simply not there
            if self._fs.get_file_info(self._at(path)).type != fs.FileType.NotFound:
                raise

    def exists(self, path: str) -> bool:
        there = self._fs.get_file_info(self._at(path)).type == fs.FileType.File
        if not there:
            self._need_bucket()
        return bool(there)

    def _need_bucket(self, create: bool = False) -> None:
        """Tell an absent file from an absent bucket, which is a mistake and must not look like an empty journal."""
        bucket = self._location.bucket
        if bucket is None or self._fs.get_file_info(bucket).type != fs.FileType.NotFound:
            return
        if self._location.keywords.get("allow_bucket_creation"):
            if create:
                self._fs.create_dir(bucket)
            return
        raise JournalStorageError(
            f"The bucket or container '{bucket}' of the journal {self._location.shown} does not exist."
            " Create it, or correct 'journal'; S3 only: journal.allow_bucket_creation=true creates it."
        )
