"""One Artemis, two ways: what JMS clients send is read over STOMP, and the other way round."""

from __future__ import annotations

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.message import Message, Value
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Transport
from tests.transport.harness import PLENTY, fresh_queue, receive, texts, to_batch

pytestmark = pytest.mark.broker
KINDS = [
    Message(body="Grüße"),
    Message(body=b"plain ascii", body_type="bytes"),
    Message(body=b"\xff\x00", body_type="bytes"),
    Message(body="last"),
]


@pytest.fixture
def over_stomp(artemis: ArtemisBroker) -> Transport:
    return open_transport(SourceOptions(url=f"stomp://127.0.0.1:{artemis.port}"))


def send(transport: Transport, spec: ConsumerSpec, *messages: Message) -> None:
    producer = transport.open_producer(spec.destination)
    producer.send(to_batch(*messages))
    producer.commit()
    producer.close()


def bodies(consumer: Consumer, count: int) -> list[tuple[str, object]]:
    return [(message.body_type, message.body) for message in receive(consumer, count)]


def test_text_and_bytes_from_jms(artemis_transport: Transport, over_stomp: Transport) -> None:
    spec = ConsumerSpec(fresh_queue())
    send(artemis_transport, spec, *KINDS)
    assert bodies(over_stomp.open_consumer(spec), 4) == [(kind.body_type, kind.body) for kind in KINDS]
    over_stomp.close()


def test_text_and_bytes_to_jms(artemis_transport: Transport, over_stomp: Transport) -> None:
    spec = ConsumerSpec(fresh_queue(), dedup_key="key")
    send(over_stomp, spec, *[Message(k.body, k.body_type, {"key": Value.of("1")}, reply_to="queue:a") for k in KINDS])
    consumer = artemis_transport.open_consumer(spec)
    got = receive(consumer, 4)
    consumer.close()
    assert [(message.body_type, message.body) for message in got] == [(kind.body_type, kind.body) for kind in KINDS]
    assert {message.reply_to for message in got} == {"queue:a"}
    over_stomp.close()


@pytest.mark.parametrize("sender", ["jms", "stomp"])
def test_selectors_compare_numbers_whoever_sent_them(
    artemis_transport: Transport, over_stomp: Transport, sender: str
) -> None:
    spec = ConsumerSpec(fresh_queue(), selector="n > 5 AND region = 'EU'")
    given = [Message(body=str(n), properties={"n": Value.of(n), "region": Value.of("EU")}) for n in (4, 6, 10)]
    send(artemis_transport if sender == "jms" else over_stomp, spec, *given)
    consumer = over_stomp.open_consumer(spec)
    assert texts(receive(consumer, 2)) == ["6", "10"]
    assert consumer.receive(1, PLENTY, 0.3).empty
    over_stomp.close()


def test_properties_of_jms_senders_are_text(artemis_transport: Transport, over_stomp: Transport) -> None:
    spec = ConsumerSpec(fresh_queue())
    typed = {"n": Value.of(7), "d": Value.of(0.5), "b": Value.of(True), "s": Value.of("x:\n\\")}
    send(artemis_transport, spec, Message(body="x", properties=typed, correlation_id="c", type="t", group_id="g"))
    (message,) = receive(over_stomp.open_consumer(spec), 1)
    assert message.properties == {name: Value("string", value.text) for name, value in typed.items()}
    assert (message.correlation_id, message.type, message.group_id) == ("c", "t", "g")
    assert message.destination == str(spec.destination)
    over_stomp.close()
