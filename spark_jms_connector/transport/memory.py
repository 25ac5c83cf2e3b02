"""The transport of the memory broker: its client, and the server to start."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from spark_jms_connector import errors
from spark_jms_connector.errors import AccessError, CommitError, ConnectionLostError, OptionError, TransportError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import EMPTY
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Received, Subscription, Window
from spark_jms_connector.transport.credentials import password
from spark_jms_connector.transport.memory_server import MemoryServer, start_memory_broker
from spark_jms_connector.transport.memory_wire import Frame, read_frame, send_at_once, write_frame

__all__ = ["MemoryServer", "MemoryTransport", "start_memory_broker"]

# A receive waits in slices, so that another thread can close the session in between.
SLICE_SECONDS = 0.05


class MemoryTransport:
    """The seam over ``memory://127.0.0.1:PORT``; the token is the password."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._address = _address(options.url or "")

    def open_consumer(self, spec: ConsumerSpec) -> MemoryConsumer:
        return MemoryConsumer(self._connect(), "open_consumer", {"spec": asdict(spec)})

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> MemoryProducer:
        arguments = {"destination": asdict(destination), "message_ids": message_ids}
        return MemoryProducer(self._connect(), "open_producer", arguments)

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        with self._connect() as connection:
            depth, _ = call(connection, "depth", {"destination": asdict(destination), "selector": selector})
        return None if depth is None else int(depth)

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        arguments = {"destination": asdict(destination), "subscription": asdict(subscription), "client_id": client_id}
        with self._connect() as connection:
            call(connection, "unsubscribe", arguments)

    def close(self) -> None:
        """Every session has its own connection, so nothing is left to close."""

    def _connect(self) -> Connection:
        host, port = self._address
        try:
            connection = Client(self._address, authkey=(password(self._options) or "").encode())
            send_at_once(connection)
            return connection
        except AuthenticationError:
            raise AccessError(
                f"The memory broker at {host}:{port} refuses the token: set 'password' to the one it was started with."
            ) from None
        except (OSError, EOFError) as error:
            raise ConnectionLostError(f"No memory broker answers at {host}:{port}: is it still running?") from error


class MemorySession:
    """One session: a connection that carries one call at a time."""

    def __init__(self, connection: Connection, opening: str, arguments: Mapping[str, Any]) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._closed = threading.Event()
        try:
            self.number, _ = call(connection, opening, arguments)
        except TransportError:
            connection.close()
            raise

    def commit(self) -> None:
        try:
            self._call("commit")
        except ConnectionLostError as error:
            raise CommitError(f"Whether the commit took effect is unknown: {error}") from error

    def rollback(self) -> None:
        self._call("rollback")

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        with self._lock:
            try:
                call(self._connection, "close")
            except TransportError:
                pass
            finally:
                self._connection.close()

    def _call(self, name: str, arguments: Mapping[str, Any] | None = None, batch: pa.RecordBatch = None) -> Frame:
        with self._lock:
            if self._closed.is_set():
                raise ConnectionLostError("The session is closed: open a new one.")
            return call(self._connection, name, arguments, batch)


class MemoryConsumer(MemorySession):
    """A transacted session with one consumer."""

    window = Window()

    def receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        deadline = time.monotonic() + timeout
        while True:
            left = max(0.0, deadline - time.monotonic())
            received = self._receive(max_messages, max_bytes, min(left, SLICE_SECONDS))
            if not received.empty or left <= SLICE_SECONDS:
                return received

    def _receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        arguments = {"max_messages": max_messages, "max_bytes": max_bytes, "timeout": timeout}
        dead_lettered, batch = self._call("receive", arguments)
        return Received(EMPTY if batch is None else batch, dead_lettered)


class MemoryProducer(MemorySession):
    """A transacted session that sends."""

    def send(self, batch: pa.RecordBatch) -> None:
        self._call("send", batch=batch)


def call(
    connection: Connection, name: str, arguments: Mapping[str, Any] | None = None, batch: pa.RecordBatch = None
) -> Frame:
    """Ask the broker for one thing and return its answer, or raise what it raised."""
    try:
        write_frame(connection, {"call": name, "arguments": dict(arguments or {})}, batch)
        answer, rows = read_frame(connection)
    except (OSError, EOFError) as error:
        raise ConnectionLostError(f"The memory broker closed the connection during '{name}'.") from error
    if "error" in answer:
        raise getattr(errors, answer["error"])(*answer["arguments"])
    return answer["result"], rows


def _address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host is None or port is None:
        raise OptionError(f"Option 'url' is '{url}': a memory broker's looks like memory://127.0.0.1:PORT.")
    return host, port
