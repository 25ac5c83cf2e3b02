"""A session that receives over STOMP: acknowledged as a whole, or given back by ending the connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from spark_jms_connector.errors import CommitError, ConnectionLostError, TransportError, UnreadableMessageError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import batch_to_messages
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Received, Window
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import Frame
from spark_jms_connector.transport.stomp.link import Link
from spark_jms_connector.transport.stomp.outgoing import frame_of
from spark_jms_connector.transport.stomp.rows import IDENTITY, Row, RowReader, to_batch

_REASON = "SparkJmsReason"

Connect = Callable[[str | None], tuple[Link, Dialect]]


class StompConsumer:
    """One connection with one subscription, ``ack:client``: acknowledging a message acknowledges all before it.

    NACK deletes or dead-letters on these brokers, so ``rollback`` ends the connection and subscribes anew. That would
    be the end of a non-durable subscription: what it received is kept here until it is committed, to be given again.
    """

    def __init__(self, connect: Connect, spec: ConsumerSpec) -> None:
        self._connect = connect
        self._spec = spec
        self._changing = threading.Lock()
        self._closed = False
        self._keeps = spec.destination.kind == "topic" and (spec.subscription is None or not spec.subscription.durable)
        self._link, self._dialect = self._subscribed()
        self._reader = RowReader(self._dialect, spec)

    @property
    def window(self) -> Window:
        return self._dialect.window(self._spec)

    def _subscribed(self) -> tuple[Link, Dialect]:
        link, dialect = self._connect(self._spec.client_id)
        try:
            dialect.check(self._spec)
            link.call("SUBSCRIBE", {**dialect.subscribe_headers(self._spec), "ack": "client"})
        except BaseException:
            link.close()
            raise
        self._last: Frame | None = None
        self._letters: list[Message] = []
        self._kept: list[Frame] = []
        self._returned = 0  # how many of the messages to take next were taken before
        return link, dialect

    def receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        frames = self._link.take(max_messages, max_bytes, timeout)
        again, self._returned = self._returned, max(0, self._returned - len(frames))
        if self._keeps:
            self._kept += frames
        rows = [self._reader.read(frame, number < again) for number, frame in enumerate(frames)]
        if frames:
            self._last = frames[-1]
        good = [row for row in rows if row[IDENTITY] is not None]
        if len(good) < len(rows):
            self._put_aside(rows)
        return Received(to_batch(good), len(rows) - len(good))

    def _put_aside(self, rows: list[Row]) -> None:
        reason = self._reason()
        if self._spec.dead_letter_queue is None:
            preceding = next(index for index, row in enumerate(rows) if row[IDENTITY] is None)
            raise UnreadableMessageError(
                f"{reason} Set 'dedupKey' to a property that every message has, or 'deadLetterQueue' to put such"
                " messages aside.",
                preceding,
            )
        for message in batch_to_messages(to_batch([row for row in rows if row[IDENTITY] is None])):
            properties = {**message.properties, _REASON: Value.of(reason)}
            self._letters.append(replace(message, properties=properties))

    def _reason(self) -> str:
        key = self._spec.dedup_key
        lacks = "JMSMessageID and 'dedupKey' is not set" if key is None else f"'{key}', its 'dedupKey'"
        return f"A message on {self._spec.destination} has no identity: it lacks {lacks}."

    def commit(self) -> None:
        try:
            self._link.check()
            if self._last is not None:
                self._acknowledge(self._last.headers().get("ack"))
        except TransportError as error:
            self._link.close()
            raise CommitError(
                f"A commit on {self._spec.destination} failed, and may or may not have taken effect: {error}"
            ) from error
        self._last, self._letters, self._kept = None, [], []

    def _acknowledge(self, ack: str | None) -> None:
        if not self._letters:
            self._link.call("ACK", {"id": ack})
            return
        transaction = {"transaction": "dead-letters"}
        target = Destination(str(self._spec.dead_letter_queue))
        self._link.send("BEGIN", transaction)
        for letter in self._letters:
            headers, body = frame_of(letter, target, self._dialect)
            self._link.send("SEND", {**headers, **transaction}, body)
        self._link.send("ACK", {"id": ack, **transaction})
        self._link.call("COMMIT", transaction)

    def rollback(self) -> None:
        self._require_open()
        if self._keeps and self._link.put_back(self._kept):
            self._returned += len(self._kept)
            self._last, self._letters, self._kept = None, [], []
            return
        self._link.close()
        link, dialect = self._subscribed()
        with self._changing:
            self._link, self._dialect = link, dialect
            closed = self._closed
        if closed:
            link.close()
            self._require_open()

    def _require_open(self) -> None:
        if self._closed:
            raise ConnectionLostError("The session was closed: open a new one.")

    def close(self) -> None:
        with self._changing:
            self._closed = True
            link = self._link
        link.close()
