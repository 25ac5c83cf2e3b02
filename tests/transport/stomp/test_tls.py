"""TLS with real certificates: who is trusted, who is not, and what the error says to do."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.errors import ConnectionLostError, OptionError, TransportError
from spark_jms_connector.message import Message
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import ConsumerSpec
from tests.transport.harness import fresh_queue, receive, texts, to_batch
from tests.transport.stomp.fake import TlsFront

pytestmark = pytest.mark.broker
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
SECRET = "opens the key"


class Authority:
    """Makes certificates, as files that hold certificate and key."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        built = self._builder(self._name, self._key.public_key(), NOW - DAY, NOW + DAY)
        own = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(own.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, start: datetime.datetime, end: datetime.datetime
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(end)
        )

    def issue(self, name: str, *, expired: bool = False, host: str = "127.0.0.1", password: str | None = None) -> Path:
        key = ec.generate_private_key(ec.SECP256R1())
        end = NOW - DAY / 2 if expired else NOW + DAY
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        address: x509.GeneralName = x509.DNSName(host)
        if host[0].isdigit():
            address = x509.IPAddress(ipaddress.ip_address(host))
        built = self._builder(subject, key.public_key(), NOW - DAY, end)
        certificate = built.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        locked: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if password:
            locked = serialization.BestAvailableEncryption(password.encode())
        file = self._folder / f"{name}.pem"
        pem = serialization.Encoding.PEM
        file.write_bytes(
            certificate.sign(self._key, hashes.SHA256()).public_bytes(pem)
            + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, locked)
        )
        return file


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


Front = Callable[..., TlsFront]


@pytest.fixture
def front(artemis: ArtemisBroker) -> Iterator[Front]:
    fronts: list[TlsFront] = []

    def make(certificate: Path, clients: Path | None = None) -> TlsFront:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        fronts.append(TlsFront(context, artemis.port))
        return fronts[-1]

    yield make
    for opened in fronts:
        opened.close()


def exchange(port: int, **options: str | bool) -> list[object]:
    transport = open_transport(SourceOptions(url=f"stomp+ssl://127.0.0.1:{port}", **options))  # type: ignore[arg-type]
    queue = fresh_queue()
    try:
        producer = transport.open_producer(queue)
        producer.send(to_batch(Message(body="x" * 300_000), Message(body="last")))
        producer.commit()
        return texts(receive(transport.open_consumer(ConsumerSpec(queue)), 2))
    finally:
        transport.close()


def test_a_trusted_broker(authority: Authority, front: Front) -> None:
    port = front(authority.issue("broker")).port
    assert exchange(port, trust_store=str(authority.file)) == ["x" * 300_000, "last"]


def test_an_unknown_authority(authority: Authority, front: Front, tmp_path: Path) -> None:
    stranger = Authority(tmp_path, "stranger")
    with pytest.raises(TransportError, match="not trusted.*'trustStore'") as caught:
        exchange(front(authority.issue("broker")).port, trust_store=str(stranger.file))
    assert not caught.value.retriable


def test_without_a_trust_store_the_system_decides(authority: Authority, front: Front) -> None:
    with pytest.raises(TransportError, match="not trusted"):
        exchange(front(authority.issue("broker")).port)


def test_another_host(authority: Authority, front: Front) -> None:
    port = front(authority.issue("broker", host="elsewhere.example")).port
    with pytest.raises(TransportError, match="not trusted"):
        exchange(port, trust_store=str(authority.file))
    assert exchange(port, trust_store=str(authority.file), verify_host_name=False)[1] == "last"


def test_an_expired_certificate(authority: Authority, front: Front) -> None:
    port = front(authority.issue("broker", expired=True)).port
    for verify in (True, False):
        with pytest.raises(TransportError, match="expired"):
            exchange(port, trust_store=str(authority.file), verify_host_name=verify)


def test_client_certificates(authority: Authority, front: Front) -> None:
    port = front(authority.issue("broker"), clients=authority.file).port
    with pytest.raises(TransportError, match="'keyStore'") as caught:
        exchange(port, trust_store=str(authority.file))
    assert not caught.value.retriable
    mine = str(authority.issue("client", password=SECRET))
    got = exchange(port, trust_store=str(authority.file), key_store=mine, key_store_password=SECRET)
    assert got[1] == "last"


def test_a_wrong_key_store_password(authority: Authority) -> None:
    mine = str(authority.issue("client", password=SECRET))
    with pytest.raises(OptionError, match="keyStorePassword") as caught:
        exchange(1, trust_store=str(authority.file), key_store=mine, key_store_password="guess-1")
    assert "guess-1" not in str(caught.value)


def test_a_trust_store_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "trust.jks").write_bytes(b"\xfe\xed\xfe\xed")
    for name in ("trust.jks", "missing.pem"):
        with pytest.raises(OptionError, match="'trustStore'.*PEM"):
            exchange(1, trust_store=str(tmp_path / name))


def test_tls_to_a_plain_port(authority: Authority, artemis: ArtemisBroker) -> None:
    with pytest.raises(ConnectionLostError):
        exchange(artemis.port, trust_store=str(authority.file))
