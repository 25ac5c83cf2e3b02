"""Artemis, Classic or RabbitMQ over STOMP, in this process."""

from __future__ import annotations

import ssl
import threading
import weakref

from spark_jms_connector.errors import ConnectionLostError, DestinationError, InUseError, TransportError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import credentials
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Destination, Producer, Subscription
from spark_jms_connector.transport.stomp.addresses import Address, addresses
from spark_jms_connector.transport.stomp.browse import count_messages
from spark_jms_connector.transport.stomp.consumer import StompConsumer
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.dialects import dialect_of
from spark_jms_connector.transport.stomp.link import Link
from spark_jms_connector.transport.stomp.producer import StompProducer
from spark_jms_connector.transport.stomp.tls import tls_context


class StompTransport:
    """Opens a connection of its own for everything; which broker answers decides how it is spoken to."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._links: weakref.WeakSet[Link] = weakref.WeakSet()
        self._closed = False

    def __repr__(self) -> str:
        return f"StompTransport({', '.join(map(str, addresses(self._options.url or '')))})"

    def open_consumer(self, spec: ConsumerSpec) -> Consumer:
        return StompConsumer(self._connect, spec)

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> Producer:
        """Ids are the broker's own here: ``message_ids`` changes nothing."""
        link, dialect = self._connect(None)
        return StompProducer(link, dialect, destination)

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        if destination.kind != "queue":
            return None
        link, dialect = self._connect(None)
        try:
            if dialect.browses:
                return count_messages(link, dialect.address(destination), selector)
            dialect.check(ConsumerSpec(destination, selector=selector, dedup_key="JMSMessageID"))
            return None
        finally:
            link.close()

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        """Artemis and RabbitMQ do not say whether there was one."""
        spec = ConsumerSpec(destination, prefetch=0, client_id=client_id, subscription=subscription)
        try:
            link, dialect = self._connect(client_id)
        except InUseError as error:
            raise DestinationError(f"The subscription '{subscription.name}' may be in use: {error}") from error
        try:
            headers = dialect.unsubscribe_headers(destination, subscription, client_id)
            if dialect.unsubscribes_while_subscribed:
                link.call("SUBSCRIBE", {**dialect.subscribe_headers(spec), "ack": "client"})
            link.call("UNSUBSCRIBE", headers)
        finally:
            link.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            links = list(self._links)
        for link in links:
            link.close()

    def _connect(self, client_id: str | None) -> tuple[Link, Dialect]:
        """Try the urls in turn; only a broker that is not there lets the next one have its turn."""
        reasons: list[str] = []
        password = credentials.password(self._options)
        secrets = credentials.secrets_of(self._options, password)
        for address in addresses(self._options.url or ""):
            try:
                return self._connect_to(address, password, client_id)
            except InUseError as error:
                raise InUseError(credentials.scrub(str(error), secrets)) from None
            except ConnectionLostError as error:
                reasons.append(credentials.scrub(str(error), secrets))
            except TransportError as error:
                raise type(error)(credentials.scrub(str(error), secrets)) from None
        raise ConnectionLostError(" ".join(reasons))

    def _connect_to(self, address: Address, password: str | None, client_id: str | None) -> tuple[Link, Dialect]:
        link = Link(address, self._tls() if address.tls else None)
        with self._lock:
            if self._closed:
                raise ConnectionLostError("The way to the broker was closed.")
            self._links.add(link)
        link.open(self._options.user, password, client_id)
        try:
            return link, dialect_of(link.server, link.at)
        except TransportError:
            link.close()
            raise

    def _tls(self) -> ssl.SSLContext:
        return tls_context(self._options)
