"""Which broker answers, by the name it gives when a connection is made."""

from __future__ import annotations

from spark_jms_connector.errors import TransportError
from spark_jms_connector.transport.stomp.artemis import Artemis
from spark_jms_connector.transport.stomp.classic import Classic
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.rabbitmq import RabbitMq

# The beginning of the header ``server``: ActiveMQ-Artemis/2.44.0 …, ActiveMQ/6.3.1, RabbitMQ/3.10.8
_SERVERS: dict[str, Dialect] = {"ActiveMQ-Artemis/": Artemis(), "ActiveMQ/": Classic(), "RabbitMQ/": RabbitMq()}


def dialect_of(server: str, at: str) -> Dialect:
    for beginning, dialect in _SERVERS.items():
        if server.startswith(beginning):
            return dialect
    known = ", ".join(dialect.name for dialect in _SERVERS.values())
    raise TransportError(
        f"The broker at {at} calls itself {server[:100]!r}, whose ways over STOMP are not known: {known} are. Use its"
        " JMS client instead (options 'provider' or 'connectionFactory')."
    )
