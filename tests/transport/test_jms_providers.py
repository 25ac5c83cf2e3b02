"""What is known about providers: their clients load, are configured, and say at once that nobody is there."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import AccessError, ConnectionLostError, DependencyError, OptionError
from spark_jms_connector.option_rules import parse_source_options
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.transport.base import ConsumerSpec, Destination
from spark_jms_connector.transport.jms import JmsTransport
from spark_jms_connector.transport.jms_api import api_of
from spark_jms_connector.transport.jms_settings import connection_settings, window
from tests.classic import ClassicBroker
from tests.transport.harness import fresh_queue, within

# What a provider cannot do without, besides its url.
NEEDED = {
    "ibmmq": {"channel": "DEV.APP.SVRCONN", "queueManager": "QM1"},
    "solace": {"VPN": "default"},
}


@pytest.mark.broker
@pytest.mark.parametrize("name", PROVIDERS)
def test_nobody_there_is_told_within_seconds(name: str) -> None:
    scheme = PROVIDERS[name].url_example.partition(":")[0]
    options = SourceOptions(
        provider=name,
        url=f"{scheme}://127.0.0.1:1",
        user="app",
        password="s3cret-and-rare",
        connection=NEEDED.get(name, {}),
    )
    with closing(JmsTransport(options)) as transport:
        transport._running()
        with within(15), pytest.raises(ConnectionLostError, match="127.0.0.1") as raised:
            transport.open_consumer(ConsumerSpec(fresh_queue()))
    assert "s3cret" not in str(raised.value)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The urls of brokers that ask for a password."""
    folder = tmp_path_factory.mktemp("guarded")
    artemis = ArtemisBroker(folder / "artemis", user="app", password="right")
    with artemis, ClassicBroker(folder / "classic", user="app", password="right") as classic:
        amqp = f"amqp://127.0.0.1:{artemis.port}"
        yield {"artemis": artemis.url, "artemis-javax": artemis.url, "qpid": amqp, "activemq": classic.url}


@pytest.mark.broker
@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.run_by_tests])
def test_wrong_credentials_fail_at_once_and_a_rotated_password_is_read_again(
    guarded: Mapping[str, str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "password"
    file.write_text("wrong-s3cret\n")
    options = SourceOptions(provider=name, url=guarded[name], user="app", password_file=str(file))
    with closing(JmsTransport(options)) as transport:
        transport._running()
        with within(10), pytest.raises(AccessError) as raised:
            transport.open_consumer(ConsumerSpec(fresh_queue()))
        assert not raised.value.retriable
        assert "wrong-s3cret" not in str(raised.value)
        file.write_text("right\n")
        transport.open_consumer(ConsumerSpec(fresh_queue())).close()


@pytest.mark.parametrize("name", ["activemq", "qpid"])
@pytest.mark.parametrize("url", ["failover:(tcp://a:1,tcp://b:2)", "failover://(tcp://a:1)?jms.x=1"])
def test_a_hidden_reconnect_is_refused_with_the_reason(name: str, url: str) -> None:
    with pytest.raises(OptionError, match="reconnects by itself"):
        parse_source_options({"provider": name, "url": url, "queue": "q", "journal": "j"})
    with pytest.raises(OptionError, match="reconnects by itself"):
        connection_settings(SourceOptions(provider=name, url=url), None)


def test_classics_prefetch_is_small_unless_the_user_says_otherwise() -> None:
    options = SourceOptions(provider="activemq", url="tcp://h:1")
    assert connection_settings(options, None)["bean.prefetchPolicy.all"] == "400"
    assert connection_settings(options, 1000)["bean.prefetchPolicy.all"] == "1000"
    for own in (
        replace(options, connection={"prefetchPolicy.queuePrefetch": "7"}),
        replace(options, url="tcp://h:1?jms.prefetchPolicy.all=7"),
    ):
        assert "bean.prefetchPolicy.all" not in connection_settings(own, None)


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_is_fixed_cannot_be_set(name: str) -> None:
    for fixed in PROVIDERS[name].fixed:
        options = SourceOptions(provider=name, url="tcp://h:1", connection={fixed.upper(): "1"})
        with pytest.raises(OptionError, match=fixed.upper()):
            connection_settings(options, None)


def test_the_window_names_the_brokers_setting() -> None:
    assert "MAXUMSGS" in window(SourceOptions(provider="ibmmq"), None).limit
    assert window(SourceOptions(provider="ibmmq"), None).messages == 10_000
    artemis = window(SourceOptions(provider="artemis"), None)
    assert artemis.bytes == 10 * 2**20 and "max-read-page-bytes" in artemis.limit
    classic = SourceOptions(provider="activemq")
    assert window(classic, 400).messages == 50_000
    assert window(classic, 401).messages == 200, "a transaction gets one page of the queue, and then none"
    assert window(SourceOptions(connection_factory="x.Y"), None).messages is None


def test_the_host_name_goes_unverified_only_where_it_is_known_how() -> None:
    unverified = SourceOptions(provider="activemq", url="ssl://h:1,ssl://h:2?x=1", verify_host_name=False)
    settings = connection_settings(unverified, None)
    assert settings["url.0"] == "ssl://h:1?socket.verifyHostName=false"
    assert settings["url.1"] == "ssl://h:2?x=1&socket.verifyHostName=false"
    assert connection_settings(replace(unverified, provider="solace"), None)["bean.SSLValidateCertificateHost"]
    for unknown in (replace(unverified, provider="ibmmq"), replace(unverified, provider=None, connection_factory="F")):
        with pytest.raises(OptionError, match="verifyHostName"):
            connection_settings(unknown, None)


def _jar(folder: Path, name: str, **entries: bytes) -> Path:
    with zipfile.ZipFile(folder / name, "w") as archive:
        for entry, content in entries.items():
            archive.writestr(entry.replace("__", "/") + ".class", content)
    return folder / name


def test_the_api_is_found_in_the_clients_jars(tmp_path: Path) -> None:
    jakarta = _jar(tmp_path, "a.jar", jakarta__jms__ConnectionFactory=b"")
    javax = _jar(tmp_path, "b.jar", javax__jms__ConnectionFactory=b"")
    client = _jar(tmp_path, "c.jar", x__Factory=b"..javax/jms/Connection..")
    assert api_of([jakarta, client]) == "jakarta"
    assert api_of([javax]) == "javax"
    assert api_of([jakarta, javax, client], "x.Factory") == "javax"
    assert api_of([jakarta, javax, client]) == "jakarta"
    with pytest.raises(DependencyError, match="jakarta.jms-api"):
        api_of([client])


@pytest.mark.broker
def test_a_url_without_port_is_refused_where_host_and_port_are_needed() -> None:
    with (
        closing(JmsTransport(SourceOptions(provider="ibmmq", url="mq://host"))) as transport,
        pytest.raises(OptionError, match="host:port"),
    ):
        transport.open_consumer(ConsumerSpec(Destination("q")))
