"""A broker in memory with the semantics of JMS queues and topics; usable in-process, without sockets or threads.

What goes wrong in real life can be made to happen: see ``cut``, ``lose``, ``fail_next_commit`` and ``repeat``.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from spark_jms_connector.errors import DestinationError, InUseError
from spark_jms_connector.message import Message
from spark_jms_connector.selector.evaluate import matcher
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.memory_queue import Entry, Queue, Queues, Target
from spark_jms_connector.transport.memory_session import ConsumerSession, ProducerSession, Session
from spark_jms_connector.transport.memory_topics import Topics


class MemoryBroker:
    """Queues, topics, and the sessions open on them.

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
        self.queues = Queues(max_deliveries=max_deliveries, dead_letter_address=dead_letter_address, clock=clock)
        self.topics = Topics()
        self._sessions: list[Session] = []

    def transport(self) -> InProcessTransport:
        """The seam, without a socket in between."""
        return InProcessTransport(self)

    @property
    def sessions(self) -> list[Session]:
        """Sessions whose clients have not ended them, oldest first."""
        with self.queues.changed:
            self._sessions = [session for session in self._sessions if session.state in ("open", "cut")]
            return list(self._sessions)

    def session(self, number: int) -> Session:
        """The session with this number."""
        return next(session for session in self.sessions if session.number == number)

    def open_consumer(self, spec: ConsumerSpec) -> ConsumerSession:
        with self.queues.changed:
            matcher(spec.selector)  # a bad one must not make a subscription
            self._reserve(spec.client_id)
            session = ConsumerSession(self.queues, self._queue(spec), spec)
            self._sessions.append(session)
            return session

    def open_producer(
        self, destination: Destination, *, message_ids: bool = True, client_id: str | None = None
    ) -> ProducerSession:
        with self.queues.changed:
            self._reserve(client_id)
            session = ProducerSession(self.queues, self._target(destination), destination, message_ids, client_id)
            self._sessions.append(session)
            return session

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        """Remove a durable subscription and what waits in it."""
        with self.queues.changed:
            self.topics.unsubscribe(destination, subscription, client_id)

    def browse(self, destination: Destination, selector: str | None = None) -> list[Message]:
        """What waits for a consumer, in order (in all subscriptions to a topic); not what is dispatched to one."""
        matches = matcher(selector)
        with self.queues.changed:
            now = self.queues.now()
            queues = self._target(destination).recipients(None)
            return [found for queue in queues for found in queue.browse(now) if matches(found)]

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        """How many messages wait; None for a topic, of which JMS has no browser."""
        return None if destination.kind == "topic" else len(self.browse(destination, selector))

    def _reserve(self, client_id: str | None) -> None:
        """A client id is one connection's at a time, and each session here has a connection of its own."""
        if client_id and any(session.holds(client_id) for session in self.sessions):
            raise InUseError(f"Client id '{client_id}' is in use by another connection: close that first.")

    def _queue(self, spec: ConsumerSpec) -> Queue:
        if spec.destination.kind == "topic":
            return self.topics.subscribe(spec)
        if spec.subscription is not None:
            raise DestinationError(f"'{spec.destination}' has no subscriptions: they are for topics.")
        return self.queues.queue(spec.destination)

    def _target(self, destination: Destination) -> Target:
        return self.topics.topic(destination) if destination.kind == "topic" else self.queues.queue(destination)

    @property
    def dropped(self) -> list[Message]:
        """What the redelivery limit dropped for want of a dead letter address."""
        return list(self.queues.dropped)

    def cut(self, session: Session) -> None:
        """The broker gives a session up and its client does not know: it may go on receiving what it holds."""
        session.cut()

    def lose(self, session: Session) -> None:
        """The connection of a session breaks, and its client is told at the next call."""
        session.lose()

    def fail_next_commit(self, session: Session, *, applied: bool) -> None:
        """The next commit ends in CommitError and a lost connection, having taken effect or not."""
        session.next_commit = "applied" if applied else "refused"

    def repeat(self, message: Message) -> None:
        """Deliver a received message once more, as a copy with the same id, even if it was acknowledged."""
        with self.queues.changed:
            kind, _, name = (message.destination or "").partition(":")
            for queue in self._target(Destination(name, kind)).recipients(None):
                queue.put(Entry(message, self.queues.number(), message.delivery_count), self.queues.now())
                self.queues.dispatch(queue)


class InProcessTransport:
    """The seam over a broker in the same process."""

    def __init__(self, broker: MemoryBroker) -> None:
        self.broker = broker

    def open_consumer(self, spec: ConsumerSpec) -> ConsumerSession:
        return self.broker.open_consumer(spec)

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> ProducerSession:
        return self.broker.open_producer(destination, message_ids=message_ids)

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        return self.broker.depth(destination, selector)

    def close(self) -> None:
        """Sessions share nothing, so nothing is left to close."""

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        self.broker.unsubscribe(destination, subscription, client_id)
