"""A real ActiveMQ Classic on loopback: compiled and run with the tests, with the methods of ``ArtemisBroker``."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from spark_jms_connector.broker import BrokerTls
from spark_jms_connector.broker_process import BrokerProcess, as_arguments
from spark_jms_connector.transport.packages import resolve

SOURCE = Path(__file__).parent / "java" / "ClassicBroker.java"
PACKAGES = (
    "org.apache.activemq:activemq-broker:6.3.1",
    "org.apache.activemq:activemq-kahadb-store:6.3.1",
    "org.apache.activemq:activemq-stomp:6.3.1",
    "org.apache.activemq.protobuf:activemq-protobuf:6.3.1",
    "org.apache.activemq:activemq-jaas:6.3.1",
    "org.apache.activemq:activemq-client:6.3.1",
    "jakarta.jms:jakarta.jms-api:3.1.0",
)


@cache
def class_path() -> str:
    """The broker's jars and the compiled class, made once per run."""
    jars = os.pathsep.join(map(str, resolve(PACKAGES)))
    folder = tempfile.mkdtemp(prefix="classic-broker-")
    compiled = subprocess.run(
        ["javac", "-nowarn", "-cp", jars, "-d", folder, str(SOURCE)], capture_output=True, text=True
    )
    assert compiled.returncode == 0, compiled.stderr
    return os.pathsep.join((folder, jars))


class ClassicBroker(BrokerProcess):
    """A persistent broker in a process of its own, which ends with this one.

    Its ports are free ones, kept over restarts; the same ``data_dir`` brings its messages back.
    """

    def __init__(
        self,
        data_dir: str | Path,
        *,
        user: str | None = None,
        password: str | None = None,
        tls: BrokerTls | None = None,
    ) -> None:
        super().__init__(data_dir)
        self._login = {"user": user, "password": password}
        self._tls = tls
        self._ports = [0, 0, 0]

    @property
    def port(self) -> int:
        return self._ports[0]

    @property
    def url(self) -> str:
        return f"tcp://127.0.0.1:{self._ports[0]}"

    @property
    def stomp_url(self) -> str:
        return f"stomp://127.0.0.1:{self._ports[1]}"

    @property
    def tls_port(self) -> int:
        return self._ports[2]

    def _listens(self, ports: list[int]) -> None:
        self._ports = ports

    def _arguments(self) -> list[str]:
        options: dict[str, str | None] = {
            "data": str(self._data_dir),
            "port": str(self._ports[0]),
            "stomp-port": str(self._ports[1]),
            "ssl-port": str(self._ports[2]),
            **self._login,
        }
        if self._tls is not None:
            options["key-store"], options["trust-store"] = self._tls.key_store, self._tls.trust_store
            options["store-password"] = self._tls.password
        given = as_arguments(options)
        given += ["--client-certificates"] if self._tls and self._tls.client_certificates else []
        return ["-Xmx512m", "-XX:-UsePerfData", "-cp", class_path(), "ClassicBroker", *given]
