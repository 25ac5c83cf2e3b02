"""A broker that dies under clients other than Artemis': told soon, and its successor found."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import CommitError, ConnectionLostError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec
from tests.classic import ClassicBroker
from tests.transport.harness import Bed, fresh_queue, receive, within

pytestmark = [pytest.mark.broker, pytest.mark.slow]

PLENTY = 2**30


@pytest.mark.parametrize("provider", ["activemq", "qpid", "artemis-javax"])
def test_a_killed_broker_is_told_and_its_successor_found(provider: str, tmp_path: Path) -> None:
    make = ClassicBroker if provider == "activemq" else ArtemisBroker
    with make(tmp_path) as broker:
        url = f"amqp://127.0.0.1:{broker.port}" if provider == "qpid" else broker.url
        options = SourceOptions(provider=provider, url=url)
        with closing(open_transport(options)) as transport:
            bed = Bed("artemis", transport, options)
            bed.send(Message("x"))
            holding, waiting = bed.consumer(), bed.consumer(fresh_queue())
            assert len(receive(holding, 1)) == 1
            threading.Timer(0.3, broker.kill).start()
            with within(15), pytest.raises(ConnectionLostError):
                waiting.receive(1, PLENTY, 60)
            with within(15), pytest.raises(CommitError):
                holding.commit()
            with within(15), pytest.raises(ConnectionLostError):
                transport.open_consumer(ConsumerSpec(bed.queue))
            bed.close()
            broker.start()
            (again,) = bed.drain()
            assert again.body == "x"
            bed.close()


def test_a_transaction_on_classic_holds_more_than_one_page(activemq_bed: Bed) -> None:
    """Unless the prefetch is small, Classic delivers 200 messages (maxPageSize) and then none."""
    count = 1000
    activemq_bed.send(*[Message(f"{number}") for number in range(count)])
    consumer = activemq_bed.consumer()
    assert len(receive(consumer, count, timeout=5)) == count
    consumer.commit()
    consumer.close()


def test_classics_client_moves_nothing_to_the_dead_letter_queue(activemq_bed: Bed) -> None:
    """By itself it gives a message up after six redeliveries."""
    activemq_bed.send(Message("x"))
    consumer = activemq_bed.consumer()
    for count in range(1, 10):
        (message,) = receive(consumer, 1)
        assert message.delivery_count == count
        consumer.rollback()
    consumer.close()
    assert activemq_bed.depth() == 1
