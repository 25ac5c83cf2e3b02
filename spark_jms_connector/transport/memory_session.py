"""Transacted sessions of the memory broker; each is the seam's consumer or producer at once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from spark_jms_connector.errors import CommitError, ConnectionLostError, UnreadableMessageError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import batch_to_messages, messages_to_batch
from spark_jms_connector.selector.evaluate import matcher
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Received, Window
from spark_jms_connector.transport.memory_queue import Entry, Queue, Queues, Target

REASON = "SparkJmsReason"
DEFAULT_PREFETCH = 1000


class Session:
    """One transacted session. Its state is open, cut, lost or closed."""

    def __init__(self, queues: Queues, client_id: str | None = None) -> None:
        self.queues = queues
        self.number = queues.number()
        self.client_id = client_id
        self.state = "open"
        self.next_commit: str | None = None
        self.outgoing: list[tuple[Target, Message]] = []

    def holds(self, client_id: str) -> bool:
        """Whether the broker still reserves a client id for this session."""
        return self.state == "open" and self.client_id == client_id

    def commit(self) -> None:
        """Acknowledge what was received, make visible what was sent."""
        with self.queues.changed:
            plan, self.next_commit = self.next_commit, None
            if self.state != "open" or plan == "refused":
                self.lose()
                raise CommitError("The commit failed and had no effect: the connection was lost before it.")
            self.acknowledge()
            outgoing, self.outgoing = self.outgoing, []
            self.queues.publish(outgoing, self.client_id)
            if plan == "applied":
                self.lose()
                raise CommitError("The connection was lost during the commit: whether it took effect is unknown.")

    def rollback(self) -> None:
        """Forget what was sent, give back what was received."""
        with self.queues.changed:
            self.require_open()
            self.outgoing = []
            self.release(buffer_failed=False)

    def close(self) -> None:
        """End the session; what was merely dispatched keeps its delivery count."""
        self._end("closed", buffer_failed=False)

    def lose(self) -> None:
        """End the session as a broken connection does: brokers then count all that was dispatched as delivered."""
        self._end("lost", buffer_failed=True)

    def cut(self) -> None:
        """As ``lose``, but the client keeps what it holds and learns nothing."""
        with self.queues.changed:
            if self.state == "open":
                self.state = "cut"
                self.release(buffer_failed=True)

    def _end(self, state: str, *, buffer_failed: bool) -> None:
        with self.queues.changed:
            before, self.state = self.state, "closed" if self.state == "closed" else state
            self.outgoing = []
            if before == "open":
                self.release(buffer_failed=buffer_failed)
            self.queues.changed.notify_all()

    def require_open(self) -> None:
        if self.state != "open":
            self.lose()
            raise ConnectionLostError(f"The session is {self.state}: open a new one.")

    def acknowledge(self) -> None:
        """Forget what was received, for good."""

    def release(self, *, buffer_failed: bool) -> None:
        """Give everything dispatched back to the queue; what was received counts as delivered."""


class ProducerSession(Session):
    """A transacted session that sends."""

    def __init__(
        self, queues: Queues, target: Target, destination: Destination, message_ids: bool, client_id: str | None
    ) -> None:
        super().__init__(queues, client_id)
        self.target = target
        self.destination = destination
        self.message_ids = message_ids

    def send(self, batch: pa.RecordBatch) -> None:
        with self.queues.changed:
            self.require_open()
            for message in batch_to_messages(batch):
                self.outgoing.append((self.target, self.queues.stamp(message, self.destination, self.message_ids)))


class ConsumerSession(Session):
    """A transacted session with one consumer."""

    window = Window()

    def __init__(self, queues: Queues, queue: Queue, spec: ConsumerSpec) -> None:
        self.accepts = matcher(spec.selector)
        super().__init__(queues, spec.client_id)
        self.queue = queue
        self.spec = spec
        self.prefetch = DEFAULT_PREFETCH if spec.prefetch is None else max(1, spec.prefetch)
        self.buffer: deque[Entry] = deque()
        self.received: list[Entry] = []
        self.queue.join(self)
        queues.dispatch(self.queue)

    def receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        with self.queues.changed:
            if self.state != "cut":
                self.require_open()
            self._wait(timeout)
            taken = [entry.delivered for entry in self._take(max_messages, max_bytes)]
            identities = [identity_of(message, self.spec.dedup_key) for message in taken]
            for index, message in enumerate(taken):
                if identities[index] is None:
                    self._dead_letter(message, index)
        readable = [(m, identity) for m, identity in zip(taken, identities, strict=True) if identity is not None]
        batch = messages_to_batch([m for m, _ in readable], [identity for _, identity in readable])
        return Received(batch, len(taken) - len(readable))

    def acknowledge(self) -> None:
        self.received = []

    def release(self, *, buffer_failed: bool) -> None:
        back = [entry.failed() for entry in self.received]
        back += [entry.failed() if buffer_failed else entry for entry in self.buffer]
        if self.state != "cut":
            self.received, self.buffer = [], deque()
        if self.state != "open":
            self.queue.leave(self)
        self.queues.give_back(self.queue, back)

    def _wait(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not self._ready():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            due = self.queue.next_due()
            self.queues.changed.wait(left if due is None else min(left, max(0.001, (due - self.queues.now()) / 1000)))
        if self.state == "lost":
            self.require_open()

    def _ready(self) -> bool:
        if self.state == "open":
            self.queue.dispatch(self.queues.now())
        self._drop_expired()
        return bool(self.buffer) or self.state in ("closed", "lost")

    def _drop_expired(self) -> None:
        while self.buffer and self.buffer[0].expired(self.queues.now()):
            self.buffer.popleft()

    def _take(self, max_messages: int, max_bytes: int) -> list[Entry]:
        taken: list[Entry] = []
        size = 0
        while self._ready() and self.buffer and len(taken) < max_messages:
            size += size_of(self.buffer[0].message)
            if taken and size > max_bytes:
                break
            taken.append(self.buffer.popleft())
            self.received.append(taken[-1])
            if self.spec.dead_letter_queue is None and identity_of(taken[-1].message, self.spec.dedup_key) is None:
                break
        return taken

    def _dead_letter(self, message: Message, preceding: int) -> None:
        reason = self._reason()
        if self.spec.dead_letter_queue is None:
            raise UnreadableMessageError(
                f"{reason} Set 'dedupKey' to a property that every message has, or 'deadLetterQueue' to put such"
                " messages aside.",
                preceding,
            )
        target = Destination(self.spec.dead_letter_queue)
        marked = replace(message, properties={**message.properties, REASON: Value.of(reason)}, delivery_time=None)
        self.outgoing.append((self.queues.queue(target), self.queues.stamp(marked, target, True)))

    def _reason(self) -> str:
        key = self.spec.dedup_key
        lacks = "JMSMessageID and 'dedupKey' is not set" if key is None else f"'{key}', its 'dedupKey'"
        return f"A message on {self.spec.destination} has no identity: it lacks {lacks}."


def identity_of(message: Message, dedup_key: str | None) -> str | None:
    """What names a message and its copies: its id, or what ``dedupKey`` points at."""
    if dedup_key is None or dedup_key == "JMSMessageID":
        return message.message_id
    if dedup_key == "JMSCorrelationID":
        return message.correlation_id
    value = message.properties.get(dedup_key)
    return value.text if value is not None else None


def size_of(message: Message) -> int:
    """About how many bytes a message takes: body and properties."""
    return _body_size(message) + sum(len(name) + _value_size(value) for name, value in message.properties.items())


def _body_size(message: Message) -> int:
    body = message.body
    if body is None:
        return 0
    if isinstance(body, str | bytes):
        return len(body)
    if isinstance(body, Mapping):
        return sum(len(name) + _value_size(value) for name, value in body.items())
    return sum(_value_size(value) for value in body)


def _value_size(value: Value) -> int:
    return len(value.text or "")
