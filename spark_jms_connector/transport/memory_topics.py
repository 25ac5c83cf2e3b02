"""The topics of the memory broker: who is subscribed to what, for how long, and who gets a copy.

A subscription is a queue of its own (JMS 2.0, 6.11), so everything that holds for queues holds for it. ``noLocal``
leaves out what is published under the subscription's own client id. A producer opened over the seam has none and
a connection of its own, so to it nothing is local.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from spark_jms_connector.errors import DestinationError
from spark_jms_connector.message import Message
from spark_jms_connector.selector.evaluate import matcher
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.memory_queue import Entry, Queue, Taker

ONE_WORD = "*"
ANY_WORDS = (">", "#")

Key: TypeAlias = tuple[str, str | None, str | None]


@dataclass(frozen=True)
class Terms:
    """What a subscription reads: a change of it makes it another one, whose messages start anew."""

    topic: str
    selector: str | None
    no_local: bool

    def __str__(self) -> str:
        return f"topic '{self.topic}', selector {self.selector!r}, noLocal {self.no_local}"


@dataclass(eq=False, kw_only=True)
class Subscribed(Queue):
    """A subscription: the copies that wait in it, and its consumers."""

    kind: Subscription
    client_id: str | None
    terms: Terms
    end: Callable[[], object]
    accepts: Callable[[Message], bool]

    def put(self, entry: Entry, now: int) -> None:
        """Keep what the selector accepts; unlike on a queue, the rest is for nobody."""
        if self.accepts(entry.message):
            super().put(entry, now)

    def takes(self, topic: str, sender: str | None) -> bool:
        """Whether it gets a copy of what is published to a topic under a client id."""
        local = self.terms.no_local and sender is not None and sender == self.client_id
        return not local and matches(self.terms.topic.split("."), topic.split("."))

    def leave(self, taker: Taker) -> None:
        super().leave(taker)
        if not self.takers and not self.kind.durable:
            self.end()


@dataclass(frozen=True)
class Topic:
    """What a producer sends to."""

    topics: Topics
    name: str

    def recipients(self, sender: str | None) -> list[Queue]:
        return self.topics.subscribed(self.name, sender)


class Topics:
    """All subscriptions, by what identifies them; used under the broker's lock."""

    def __init__(self) -> None:
        self._subscribed: dict[Key, Subscribed] = {}
        self._numbers = itertools.count(1)

    def topic(self, destination: Destination) -> Topic:
        if {ONE_WORD, *ANY_WORDS} & set(destination.name.split(".")):
            raise DestinationError(f"Nothing can be sent to '{destination}': wildcards are for subscriptions only.")
        return Topic(self, destination.name)

    def subscribed(self, topic: str, sender: str | None = None) -> list[Queue]:
        """The subscriptions that get a copy of what is published."""
        return [found for found in self._subscribed.values() if found.takes(topic, sender)]

    def subscribe(self, spec: ConsumerSpec) -> Subscribed:
        """The subscription that a new consumer is for: found, made, or made anew because its terms changed."""
        kind = _checked(spec)
        terms = Terms(spec.destination.name, spec.selector or None, kind.no_local)
        key = self._key(kind, spec.client_id)
        found = self._subscribed.get(key)
        if found is not None:
            _check_joining(found, kind, terms)
        if found is None or found.terms != terms:
            self._subscribed.pop(key, None)
            end = partial(self._subscribed.pop, key)
            found = Subscribed(
                kind.name or "",
                kind=kind,
                client_id=spec.client_id,
                terms=terms,
                end=end,
                accepts=matcher(terms.selector),
            )
            self._subscribed[key] = found
        return found

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None) -> None:
        """Remove a durable subscription and what waits in it."""
        if not subscription.durable:
            raise DestinationError(f"A {subscription.kind} subscription ends with its last consumer: close that.")
        key = self._key(subscription, client_id)
        found = self._subscribed.get(key)
        if found is None or found.terms.topic != destination.name:
            raise DestinationError(_missing(destination, subscription, client_id, found))
        if found.takers:
            raise DestinationError(f"Subscription '{found.name}' is in use: stop what reads from it, then try again.")
        del self._subscribed[key]

    def _key(self, kind: Subscription, client_id: str | None) -> Key:
        """Both durable kinds share one name space, ``shared`` has its own, and every ``nonDurable`` is unique."""
        if kind.kind == "nonDurable":
            return "nonDurable", None, str(next(self._numbers))
        return "durable" if kind.durable else "shared", client_id, kind.name


def matches(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a topic's words fit a subscription's, where ``*`` is one word and ``>`` or ``#`` any number of them."""
    if not pattern:
        return not words
    if pattern[0] in ANY_WORDS:
        return any(matches(pattern[1:], words[taken:]) for taken in range(len(words) + 1))
    return bool(words) and pattern[0] in (ONE_WORD, words[0]) and matches(pattern[1:], words[1:])


def _checked(spec: ConsumerSpec) -> Subscription:
    kind = spec.subscription
    if kind is None:
        raise DestinationError(f"'{spec.destination}' is read through a subscription: say of which kind.")
    if kind.kind != "nonDurable" and not kind.name:
        raise DestinationError(f"A {kind.kind} subscription needs a name.")
    if kind.kind == "durable" and not spec.client_id:
        raise DestinationError(f"Subscription '{kind.name}' is durable and not shared: it needs a client id.")
    if kind.no_local and kind.shared:
        raise DestinationError(f"Subscription '{kind.name}' is shared: JMS has noLocal for unshared ones only.")
    return kind


def _check_joining(found: Subscribed, kind: Subscription, terms: Terms) -> None:
    if found.kind.kind != kind.kind:
        raise DestinationError(
            f"Subscription '{kind.name}' exists as {found.kind.kind}, and {kind.kind} ones share its names: take"
            " another name, or unsubscribe it first."
        )
    if not found.takers:
        return
    if not kind.shared:
        raise DestinationError(f"Subscription '{kind.name}' is {kind.kind} and has its one consumer: close that first.")
    if found.terms != terms:
        raise DestinationError(
            f"Subscription '{kind.name}' is in use with {found.terms}, not {terms}: close its consumers first,"
            " or take another name."
        )


def _missing(wanted: Destination, kind: Subscription, client_id: str | None, found: Subscribed | None) -> str:
    owner = f" of client id '{client_id}'" if client_id else " without a client id"
    where = "" if found is None else f" It is on 'topic:{found.terms.topic}'."
    return f"There is no durable subscription '{kind.name}'{owner} on '{wanted}': check its name and client id.{where}"
