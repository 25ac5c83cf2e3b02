"""How calls to a served memory broker travel: a line of JSON, then the rows as Arrow; no code ever does."""

from __future__ import annotations

import json
import socket
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

import pyarrow as pa

Frame: TypeAlias = tuple[Any, pa.RecordBatch | None]


def send_at_once(connection: Connection) -> None:
    """Calls are small and answered one by one: waiting to fill a packet costs 40 ms each."""
    with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def hang_up(connection: Connection) -> None:
    """End a connection another thread may be reading from: only a shutdown wakes that thread."""
    with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.shutdown(socket.SHUT_RDWR)


def write_frame(connection: Connection, content: Any, batch: pa.RecordBatch | None) -> None:
    """Send what is to be said and, if any, the rows that go with it."""
    rows = b"" if batch is None or batch.num_rows == 0 else _to_bytes(batch)
    connection.send_bytes(b"\n".join((json.dumps(content).encode(), rows)))


def read_frame(connection: Connection) -> Frame:
    """Wait for what the other side says."""
    data = connection.recv_bytes()
    end = data.index(b"\n")
    rows = pa.py_buffer(data).slice(end + 1)
    return json.loads(data[:end]), _from_bytes(rows) if rows.size else None


def _to_bytes(batch: pa.RecordBatch) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _from_bytes(data: pa.Buffer) -> pa.RecordBatch:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()
