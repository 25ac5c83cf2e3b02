"""After how many messages a broker holds the rest back until a commit: known beforehand, or found out."""

from __future__ import annotations

import logging

from spark_jms_connector.source.filling import Filling
from spark_jms_connector.transport.base import Window

log = logging.getLogger(__name__)

# Two pauses at one count, each with more to come right after the commit: that is no chance of arrival.
PROOFS = 2
FEWEST = 2
PROMPTLY = 0.1


class WindowWatch:
    """One session's window. A segment ends before it is full, so that a stream never waits for what cannot come."""

    def __init__(self, receiver: int) -> None:
        self._receiver = receiver
        self._known = Window()
        self._told = False
        self._found: int | None = None
        self._paused_at = 0
        self._last_paused_at = 0
        self._proofs = 0

    def opened(self, window: Window) -> None:
        """A session was opened, on a broker that may have been changed."""
        self._known, self._told = window, False
        self._found, self._paused_at, self._last_paused_at, self._proofs = None, 0, 0, 0

    def most(self, usual: int) -> int:
        """How many messages a transaction may hold."""
        return min(usual, self._known.messages or usual, self._found or usual)

    def full(self, filling: Filling) -> bool:
        """Whether the session holds as much as the broker lets it."""
        by_count = self._known.messages is not None and filling.rows >= self._known.messages
        by_size = self._known.bytes is not None and filling.bytes >= self._known.bytes
        if (by_count or by_size) and not self._told:
            self._told = True
            log.info("Receiver %d: segments end at %d messages: %s", self._receiver, filling.rows, self._known.limit)
        return by_count or by_size

    def paused(self, messages: int) -> None:
        """Nothing more came while so many were in hand."""
        self._paused_at = messages

    def came_after_commit(self, waited: float) -> None:
        """The first message of a new transaction came after so many seconds."""
        paused, self._paused_at = self._paused_at, 0
        same = paused >= FEWEST and paused == self._last_paused_at and waited < PROMPTLY
        self._proofs, self._last_paused_at = (self._proofs + 1 if same else 0), paused
        if self._proofs >= PROOFS and self._found is None:
            self._found = paused
            log.warning(
                "Receiver %d: the broker lets a session hold no more than %d messages unacknowledged, so segments end"
                " there. For larger ones widen its window, lower 'prefetch', or set acknowledge=onJournal.",
                self._receiver,
                paused,
            )
