"""A Spark program of its own process: streams a queue into a Delta table, and can be killed anywhere."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from spark_jms_connector import crash_points, register
from spark_jms_connector.source.watchdog import die_with_parent
from spark_jms_connector.transport.packages import resolve

DELTA = "io.delta:delta-spark_4.2_2.13:4.4.0"
HALT_AT = "SPARK_HALT_AT_LOG"
SCHEMA = "n INT, text STRING"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
}


def session(classes: str | None) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("spark_job")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.driver.extraClassPath", ":".join([*delta_jars(), *([classes] if classes else [])]))
    if classes:
        builder = builder.config("spark.sql.streaming.checkpointFileManagerClass", "HaltingCheckpointFileManager")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    register(spark)
    return spark


def delta_jars() -> list[str]:
    """Delta's own jars, straight from the cache: Spark would ask Ivy at every start; the rest is in Spark."""
    return [str(jar) for jar in resolve([DELTA]) if jar.name.startswith(("io.delta", "io.unitycatalog"))]


def start(spark: SparkSession, options: dict[str, str], folder: Path, trigger: str) -> StreamingQuery:
    messages = spark.readStream.format("jms").options(**options).schema(SCHEMA).load()
    writer = messages.writeStream.format("delta").option("checkpointLocation", str(folder / "checkpoint"))
    timed = (
        writer.trigger(availableNow=True) if trigger == "availableNow" else writer.trigger(processingTime="0 seconds")
    )
    return timed.start(str(folder / "delta"))


def watch(query: StreamingQuery, folder: Path) -> None:
    """Report each micro-batch until the query ends, or is told to by a file."""
    reported = -1
    ended = False
    while not ended:
        ended = bool(query.awaitTermination(1))
        for progress in query.recentProgress:
            if progress["batchId"] > reported:
                reported = progress["batchId"]
                print(json.dumps({"batch": reported, "rows": progress["numInputRows"]}), flush=True)
        if not ended and (folder / "stop").exists():
            query.stop()
            ended = True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=json.loads, required=True)
    parser.add_argument("--trigger", choices=("availableNow", "continuous"), default="availableNow")
    parser.add_argument("--die-at", help="a crash point of the source: the reader process dies there")
    parser.add_argument("--halt-at", help="a file of Spark's logs, such as commits/1: the driver dies before it")
    parser.add_argument("--classes", help="where the class is that halts the driver")
    given = parser.parse_args()
    die_with_parent()
    if given.die_at:
        os.environ[crash_points.VARIABLE] = given.die_at
    if given.halt_at:
        os.environ[HALT_AT] = given.halt_at
    spark = session(given.classes)
    print(json.dumps({"ready": os.getpid()}), flush=True)
    try:
        watch(start(spark, given.options, given.folder, given.trigger), given.folder)
    except StreamingQueryException as error:
        print(json.dumps({"error": type(error).__name__, "text": str(error)}), flush=True)
        return 1
    print(json.dumps({"ended": given.trigger}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
