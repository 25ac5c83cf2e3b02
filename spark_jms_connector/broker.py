"""A real Artemis broker on loopback, for tests, demonstrations and first steps: one call, no installation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spark_jms_connector.broker_process import BrokerProcess, as_arguments
from spark_jms_connector.transport.jvm import helper_jar
from spark_jms_connector.transport.packages import resolve

PACKAGES = (
    "org.apache.activemq:artemis-jakarta-server:2.44.0",
    "org.apache.activemq:artemis-stomp-protocol:2.44.0",
    "org.apache.activemq:artemis-amqp-protocol:2.44.0",
    "jakarta.jms:jakarta.jms-api:3.1.0",
)


@dataclass(frozen=True)
class BrokerTls:
    """PKCS 12 stores of a broker: its certificate, and whom it trusts; whether clients must have a certificate."""

    key_store: str
    trust_store: str
    password: str
    client_certificates: bool = False


class ArtemisBroker(BrokerProcess):
    """A persistent broker in a process of its own, which ends with this one.

    Parameters
    ----------
    data_dir : where it keeps messages; the same folder again brings them back
    port : 0 takes a free one, and keeps it over restarts
    user, password : who may log in; none, and everybody may
    max_delivery_attempts : after so many, a message goes to ``dead_letter_address``, or is dropped; -1: never
    tls : offers TLS on a port of its own, ``tls_port``
    memory : bytes of heap; messages are kept in it
    page_above : bytes of messages after which an address goes to disk; none, and nothing is paged
    """

    def __init__(
        self,
        data_dir: str | Path,
        port: int = 0,
        *,
        user: str | None = None,
        password: str | None = None,
        max_delivery_attempts: int = 10,
        dead_letter_address: str | None = None,
        tls: BrokerTls | None = None,
        memory: int = 2**30,
        page_above: int | None = None,
    ) -> None:
        super().__init__(data_dir)
        self._port = port
        self._login = {"user": user, "password": password}
        self._max_delivery_attempts = max_delivery_attempts
        self._dead_letter_address = dead_letter_address
        self._tls = tls
        self._tls_port = 0
        self._memory = memory
        self._page_above = page_above

    @property
    def port(self) -> int:
        return self._port

    @property
    def tls_port(self) -> int:
        return self._tls_port

    @property
    def url(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    @property
    def stomp_url(self) -> str:
        return f"stomp://127.0.0.1:{self._port}"

    @property
    def amqp_url(self) -> str:
        return f"amqp://127.0.0.1:{self._port}"

    def _listens(self, ports: list[int]) -> None:
        self._port, self._tls_port = ports

    def _arguments(self) -> list[str]:
        path = ":".join(map(str, [helper_jar(), *resolve(PACKAGES)]))
        options: dict[str, str | None] = {
            "data": str(self._data_dir),
            "port": str(self._port),
            "max-delivery-attempts": str(self._max_delivery_attempts),
            "dead-letter-address": self._dead_letter_address,
            "page-above": None if self._page_above is None else str(self._page_above),
            **self._login,
        }
        if self._tls is not None:
            options["tls-port"] = str(self._tls_port)
            options["key-store"], options["trust-store"] = self._tls.key_store, self._tls.trust_store
            options["store-password"] = self._tls.password
        given = as_arguments(options)
        given += ["--client-certificates"] if self._tls and self._tls.client_certificates else []
        flags = [
            f"-Xmx{self._memory}",
            "-XX:-UsePerfData",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dslf4j.internal.verbosity=ERROR",
        ]
        return [*flags, "-cp", path, "sparkjms.broker.ArtemisBroker", *given, "--die-with-parent"]
