"""The demo's messages: orders with typed properties, and the columns they become."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from spark_jms_connector.message import Message, Value
from spark_jms_connector.schema import messages_to_batch

QUEUE = "orders"
SCHEMA = (
    "JMSMessageID STRING, JMSTimestamp TIMESTAMP, orderId BIGINT, customer BIGINT, region STRING, amount DOUBLE,"
    " quantity INT, express BOOLEAN, text STRING"
)
SAMPLE = ("orderId", "customer", "region", "amount", "quantity", "express", "JMSTimestamp")
REGIONS = ("EU", "US", "APAC", "LATAM")
BATCH = 1_000


def order(number: int) -> Message:
    """The order of that number: always the same one."""
    quantity = number % 7 + 1
    properties = {
        "orderId": Value("long", str(number)),
        "customer": Value("long", str(70_000 + number % 997)),
        "region": Value.of(REGIONS[number % len(REGIONS)]),
        "amount": Value.of(round(quantity * (number % 100 + 0.95), 2)),
        "quantity": Value.of(quantity),
        "express": Value.of(number % 3 == 0),
    }
    return Message(body=json.dumps({"order": number, "items": quantity}), properties=properties)


def order_batches(count: int) -> Iterator[pa.RecordBatch]:
    """Orders 1 to ``count``, some at a time."""
    for first in range(1, count + 1, BATCH):
        orders = [order(number) for number in range(first, min(first + BATCH, count + 1))]
        yield messages_to_batch(orders, [""] * len(orders))
