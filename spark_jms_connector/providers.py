"""JMS clients by name: where their library comes from, their factory, and what is known about them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Provider:
    """One JMS client: everything the connector must know about it beforehand.

    Its url goes to ``url_property``, or its parts to ``host_property`` and ``port_property``. ``fixed`` are bean
    properties that the user cannot change, ``defaults`` those that he can. ``window_*`` is what one session may hold
    unacknowledged, and what to change at the broker for more.
    """

    name: str
    broker: str
    packages: tuple[str, ...]
    connection_factory: str
    url_example: str
    url_property: str | None = None
    host_property: str | None = None
    port_property: str | None = None
    prefetch_property: str | None = None
    default_prefetch: int | None = None
    bytes_per_prefetched_message: int = 1
    fixed: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    refused_urls: Mapping[str, str] = field(default_factory=dict)
    tls: str = ""
    tls_properties: Mapping[str, str] = field(default_factory=dict)
    verify_host_parameter: str | None = None
    verify_host_property: str | None = None
    window_messages: int | None = None
    window_bytes: int | None = None
    window_limit: str = ""
    limits: str = ""
    run_by_tests: bool = False

    def refusal(self, url: str) -> str | None:
        """Why a url cannot be used with this client, if so."""
        lowered = url.strip().lower()
        return next((reason for start, reason in self.refused_urls.items() if lowered.startswith(start)), None)


# The connector reconnects itself: a client that does so behind its back goes on receiving after its messages went to
# another consumer, and only the commit fails.
_NO_FAILOVER = (
    "a client that reconnects unseen goes on receiving after its messages went to another consumer; the connector"
    " reconnects by itself. List the urls, separated by commas"
)
_FAILOVER = {"failover:": _NO_FAILOVER, "failover+": _NO_FAILOVER}
_ARTEMIS_FACTORY = "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory"
_ARTEMIS_WINDOW = (
    "While the address pages, one session holds at most max-read-page-bytes (20 MB) unacknowledged; raise it in the"
    " broker's address-settings (-1: no limit)."
)
_JSSE = "`trustStore` and `keyStore` as the JVM's own (`javax.net.ssl.*`)"


def _artemis(name: str, packages: tuple[str, ...], limits: str = "") -> Provider:
    return Provider(
        name=name,
        broker="ActiveMQ Artemis",
        packages=packages,
        connection_factory=_ARTEMIS_FACTORY,
        url_example="tcp://host:61616",
        url_property="brokerURL",
        prefetch_property="consumerWindowSize",
        bytes_per_prefetched_message=1024,
        fixed={"reconnectAttempts": "0", "initialConnectAttempts": "1"},
        tls="`tcp://host:61617?sslEnabled=true`; " + _JSSE,
        verify_host_parameter="verifyHost",
        window_bytes=10 * 2**20,  # half of it: Artemis keeps texts with two bytes a character
        window_limit=_ARTEMIS_WINDOW,
        limits=limits,
        run_by_tests=True,
    )


_CLASSIC = Provider(
    name="activemq",
    broker="ActiveMQ Classic",
    packages=("org.apache.activemq:activemq-client:6.3.1", "jakarta.jms:jakarta.jms-api:3.1.0"),
    connection_factory="org.apache.activemq.ActiveMQConnectionFactory",
    url_example="tcp://host:61616",
    url_property="brokerURL",
    prefetch_property="prefetchPolicy.all",
    default_prefetch=400,  # above twice maxPageSize (200) a transaction gets 200 messages and then nothing
    fixed={"redeliveryPolicy.maximumRedeliveries": "-1"},  # the client itself would move messages to the DLQ
    defaults={"redeliveryPolicy.initialRedeliveryDelay": "0"},
    refused_urls={**_FAILOVER, "fanout:": _NO_FAILOVER, "discovery:": _NO_FAILOVER},
    tls="`ssl://host:61617`; " + _JSSE,
    verify_host_parameter="socket.verifyHostName",
    window_messages=50_000,
    window_limit="A commit takes more than linear time: 50,000 messages 1.5 s, 100,000 13.5 s. With a prefetch above"
    " twice the broker's maxPageSize (200) a transaction gets 200 messages and then none.",
    limits="No shared subscriptions: read a virtual topic's queue, `queue=Consumer.NAME.VirtualTopic.TOPIC`. A selector"
    " sees the first maxPageSize (200) messages of a queue only.",
    run_by_tests=True,
)

_QPID = Provider(
    name="qpid",
    broker="any AMQP 1.0 broker",
    packages=("org.apache.qpid:qpid-jms-client:2.10.0",),
    connection_factory="org.apache.qpid.jms.JmsConnectionFactory",
    url_example="amqp://host:5672",
    url_property="remoteURI",
    prefetch_property="prefetchPolicy.all",
    # Without it a send that the broker rejects inside a transaction is lost in silence, and the commit succeeds.
    fixed={"forceSyncSend": "true"},
    refused_urls=_FAILOVER,
    tls="`amqps://host:5671`; " + _JSSE,
    verify_host_parameter="transport.verifyHost",
    window_limit="It is the broker's. Artemis, while the address pages: max-read-page-bytes (20 MB).",
    limits="Every send waits for the broker's answer.",
    run_by_tests=True,
)

_IBM_MQ = Provider(
    name="ibmmq",
    broker="IBM MQ",
    packages=("com.ibm.mq:com.ibm.mq.jakarta.client:9.4.3.0",),
    connection_factory="com.ibm.mq.jakarta.jms.MQConnectionFactory",
    url_example="mq://host:1414",
    host_property="hostName",
    port_property="port",
    fixed={"transportType": "1", "clientReconnectOptions": "33554432"},  # over the network; no hidden reconnect
    tls="`connection.SSLCipherSuite`; " + _JSSE,
    window_messages=10_000,
    window_limit="The queue manager's MAXUMSGS (10,000) bounds what one transaction holds: ALTER QMGR MAXUMSGS(...).",
    limits="Needs `connection.channel` and `connection.queueManager`.",
)

_SOLACE = Provider(
    name="solace",
    broker="Solace PubSub+",
    packages=("com.solacesystems:sol-jms-jakarta:10.27.3",),
    connection_factory="com.solacesystems.jms.SolConnectionFactoryImpl",
    url_example="tcp://host:55555",
    url_property="host",
    # Direct transport has no transactions.
    fixed={"directTransport": "false", "reconnectRetries": "0", "connectRetries": "0"},
    tls="`tcps://host:55443`; `trustStore` and `keyStore` as the factory's own properties",
    tls_properties={
        "trustStore": "SSLTrustStore",
        "trustStorePassword": "SSLTrustStorePassword",
        "keyStore": "SSLKeyStore",
        "keyStorePassword": "SSLKeyStorePassword",
    },
    verify_host_property="SSLValidateCertificateHost",
    window_messages=256,
    window_limit="The broker's maximum of messages per transaction (256): an administrator may raise it in the"
    " message VPN; else set 'segmentMaxMessages' to it.",
    limits="Needs `connection.VPN`, and a client profile that allows transacted sessions. Queues are not created by"
    " themselves.",
)

_RABBITMQ = Provider(
    name="rabbitmq",
    broker="RabbitMQ (AMQP 0-9-1)",
    packages=("com.rabbitmq.jms:rabbitmq-jms:3.4.0", "jakarta.jms:jakarta.jms-api:3.1.0"),
    connection_factory="com.rabbitmq.jms.admin.RMQConnectionFactory",
    url_example="amqp://host:5672",
    url_property="uri",
    prefetch_property="channelsQos",
    fixed={"amqpConnectionFactoryPostProcessor": "automaticRecoveryEnabled=false"},  # no hidden reconnect
    tls="`amqps://host:5671` with `connection.useDefaultSslContext=true`; " + _JSSE,
    verify_host_property="hostnameVerification",
    window_limit="It is the broker's: consumer_timeout closes a channel that does not acknowledge within 30 minutes.",
    limits="No selectors on queues; selectors on topics need the plugin rabbitmq_jms_topic_exchange. The delivery count"
    " says redelivered (2) or not (1). A message without a body arrives as a text without one. Removing a subscription"
    " that is not there is no error.",
)

PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        _artemis("artemis", ("org.apache.activemq:artemis-jakarta-client:2.44.0", "jakarta.jms:jakarta.jms-api:3.1.0")),
        _artemis(
            "artemis-javax",
            ("org.apache.activemq:artemis-jms-client:2.44.0", "javax.jms:javax.jms-api:2.0.1"),
            "The client of `javax.jms`, for brokers and libraries that stayed there.",
        ),
        _CLASSIC,
        _QPID,
        _IBM_MQ,
        _SOLACE,
        _RABBITMQ,
    )
}
