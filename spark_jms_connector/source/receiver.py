"""One receiver: fills from its session, seals a segment, and commits the session when it may."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import pyarrow.compute as pc

from spark_jms_connector.crash_points import reached
from spark_jms_connector.errors import FencedError, InUseError, TransportError, UnreadableMessageError
from spark_jms_connector.source.caution import Caution
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.filling import Filling
from spark_jms_connector.source.holdings import Holding
from spark_jms_connector.source.retries import Retries
from spark_jms_connector.source.windows import WindowWatch
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Received, Transport

log = logging.getLogger(__name__)

CHUNK_MESSAGES = 5_000
CHUNK_BYTES = 8 * 2**20
SEGMENTS_AHEAD = 4
IN_HAND_WAIT = 0.02


@dataclass(frozen=True)
class ReceiverSettings:
    """What a receiver is told once."""

    spec: ConsumerSpec
    max_messages: int
    max_bytes: int
    timeout: float
    reconnect_timeout: float
    on_journal: bool = False
    careful_start: bool = False


class Receiver:
    """A state machine: ``step`` does one bounded piece of work and says whether there was any."""

    def __init__(
        self,
        index: int,
        settings: ReceiverSettings,
        transport: Transport,
        custody: Custody,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.index = index
        self._settings = settings
        self._transport = transport
        self._custody = custody
        self._clock = clock
        self._consumer: Consumer | None = None
        self._caution = Caution(settings.careful_start)
        self._retries = Retries(settings.reconnect_timeout, clock)
        self._window = WindowWatch(index)
        self._number = 0
        self._sequence = 0
        self.stopped = False
        self.session = ""
        self.waiting: Holding | None = None
        self._filling = Filling()
        self._arrived = 0.0
        self._committed: float | None = None
        self.idle = False

    @property
    def name(self) -> str:
        return f"{self._custody.generation}.r{self.index}"

    @property
    def filling(self) -> int:
        """Messages in hand that are in no segment yet."""
        return self._filling.rows

    @property
    def connected(self) -> bool:
        return self._consumer is not None

    @property
    def commit_due(self) -> bool:
        """Whether Spark has what its session holds, and the session is not committed yet."""
        waiting = self.waiting
        return waiting is not None and waiting.settled

    @property
    def segments(self) -> int:
        """How many segments it has sealed."""
        return self._number

    def full(self) -> bool:
        """Whether it can take no more before something is planned or lands; what was redelivered cannot wait."""
        ahead = 0 if self._caution.on else self._custody.unplanned_of(self.name)
        return self.waiting is not None or ahead >= SEGMENTS_AHEAD

    def can_work(self) -> bool:
        """Whether a step would do something; if not, only others or time can change that."""
        waiting = self.waiting
        if waiting is not None:
            return self._custody.may_commit(waiting)
        if self._custody.enough or self.full():
            return bool(self.filling) and (self._custody.enough or self._custody.demand)
        return self.connected or self._retries.due

    def step(self) -> bool:
        try:
            return not self.stopped and self._step()
        except UnreadableMessageError as error:
            self._met_unreadable(error)
        except TransportError as error:
            self._lost(error)
        return True

    def _step(self) -> bool:
        if not self.can_work():
            return False
        if self.waiting is not None:
            return self._commit(self.waiting)
        if self._custody.enough or self.full():
            return self._seal()
        if self._consumer is None:
            return self._connect()
        received = self._receive(self._consumer)
        if self.stopped:
            return False
        if self._segment_ends():
            return self._seal()
        return not received.empty

    # Receiving

    def _connect(self) -> bool:
        self._look()  # a fenced owner that finds the queue empty has no commit at which it would notice
        spec = replace(self._settings.spec, prefetch=0) if self._caution.on else self._settings.spec
        self.session = f"{self.name}.{secrets.token_hex(4)}"
        self._custody.session_opened(self.session)
        self._consumer = self._transport.open_consumer(spec)
        if self.stopped:
            return False
        self._window.opened(self._consumer.window)
        if self._retries.lost:
            log.info("Receiver %d is connected again.", self.index)
            self._custody.count(reconnects=1)
        self._custody.ever_connected = True
        return True

    def _receive(self, consumer: Consumer) -> Received:
        messages = min(self._most_messages() - self._filling.rows, CHUNK_MESSAGES)
        size = min(self._settings.max_bytes - self._filling.bytes, CHUNK_BYTES)
        received = consumer.receive(max(messages, 1), max(size, 1), self._patience())
        if received.empty:
            self._nothing_came()
            return received
        self.idle, self._arrived = False, self._clock()
        self._notice_window()
        reached("after receive")
        self._take(received)
        return received

    def _patience(self) -> float:
        """With messages in hand it must notice soon that Spark asks for them."""
        return min(self._settings.timeout, IN_HAND_WAIT) if self.filling else self._settings.timeout

    def _nothing_came(self) -> None:
        if self.filling and self._clock() - self._arrived < self._settings.timeout:
            return
        self.idle = True
        if self.filling:
            self._window.paused(self.filling)
        self._caution.nothing_came()
        self._retries.all_is_well()
        self._custody.notify()

    def _notice_window(self) -> None:
        committed, self._committed = self._committed, None
        if committed is not None:
            self._window.came_after_commit(self._arrived - committed)

    def _take(self, received: Received) -> None:
        redelivered = pc.sum(received.batch.column("JMSRedelivered")).as_py() or 0
        self._filling.add(received, redelivered)
        self._custody.count(
            received=received.batch.num_rows, redelivered=redelivered, dead_lettered=received.dead_lettered
        )

    def _most_messages(self) -> int:
        return self._caution.most(self._window.most(self._settings.max_messages))

    def _segment_ends(self) -> bool:
        if not self._filling.rows and not self._filling.dead_lettered:
            return False
        full = self._window.full(self._filling) or self._filling.rows >= self._most_messages()
        full = full or self._filling.bytes >= self._settings.max_bytes
        paused = self.idle and not self._custody.patient
        return full or paused or self._filling.redelivered or self._custody.demand or not self._filling.rows

    # Sealing and committing

    def _seal(self) -> bool:
        if not self._filling.batches:
            return self._commit(None)
        at_once = self._settings.on_journal or self._filling.redelivered or self._caution.on
        self._caution.sealed(self._filling.redelivered)
        holding = self._custody.seal(self.session, self.index, self._number, self._filling.batches, self._sequence)
        self._number += 1
        self._sequence += holding.seal.rows
        self._reset_filling()
        self.waiting = holding
        self._custody.notify()
        return self._commit(holding) if at_once else True

    def _commit(self, holding: Holding | None) -> bool:
        assert self._consumer is not None
        self._look()
        reached("before JMS commit")
        self._consumer.commit()
        reached("after JMS commit, before it is recorded")
        self.waiting, self._committed = None, self._clock()
        self._reset_filling()
        self._retries.all_is_well()
        if holding is None:
            self._custody.session_committed(self.session)
        else:
            self._custody.acknowledged(holding, self.session)
        if self._caution.committed(holding.seal.rows if holding else 0):
            self._end_session()
        return True

    def _look(self) -> None:
        try:
            self._custody.check_owner()
        except FencedError:
            self.end()
            raise

    # Losing the session

    def _lost(self, error: TransportError) -> None:
        """Throw away what is filling; what is sealed stays, and its copies will be dropped."""
        self._end_session()
        if self.stopped:
            return
        if not error.retriable or not (self._custody.ever_connected or isinstance(error, InUseError)):
            raise error
        wait = self._retries.failed(error)
        log.warning("Receiver %d: %s Trying again in %.1f s.", self.index, error, wait)
        self._caution.begin()

    def _met_unreadable(self, error: UnreadableMessageError) -> None:
        """Let the good messages before it through in a transaction of their own, then stop at it alone."""
        good = self._filling.rows + error.preceding
        self._end_session()
        if not good:
            raise error
        self._caution.begin_before_unreadable(good)

    def _end_session(self) -> None:
        consumer, self._consumer = self._consumer, None
        self.waiting = None
        self._reset_filling()
        if consumer is not None:
            consumer.close()
        if self.session:
            self._custody.session_over(self.session)
            self.session = ""

    def close(self) -> None:
        """Take no more, and wake up the thread that receives. Any thread."""
        self.stopped = True
        consumer = self._consumer
        if consumer is not None:
            consumer.close()

    def end(self) -> None:
        """Give back what was not committed. Its own thread, or one that has waited for it."""
        self.close()
        self._end_session()

    def _reset_filling(self) -> None:
        self._filling = Filling()
        self.idle = False
