"""What each broker is told, and what is refused with the reason."""

from __future__ import annotations

import pytest

from spark_jms_connector.errors import (
    AccessError,
    DestinationError,
    InUseError,
    OptionError,
    SelectorError,
    TransportError,
)
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.stomp.addresses import Address, addresses
from spark_jms_connector.transport.stomp.artemis import Artemis
from spark_jms_connector.transport.stomp.classic import Classic
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.dialects import dialect_of
from spark_jms_connector.transport.stomp.failures import refusal
from spark_jms_connector.transport.stomp.rabbitmq import RabbitMq

QUEUE, TOPIC = Destination("orders"), Destination("news", "topic")
ALL: list[Dialect] = [Artemis(), Classic(), RabbitMq()]


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("ActiveMQ-Artemis/2.44.0 ActiveMQ Artemis Messaging Engine", "Artemis"),
        ("ActiveMQ/6.3.1", "Classic"),
        ("RabbitMQ/3.10.8", "RabbitMQ"),
    ],
)
def test_the_server_names_its_dialect(server: str, name: str) -> None:
    assert dialect_of(server, "here").name == name


def test_an_unknown_server_is_refused() -> None:
    with pytest.raises(TransportError, match="CoilMQ.*Artemis, Classic, RabbitMQ"):
        dialect_of("CoilMQ/1.0", "here")


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("subscription", [Subscription("nonDurable", no_local=True), Subscription("shared", "s")])
def test_what_no_broker_has_is_refused(dialect: Dialect, subscription: Subscription) -> None:
    with pytest.raises(OptionError, match="noLocal|sharedDurable"):
        dialect.check(ConsumerSpec(TOPIC, dedup_key="id", subscription=subscription))


def test_classic_names_the_way_to_shared_subscriptions() -> None:
    with pytest.raises(OptionError, match="VirtualTopic"):
        Classic().check(ConsumerSpec(TOPIC, subscription=Subscription("sharedDurable", "s")))


def test_artemis_cannot_keep_dead_letters() -> None:
    with pytest.raises(OptionError, match="does not join a transaction"):
        Artemis().check(ConsumerSpec(QUEUE, dead_letter_queue="dead"))


def test_rabbitmq_needs_a_dedup_key_and_has_no_selectors() -> None:
    with pytest.raises(OptionError, match="dedupKey"):
        RabbitMq().check(ConsumerSpec(QUEUE))
    with pytest.raises(SelectorError):
        RabbitMq().check(ConsumerSpec(QUEUE, dedup_key="id", selector="a = 1"))


def test_windows_are_always_finite() -> None:
    for dialect in ALL:
        for prefetch in (None, 0, 10, 10**6):
            window = dialect.window(ConsumerSpec(QUEUE, prefetch=prefetch))
            assert (window.messages or window.bytes or 0) > 0
            assert window.limit
    one = ConsumerSpec(QUEUE, prefetch=0)
    assert Artemis().subscribe_headers(one)["consumer-window-size"] == "1"
    assert Classic().subscribe_headers(one)["activemq.prefetchSize"] == "1"
    assert RabbitMq().subscribe_headers(one)["prefetch-count"] == "1"


def test_selectors_on_artemis_convert_text_unless_they_say_otherwise() -> None:
    assert Artemis().subscribe_headers(ConsumerSpec(QUEUE, "n > 5"))["selector"] == "convert_string_expressions:n > 5"
    own = "hyphenated_props:a-b = 1"
    assert Artemis().subscribe_headers(ConsumerSpec(QUEUE, own))["selector"] == own


def test_only_slashes_are_quoted_for_rabbitmq() -> None:
    odd = Destination("a/b ü*")
    assert RabbitMq().address(odd) == "/queue/a%2Fb ü*"
    assert RabbitMq().destination(RabbitMq().address(odd), odd) == str(odd)


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        ("stomp://a", [Address("a", 61613, False)]),
        ("stomp+ssl://a", [Address("a", 61614, True)]),
        ("stomp://a:1,b:2", [Address("a", 1, False), Address("b", 2, False)]),
        ("stomp+ssl://a:1, stomp://[::1]:2/v", [Address("a", 1, True), Address("::1", 2, False, "v")]),
    ],
)
def test_urls(urls: str, expected: list[Address]) -> None:
    assert addresses(urls) == expected


@pytest.mark.parametrize("urls", ["", "stomp://", "stomp://a:x", "stomp://a:1?b=c", "stomp://u:p@a:1", "tcp://a:1"])
def test_bad_urls(urls: str) -> None:
    with pytest.raises(OptionError, match="'url'"):
        addresses(urls)


@pytest.mark.parametrize(
    ("message", "body", "kind"),
    [
        ("Security Error occurred: User name [u] or password is invalid", "", AccessError),
        ("Bad CONNECT", "Access refused for user 'guest'\n", AccessError),
        ("User name [x] or password is invalid.", "java.lang.SecurityException: …\n\tat x", AccessError),
        ('Invalid selector "a = = b"', "a = = b", SelectorError),
        ("a = = b", "jakarta.jms.InvalidSelectorException: a = = b\n\tat x", SelectorError),
        ("Unknown destination", "'/foo/w1' is not a valid destination.", DestinationError),
        ("AMQ339016 Error creating subscription receiver", "", DestinationError),
        ("Broker: b - Client: c already connected from x", "", InUseError),
        ("AMQ339017 Error unsubscribing receiver", "", DestinationError),
        ("something else", "", TransportError),
    ],
)
def test_what_brokers_say_is_told_apart(message: str, body: str, kind: type[TransportError]) -> None:
    found = refusal("stomp://here", message, body)
    assert type(found) is kind
    assert "\tat" not in str(found)
