"""The seam between the connector and any broker: few methods, one contract suite for all who keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa


@dataclass(frozen=True)
class Destination:
    """A queue or a topic by name; ``str()`` is how columns show it: ``queue:orders``."""

    name: str
    kind: str = "queue"

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True)
class Subscription:
    """How a topic is read: ``nonDurable``, ``durable``, ``shared`` or ``sharedDurable`` (JMS 2.0, 6.11)."""

    kind: str
    name: str | None = None
    no_local: bool = False

    @property
    def durable(self) -> bool:
        return self.kind in ("durable", "sharedDurable")

    @property
    def shared(self) -> bool:
        return self.kind in ("shared", "sharedDurable")


@dataclass(frozen=True)
class Window:
    """How much a broker lets one session hold unacknowledged, as far as is known; ``limit`` names it and its remedy."""

    messages: int | None = None
    bytes: int | None = None
    limit: str = ""


@dataclass(frozen=True)
class ConsumerSpec:
    """What a consumer reads and how; ``prefetch`` None leaves the client's own default, 0 is one at a time."""

    destination: Destination
    selector: str | None = None
    prefetch: int | None = None
    dedup_key: str | None = None
    dead_letter_queue: str | None = None
    client_id: str | None = None
    subscription: Subscription | None = None


@dataclass(frozen=True)
class Received:
    """What one ``receive`` brought: rows in the journal's schema, and how many went to the dead-letter queue."""

    batch: pa.RecordBatch
    dead_lettered: int = 0

    @property
    def empty(self) -> bool:
        return self.batch.num_rows == 0 and self.dead_lettered == 0


class Consumer(Protocol):
    """One transacted session with one consumer. Used by one thread, but for ``close``."""

    @property
    def window(self) -> Window: ...

    def receive(self, max_messages: int, max_bytes: int, timeout: float) -> Received:
        """Wait up to ``timeout`` seconds for a first message, then take what is there, within the limits.

        At least one message is taken however large. Raises UnreadableMessageError at a message
        that cannot be written down when no dead-letter queue was given: it is then part of the
        open transaction, which must be rolled back, as are the messages the call had taken before it.
        """
        ...

    def commit(self) -> None:
        """Acknowledge everything received since the last commit. CommitError when that is not certain."""
        ...

    def rollback(self) -> None:
        """Give everything received since the last commit back to the broker."""
        ...

    def close(self) -> None:
        """End the session; what was not committed goes back. Any thread, any number of times; never raises."""
        ...


class Producer(Protocol):
    """One transacted session that sends."""

    def send(self, batch: pa.RecordBatch) -> None:
        """Send the rows of a batch in the journal's schema, in order."""
        ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...


class Transport(Protocol):
    """A way to a broker. Opening consumers and producers connects; nothing else does."""

    def open_consumer(self, spec: ConsumerSpec) -> Consumer: ...

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> Producer: ...

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        """How many messages a browser sees now; None where browsing cannot tell, as for every topic."""
        ...

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        """Remove a durable subscription and what waits in it; DestinationError where there is none, or it is in use."""
        ...

    def close(self) -> None: ...
