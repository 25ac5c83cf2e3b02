"""The demo's query, a process of its own: streams the queue into the table and, the last time, counts."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from delta import configure_spark_with_delta_pip
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from spark_jms_connector.cli.demo_folder import DemoFolder
from spark_jms_connector.cli.demo_orders import QUEUE, SAMPLE, SCHEMA
from spark_jms_connector.cli.demo_report import Report, write_report
from spark_jms_connector.datasource import register
from spark_jms_connector.source.watchdog import die_with_parent

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}

# A minute's work on few cores: optimizing compilation would cost more than it brings.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def main(arguments: Sequence[str] | None = None) -> None:
    """Stream until killed; with ``--last``, until the queue is empty, and write the report."""
    given = _parser().parse_args(arguments)
    die_with_parent()
    if os.getppid() != given.parent:
        return  # the demo ended before the watch began
    folder = DemoFolder(given.folder)
    spark = _session(folder)
    query = _stream(spark, folder, given.url, given.batch, given.last)
    query.awaitTermination()
    write_report(_count(spark.read.format("delta").load(str(folder.table)), query), folder.report)
    spark.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    parser.add_argument("batch", type=int)
    parser.add_argument("parent", type=int)
    parser.add_argument("--last", action="store_true")
    return parser


def _session(folder: DemoFolder) -> SparkSession:
    builder = SparkSession.builder.appName("spark-jms-demo").master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.local.dir", str(folder.spark))
    builder = builder.config("spark.sql.warehouse.dir", str(folder.spark / "warehouse"))
    builder = builder.config("spark.driver.extraJavaOptions", f'{QUICK} "-Djava.io.tmpdir={folder.spark}"')
    spark: SparkSession = configure_spark_with_delta_pip(builder).getOrCreate()
    register(spark)
    return spark


def _stream(spark: SparkSession, folder: DemoFolder, url: str, batch: int, last: bool) -> StreamingQuery:
    orders = (
        spark.readStream.format("jms")
        .option("provider", "artemis")
        .option("url", url)
        .option("queue", QUEUE)
        .option("journal", str(folder.journal))
        .option("maxMessagesPerTrigger", batch)
        .schema(SCHEMA)
        .load()
    )
    writer = orders.writeStream.format("delta").option("checkpointLocation", str(folder.checkpoint))
    writer = writer.trigger(availableNow=True) if last else writer
    return writer.start(str(folder.table))


def _count(table: DataFrame, query: StreamingQuery) -> Report:
    identity = f.col("orderId")
    found = table.agg(f.count("*"), f.count_distinct(identity), f.min(identity), f.max(identity)).collect()[0]
    sample = table.orderBy(identity).select(*SAMPLE).limit(10)
    return Report(
        rows=found[0],
        distinct=found[1],
        lowest=found[2],
        highest=found[3],
        redelivered=_redelivered(query),
        columns=[[column.name, column.dataType.simpleString().upper()] for column in sample.schema],
        sample=[list(row) for row in sample.select(*(f.col(name).cast("string") for name in SAMPLE)).collect()],
    )


def _redelivered(query: StreamingQuery) -> int:
    """How many messages the broker delivered again in this run, as the source reports it."""
    said = [json.loads(source.latestOffset or "null") for p in query.recentProgress for source in p.sources]
    return max((int(each["redelivered"]) for each in said if each), default=0)


if __name__ == "__main__":
    main()
