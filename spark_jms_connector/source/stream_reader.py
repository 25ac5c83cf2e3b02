"""Spark's stream reader: each method hands over to the stream, or to the slice a task was given."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from spark_jms_connector.columns import check_schema, convert
from spark_jms_connector.errors import SelectorError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.selector.check import log_selector
from spark_jms_connector.source.offsets import BEGINNING, Offset
from spark_jms_connector.source.planner import Slice
from spark_jms_connector.source.settings import with_selector
from spark_jms_connector.source.slices import read_positions
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.source.watchdog import die_with_parent
from spark_jms_connector.storage import Storage
from spark_jms_connector.transport import open_transport


@dataclass
class SlicePartition(InputPartition):
    """A slice on its way to a task."""

    part: Slice


class JmsStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a JMS queue. On the driver it plans, on executors it reads slices of the journal."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self._options = options
        self._schema = schema

    @functools.cached_property
    def _stream(self) -> Stream:
        options = self._checked()
        die_with_parent()
        log_selector(options.selector, options.where)
        return Stream(options, open_transport(options))

    def _checked(self) -> SourceOptions:
        """The options as the stream uses them, once the schema is known to go with them."""
        check_schema(self._target, self._options)
        return with_selector(self._options, self._target)

    @property
    def _target(self) -> pa.Schema:
        return to_arrow_schema(self._schema, timezone="UTC")

    def initialOffset(self) -> dict[str, Any]:
        self._checked()
        return BEGINNING.to_json()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        unlimited = self._limited and isinstance(limit, ReadAllAvailable)
        return self._stream.latest_offset(Offset.from_json(start), unlimited).to_json()

    @property
    def _limited(self) -> bool:
        return not isinstance(self.getDefaultReadLimit(), ReadAllAvailable)

    def getDefaultReadLimit(self) -> ReadLimit:
        if self._options.max_messages_per_trigger is not None:
            return ReadMaxRows(self._options.max_messages_per_trigger)
        if self._options.max_bytes_per_trigger is not None:
            return ReadMaxBytes(self._options.max_bytes_per_trigger)
        return ReadAllAvailable()

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return self._stream.report()

    def prepareForTriggerAvailableNow(self) -> None:
        self._stream.prepare_for_available_now()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [SlicePartition(s) for s in self._stream.slices(Offset.from_json(start), Offset.from_json(end))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, SlicePartition) and self._options.journal is not None
        options, part = self._options, partition.part
        storage = Storage(self._options.journal, options.storage, options.reconnect_timeout)
        for batch, first_sequence in read_positions(storage, part):
            yield convert(
                batch,
                self._target,
                receiver=part.segment.seal.receiver,
                first_sequence=first_sequence,
                mode=options.mode,
                corrupt_column=options.column_name_of_corrupt_record,
                parse_text=options.parses_text,
            )

    def commit(self, end: dict[str, Any]) -> None:
        self._stream.commit(Offset.from_json(end))

    def __repr__(self) -> str:
        with contextlib.suppress(SelectorError):
            return f"JmsStreamReader({with_selector(self._options, self._target)!r})"
        return f"JmsStreamReader({self._options!r})"

    def stop(self) -> None:
        if "_stream" in self.__dict__:
            self._stream.stop()
