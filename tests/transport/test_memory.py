"""What only the memory broker can be asked: failures on demand, limits, delays, tokens."""

from __future__ import annotations

import pytest

from spark_jms_connector.errors import AccessError, CommitError, ConnectionLostError, OptionError
from spark_jms_connector.message import Message, Value
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import batch_to_messages
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.memory import MemoryServer, start_memory_broker
from spark_jms_connector.transport.memory_broker import MemoryBroker
from spark_jms_connector.transport.memory_session import ConsumerSession
from tests.transport.harness import PLENTY, texts, to_batch

QUEUE = Destination("q")


class Clock:
    """Time that stands still until told."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


def send(broker: MemoryBroker, *messages: Message) -> None:
    producer = broker.open_producer(QUEUE)
    producer.send(to_batch(*messages))
    producer.commit()
    producer.close()


def poll(consumer: ConsumerSession, count: int = 100) -> list[Message]:
    return batch_to_messages(consumer.receive(count, PLENTY, 0).batch)


def counts(messages: list[Message]) -> list[int]:
    return [message.delivery_count for message in messages]


def filled(count: int) -> MemoryBroker:
    broker = MemoryBroker()
    send(broker, *[Message(body=str(number)) for number in range(count)])
    return broker


def test_prefetched_messages_are_not_available_to_others() -> None:
    broker = filled(5)
    first = broker.open_consumer(ConsumerSpec(QUEUE, prefetch=3))
    second = broker.open_consumer(ConsumerSpec(QUEUE))
    assert texts(poll(second)) == ["3", "4"]
    assert texts(poll(first)) == ["0", "1", "2"]


def test_consumers_take_turns() -> None:
    broker = MemoryBroker()
    consumers = [broker.open_consumer(ConsumerSpec(QUEUE)) for _ in range(2)]
    send(broker, *[Message(body=str(number)) for number in range(4)])
    assert [texts(poll(consumer)) for consumer in consumers] == [["0", "2"], ["1", "3"]]


def test_a_lost_connection_counts_the_whole_prefetch_buffer() -> None:
    broker = filled(3)
    consumer = broker.open_consumer(ConsumerSpec(QUEUE))
    poll(consumer, 1)
    broker.lose(consumer)
    with pytest.raises(ConnectionLostError):
        poll(consumer)
    with pytest.raises(CommitError):
        consumer.commit()
    assert counts(poll(broker.open_consumer(ConsumerSpec(QUEUE)))) == [2, 2, 2]


def test_a_cut_client_goes_on_until_its_commit() -> None:
    broker = filled(3)
    cut = broker.open_consumer(ConsumerSpec(QUEUE))
    assert texts(poll(cut, 1)) == ["0"]
    broker.cut(cut)
    other = broker.open_consumer(ConsumerSpec(QUEUE))
    assert counts(poll(other)) == [2, 2, 2]
    assert texts(poll(cut)) == ["1", "2"]
    assert poll(cut) == []
    with pytest.raises(CommitError):
        cut.commit()
    other.commit()
    assert broker.browse(QUEUE) == []


@pytest.mark.parametrize("applied", [True, False])
def test_a_failed_commit_took_effect_or_not(applied: bool) -> None:
    broker = filled(3)
    consumer = broker.open_consumer(ConsumerSpec(QUEUE))
    poll(consumer, 2)
    broker.fail_next_commit(consumer, applied=applied)
    with pytest.raises(CommitError):
        consumer.commit()
    again = poll(broker.open_consumer(ConsumerSpec(QUEUE)))
    assert texts(again) == (["2"] if applied else ["0", "1", "2"])
    assert all(message.redelivered for message in again)


def test_a_repeated_message_keeps_its_id() -> None:
    broker = filled(1)
    consumer = broker.open_consumer(ConsumerSpec(QUEUE))
    (first,) = poll(consumer)
    broker.repeat(first)
    (copy,) = poll(consumer)
    assert (copy.message_id, copy.redelivered, copy.delivery_count) == (first.message_id, True, 2)
    consumer.commit()
    broker.repeat(first)
    assert [message.message_id for message in poll(consumer)] == [first.message_id]


@pytest.mark.parametrize("address", [None, "DLQ"])
def test_the_redelivery_limit(address: str | None) -> None:
    broker = MemoryBroker(max_deliveries=3, dead_letter_address=address)
    send(broker, Message(body="poison"))
    consumer = broker.open_consumer(ConsumerSpec(QUEUE))
    for expected in (1, 2, 3):
        assert counts(poll(consumer)) == [expected]
        consumer.rollback()
    assert poll(consumer) == []
    left = broker.dropped if address is None else broker.browse(Destination(address))
    assert texts(left) == ["poison"]


def test_delayed_and_expired_messages_follow_the_clock() -> None:
    clock = Clock()
    broker = MemoryBroker(clock=clock)
    now = int(clock() * 1000)
    send(broker, Message(body="later", delivery_time=now + 2000), Message(body="expires", expiration=now + 1000))
    consumer = broker.open_consumer(ConsumerSpec(QUEUE))
    clock.seconds += 1
    assert poll(consumer) == []
    clock.seconds += 1
    assert texts(poll(consumer)) == ["later"]


def test_a_client_id_is_free_once_its_session_is_gone() -> None:
    broker = MemoryBroker()
    spec = ConsumerSpec(QUEUE, client_id="me")
    first = broker.open_consumer(spec)
    with pytest.raises(ConnectionLostError, match="'me'"):
        broker.open_consumer(spec)
    first.close()
    broker.open_consumer(spec)


def test_a_wrong_token_is_refused(memory_server: MemoryServer) -> None:
    for password in ("wrong", None):
        transport = open_transport(SourceOptions(url=memory_server.url, password=password))
        with pytest.raises(AccessError, match="'password'"):
            transport.depth(QUEUE)
    assert memory_server.token not in repr(memory_server)


@pytest.mark.parametrize("url", ["memory://", "memory://127.0.0.1", "memory://127.0.0.1:high"])
def test_an_incomplete_url_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="memory://127.0.0.1:PORT"):
        open_transport(SourceOptions(url=url))


def test_a_stopped_server_is_a_lost_connection() -> None:
    with start_memory_broker() as server:
        transport = open_transport(SourceOptions(url=server.url, password=server.token))
        consumer = transport.open_consumer(ConsumerSpec(QUEUE))
    with pytest.raises(CommitError):
        consumer.commit()
    with pytest.raises(ConnectionLostError):
        consumer.receive(1, PLENTY, 0)
    consumer.close()
    with pytest.raises(ConnectionLostError):
        transport.open_producer(QUEUE)


def test_hooks_reach_served_sessions(memory_server: MemoryServer) -> None:
    transport = open_transport(SourceOptions(url=memory_server.url, password=memory_server.token))
    consumer = transport.open_consumer(ConsumerSpec(QUEUE))
    (session,) = memory_server.broker.sessions
    memory_server.broker.cut(session)
    with pytest.raises(CommitError):
        consumer.commit()
    consumer.close()


def test_consumers_with_different_selectors_take_what_is_theirs() -> None:
    broker = MemoryBroker()
    europe = broker.open_consumer(ConsumerSpec(QUEUE, selector="region = 'EU'", prefetch=1))
    rest = broker.open_consumer(ConsumerSpec(QUEUE, selector="region <> 'EU' OR region IS NULL"))
    regions = ["EU", "EU", "US", None, "EU", "APAC"]
    send(broker, *[Message(body=str(region), properties={"region": Value.of(region)}) for region in regions])
    assert texts(poll(rest)) == ["US", "None", "APAC"]
    assert texts(poll(europe)) == ["EU", "EU", "EU"]


def test_what_no_consumer_wants_keeps_its_place() -> None:
    broker = MemoryBroker()
    some = broker.open_consumer(ConsumerSpec(QUEUE, selector="n > 9"))
    send(broker, *[Message(body=str(n), properties={"n": Value.of(n)}) for n in range(12)])
    assert texts(poll(some)) == ["10", "11"]
    assert texts(broker.browse(QUEUE)) == [str(n) for n in range(10)]
    assert texts(broker.browse(QUEUE, "n BETWEEN 3 AND 4")) == ["3", "4"]
    some.close()
    assert texts(poll(broker.open_consumer(ConsumerSpec(QUEUE)))) == [str(n) for n in range(12)]


def test_a_selector_sees_what_the_broker_stamps() -> None:
    broker = MemoryBroker()
    send(broker, Message(body="x", priority=7))
    assert broker.transport().depth(QUEUE, "JMSTimestamp > 0 AND JMSMessageID LIKE 'ID:%' AND JMSPriority = 7") == 1
