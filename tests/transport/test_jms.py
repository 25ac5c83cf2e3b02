"""The jms transport on a real Artemis: what is special to a Java client in a helper process."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import (
    AccessError,
    CommitError,
    ConnectionLostError,
    DependencyError,
    OptionError,
    SelectorError,
    TransportError,
    UnreadableMessageError,
)
from spark_jms_connector.message import Message, Value, message_key
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import JOURNAL, batch_to_messages, bytes_value, messages_to_batch
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.jms import JmsTransport

pytestmark = pytest.mark.broker

PLENTY = 2**30
PASSWORD = "s3cret-and-rare"

PROPERTIES = {
    "b": Value("boolean", "true"),
    "y": Value("byte", "-128"),
    "s": Value("short", "32767"),
    "i": Value("int", "-2147483648"),
    "l": Value("long", "9223372036854775807"),
    "f": Value("float", "3.4028235E38"),
    "d": Value("double", "1.0E-5"),
    "t": Value("string", "grüße 🎉"),
    "e": Value("string", ""),
    "n": Value("null", None),
}
ELEMENTS = {
    **PROPERTIES,
    "c": Value("char", "ß"),
    "z": bytes_value(b"\x00\xff"),
    "z0": bytes_value(b""),
    "ｚ": Value("int", "1"),
}
BODIES = [
    Message(body="text", properties=PROPERTIES),
    Message(body=""),
    Message(body=None),
    Message(body=b"\x00\xff", body_type="bytes"),
    Message(body=b"", body_type="bytes"),
    Message(body={**ELEMENTS, "🎉": Value("int", "2")}, body_type="map"),
    Message(body={}, body_type="map"),
    Message(body=tuple(ELEMENTS.values()), body_type="stream"),
    Message(body=(), body_type="stream"),
    Message(body=None, body_type="object"),
    Message(body=None, body_type="message", properties=PROPERTIES),
]


@pytest.fixture
def queue() -> Destination:
    return Destination(f"jms-{uuid.uuid4().hex[:12]}")


@pytest.fixture
def transport(artemis: ArtemisBroker) -> Iterator[JmsTransport]:
    with closing(SourceOptions(provider="artemis", url=artemis.url)) as transport:
        yield transport


class closing:  # noqa: N801
    """A transport for the length of a block."""

    def __init__(self, options: SourceOptions) -> None:
        self._transport = JmsTransport(options)

    def __enter__(self) -> JmsTransport:
        return self._transport

    def __exit__(self, *_: object) -> None:
        self._transport.close()


def send(transport: JmsTransport, queue: Destination, *messages: Message, message_ids: bool = True) -> None:
    producer = transport.open_producer(queue, message_ids=message_ids)
    producer.send(messages_to_batch(messages, [""] * len(messages)))
    producer.commit()
    producer.close()


def drain(transport: JmsTransport, queue: Destination) -> pa.RecordBatch:
    consumer = transport.open_consumer(ConsumerSpec(queue))
    batch = consumer.receive(1000, PLENTY, 2).batch
    consumer.commit()
    consumer.close()
    return batch


def pid_of(transport: JmsTransport) -> int:
    assert transport._jvm is not None and transport._jvm.pid is not None
    return transport._jvm.pid


def ended(pid: int, within: float) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_java_makes_the_same_rows_and_keys_as_python(transport: JmsTransport, queue: Destination) -> None:
    send(transport, queue, *BODIES)
    batch = drain(transport, queue)
    batch.validate(full=True)
    assert batch.schema.equals(JOURNAL)
    messages = batch_to_messages(batch)
    for sent, got, key in zip(BODIES, messages, batch.column("key").to_pylist(), strict=True):
        assert (got.body_type, got.body, got.properties) == (sent.body_type, sent.body, sent.properties)
        assert key == message_key(got, got.message_id or "")
    assert messages_to_batch(messages, [m.message_id or "" for m in messages]).column("key").equals(batch.column("key"))


@pytest.mark.parametrize(("dedup_key", "identity"), [("order", "7"), ("JMSCorrelationID", "c-1")])
def test_the_identity_may_be_a_property(
    transport: JmsTransport, queue: Destination, dedup_key: str, identity: str
) -> None:
    send(transport, queue, Message("x", properties={"order": Value.of(7)}, correlation_id="c-1"), message_ids=False)
    consumer = transport.open_consumer(ConsumerSpec(queue, dedup_key=dedup_key))
    batch = consumer.receive(10, PLENTY, 2).batch
    (message,) = batch_to_messages(batch)
    assert message.message_id is None
    assert batch.column("key")[0].as_py() == message_key(message, identity)
    consumer.close()


def test_a_message_without_id_stops_the_receiver(transport: JmsTransport, queue: Destination) -> None:
    send(transport, queue, Message("good"))
    send(transport, queue, Message("bad"), message_ids=False)
    consumer = transport.open_consumer(ConsumerSpec(queue))
    with pytest.raises(UnreadableMessageError) as raised:
        consumer.receive(10, PLENTY, 2)
    for word in ("JMSMessageID", str(queue), "deadLetterQueue", "dedupKey"):
        assert word in str(raised.value)
    consumer.rollback()
    consumer.close()
    assert transport.depth(queue) == 2


def test_dead_letters_keep_their_content_and_say_why(transport: JmsTransport, queue: Destination) -> None:
    dead = Destination(queue.name + "-dead")
    bad = [
        Message(m.body, m.body_type, {"p": Value.of(5)}, correlation_id="c") for m in BODIES if m.body_type != "object"
    ]
    send(transport, queue, *bad)
    send(transport, queue, Message("good", properties={"order": Value.of("1")}))
    consumer = transport.open_consumer(ConsumerSpec(queue, dedup_key="order", dead_letter_queue=dead.name))
    received = consumer.receive(100, PLENTY, 2)
    assert (received.batch.num_rows, received.dead_lettered) == (1, len(bad))
    assert transport.depth(dead) == 0, "not before the commit"
    consumer.commit()
    consumer.close()
    letters = batch_to_messages(drain(transport, dead))
    assert [(m.body_type, m.body, m.correlation_id) for m in letters] == [(m.body_type, m.body, "c") for m in bad]
    for letter in letters:
        assert letter.properties["p"] == Value.of(5)
        assert "order" in (letter.properties["SparkJmsReason"].text or "")


def test_receive_keeps_its_time(transport: JmsTransport, queue: Destination) -> None:
    consumer = transport.open_consumer(ConsumerSpec(queue))
    consumer.receive(1, PLENTY, 0.05)
    started = time.monotonic()
    assert consumer.receive(10, PLENTY, 0.5).empty
    assert 0.45 < time.monotonic() - started < 1.5
    send(transport, queue, Message("x"))
    started = time.monotonic()
    assert consumer.receive(10, PLENTY, 10).batch.num_rows == 1
    assert time.monotonic() - started < 2
    consumer.close()


def test_a_small_prefetch_leaves_messages_to_others(transport: JmsTransport, queue: Destination) -> None:
    send(transport, queue, *[Message("x" * 2000)] * 50)
    first = transport.open_consumer(ConsumerSpec(queue, prefetch=1))
    assert first.receive(1, PLENTY, 2).batch.num_rows == 1
    second = transport.open_consumer(ConsumerSpec(queue))
    time.sleep(0.3)
    got = 0
    while rows := second.receive(1000, PLENTY, 0.3).batch.num_rows:
        got += rows
    assert got >= 45
    first.close()
    second.close()


def test_close_unblocks_a_receive(transport: JmsTransport, queue: Destination) -> None:
    consumer = transport.open_consumer(ConsumerSpec(queue))
    timer = threading.Timer(0.3, consumer.close)
    timer.start()
    started = time.monotonic()
    with pytest.raises(ConnectionLostError):
        consumer.receive(1, PLENTY, 20)
    assert time.monotonic() - started < 5
    timer.join()


def test_a_bad_selector_is_named(transport: JmsTransport, queue: Destination) -> None:
    with pytest.raises(SelectorError, match="amount >>> 1"):
        transport.open_consumer(ConsumerSpec(queue, selector="amount >>> 1"))


def test_an_unknown_host_is_named(queue: Destination) -> None:
    options = SourceOptions(provider="artemis", url="tcp://no-such-host.invalid:61616")
    with closing(options) as transport, pytest.raises(TransportError, match=r"no-such-host\.invalid") as raised:
        transport.open_consumer(ConsumerSpec(queue))
    assert raised.value.retriable, "a name may be unknown for a moment while its broker moves"


def test_the_urls_are_tried_in_turn(artemis: ArtemisBroker, queue: Destination) -> None:
    urls = f"tcp://no-such-host.invalid:1,tcp://127.0.0.1:1,{artemis.url}"
    with closing(SourceOptions(provider="artemis", url=urls)) as transport:
        send(transport, queue, Message("x"))
        assert transport.depth(queue) == 1


def test_nobody_there_can_be_retried(queue: Destination) -> None:
    with (
        closing(SourceOptions(provider="artemis", url="tcp://127.0.0.1:1")) as transport,
        pytest.raises(ConnectionLostError, match="tcp://127.0.0.1:1"),
    ):
        transport.open_consumer(ConsumerSpec(queue))


def test_bean_properties_are_checked(artemis: ArtemisBroker, queue: Destination) -> None:
    for given, expected in [
        ({"consumerwindowsize": "many"}, "consumerwindowsize' must be of type int"),
        ({"consumerWindowsSize": "1"}, "connection.consumerWindowSize"),
    ]:
        with (
            closing(SourceOptions(provider="artemis", url=artemis.url, connection=given)) as transport,
            pytest.raises(OptionError, match=expected),
        ):
            transport.open_consumer(ConsumerSpec(queue))


def test_any_factory_will_do(artemis: ArtemisBroker, queue: Destination) -> None:
    from spark_jms_connector.providers import PROVIDERS

    known = PROVIDERS["artemis"]
    options = SourceOptions(url=artemis.url, connection_factory=known.connection_factory, packages=known.packages)
    with closing(options) as transport:
        send(transport, queue, Message("x"))
        assert transport.depth(queue) == 1


def test_missing_classes_and_jars_are_named(artemis: ArtemisBroker, queue: Destination, tmp_path: Path) -> None:
    missing = str(tmp_path / "client.jar")
    with (
        closing(SourceOptions(provider="artemis", url=artemis.url, jars=(missing,))) as transport,
        pytest.raises(DependencyError, match="client.jar"),
    ):
        transport.open_consumer(ConsumerSpec(queue))
    with (
        closing(SourceOptions(provider="artemis", url=artemis.url, jars=(str(tmp_path),))) as transport,
        pytest.raises(DependencyError, match="jakarta/jms"),
    ):
        transport.open_consumer(ConsumerSpec(queue))


def test_wrong_passwords_are_refused_and_never_shown(
    tmp_path: Path, queue: Destination, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    file = tmp_path / "password"
    file.write_text("wrong-" + PASSWORD + "\n")
    with ArtemisBroker(tmp_path / "data", user="app", password=PASSWORD) as broker:
        options = SourceOptions(provider="artemis", url=broker.url, user="app", password_file=str(file))
        with closing(options) as transport:
            with pytest.raises(AccessError) as raised:
                transport.open_consumer(ConsumerSpec(queue))
            file.write_text(PASSWORD + "\n")  # rotated: the same transport gets in
            send(transport, queue, Message("x"))
            command = Path(f"/proc/{pid_of(transport)}/cmdline").read_bytes()
    shown = str(raised.value) + repr(raised.value.__cause__) + repr(options) + repr(transport) + caplog.text
    assert "user" in str(raised.value)
    assert PASSWORD not in shown and PASSWORD.encode() not in command


def test_a_killed_broker_is_told_and_its_successor_found(tmp_path: Path, queue: Destination) -> None:
    with ArtemisBroker(tmp_path) as broker, closing(SourceOptions(provider="artemis", url=broker.url)) as transport:
        send(transport, queue, Message("x"))
        consumer = transport.open_consumer(ConsumerSpec(queue))
        waiting = transport.open_consumer(ConsumerSpec(Destination(queue.name + "-2")))
        assert consumer.receive(1, PLENTY, 2).batch.num_rows == 1
        threading.Timer(0.3, broker.kill).start()
        with pytest.raises(ConnectionLostError, match="127.0.0.1"):
            waiting.receive(1, PLENTY, 20)
        with pytest.raises(CommitError):
            consumer.commit()
        with pytest.raises(ConnectionLostError):
            consumer.receive(1, PLENTY, 5)
        consumer.close()
        waiting.close()
        broker.start()
        again = transport.open_consumer(ConsumerSpec(queue))
        assert again.receive(1, PLENTY, 5).batch.num_rows == 1
        again.commit()
        again.close()


def test_a_killed_helper_is_replaced(transport: JmsTransport, queue: Destination) -> None:
    send(transport, queue, Message("x"))
    consumer = transport.open_consumer(ConsumerSpec(queue))
    other = transport.open_consumer(ConsumerSpec(queue))
    assert consumer.receive(1, PLENTY, 2).batch.num_rows == 1
    dead = pid_of(transport)
    threading.Timer(0.3, os.kill, (dead, signal.SIGKILL)).start()
    with pytest.raises(ConnectionLostError, match="helper"):
        other.receive(1, PLENTY, 20)
    with pytest.raises(CommitError):
        consumer.commit()
    consumer.close()
    other.close()
    again = transport.open_consumer(ConsumerSpec(queue))
    assert pid_of(transport) != dead
    assert again.receive(1, PLENTY, 5).batch.num_rows == 1
    again.close()


CHILD = """
import sys, time
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.jms import JmsTransport
transport = JmsTransport(SourceOptions(provider="artemis", url=sys.argv[1]))
consumer = transport.open_consumer(ConsumerSpec(Destination(sys.argv[2])))
print(consumer.receive(1, 2**30, 5).batch.num_rows, transport._jvm.pid, flush=True)
time.sleep(600)
"""


def test_the_helper_dies_with_its_parent(artemis: ArtemisBroker, transport: JmsTransport, queue: Destination) -> None:
    send(transport, queue, Message("a"), Message("b"))
    child = subprocess.Popen([sys.executable, "-c", CHILD, artemis.url, queue.name], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    rows, helper = map(int, child.stdout.readline().split())
    assert rows == 1
    child.kill()
    child.wait()
    child.stdout.close()
    assert ended(helper, 5)
    counts = [m.delivery_count for m in batch_to_messages(drain(transport, queue))]
    assert counts == [2, 1], "it closed its session in order: what was only prefetched does not count"


def test_closing_twice_and_after_everything_is_gone(transport: JmsTransport, queue: Destination) -> None:
    consumer = transport.open_consumer(ConsumerSpec(queue))
    producer = transport.open_producer(queue)
    pid = pid_of(transport)
    transport.close()
    assert ended(pid, 1)
    for session in (consumer, producer, consumer):
        session.close()
    transport.close()
    with pytest.raises(ConnectionLostError):
        consumer.receive(1, 1, 0.1)


def test_a_restarted_broker_keeps_port_and_messages(tmp_path: Path, queue: Destination) -> None:
    with ArtemisBroker(tmp_path) as broker, closing(SourceOptions(provider="artemis", url=broker.url)) as transport:
        url = broker.url
        send(transport, queue, Message("x"))
        broker.restart()
        assert broker.url == url
        assert transport.depth(queue) == 1
    assert not broker.alive
