"""The receivers of one stream at work: a thread each, or stepped by hand where a test wants every interleaving."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from spark_jms_connector.errors import JmsConnectorError, TransportError
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.receiver import Receiver

PARKED_WAIT = 0.1


class Crew(Protocol):
    """Receivers that work while their stream waits for something."""

    receivers: Sequence[Receiver]

    def start(self) -> None: ...

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool: ...

    def stop(self) -> None: ...


class ThreadedCrew:
    """A thread per receiver."""

    def __init__(self, receivers: Sequence[Receiver], custody: Custody) -> None:
        self.receivers = receivers
        self._custody = custody
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for receiver in self.receivers[len(self._threads) :]:
            name = f"jms-receiver-{receiver.index}"
            thread = threading.Thread(target=self._work, args=(receiver,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self, receiver: Receiver) -> None:
        try:
            while not receiver.stopped:
                if not receiver.step():
                    self._park(receiver)
        except BaseException as error:
            self._custody.fail(fatal(error))
        finally:
            receiver.end()

    def _park(self, receiver: Receiver) -> None:
        """Wait until somebody else, or time, gives it something to do."""
        self._custody.wait_for(lambda: receiver.stopped or receiver.can_work(), PARKED_WAIT)

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool:
        custody = self._custody
        custody.wait_for(lambda: condition() or custody.failure is not None, timeout)
        return condition()

    def stop(self) -> None:
        for receiver in self.receivers:
            receiver.close()
        with self._custody.changed:
            self._custody.changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=10)


class SteppedCrew:
    """No threads: receivers take turns while the stream waits, and whenever ``step`` is called."""

    def __init__(self, receivers: Sequence[Receiver], custody: Custody) -> None:
        self.receivers = receivers
        self._custody = custody

    def start(self) -> None:
        """There is nothing to start."""

    def step(self, index: int) -> bool:
        receiver = self.receivers[index]
        try:
            return receiver.step()
        except Exception as error:
            receiver.end()
            self._custody.fail(fatal(error))
            return True

    def wait_for(self, condition: Callable[[], bool], timeout: float) -> bool:
        while not condition() and self._custody.failure is None:
            if not any([self.step(index) for index in range(len(self.receivers))]):
                break
        return condition()

    def stop(self) -> None:
        for receiver in self.receivers:
            receiver.end()


def fatal(error: BaseException) -> JmsConnectorError:
    """What a receiver died of, as an error of ours."""
    if isinstance(error, JmsConnectorError):
        return error
    return TransportError(f"A receiver failed: {type(error).__name__}: {error}")
