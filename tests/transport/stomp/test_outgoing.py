"""What a message becomes on its way out, and what is refused rather than sent as something else."""

from __future__ import annotations

import pytest

from spark_jms_connector.errors import TransportError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.transport.base import Destination
from spark_jms_connector.transport.stomp.artemis import Artemis
from spark_jms_connector.transport.stomp.classic import Classic
from spark_jms_connector.transport.stomp.outgoing import frame_of
from spark_jms_connector.transport.stomp.rabbitmq import RabbitMq

QUEUE = Destination("orders")


@pytest.mark.parametrize("name", ["a:b", "a\nb", "a\rb", "a\0b", "a\\b", ""])
def test_names_that_would_inject_headers_are_refused(name: str) -> None:
    with pytest.raises(TransportError, match="name"):
        frame_of(Message(body="x", properties={name: Value.of("v")}), QUEUE, Artemis())


@pytest.mark.parametrize("name", ["destination", "transaction", "receipt", "content-length", "message-id", "expires"])
def test_names_of_stomp_headers_are_refused(name: str) -> None:
    with pytest.raises(TransportError, match=f"'{name}'"):
        frame_of(Message(body="x", properties={name: Value.of("v")}), QUEUE, Classic())


def test_nul_in_values_and_unmeasured_text_is_refused() -> None:
    with pytest.raises(TransportError, match="NUL"):
        frame_of(Message(body="x", correlation_id="a\0b"), QUEUE, Classic())
    with pytest.raises(TransportError, match="Send it as bytes"):
        frame_of(Message(body="a\0b"), QUEUE, Artemis())
    headers, body = frame_of(Message(body="ä\0b"), QUEUE, RabbitMq())
    assert (headers["content-length"], body) == ("4", "ä\0b")


def test_only_bytes_have_a_length_for_jms_readers() -> None:
    for dialect in (Artemis(), Classic()):
        assert "content-length" not in frame_of(Message(body="x"), QUEUE, dialect)[0]
        assert frame_of(Message(body=b"\0x", body_type="bytes"), QUEUE, dialect)[0]["content-length"] == "2"


@pytest.mark.parametrize("kind", ["map", "stream", "object"])
def test_other_bodies_are_refused(kind: str) -> None:
    with pytest.raises(TransportError, match=f"no '{kind}' bodies"):
        frame_of(Message(body={} if kind == "map" else None, body_type=kind), QUEUE, Classic())


def test_rabbitmq_is_never_told_that_a_message_is_not_persistent() -> None:
    transient = Message(body="x", delivery_mode="NON_PERSISTENT")
    assert frame_of(transient, QUEUE, RabbitMq())[0]["persistent"] is None
    assert frame_of(transient, QUEUE, Artemis())[0]["persistent"] == "false"


def test_provider_properties_stay_behind_but_for_the_duplicate_id() -> None:
    given = {name: Value.of("x") for name in ("JMSXUserID", "_AMQ_OTHER", "_AMQ_DUPL_ID", "mine")}
    headers, _ = frame_of(Message(body="x", properties=given), QUEUE, Artemis())
    assert set(given) & set(headers) == {"_AMQ_DUPL_ID", "mine"}


def test_lone_surrogates_are_sent_as_java_does() -> None:
    headers, body = frame_of(Message(body="a\ud800", correlation_id="b\ud800"), QUEUE, Classic())
    assert (body, headers["correlation-id"]) == ("a?", "b?")


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [(Artemis(), "topic://news"), (Classic(), "/topic/news"), (RabbitMq(), "/topic/news")],
    ids=["artemis", "classic", "rabbitmq"],
)
def test_reply_to(dialect: Artemis | Classic | RabbitMq, expected: str) -> None:
    headers, _ = frame_of(Message(body="x", reply_to="topic:news"), QUEUE, dialect)
    assert headers["reply-to"] == expected
    assert dialect.destination(expected, QUEUE) == "topic:news"
