"""Consumers and producers over a link to the Java helper."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa

from spark_jms_connector.schema import EMPTY
from spark_jms_connector.transport.base import Received, Window
from spark_jms_connector.transport.jms_link import Link

_LONGEST_RECEIVE = 30.0
_SEND_BYTES = 16 * 2**20
_LARGEST_INT = 2**31 - 1


class JmsSession:
    """One transacted JMS session."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def commit(self) -> None:
        self._link.call("commit")

    def rollback(self) -> None:
        self._link.call("rollback")

    def close(self) -> None:
        self._link.close()


class JmsConsumer(JmsSession):
    """A session with one consumer."""

    def __init__(self, link: Link, window: Window) -> None:
        super().__init__(link)
        self.window = window
        self._calls = 0

    def receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        end = time.monotonic() + timeout
        while True:
            wait = min(max(0.0, end - time.monotonic()), _LONGEST_RECEIVE)
            received = self._receive(max_messages, max_bytes, wait)
            if not received.empty or time.monotonic() >= end:
                return received

    def _receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        self._calls += 1
        limits = (min(max_messages, _LARGEST_INT), max_bytes, int(timeout * 1000))
        answer = self._link.call("receive", self._calls, *limits)
        rows, size, dead_lettered = map(int, answer.split())
        if rows == 0:
            return Received(EMPTY, dead_lettered)
        with pa.ipc.open_stream(pa.py_buffer(self._link.read(size))) as stream:
            return Received(stream.read_next_batch(), dead_lettered)


class JmsProducer(JmsSession):
    """A session that sends."""

    def send(self, batch: pa.RecordBatch) -> None:
        for part in _parts(batch):
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, part.schema) as stream:
                stream.write_batch(part)
            self._link.write(sink.getvalue())
            self._link.call("send")


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Slices that do not strain the helper's memory."""
    rows = max(1, batch.num_rows * _SEND_BYTES // max(1, batch.nbytes))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
