"""What a receiver has in hand: received, but in no segment yet."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from spark_jms_connector.transport.base import Received


@dataclass
class Filling:
    """What a session has brought since its last commit and no segment holds yet."""

    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    dead_lettered: int = 0
    redelivered: bool = False

    def add(self, received: Received, redelivered: int) -> None:
        batch = received.batch
        if batch.num_rows:
            self.batches.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes
        self.dead_lettered += received.dead_lettered
        self.redelivered = self.redelivered or redelivered > 0
