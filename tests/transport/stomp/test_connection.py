"""Connections that break, hang, are refused or idle; and what a pure STOMP stream never needs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from spark_jms_connector.errors import CommitError, ConnectionLostError, OptionError, TransportError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.stomp import link
from spark_jms_connector.transport.stomp.consumer import StompConsumer
from tests.brokers import free_port
from tests.transport.harness import PLENTY, receive, texts, within
from tests.transport.stomp.fake import FakeServer

SPEC = ConsumerSpec(Destination("q"))
ONE = b"MESSAGE\nsubscription:receiver\nmessage-id:1,2\ndestination:q\nack:1,2\n\nhello\0"


def stomp(url: str, **options: str) -> StompConsumer:
    opened = open_transport(SourceOptions(url=url, **options)).open_consumer(SPEC)  # type: ignore[arg-type]
    assert isinstance(opened, StompConsumer)
    return opened


def test_a_commit_without_an_answer_is_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(silent_on=(b"ACK",), messages=ONE) as server:
        consumer = stomp(server.url)
        assert texts(receive(consumer, 1)) == ["hello"]
        monkeypatch.setattr(link, "_RECEIPT_TIMEOUT", 0.3)
        with within(5), pytest.raises(CommitError, match="may or may not"):
            consumer.commit()
        with pytest.raises(TransportError):
            consumer.receive(1, PLENTY, 0.1)


def test_a_connection_cut_during_a_commit_is_uncertain() -> None:
    with FakeServer(silent_on=(b"ACK",), messages=ONE) as server:
        consumer = stomp(server.url)
        receive(consumer, 1)
        cut = threading.Timer(0.3, server.cut)
        cut.start()
        with within(10), pytest.raises(CommitError):
            consumer.commit()
        cut.join()


def test_a_commit_of_nothing_asks_nobody() -> None:
    with FakeServer(silent_on=(b"ACK",)) as server:
        consumer = stomp(server.url)
        consumer.commit()
        consumer.close()
        assert b"ACK\n" not in server.received


def test_a_lost_connection_ends_a_receive() -> None:
    with FakeServer() as server:
        consumer = stomp(server.url)
        cut = threading.Timer(0.3, server.cut)
        cut.start()
        with within(10), pytest.raises(ConnectionLostError):
            consumer.receive(1, PLENTY, 30)
        cut.join()


def test_a_broker_that_hangs_is_noticed_by_its_heart_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "HEARTBEATS", (200, 200))
    with FakeServer(beats=b"200,200") as server:
        consumer = stomp(server.url)
        with within(10), pytest.raises(ConnectionLostError, match="heart-beats"):
            consumer.receive(1, PLENTY, 30)
        assert b"\0\n" in server.received, "the client's own beats"


def test_an_unknown_server_is_refused() -> None:
    with FakeServer(server=b"CoilMQ/1.0") as server, pytest.raises(TransportError, match="CoilMQ"):
        stomp(server.url)


def test_something_else_than_stomp_is_refused() -> None:
    with FakeServer(server=b"x\n\n\0HTTP/1.1 400 Bad Request\r\n\r\n") as server, pytest.raises(TransportError):
        stomp(server.url)


@pytest.mark.parametrize("name", ["user", "password"])
def test_a_login_cannot_inject_headers(name: str) -> None:
    with FakeServer() as server:
        with pytest.raises(OptionError, match=f"'{name}'") as caught:
            stomp(server.url, **{name: "me\nhost:other"})
        assert "other" not in str(caught.value)
        assert server.received == b""


def test_the_urls_are_tried_in_turn() -> None:
    with FakeServer() as server:
        stomp(f"stomp://127.0.0.1:{free_port()},{server.url}").close()
        assert server.received.startswith(b"CONNECT\n")
    nobody = free_port()
    with pytest.raises(ConnectionLostError, match=f"{nobody}.*running"):
        stomp(f"stomp://127.0.0.1:{nobody}")


PURE = """
import sys
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination
consumer = open_transport(SourceOptions(url=sys.argv[1])).open_consumer(ConsumerSpec(Destination("q")))
print(consumer.receive(1, 1000, 10).batch.column("text").to_pylist())
consumer.commit()
consumer.close()
print(sorted(name for name in sys.modules if name.endswith((".transport.jvm", ".transport.java", ".transport.jms"))))
"""


def test_no_java_is_needed() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    with FakeServer(messages=ONE) as server:
        command = [sys.executable, "-c", PURE, server.url]
        ran = subprocess.run(command, env=environment | {"PATH": ""}, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "['hello']\n[]\n", ran.stderr
