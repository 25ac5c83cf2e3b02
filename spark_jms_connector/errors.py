"""The error tree: what can go wrong, and whether trying again can help.

JmsConnectorError
├── OptionError            an option is missing, unknown, or has a value that cannot work
├── SchemaError            a column of the schema cannot be filled from a message
├── JavaError              no Java, a Java that is too old, or a helper that did not start
├── DependencyError        a client library could not be found or loaded
├── TransportError         the broker or the way to it failed
│   ├── ConnectionLostError    (retriable) nothing answers, or the connection broke
│   │   └── InUseError         (retriable) another connection has the client id or the subscription
│   ├── AccessError            login or permission refused
│   ├── DestinationError       the queue or topic does not exist or cannot be used
│   ├── SelectorError          it is no selector, or has none like it, or the broker refuses it
│   └── CommitError            (retriable) a commit failed; whether it took effect may be unknown
├── UnreadableMessageError a message cannot even be written down
├── MalformedMessageError  a message does not fit the schema and mode is FAILFAST
└── JournalError           the journal cannot be used as it is
    ├── JournalStorageError    the storage below it fails
    ├── CorruptJournalError    a file of it is missing, truncated or damaged
    ├── JournalMismatchError   it belongs to another destination, checkpoint or format
    └── FencedError            a newer owner has taken it over
"""

from __future__ import annotations


class JmsConnectorError(Exception):
    """Base of every error this package raises on purpose."""

    retriable: bool = False


class OptionError(JmsConnectorError):
    """An option is missing, unknown, or has a value that cannot work."""


class SchemaError(JmsConnectorError):
    """A column of the schema cannot be filled from a message."""


class JavaError(JmsConnectorError):
    """No Java, a Java that is too old, or a helper process that did not start."""


class DependencyError(JmsConnectorError):
    """A client library could not be found or loaded."""


class TransportError(JmsConnectorError):
    """The broker, or the way to it, failed in a way that trying again will not mend."""


class ConnectionLostError(TransportError):
    """Nothing answers, or the connection broke. ``helper_died``: it was the Java helper that ended."""

    retriable = True

    def __init__(self, text: str, helper_died: bool = False) -> None:
        super().__init__(text)
        self.helper_died = helper_died


class InUseError(ConnectionLostError):
    """Another connection has the client id or the subscription: perhaps one that died, which the broker will notice."""


class AccessError(TransportError):
    """Login or permission refused."""


class DestinationError(TransportError):
    """The queue or topic does not exist or cannot be used."""


class SelectorError(TransportError):
    """A text is no selector, a predicate has none like it, or the broker refuses it.

    ``position`` is where the text goes wrong, counted from 0, if that is known.
    """

    def __init__(self, text: str, position: int | None = None) -> None:
        super().__init__(text)
        self.position = position


class CommitError(TransportError):
    """A commit failed; whether it took effect may be unknown."""

    retriable = True


class UnreadableMessageError(JmsConnectorError):
    """A message cannot even be written down: no identity, or a body its client cannot read.

    ``preceding`` is how many good messages the failed call had received before it.
    """

    def __init__(self, text: str, preceding: int = 0) -> None:
        super().__init__(text)
        self.preceding = preceding


class MalformedMessageError(JmsConnectorError):
    """A message does not fit the schema and ``mode`` is FAILFAST."""


class JournalError(JmsConnectorError):
    """The journal cannot be used as it is."""


class JournalStorageError(JournalError):
    """The storage below the journal fails."""


class CorruptJournalError(JournalError):
    """A file of the journal is missing, truncated or damaged."""


class JournalMismatchError(JournalError):
    """The journal belongs to another destination, checkpoint or format."""


class FencedError(JournalError):
    """A newer owner has taken the journal over."""
