"""Small transactions while redeliveries may come: how small, and until when."""

from __future__ import annotations

# Doubling: a life that ends after any number of commits has let through as many messages as it endangers.
MOST_MESSAGES, GROWTH = 500, 2


class Caution:
    """The state after a start or a loss that may bring redeliveries.

    While it is ``on`` there is no prefetch, and transactions begin with a single message and grow, because every
    further kill brings what the session holds nearer to the broker's redelivery limit. A fresh message ends it only
    once transactions have grown: after a kill, fresh ones may come before the others.
    """

    def __init__(self, on: bool) -> None:
        self.on = on
        self._messages = 1
        self._good_ahead = 0
        self._fresh = True

    def most(self, usual: int) -> int:
        """How many messages a transaction may hold."""
        return min(usual, self._messages if self.on else usual, self._good_ahead or usual)

    def begin(self) -> None:
        self.on, self._messages = True, 1

    def begin_before_unreadable(self, good: int) -> None:
        """So many good messages come before one that stops the stream: they get a transaction of their own."""
        self.on, self._good_ahead, self._messages = True, good, good

    def nothing_came(self) -> None:
        self._good_ahead = 0

    def sealed(self, redelivered: bool) -> None:
        self._fresh = not redelivered

    def committed(self, messages: int) -> bool:
        """Take note of a commit; whether that ends it."""
        self._good_ahead = max(0, self._good_ahead - messages)
        grown = self._messages >= MOST_MESSAGES
        self._messages = min(self._messages * GROWTH, MOST_MESSAGES)
        over = self.on and self._fresh and grown and not self._good_ahead
        if over:
            self.on = False
        return over
