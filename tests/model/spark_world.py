"""A world in one process: a memory broker, Spark's two logs, a table, and reader processes that can die anywhere."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from pathlib import Path

from spark_jms_connector import crash_points
from spark_jms_connector.errors import JmsConnectorError
from spark_jms_connector.message import Message
from spark_jms_connector.option_rules import check_together
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.source.crew import SteppedCrew
from spark_jms_connector.source.offsets import BEGINNING, Offset
from spark_jms_connector.source.settings import destinations, receiver_settings
from spark_jms_connector.source.slices import read_slice
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.storage import Storage
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Destination, Producer, Subscription
from spark_jms_connector.transport.memory_broker import MemoryBroker

QUEUE = Destination("orders")
TOPIC = Destination("prices", "topic")


class Killed(BaseException):
    """The process died at a crash point."""


class Sessions:
    """A transport that remembers the sessions of one process, so that they die with it."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self.opened: list[Consumer] = []

    def open_consumer(self, spec: ConsumerSpec) -> Consumer:
        consumer = self._broker.transport().open_consumer(spec)
        self.opened.append(consumer)
        return consumer

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> Producer:
        return self._broker.transport().open_producer(destination, message_ids=message_ids)

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        self._broker.transport().unsubscribe(destination, subscription, client_id)

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        return self._broker.transport().depth(destination, selector)

    def close(self) -> None:
        for consumer in self.opened:
            consumer.close()


@dataclass
class Process:
    """A reader process: its stream, and its sessions on the broker."""

    stream: Stream
    crew: list[SteppedCrew]
    sessions: Sessions

    def step(self, index: int) -> None:
        for crew in self.crew:
            crew.step(index % len(crew.receivers))


@dataclass
class World:
    """Everything that outlives a process, and the one that lives."""

    folder: Path
    options: SourceOptions
    broker: MemoryBroker = field(default_factory=MemoryBroker)
    offsets: list[tuple[Offset, Offset]] = field(default_factory=list)
    commits: int = 0
    table: dict[int, list[str]] = field(default_factory=dict)
    process: Process | None = None
    zombies: list[Process] = field(default_factory=list)
    sent: int = 0
    phase: str = "latest"
    end: Offset = BEGINNING
    story: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)

    @classmethod
    def create(cls, folder: Path, **options: object) -> World:
        base = SourceOptions(
            queue=QUEUE.name,
            url="memory://here",
            journal=str(folder),
            receive_timeout=0.0,
            reconnect_timeout=1e12,
            segment_max_messages=3,
        )
        return cls(folder, replace(base, **options))  # type: ignore[arg-type]

    @classmethod
    def create_subscribed(cls, folder: Path, kind: str, **options: object) -> World:
        """A world that reads a topic, through a subscription that exists before anything is published."""
        client_id = "me" if kind == "durable" else None
        subscribed = {"queue": None, "topic": TOPIC.name, "subscription": kind, "subscription_name": "s"}
        world = cls.create(folder, **{**subscribed, "client_id": client_id, **options})
        check_together(world.options)
        world.subscribe()
        return world

    # The outside

    @property
    def destinations(self) -> list[Destination]:
        return destinations(self.options)

    def subscribe(self) -> None:
        spec = receiver_settings(self.options, self.destinations[0], careful=False).spec
        self.broker.transport().open_consumer(spec).close()

    def waiting(self) -> list[Message]:
        """What the broker could deliver now."""
        return [message for found in self.destinations for message in self.broker.browse(found)]

    def send(self, count: int = 1, to: Destination | None = None) -> None:
        producer = self.broker.transport().open_producer(to or self.destinations[0])
        messages = [Message(f"m{self.sent + i}") for i in range(count)]
        producer.send(messages_to_batch(messages, [""] * count))
        producer.commit()
        producer.close()
        self.sent += count

    def landed(self) -> list[str]:
        return [row for batch in self.table.values() for row in batch]

    # Processes

    def start(self) -> None:
        crews: list[SteppedCrew] = []

        def make_crew(receivers, custody):  # type: ignore[no-untyped-def]
            crews.append(SteppedCrew(receivers, custody))
            return crews[-1]

        ticks = itertools.count(1)
        sessions = Sessions(self.broker)
        stream = Stream(self.options, sessions, make_crew, clock=lambda: next(ticks) * 10.0, first_wait=0.0)
        self.process = Process(stream, crews, sessions)
        rerun = len(self.offsets) > self.commits
        self.phase = "partitions" if rerun else "latest"
        self.end = self.offsets[-1][1] if rerun else BEGINNING

    def die(self, process: Process | None = None) -> None:
        """SIGKILL: the broker sees its connections break."""
        dead = process or self.process
        if dead is None:
            return
        for session in dead.sessions.opened:
            self.broker.lose(session)  # type: ignore[arg-type]
        if dead is self.process:
            self.process = None
        else:
            self.zombies.remove(dead)

    def orphan(self) -> None:
        """The driver dies; its reader lives on for a while."""
        if self.process is not None:
            self.zombies.append(self.process)
            self.process = None

    def guarded(self, process: Process, work: object) -> None:
        """Do something in a process that may die of it, or fail as a query does."""
        try:
            work()  # type: ignore[operator]
        except (Killed, JmsConnectorError) as end:
            self.story.append(f"{type(end).__name__}: {end}")
            failed = isinstance(end, JmsConnectorError)
            if failed and process is self.process and not self.expected_failure(end):  # type: ignore[arg-type]
                raise
            self.die(process)

    def expected_failure(self, error: JmsConnectorError) -> bool:
        return False

    def step_receiver(self, index: int) -> None:
        process = self.process
        if process is not None:
            self.guarded(process, lambda: process.step(index))

    def step_zombie(self, index: int) -> None:
        for zombie in list(self.zombies):
            self.guarded(zombie, lambda z=zombie: z.step(index))

    # Spark's loop, one step at a time, in the order Spark 4.2 calls

    def step_spark(self) -> None:
        if self.process is None:
            self.start()
        process = self.process
        assert process is not None
        self.guarded(process, lambda: getattr(self, f"_{self.phase}")(process.stream))

    def _start_offset(self) -> Offset:
        return self.offsets[self.commits - 1][1] if self.commits else BEGINNING

    def _latest(self, stream: Stream) -> None:
        start = self._start_offset()
        self.end = stream.latest_offset(start)
        if self.end != start:
            self.phase = "log"

    def _log(self, stream: Stream) -> None:
        self.offsets.append((self._start_offset(), self.end))
        self.phase = "tell"

    def _tell(self, stream: Stream) -> None:
        if self.commits:
            stream.commit(self._start_offset())
        self.phase = "partitions"

    def _partitions(self, stream: Stream) -> None:
        start, end = self.offsets[-1]
        self._slices = stream.slices(start, end)
        assert self._slices == stream.slices(start, end)
        self.phase = "run"

    def _run(self, stream: Stream) -> None:
        storage = Storage(str(self.folder))
        batches = [batch for part in self._slices for batch in read_slice(storage, part)]
        rows = [row for batch in batches for row in batch["text"].to_pylist()]
        self.origins |= dict(zip(rows, [d for b in batches for d in b["JMSDestination"].to_pylist()], strict=True))
        self.table.setdefault(len(self.offsets), rows)
        self.phase = "clog"

    def _clog(self, stream: Stream) -> None:
        self.commits = len(self.offsets)
        self.phase = "latest"

    # To the end

    def turn(self) -> None:
        """Every receiver and Spark take one step."""
        for index in range(self.options.receivers_each * len(self.destinations)):
            self.step_receiver(index)
        self.step_spark()

    def settle(self) -> None:
        """No more faults: let everything come to rest; a lone receiver gets three messages into each batch."""
        rounds = 300 + 4 * self.sent
        crash_points.hook = None
        for zombie in list(self.zombies):
            self.die(zombie)
        for done in range(rounds):
            if done == rounds // 2:
                self.tell_the_cut()
            self.turn()
            if self.sent == len(set(self.landed())) and self.phase == "latest" and not self.waiting():
                break

    def tell_the_cut(self) -> None:
        """Clients that the broker gave up find out in the end, if only from their heart-beat."""
        for session in self.broker.sessions:
            if session.state == "cut":
                self.broker.lose(session)

    def check_exactly_once(self) -> None:
        landed = sorted(self.landed(), key=lambda text: int(text[1:]))
        assert landed == [f"m{i}" for i in range(self.sent)], self.story


def kill_at(point: str, times: int = 1) -> None:
    """Let the process die the n-th time it reaches a point."""
    remaining = itertools.count(1)

    def hook(reached: str) -> None:
        if reached == point and next(remaining) == times:
            crash_points.hook = None
            raise Killed(point)

    crash_points.hook = hook
