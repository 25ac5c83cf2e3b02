"""Predicates and messages at random: the selector takes exactly the messages for which Spark's predicate is true."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import cast

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from spark_jms_connector.columns import convert
from spark_jms_connector.errors import SelectorError
from spark_jms_connector.message import Message
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.selector.evaluate import matcher
from spark_jms_connector.selector.from_sql import translate
from tests.selector.predicates import SCHEMA, ZONE, messages, predicate

pytestmark = [pytest.mark.spark, pytest.mark.slow]

COUNT = int(os.environ.get("SELECTOR_PREDICATES", "400"))
SEED = int(os.environ.get("SELECTOR_SEED", "1"))
AT_ONCE = 50


@pytest.fixture(params=["true", "false"])
def ansi(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[str]:
    """The shared session, set for many small predicates; put back afterwards."""
    wanted = {
        "spark.sql.session.timeZone": ZONE,
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.ansi.enabled": request.param,
    }
    before = {name: spark.conf.get(name) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    yield request.param
    for name, earlier in before.items():
        spark.conf.set(name, str(earlier))


def test_spark_and_the_selector_take_the_same(spark: SparkSession, ansi: str) -> None:
    random = Random(f"{SEED} {ansi}")
    sent = messages(random)
    frame = as_frame(spark, sent)
    pairs = translated(random, COUNT)
    compared = 0
    for start in range(0, COUNT, AT_ONCE):
        batch = pairs[start : start + AT_ONCE]
        for (made, selector), answers in zip(batch, ask_spark(frame, [made for made, _ in batch]), strict=True):
            if answers is None:
                continue
            matches = matcher(selector)
            wrong = [message for message, told in zip(sent, answers, strict=True) if matches(message) is not told]
            assert not wrong, f"Spark differs on {made!r}, translated to {selector!r}, for {wrong[0]}"
            compared += len(sent)
    print(f"{compared} pairs compared")
    assert compared > COUNT * len(sent) * 0.8


def translated(random: Random, count: int) -> list[tuple[str, str]]:
    """Predicates and their selectors; those without one are left out."""
    found: list[tuple[str, str]] = []
    while len(found) < count:
        made = predicate(random)
        try:
            found.append((made, translate(made, SCHEMA, ZONE)))
        except SelectorError as error:
            assert "Filter in Spark after load()" in str(error), made
    return found


def as_frame(spark: SparkSession, sent: Sequence[Message]) -> DataFrame:
    """The messages as the source's own conversion makes rows of them."""
    target = to_arrow_schema(cast(StructType, StructType.fromDDL(SCHEMA)), timezone="UTC")
    batch = convert(
        messages_to_batch(sent, [""] * len(sent)),
        target,
        receiver="r",
        first_sequence=0,
        mode="FAILFAST",
        corrupt_column="_corrupt_record",
        parse_text=False,
    )
    return spark.createDataFrame(pa.Table.from_batches([batch])).coalesce(1).cache()


def ask_spark(frame: DataFrame, made: Sequence[str]) -> list[list[bool] | None]:
    """For each predicate the rows it is true for; None where Spark refuses it, alone or on these rows."""
    try:
        rows = frame.selectExpr(*(f"coalesce({p}, false) AS p{i}" for i, p in enumerate(made))).collect()
        return [[bool(row[index]) for row in rows] for index in range(len(made))]
    except PySparkException:
        if len(made) == 1:
            return [None]
        half = len(made) // 2
        return ask_spark(frame, made[:half]) + ask_spark(frame, made[half:])
