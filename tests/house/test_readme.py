"""The README's example runs as it stands, but for the broker's address and the storage."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.cli.demo_orders import order_batches
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination
from tests.house.sources import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.broker, pytest.mark.slow]

MESSAGES = 50
BEFORE = """
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession
from spark_jms_connector.cli.demo_query import SETTINGS

builder = SparkSession.builder.master("local[2]")
for name, value in SETTINGS.items():
    builder = builder.config(name, value)
spark = configure_spark_with_delta_pip(builder).getOrCreate()
"""
AFTER = """
query.processAllAvailable()
query.stop()
table = spark.read.format("delta").load("s3://lake/orders")
print("FOUND", table.count(), table.select("JMSMessageID").distinct().count(), table.where("amount > 0").count())
spark.stop()
"""


def example() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    return str(found)


def send(broker: ArtemisBroker, queue: str) -> None:
    transport = open_transport(SourceOptions(provider="artemis", url=broker.url))
    producer = transport.open_producer(Destination(queue))
    for batch in order_batches(MESSAGES):
        producer.send(batch)
    producer.commit()
    producer.close()
    transport.close()


def test_the_example_runs(artemis: ArtemisBroker, tmp_path: Path) -> None:
    send(artemis, "orders")
    script = tmp_path / "example.py"
    text = (BEFORE + example() + AFTER).replace("tcp://broker:61616", artemis.url)
    script.write_text(text.replace("s3://lake", str(tmp_path)), "utf-8")
    ran = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert f"FOUND {MESSAGES} {MESSAGES} {MESSAGES}" in ran.stdout, ran.stdout + ran.stderr


def test_the_example_is_short() -> None:
    assert len([line for line in example().splitlines() if line.strip()]) <= 14


def test_the_readme_is_one_screen() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 90
