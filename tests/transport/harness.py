"""What the contract suite needs of a transport under test: sessions, messages in and out, known differences."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa
import pytest

from spark_jms_connector.errors import OptionError, TransportError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import batch_to_messages, messages_to_batch
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Destination, Producer, Subscription, Transport
from tests.transport.differences import ANY_WORDS, DIFFERENCES

PLENTY = 2**30
REFUSALS = (OptionError, TransportError)


@dataclass
class Bed:
    """A transport, a fresh queue and a fresh topic behind it, and everything opened on it."""

    name: str
    transport: Transport
    options: SourceOptions | None = None
    queue: Destination = field(default_factory=lambda: fresh_queue())
    topic: Destination = field(default_factory=lambda: fresh_topic())
    opened: list[Consumer | Producer] = field(default_factory=list)

    def differs(self, topic: str) -> bool:
        return topic in DIFFERENCES[self.name]

    def consumer(self, queue: Destination | None = None, **spec: Any) -> Consumer:
        return self.open(ConsumerSpec(queue or self.queue, **spec))

    def producer(self, queue: Destination | None = None, **settings: Any) -> Producer:
        producer = self.transport.open_producer(queue or self.queue, **settings)
        self.opened.append(producer)
        return producer

    def send(self, *messages: Message, queue: Destination | None = None, **settings: Any) -> None:
        """Send and commit."""
        producer = self.producer(queue, **settings)
        producer.send(to_batch(*messages))
        producer.commit()
        producer.close()

    def drain(self, queue: Destination | None = None, **spec: Any) -> list[Message]:
        """Everything a new consumer gets, committed."""
        consumer = self.consumer(queue, **spec)
        messages: list[Message] = []
        while taken := batch_to_messages(take(consumer, PLENTY, timeout=0.5)):
            messages += taken
            consumer.commit()
            if not self.differs("window"):
                break
        consumer.close()
        return messages

    def depth(self, queue: Destination | None = None) -> int | None:
        return self.transport.depth(queue or self.queue)

    def offers(self, kind: str) -> bool:
        """Whether the transport has this kind of subscription; one that has not must say so."""
        lacking = self.differs("shared") or (kind == "shared" and self.differs("shared not durable"))
        if kind in ("shared", "sharedDurable") and lacking:
            with pytest.raises(REFUSALS, match="shared"):
                self.subscriber(kind)
            return False
        return True

    @property
    def any_words(self) -> str:
        return ANY_WORDS.get(self.name, "#")

    def scoped(self, name: str) -> str:
        """A subscription's name or a client id that no other test uses."""
        return f"{name}.{self.topic.name}"

    def subscription(
        self,
        kind: str,
        name: str = "s",
        *,
        topic: Destination | None = None,
        client: str | None = None,
        no_local: bool = False,
        **spec: Any,
    ) -> ConsumerSpec:
        """What a consumer of a subscription asks for; an unshared durable one has its own client id by default."""
        client = client or (f"client-{name}" if kind == "durable" else None)
        return ConsumerSpec(
            topic or self.topic,
            client_id=client and self.scoped(client),
            subscription=Subscription(kind, None if kind == "nonDurable" else self.scoped(name), no_local),
            **spec,
        )

    def subscriber(self, kind: str, name: str = "s", **spec: Any) -> Consumer:
        """A consumer of a subscription; see ``subscription``."""
        return self.open(self.subscription(kind, name, **spec))

    def identified(self, spec: ConsumerSpec) -> ConsumerSpec:
        """With what names a message where the broker's own id does not."""
        return replace(spec, dedup_key=spec.dedup_key or "JMSMessageID") if self.differs("identity") else spec

    def open(self, spec: ConsumerSpec) -> Consumer:
        consumer = self.transport.open_consumer(self.identified(spec))
        self.opened.append(consumer)
        return consumer

    def subscribe(self, kind: str, name: str = "s", **spec: Any) -> None:
        """Make a durable subscription, and leave it alone."""
        self.subscriber(kind, name, **spec).close()

    def unsubscribe(self, kind: str, name: str = "s", **given: Any) -> None:
        spec = self.subscription(kind, name, **given)
        assert spec.subscription is not None
        self.transport.unsubscribe(spec.destination, spec.subscription, spec.client_id)

    def publish(self, *texts: str, topic: Destination | None = None) -> None:
        """Send text messages to the topic and commit."""
        self.send(*[Message(body=text) for text in texts], queue=topic or self.topic)

    def is_empty(self, queue: Destination | None = None) -> bool:
        """Whether nothing waits in a queue; where browsing cannot tell, what waits there is taken out."""
        return self.drain(queue) == [] if self.differs("depth") else self.depth(queue) == 0

    def child_options(self) -> dict[str, Any]:
        """The options as another process needs them to reach the same queue."""
        if self.options is None:
            pytest.skip("an in-process broker cannot be reached from another process")
        return asdict(replace(self.options, queue=self.queue.name))

    def close(self) -> None:
        """End the test's sessions; the transport may be shared with other tests."""
        for session in self.opened:
            session.close()


def fresh_queue() -> Destination:
    return Destination(f"contract-{uuid.uuid4().hex[:12]}")


def fresh_topic() -> Destination:
    return Destination(f"contract-{uuid.uuid4().hex[:12]}", "topic")


def below(topic: Destination, *words: str) -> Destination:
    return Destination(".".join((topic.name, *words)), "topic")


def to_batch(*messages: Message) -> pa.RecordBatch:
    return messages_to_batch(messages, [""] * len(messages))


def take(consumer: Consumer, count: int, timeout: float = 10.0) -> pa.RecordBatch:
    """Rows received until there are ``count`` of them or nothing comes for ``timeout`` seconds."""
    batches = []
    while count > 0:
        received = consumer.receive(min(count, 10_000), PLENTY, timeout)
        batches.append(received.batch)
        count -= received.batch.num_rows
        if received.empty:
            break
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0] if _rows(batches) else batches[0]


def receive(consumer: Consumer, count: int, timeout: float = 10.0) -> list[Message]:
    return batch_to_messages(take(consumer, count, timeout))


def bodies(consumer: Consumer, count: int, timeout: float = 10.0) -> list[object]:
    """The texts of what is received; fewer if nothing more comes for ``timeout`` seconds."""
    return texts(receive(consumer, count, timeout))


def nothing_left(consumer: Consumer) -> bool:
    return consumer.receive(1, PLENTY, 0.3).empty


def when_free(bed: Bed, spec: ConsumerSpec, seconds: float = 60.0) -> Consumer:
    """Open a consumer that a broker may refuse until it has noticed that the one before is dead."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return bed.open(spec)
        except TransportError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def texts(messages: list[Message]) -> list[object]:
    return [message.body for message in messages]


def _rows(batches: list[pa.RecordBatch]) -> int:
    return sum(batch.num_rows for batch in batches)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer."""
    started = time.monotonic()
    yield
    elapsed = time.monotonic() - started
    assert elapsed <= seconds, f"took {elapsed:.2f} s instead of at most {seconds} s"
