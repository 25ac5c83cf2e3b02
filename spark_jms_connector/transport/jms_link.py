"""One session inside the Java helper: calls by py4j, rows over a socket of its own."""

from __future__ import annotations

import contextlib
import socket
import uuid
from typing import NoReturn, Protocol

import pyarrow as pa

from spark_jms_connector.errors import CommitError, ConnectionLostError, JmsConnectorError
from spark_jms_connector.transport.jms_settings import Settings
from spark_jms_connector.transport.jvm import HelperGoneError, HelperJvm, read_exactly


class Owner(Protocol):
    """What a link needs of the transport that it belongs to."""

    def connection_settings(self, prefetch: int | None) -> Settings: ...

    def failure(self, kind: str, detail: str, settings: Settings) -> JmsConnectorError: ...

    def scrub(self, text: str) -> str: ...

    def discard(self, jvm: HelperJvm) -> None: ...


class Link:
    """One session inside the helper: calls by py4j, rows over a socket of its own."""

    def __init__(self, owner: Owner, jvm: HelperJvm, settings: Settings, prefetch: int | None = None) -> None:
        self._transport = owner
        self._jvm = jvm
        self._settings = settings
        self._id = uuid.uuid4().hex
        self._closed = False
        self._data = self._connect(settings | owner.connection_settings(prefetch) | {"id": self._id})

    def _connect(self, settings: Settings) -> socket.socket:
        try:
            return self._jvm.connect({name: text for name, text in settings.items() if text is not None})
        except HelperGoneError as error:
            self._gone(error)

    def call(self, method: str, *arguments: int) -> str:
        """Call a method of the helper for this session and return its answer, or raise what it reports."""
        if self._closed:
            raise self._transport.failure("commit" if method == "commit" else "lost", "it was closed", self._settings)
        try:
            kind, _, detail = self._jvm.call(method, self._id, *arguments).partition(" ")
        except HelperGoneError as error:
            self._gone(error, CommitError if method == "commit" else ConnectionLostError)
        if kind != "ok":
            raise self._transport.failure(kind, detail, self._settings)
        return detail

    def read(self, size: int) -> bytearray:
        try:
            return read_exactly(self._data, size)
        except OSError as error:
            self._broken(error)

    def write(self, data: pa.Buffer) -> None:
        try:
            self._data.sendall(len(data).to_bytes(4, "big"))
            self._data.sendall(memoryview(data))
        except OSError as error:
            self._broken(error)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(HelperGoneError):
            self._jvm.call("close", self._id)
        with contextlib.suppress(OSError):
            self._data.shutdown(socket.SHUT_RDWR)
        self._data.close()

    def _broken(self, error: OSError) -> NoReturn:
        detail = f"the Java helper closed its data socket ({error})"
        raise self._transport.failure("lost", detail, self._settings) from error

    def _gone(self, error: HelperGoneError, kind: type[JmsConnectorError] = ConnectionLostError) -> NoReturn:
        self._transport.discard(self._jvm)
        text = self._transport.scrub(f"Lost the broker: {error}")
        raise (CommitError(text) if kind is CommitError else ConnectionLostError(text, helper_died=True)) from error
