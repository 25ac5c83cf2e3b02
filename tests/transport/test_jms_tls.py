"""TLS through three unrelated JMS clients, with real certificates: what works, and how what does not is told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker, BrokerTls
from spark_jms_connector.errors import ConnectionLostError, OptionError, TransportError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.schema import messages_to_batch
from spark_jms_connector.transport.base import ConsumerSpec
from spark_jms_connector.transport.jms import JmsTransport
from tests.certificates import PASSWORD, Authority
from tests.classic import ClassicBroker
from tests.transport.harness import fresh_queue, within

pytestmark = [pytest.mark.broker, pytest.mark.slow]

PLENTY = 2**30
URLS = {
    "artemis": "tcp://127.0.0.1:{port}?sslEnabled=true",
    "activemq": "ssl://127.0.0.1:{port}",
    "qpid": "amqps://127.0.0.1:{port}",
}
# What the broker's certificate is for, and the word that its refusal must hold.
BAD = {"wrong-host": "127.0.0.1", "expired": "validity check failed"}


class Brokers:
    """Brokers with this or that certificate, each started when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: dict[str, ArtemisBroker | ClassicBroker] = {}
        self.authority, self.stranger = Authority(folder), Authority(folder, "stranger")

    def options(self, provider: str, certificate: str) -> SourceOptions:
        """Options that lead to a broker and trust its authority."""
        broker = self._broker("classic" if provider == "activemq" else "artemis", certificate)
        trust = self.authority.trust_store()
        url = URLS[provider].format(port=broker.tls_port)
        return SourceOptions(provider=provider, url=url, trust_store=trust, trust_store_password=PASSWORD)

    def _broker(self, kind: str, certificate: str) -> ArtemisBroker | ClassicBroker:
        name = f"{kind}-{certificate}"
        if name not in self._running:
            host = "DNS:elsewhere.example" if certificate == "wrong-host" else "IP:127.0.0.1"
            own = self.authority.key_store(name, host, expired=certificate == "expired")
            tls = BrokerTls(own, self.authority.trust_store(), PASSWORD, certificate == "asks-clients")
            make = ArtemisBroker if kind == "artemis" else ClassicBroker
            self._running[name] = make(self._folder / name, tls=tls).start()
        return self._running[name]

    def kill(self, options: SourceOptions) -> None:
        """End the broker that the options lead to, as a crash would."""
        for broker in self._running.values():
            if f":{broker.tls_port}" in (options.url or ""):
                broker.kill()

    def stop(self) -> None:
        for broker in self._running.values():
            broker.stop()


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    brokers = Brokers(tmp_path_factory.mktemp("tls"))
    yield brokers
    brokers.stop()


def exchange(options: SourceOptions) -> None:
    """A message there and back."""
    transport, queue = JmsTransport(options), fresh_queue()
    try:
        producer = transport.open_producer(queue)
        producer.send(messages_to_batch([Message("x")], [""]))
        producer.commit()
        producer.close()
        consumer = transport.open_consumer(ConsumerSpec(queue))
        assert consumer.receive(1, PLENTY, 5).batch.num_rows == 1
        consumer.commit()
        consumer.close()
    finally:
        transport.close()


def refusal(options: SourceOptions) -> str:
    """The words of an error that is not to be tried again, and comes soon."""
    transport = JmsTransport(options)
    try:
        with within(20), pytest.raises(TransportError) as raised:
            transport.open_consumer(ConsumerSpec(fresh_queue()))
    finally:
        transport.close()
    assert not raised.value.retriable, str(raised.value)
    assert PASSWORD not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("provider", URLS)
def test_a_trusted_broker_is_used(brokers: Brokers, provider: str) -> None:
    exchange(brokers.options(provider, "good"))


@pytest.mark.parametrize("provider", URLS)
def test_a_strange_authority_is_refused(brokers: Brokers, provider: str) -> None:
    strange = replace(brokers.options(provider, "good"), trust_store=brokers.stranger.trust_store())
    assert "trustStore" in refusal(strange)


@pytest.mark.parametrize("provider", URLS)
@pytest.mark.parametrize("certificate", BAD)
def test_a_bad_certificate_is_refused(brokers: Brokers, provider: str, certificate: str) -> None:
    assert BAD[certificate] in refusal(brokers.options(provider, certificate))


@pytest.mark.parametrize("provider", URLS)
def test_the_host_name_may_go_unverified(brokers: Brokers, provider: str) -> None:
    exchange(replace(brokers.options(provider, "wrong-host"), verify_host_name=False))


@pytest.mark.parametrize("provider", URLS)
def test_a_broker_may_ask_for_a_certificate(brokers: Brokers, provider: str) -> None:
    options = brokers.options(provider, "asks-clients")
    assert "keyStore" in refusal(options)
    own = brokers.authority.key_store(f"client-{provider}", "DNS:client")
    exchange(replace(options, key_store=own, key_store_password=PASSWORD))


@pytest.mark.parametrize("provider", URLS)
def test_a_wrong_store_password_is_told(brokers: Brokers, provider: str) -> None:
    assert "password" in refusal(replace(brokers.options(provider, "good"), trust_store_password="not-it"))


@pytest.mark.parametrize("provider", URLS)
def test_nobody_there_may_be_tried_again(brokers: Brokers, provider: str) -> None:
    options = replace(brokers.options(provider, "good"), url=URLS[provider].format(port=1))
    transport = JmsTransport(options)
    with pytest.raises(ConnectionLostError):
        transport.open_consumer(ConsumerSpec(fresh_queue()))
    transport.close()


@pytest.mark.parametrize("provider", URLS)
def test_a_broker_that_dies_is_merely_lost(brokers: Brokers, provider: str) -> None:
    options = brokers.options(provider, f"dies-under-{provider}")
    transport = JmsTransport(options)
    consumer = transport.open_consumer(ConsumerSpec(fresh_queue()))
    threading.Timer(0.3, brokers.kill, (options,)).start()
    with within(20), pytest.raises(ConnectionLostError):
        consumer.receive(1, PLENTY, 60)
    with within(20), pytest.raises(ConnectionLostError):
        transport.open_consumer(ConsumerSpec(fresh_queue()))
    consumer.close()
    transport.close()


def test_a_store_that_is_not_there_is_named() -> None:
    options = SourceOptions(provider="artemis", url="tcp://127.0.0.1:1?sslEnabled=true", trust_store="no/such.p12")
    with pytest.raises(OptionError, match=r"trustStore.*no/such\.p12"):
        JmsTransport(options).connection_settings(None)
