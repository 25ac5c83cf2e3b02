"""A sender that never stops, and knows of each message whether it was sent, perhaps sent, or not."""

from __future__ import annotations

import random
import threading

from spark_jms_connector.errors import JmsConnectorError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination, Producer
from tests.e2e.trial import numbered

LARGEST = 100
PAUSE = 0.2


class Sender:
    """Small transactions in a thread of its own; a commit that fails leaves its messages in doubt, never re-sent."""

    def __init__(self, url: str, queue: str, seed: int) -> None:
        self._transport = open_transport(SourceOptions(provider="artemis", url=url))
        self._queue = Destination(queue)
        self._random = random.Random(seed)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="sender", daemon=True)
        self._next = 0
        self.committed: set[int] = set()
        self.in_doubt: set[int] = set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._transport.close()

    def _work(self) -> None:
        producer: Producer | None = None
        while not self._stopped.is_set():
            try:
                producer = producer or self._transport.open_producer(self._queue)
                self._send(producer)
            except JmsConnectorError:
                if producer is not None:
                    producer.close()
                producer = None
            self._stopped.wait(self._random.uniform(0, PAUSE))
        if producer is not None:
            producer.close()

    def _send(self, producer: Producer) -> None:
        numbers = range(self._next, self._next + self._random.randint(1, LARGEST))
        self._next = numbers.stop
        self.in_doubt.update(numbers)
        producer.send(messages_to_batch([numbered(n) for n in numbers], [""] * len(numbers)))
        producer.commit()
        self.in_doubt.difference_update(numbers)
        self.committed.update(numbers)
