"""The connection factory by JNDI, from Artemis' own context."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import OptionError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport.base import ConsumerSpec
from spark_jms_connector.transport.jms import JmsTransport
from tests.transport.harness import fresh_queue

pytestmark = pytest.mark.broker

CONTEXT = {"java.naming.factory.initial": "org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory"}
CREDENTIALS = "jndi-s3cret"


def options(environment: Mapping[str, str], name: str = "ConnectionFactory", url: str | None = None) -> SourceOptions:
    packages = PROVIDERS["artemis"].packages
    return SourceOptions(url=url, connection_factory=name, packages=packages, jndi={**CONTEXT, **environment})


def exchange(given: SourceOptions) -> None:
    queue = fresh_queue()
    with closing(JmsTransport(given)) as transport:
        producer = transport.open_producer(queue)
        producer.send(messages_to_batch([Message("x")], [""]))
        producer.commit()
        producer.close()
        assert transport.depth(queue) == 1


def test_the_context_knows_where_the_broker_is(artemis: ArtemisBroker) -> None:
    exchange(options({"connectionFactory.orders/Factory": artemis.url}, "orders/Factory"))


def test_the_url_is_the_contexts_provider_url(artemis: ArtemisBroker) -> None:
    exchange(options({}, url=artemis.url))


def test_the_providers_settings_apply_to_what_is_found(artemis: ArtemisBroker) -> None:
    found = SourceOptions(
        provider="artemis", connection_factory="F", jndi={**CONTEXT, "connectionFactory.F": artemis.url}
    )
    settings = JmsTransport(found).connection_settings(None)
    assert settings["bean.reconnectAttempts"] == "0"
    exchange(found)


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"connectionFactory.F": "tcp://127.0.0.1:1"}, "no/such/Factory"),
        ({"java.naming.factory.initial": "no.Such"}, "F"),
    ],
)
def test_what_is_not_found_is_named_without_its_secrets(environment: Mapping[str, str], name: str) -> None:
    given = options({**environment, "java.naming.security.credentials": CREDENTIALS}, name)
    with closing(JmsTransport(given)) as transport, pytest.raises(OptionError) as raised:
        transport.open_consumer(ConsumerSpec(fresh_queue()))
    assert "JNDI" in str(raised.value) and ("Such" in str(raised.value) or name in str(raised.value))
    assert CREDENTIALS not in str(raised.value) + repr(given)
