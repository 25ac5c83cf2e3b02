"""Trigger.AvailableNow: when has everything been read that was there when the query started?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from spark_jms_connector.errors import AccessError, ConnectionLostError
from spark_jms_connector.source.custody import Custody
from spark_jms_connector.source.receiver import Receiver

QUIET, STALLED = 1.0, 20.0


class Drain:
    """Watches one run to its end: the depth at its start is reached, or the queue is empty."""

    def __init__(self, depth: Callable[[], int | None], receive_timeout: float, clock: Callable[[], float]) -> None:
        self._depth = depth
        self._receive_timeout = receive_timeout
        self._clock = clock
        self._looked = False
        self._target: int | None = None
        self._received, self._since = -1, 0.0
        self._next_look = QUIET

    def look(self) -> None:
        """Before the first session opens: a browser does not see what is dispatched to a consumer."""
        if not self._looked:
            self._looked = True
            with contextlib.suppress(AccessError):  # who may receive may not be allowed to browse
                self._target = self._depth()

    def enough(self, custody: Custody) -> bool:
        """Whether as many were acknowledged as were there: it ends though messages keep coming in.

        As many, not the same: with messages coming in, one receiver may be ahead while another still has older
        ones before it. Those are the next run's.
        """
        done = custody.counters.acknowledged + custody.counters.dead_lettered
        return self._target is not None and done >= self._target

    def over(self, custody: Custody, receivers: Sequence[Receiver]) -> bool:
        """Whether every receiver, none sealed, gets nothing: a browser tells a slow broker from an empty queue."""
        if any(r.waiting or r.filling for r in receivers):
            return False
        if custody.enough:
            return True
        if not all(r.idle for r in receivers) or custody.counters.received != self._received:
            self._received, self._since = custody.counters.received, self._clock()
            self._next_look = QUIET
            return False
        quiet = self._clock() - self._since
        if self._target is None or quiet >= STALLED:
            return quiet >= self._receive_timeout
        return self._queue_is_empty(quiet)

    def _queue_is_empty(self, quiet: float) -> bool:
        """Browse, ever more rarely: what is left may be locked by others, or not due yet."""
        if quiet < self._next_look:
            return False
        self._next_look = 2 * quiet
        try:
            return self._depth() == 0
        except ConnectionLostError:
            return False  # the receivers reconnect, or fail
