"""Any JMS provider, through its own Java client in a helper process."""

from __future__ import annotations

import threading
from pathlib import Path

from spark_jms_connector.errors import ConnectionLostError, DestinationError, JmsConnectorError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.transport import credentials, jms_settings
from spark_jms_connector.transport.base import Consumer, ConsumerSpec, Destination, Producer, Subscription
from spark_jms_connector.transport.jms_errors import failure
from spark_jms_connector.transport.jms_link import Link
from spark_jms_connector.transport.jms_sessions import JmsConsumer, JmsProducer
from spark_jms_connector.transport.jms_settings import Settings
from spark_jms_connector.transport.jvm import HelperJvm
from spark_jms_connector.transport.packages import existing_jars, resolve


class JmsTransport:
    """Opens consumers and producers on the broker that the options name; they share one helper process."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._secrets = credentials.secrets_of(options, None)
        self._lock = threading.Lock()
        self._jvm: HelperJvm | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"JmsTransport({self.scrub(self._options.url or '')})"

    def open_consumer(self, spec: ConsumerSpec) -> Consumer:
        settings: Settings = {
            "destination": str(spec.destination),
            "selector": spec.selector,
            "dedupKey": spec.dedup_key,
            "deadLetterQueue": spec.dead_letter_queue,
            "clientId": spec.client_id,
        }
        if spec.destination.kind == "topic":
            settings |= _subscribed(spec.subscription or Subscription("nonDurable"))
        window = jms_settings.window(self._options, spec.prefetch)
        return JmsConsumer(self._open("openConsumer", settings, spec.prefetch), window)

    def open_producer(self, destination: Destination, *, message_ids: bool = True) -> Producer:
        ids = "true" if message_ids else "false"
        return JmsProducer(self._open("openProducer", {"destination": str(destination), "messageIds": ids}))

    def _open(self, method: str, settings: Settings, prefetch: int | None = None) -> Link:
        link = Link(self, self._running(), settings, prefetch)
        try:
            link.call(method)
        except BaseException:
            link.close()
            raise
        return link

    def depth(self, destination: Destination, selector: str | None = None) -> int | None:
        if destination.kind == "topic":
            return None
        return int(self._once("depth", {"destination": str(destination), "selector": selector}))

    def unsubscribe(self, destination: Destination, subscription: Subscription, client_id: str | None = None) -> None:
        settings: Settings = {"destination": str(destination), "clientId": client_id, **_subscribed(subscription)}
        self._once("unsubscribe", settings)
        if subscription.shared and "qpid" in f"{self._options.provider} {self._options.connection_factory}":
            self._check_removed(settings)

    def _check_removed(self, settings: Settings) -> None:
        """Over AMQP, Artemis keeps a shared subscription in use and does not say so; it does miss one that is gone."""
        for _ in range(2):  # its last consumer may have left only after the first attempt
            try:
                self._once("unsubscribe", settings)
            except DestinationError:
                return
        raise self.failure("inUse", "the broker keeps it", settings)

    def _once(self, method: str, settings: Settings) -> str:
        """A call with a connection for it alone."""
        link = Link(self, self._running(), settings)
        try:
            return link.call(method)
        finally:
            link.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            jvm, self._jvm = self._jvm, None
        if jvm is not None:
            jvm.stop()

    def scrub(self, text: str) -> str:
        return credentials.scrub(text, self._secrets)

    def discard(self, jvm: HelperJvm) -> None:
        """Forget a helper that is gone: the next one to open something gets a new one."""
        with self._lock:
            if self._jvm is jvm:
                self._jvm = None
        jvm.kill()

    def _running(self) -> HelperJvm:
        with self._lock:
            if self._closed:
                raise ConnectionLostError("The way to the broker was closed.")
            if self._jvm is not None and not self._jvm.alive:
                self._jvm.kill()
                self._jvm = None
            if self._jvm is None:
                factory = self._options.connection_factory
                jvm = HelperJvm(self._client_jars(), self._options.helper_memory, self.scrub, factory)
                jvm.start()
                self._jvm = jvm
            return self._jvm

    def _client_jars(self) -> list[Path]:
        packages = self._options.packages
        provider = PROVIDERS.get(self._options.provider or "")
        if not packages and not self._options.jars and provider is not None:
            packages = provider.packages
        return existing_jars(self._options.jars) + (resolve(packages) if packages else [])

    def connection_settings(self, prefetch: int | None) -> Settings:
        """How the helper connects; read anew for each connection, since passwords rotate."""
        password = credentials.password(self._options)
        self._secrets = credentials.secrets_of(self._options, password)
        settings = jms_settings.connection_settings(self._options, prefetch)
        settings |= {"user": self._options.user, "password": password}
        return settings | {f"secret.{i}": secret for i, secret in enumerate(self._secrets)}

    def failure(self, kind: str, detail: str, settings: Settings) -> JmsConnectorError:
        return failure(
            kind,
            self.scrub(detail),
            url=self.scrub(self._options.url or "the place that JNDI names"),
            destination=str(settings["destination"]),
            selector=settings.get("selector"),
            subscription=settings.get("subscriptionName"),
        )


def _subscribed(subscription: Subscription) -> Settings:
    return {
        "subscription": subscription.kind,
        "subscriptionName": subscription.name,
        "noLocal": "true" if subscription.no_local else None,
    }
