"""The data source Spark sees as ``format("jms")``: checks options, hands over to source and sink."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from spark_jms_connector.columns import STANDARD_DDL
from spark_jms_connector.option_rules import parse_source_options
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.source.stream_reader import JmsStreamReader


class JmsDataSource(DataSource):
    """Messages of a JMS queue as a streaming DataFrame.

    Options are checked when Spark builds the source: at ``load()``, or, where the query declares a schema, when it
    starts. Nothing is connected before the query runs.
    """

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._parsed: SourceOptions = parse_source_options(options)

    @classmethod
    def name(cls) -> str:
        return "jms"

    def schema(self) -> str:
        """All standard columns, for a query that declares none."""
        return STANDARD_DDL

    def streamReader(self, schema: StructType) -> JmsStreamReader:
        return JmsStreamReader(self._parsed, schema)

    def __repr__(self) -> str:
        return f"JmsDataSource({self._parsed!r})"


def register(spark: SparkSession) -> None:
    """Make ``format("jms")`` known to a Spark session."""
    spark.dataSource.register(JmsDataSource)
