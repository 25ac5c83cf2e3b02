"""How long a lost broker is tried again, how often, and when it is given up."""

from __future__ import annotations

from collections.abc import Callable

from spark_jms_connector.errors import ConnectionLostError, TransportError

HELPER_DEATHS = 3
BACKOFF_START, BACKOFF_MAX = 0.1, 5.0


class Retries:
    """The tries of one receiver since its broker last did what was asked of it."""

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        self._timeout = timeout
        self._clock = clock
        self._lost_since: float | None = None
        self.retry_at = 0.0
        self._backoff = BACKOFF_START
        self._helper_deaths = 0

    @property
    def lost(self) -> bool:
        return self._lost_since is not None

    @property
    def due(self) -> bool:
        """Whether it is time for the next try."""
        return self._clock() >= self.retry_at

    def all_is_well(self) -> None:
        """A connection that merely opens proves nothing: a broker may accept it and fail every commit."""
        self._lost_since, self._backoff, self._helper_deaths = None, BACKOFF_START, 0

    def failed(self, error: TransportError) -> float:
        """In how many seconds to try again; raises when it has been enough."""
        now = self._clock()
        self._lost_since = self._lost_since or now
        self._stop_killing_helpers(error)
        if now - self._lost_since > self._timeout:
            raise TransportError(
                f"{error} Tried again for {self._timeout:g} s (option 'reconnectTimeout')."
                " Start the query again once the broker is back: nothing is lost."
            ) from error
        wait, self._backoff = self._backoff, min(self._backoff * 2, BACKOFF_MAX)
        self.retry_at = now + wait
        return wait

    def _stop_killing_helpers(self, error: TransportError) -> None:
        """A message too large for the helper would be redelivered until the broker drops it."""
        if isinstance(error, ConnectionLostError) and error.helper_died:
            self._helper_deaths += 1
        if self._helper_deaths >= HELPER_DEATHS:
            raise TransportError(
                f"{error} That was {HELPER_DEATHS} times in a row: a message may be too large for it. Raise option"
                " 'helperMemory'."
            ) from error
