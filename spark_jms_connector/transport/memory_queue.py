"""The queues of the memory broker: what waits, in which order, whose turn it is, and what comes back."""

from __future__ import annotations

import heapq
import itertools
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from spark_jms_connector.errors import DestinationError
from spark_jms_connector.message import Message
from spark_jms_connector.transport.base import Destination


@dataclass(frozen=True)
class Entry:
    """A message on its way through a queue: its place, and how many deliveries ended without a commit."""

    message: Message
    order: int
    failures: int = 0

    @property
    def delivered(self) -> Message:
        """The message as a consumer sees it."""
        return replace(self.message, delivery_count=self.failures + 1, redelivered=self.failures > 0)

    def failed(self) -> Entry:
        return replace(self, failures=self.failures + 1)

    def expired(self, now: int) -> bool:
        return self.message.expiration is not None and self.message.expiration <= now


class Taker(Protocol):
    """A consumer as its queue sees it: a buffer that messages are dispatched into while there is room."""

    buffer: deque[Entry]
    prefetch: int
    accepts: Callable[[Message], bool]


class Target(Protocol):
    """What a message is sent to: a queue, or a topic with any number of subscriptions."""

    def recipients(self, sender: str | None) -> Sequence[Queue]:
        """The queues that get it when it is sent under a client id."""
        ...


@dataclass(eq=False)
class Queue:
    """Messages by priority and order of arrival, and the consumers that take turns."""

    name: str
    takers: deque[Taker] = field(default_factory=deque)
    _waiting: list[tuple[int, int, Entry]] = field(default_factory=list)
    _delayed: list[tuple[int, int, Entry]] = field(default_factory=list)
    _unwanted: list[tuple[int, int, Entry]] = field(default_factory=list)

    def join(self, taker: Taker) -> None:
        """A consumer more: what no selector has taken so far may be for this one."""
        self.takers.append(taker)
        for place in self._unwanted:
            heapq.heappush(self._waiting, place)
        self._unwanted = []

    def put(self, entry: Entry, now: int) -> None:
        """Take a message in, at the place its priority and order give it."""
        due = entry.message.delivery_time or 0
        if due > now:
            heapq.heappush(self._delayed, (due, entry.order, entry))
        else:
            heapq.heappush(self._waiting, (-entry.message.priority, entry.order, entry))

    def recipients(self, sender: str | None) -> Sequence[Queue]:
        return [self]

    def leave(self, taker: Taker) -> None:
        """Dispatch nothing more to a consumer."""
        self.takers.remove(taker)

    def dispatch(self, now: int) -> None:
        """Move messages into consumers' buffers, one each in turn, while there are both messages and room."""
        self._release(now)
        passed: list[tuple[int, int, Entry]] = []
        while self._waiting and any(len(taker.buffer) < taker.prefetch for taker in self.takers):
            place = heapq.heappop(self._waiting)
            if place[2].expired(now):
                continue
            wanting = [taker for taker in self.takers if taker.accepts(place[2].message)]
            if (taker := self._next_taker(wanting)) is not None:
                taker.buffer.append(place[2])
            else:
                (passed if wanting else self._unwanted).append(place)
        for place in passed:
            heapq.heappush(self._waiting, place)

    def browse(self, now: int) -> list[Message]:
        """What waits for a consumer now, in order."""
        self._release(now)
        places = sorted(self._waiting + self._unwanted)
        return [entry.delivered for _, _, entry in places if not entry.expired(now)]

    def next_due(self) -> int | None:
        """When the next delayed message may be delivered."""
        return self._delayed[0][0] if self._delayed else None

    def _release(self, now: int) -> None:
        while self._delayed and self._delayed[0][0] <= now:
            entry = heapq.heappop(self._delayed)[2]
            heapq.heappush(self._waiting, (-entry.message.priority, entry.order, entry))

    def _next_taker(self, wanting: list[Taker]) -> Taker | None:
        for _ in range(len(self.takers)):
            taker = self.takers[0]
            self.takers.rotate(-1)
            if taker in wanting and len(taker.buffer) < taker.prefetch:
                return taker
        return None


class Queues:
    """All queues under one lock; the broker without its sessions.

    ``max_deliveries`` None redelivers for ever; otherwise a message whose last allowed delivery
    failed goes to ``dead_letter_address``, or is dropped without one. ``clock`` gives seconds.
    """

    def __init__(
        self,
        *,
        max_deliveries: int | None = None,
        dead_letter_address: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.max_deliveries = max_deliveries
        self.dead_letter_address = dead_letter_address
        self.dropped: list[Message] = []
        self.changed = threading.Condition(threading.RLock())
        self._clock = clock
        self._name = secrets.token_hex(6)
        self._numbers = itertools.count(1)
        self._queues: dict[str, Queue] = {}

    def now(self) -> int:
        """The broker's time in milliseconds."""
        return int(self._clock() * 1000)

    def number(self) -> int:
        """A number never given before."""
        return next(self._numbers)

    def queue(self, destination: Destination) -> Queue:
        if destination.kind != "queue":
            raise DestinationError(f"'{destination}' cannot be used: the memory transport has queues and topics.")
        return self._queues.setdefault(destination.name, Queue(destination.name))

    def stamp(self, message: Message, destination: Destination, message_ids: bool) -> Message:
        """The message with what JMS has the provider set at send (JMS 2.0, 3.4.11)."""
        now = self.now()
        return replace(
            message,
            message_id=f"ID:memory-{self._name}-{self.number()}" if message_ids else None,
            timestamp=now,
            delivery_time=max(now, message.delivery_time or now),
            destination=str(destination),
            redelivered=False,
            delivery_count=1,
        )

    def publish(self, outgoing: Iterable[tuple[Target, Message]], sender: str | None = None) -> None:
        """Make visible what was sent under a client id."""
        touched: dict[Queue, None] = {}
        for target, message in outgoing:
            for queue in target.recipients(sender):
                queue.put(Entry(message, self.number()), self.now())
                touched[queue] = None
        for queue in touched:
            self.dispatch(queue)

    def give_back(self, queue: Queue, entries: Iterable[Entry]) -> None:
        """Take back what a session did not commit, or put it where the redelivery limit sends it."""
        for entry in entries:
            if self.max_deliveries is None or entry.failures < self.max_deliveries:
                queue.put(entry, self.now())
            elif self.dead_letter_address is None:
                self.dropped.append(entry.message)
            else:
                address = Destination(self.dead_letter_address)
                self.publish([(self.queue(address), replace(entry.message, destination=str(address)))])
        self.dispatch(queue)

    def dispatch(self, queue: Queue) -> None:
        queue.dispatch(self.now())
        self.changed.notify_all()
