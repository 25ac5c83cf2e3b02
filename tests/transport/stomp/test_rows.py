"""Rows from frames: the same keys as message objects have, and nothing that a sender writes breaks a batch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jms_connector.message import message_key
from spark_jms_connector.schema import JOURNAL, batch_to_messages
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.stomp.artemis import Artemis
from spark_jms_connector.transport.stomp.classic import Classic
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import MESSAGE, Frame
from spark_jms_connector.transport.stomp.rabbitmq import RabbitMq
from spark_jms_connector.transport.stomp.rows import Cells, RowReader, to_batch

SPEC = ConsumerSpec(Destination("orders"), dedup_key="JMSMessageID")
DIALECTS: list[Dialect] = [Artemis(), Classic(), RabbitMq()]
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=":\\\r\n"), max_size=8)
NAMES = WORDS | st.sampled_from(["timestamp", "priority", "expires", "JMSXGroupSeq", "_AMQ_GROUP_ID", "redelivered"])


def frame(body: bytes, has_length: bool = True, **headers: str) -> Frame:
    lines = [f"{name.replace('_', '-')}:{value}" for name, value in headers.items()]
    return Frame(MESSAGE, "\n".join(lines).encode(), body, has_length)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(headers=st.dictionaries(NAMES, WORDS, max_size=6), body=st.binary(max_size=50), has_length=st.booleans())
def test_keys_are_those_of_messages(dialect: Dialect, headers: dict[str, str], body: bytes, has_length: bool) -> None:
    known = {"destination": "/queue/orders", "message-id": "1,2", "amqp-message-id": "ID"}
    head = "\n".join(f"{name}:{value}" for name, value in {**headers, **known}.items()).encode()
    batch = to_batch([RowReader(dialect, SPEC).read(Frame(MESSAGE, head, body, has_length))])
    (message,) = batch_to_messages(batch)
    assert batch.schema.equals(JOURNAL)
    assert batch.column("key").to_pylist() == [message_key(message, message.message_id or "")]
    assert message.destination == "queue:orders"


def read(dialect: Dialect, frame: Frame, spec: ConsumerSpec = SPEC) -> Cells:
    return Cells(*RowReader(dialect, spec).read(frame))


def test_artemis_tells_bytes_by_the_place_of_the_length() -> None:
    as_bytes = read(Artemis(), frame(b"abc", subscription="s", content_length="3", message_id="1,2"))
    as_text = read(Artemis(), frame(b"abc", subscription="s", message_id="1,2", content_length="3"))
    not_utf8 = read(Artemis(), frame(b"\xff", subscription="s", message_id="1,2", content_length="1"))
    assert (as_bytes.body_type, as_text.body_type, not_utf8.body_type) == ("bytes", "text", "bytes")


def test_rabbitmq_tells_text_by_the_content_type() -> None:
    kinds = ["text/plain", "application/octet-stream", "application/json"]
    assert [read(RabbitMq(), frame(b"{}", content_type=kind)).body_type for kind in kinds] == ["text", "bytes", "text"]


def test_identities() -> None:
    assert read(Artemis(), frame(b"", message_id="887,876")).identity == "ID:876"
    assert read(Classic(), frame(b"", message_id="ID")).identity == "ID"
    assert read(RabbitMq(), frame(b"", message_id="T_1@@session@@1")).identity is None
    keyed = ConsumerSpec(Destination("orders"), dedup_key="order")
    assert read(RabbitMq(), frame(b"", order="7"), keyed).identity == "7"


def test_many_property_names_are_not_remembered_for_ever() -> None:
    reader = RowReader(Classic(), SPEC)
    for number in range(10_050):
        reader.read(Frame(MESSAGE, f"p{number}:x".encode(), b"", True))
    assert len(reader._names) <= 10_000
