"""A transacted session that sends over STOMP."""

from __future__ import annotations

import pyarrow as pa

from spark_jms_connector.errors import CommitError, TransportError
from spark_jms_connector.schema import batch_to_messages
from spark_jms_connector.transport.base import Destination
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.link import Link
from spark_jms_connector.transport.stomp.outgoing import frame_of

_ROWS = 1000


class StompProducer:
    """What is sent becomes visible at ``commit``; a broker's refusal of a send surfaces there at the latest."""

    def __init__(self, link: Link, dialect: Dialect, destination: Destination) -> None:
        self._link = link
        self._dialect = dialect
        self._destination = destination
        self._number = 0
        self._begun = False

    @property
    def _transaction(self) -> str:
        return f"transaction-{self._number}"

    def send(self, batch: pa.RecordBatch) -> None:
        self._link.check()
        for start in range(0, batch.num_rows, _ROWS):
            messages = batch_to_messages(batch.slice(start, _ROWS))
            frames = [frame_of(message, self._destination, self._dialect) for message in messages]
            with self._link.corked():
                self._begin()
                for headers, body in frames:
                    self._link.send("SEND", {**headers, "transaction": self._transaction}, body)

    def _begin(self) -> None:
        if not self._begun:
            self._number += 1
            self._link.send("BEGIN", {"transaction": self._transaction})
            self._begun = True

    def commit(self) -> None:
        self._link.check()
        if not self._begun:
            return
        try:
            self._link.call("COMMIT", {"transaction": self._transaction})
        except TransportError as error:
            self._link.close()
            if not error.retriable:
                raise  # the broker refused a message or the commit: nothing of it was stored
            raise CommitError(
                f"A commit on {self._destination} failed, and may or may not have taken effect: {error}"
            ) from error
        self._begun = False

    def rollback(self) -> None:
        self._link.check()
        if self._begun:
            self._begun = False
            self._link.call("ABORT", {"transaction": self._transaction})

    def close(self) -> None:
        self._link.close()
