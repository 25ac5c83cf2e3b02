"""A body that its own client cannot read, on a real Artemis."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import UnreadableMessageError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.java import find_java
from spark_jms_connector.transport.jms import JmsTransport
from spark_jms_connector.transport.packages import resolve

pytestmark = pytest.mark.broker
SENDER = Path(__file__).parent / "java" / "SendGarbage.java"
PLENTY = 2**20
# Artemis' client reads a map before it hands the message over, a stream when it is asked.
MAP, STREAM = "5", "6"


@pytest.fixture
def transport(artemis: ArtemisBroker) -> Iterator[JmsTransport]:
    transport = JmsTransport(SourceOptions(provider="artemis", url=artemis.url, queue="q", journal="j"))
    yield transport
    transport.close()


def garbage_between(artemis: ArtemisBroker, transport: JmsTransport, body_type: str) -> Destination:
    """A queue with a good message, one whose body is garbage, and another good one."""
    queue = Destination(f"garbage-{uuid.uuid4().hex}")
    _send(transport, queue, "first")
    path = os.pathsep.join(map(str, resolve(PROVIDERS["artemis"].packages)))
    command = [str(find_java()), "-cp", path, str(SENDER), artemis.url, queue.name, body_type]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    _send(transport, queue, "second")
    return queue


def _send(transport: JmsTransport, queue: Destination, text: str) -> None:
    producer = transport.open_producer(queue)
    producer.send(messages_to_batch([Message(text)], [""]))
    producer.commit()
    producer.close()


@pytest.mark.parametrize(("body_type", "says"), [(MAP, "remove it"), (STREAM, "deadLetterQueue")])
def test_it_stops_the_receiver_and_stays_on_the_broker(
    artemis: ArtemisBroker, transport: JmsTransport, body_type: str, says: str
) -> None:
    queue = garbage_between(artemis, transport, body_type)
    consumer = transport.open_consumer(ConsumerSpec(queue))
    with pytest.raises(UnreadableMessageError, match=says) as raised:
        consumer.receive(10, PLENTY, 5)
    assert raised.value.preceding == 1
    consumer.rollback()
    consumer.close()
    assert transport.depth(queue) == 3


def test_it_goes_to_the_dead_letter_queue(artemis: ArtemisBroker, transport: JmsTransport) -> None:
    queue = garbage_between(artemis, transport, STREAM)
    dead = f"{queue.name}-dead"
    consumer = transport.open_consumer(ConsumerSpec(queue, dead_letter_queue=dead))
    received = consumer.receive(10, PLENTY, 5)
    assert (received.batch.column("text").to_pylist(), received.dead_lettered) == (["first", "second"], 1)
    consumer.commit()
    consumer.close()
    assert (transport.depth(queue), transport.depth(Destination(dead))) == (0, 1)
