"""STOMP against brokers that are restarted, guarded by a password, idle, or asked for little at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import AccessError, CommitError, ConnectionLostError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.stomp import link
from tests.transport.harness import PLENTY, fresh_queue, receive, texts, to_batch, within
from tests.transport.stomp.brokers import RabbitBroker

pytestmark = pytest.mark.broker


def stomp(url: str, **options: str) -> None:
    open_transport(SourceOptions(url=url, **options)).open_consumer(ConsumerSpec(Destination("q")))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArtemisBroker]:
    folder: Path = tmp_path_factory.mktemp("login")
    with ArtemisBroker(folder, user="reader", password="s3cret-word") as started:
        yield started


def test_a_wrong_password_fails_at_once(guarded: ArtemisBroker) -> None:
    with within(10), pytest.raises(AccessError, match="'password'") as caught:
        stomp(f"stomp://127.0.0.1:{guarded.port}", user="reader", password="wr0ng-word")
    assert not caught.value.retriable
    assert "wr0ng-word" not in str(caught.value)


def test_a_restarted_broker_has_the_messages(guarded: ArtemisBroker) -> None:
    options = SourceOptions(url=f"stomp://127.0.0.1:{guarded.port}", user="reader", password="s3cret-word")
    transport, queue = open_transport(options), fresh_queue()
    producer = transport.open_producer(queue)
    producer.send(to_batch(*[Message(body=str(number)) for number in range(3)]))
    producer.commit()
    consumer = transport.open_consumer(ConsumerSpec(queue))
    receive(consumer, 2)
    guarded.kill()
    with pytest.raises(CommitError):
        consumer.commit()
    with pytest.raises(ConnectionLostError):
        transport.open_consumer(ConsumerSpec(queue))
    guarded.start()
    assert texts(receive(transport.open_consumer(ConsumerSpec(queue)), 3)) == ["0", "1", "2"]
    transport.close()


def test_an_idle_connection_stays(artemis: ArtemisBroker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "HEARTBEATS", (500, 500))
    transport, queue = open_transport(SourceOptions(url=f"stomp://127.0.0.1:{artemis.port}")), fresh_queue()
    consumer = transport.open_consumer(ConsumerSpec(queue))
    assert consumer.receive(1, PLENTY, 5).empty  # the broker would have given up after three seconds at most
    producer = transport.open_producer(queue)
    producer.send(to_batch(Message(body="late")))
    producer.commit()
    assert texts(receive(consumer, 1)) == ["late"]
    transport.close()


@pytest.mark.parametrize(("prefetch", "most"), [(0, 1), (10, 30)])
def test_what_is_sent_ahead_is_bounded(artemis: ArtemisBroker, prefetch: int, most: int) -> None:
    transport, queue = open_transport(SourceOptions(url=f"stomp://127.0.0.1:{artemis.port}")), fresh_queue()
    producer = transport.open_producer(queue)
    producer.send(to_batch(*[Message(body="x" * 500)] * 200))
    producer.commit()
    consumer = transport.open_consumer(ConsumerSpec(queue, prefetch=prefetch))
    got = 0
    while rows := consumer.receive(1000, PLENTY, 0.5).batch.num_rows:
        got += rows
    assert 1 <= got <= most
    consumer.commit()
    assert consumer.receive(1000, PLENTY, 5).batch.num_rows >= 1
    transport.close()


def test_a_wrong_password_on_rabbitmq(rabbitmq: RabbitBroker) -> None:
    with within(10), pytest.raises(AccessError):
        stomp(rabbitmq.url, user="guest", password="wr0ng-word")
