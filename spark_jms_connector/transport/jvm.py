"""The Java helper process: its class path, its start and end, calls by py4j, and data sockets."""

from __future__ import annotations

import os
import re
import secrets
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError

from spark_jms_connector.errors import DependencyError
from spark_jms_connector.transport.java import JavaProcess
from spark_jms_connector.transport.jms_api import api_of
from spark_jms_connector.transport.packages import spark_jars

_JARS = Path(__file__).parent.parent / "jars"
HELPER_JAR = _JARS / "spark-jms-connector-helper.jar"
# The same for clients of javax.jms.
JAVAX_JAR = _JARS / "spark-jms-connector-helper-javax.jar"

LONGEST_CALL = 300.0
"""Seconds after which a call that did not return is given up, and the helper with it."""

_LOOPBACK = "127.0.0.1"
_FROM_SPARK = re.compile(
    r"(py4j|arrow-(format|memory-core|memory-netty|memory-netty-buffer-patch|vector)|netty-(buffer|common)|slf4j-api"
    r"|jackson-(core|databind|annotations|datatype-jsr310)|flatbuffers-java|commons-codec)-\d.*\.jar"
)
_JVM_FLAGS = (
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dslf4j.internal.verbosity=ERROR",
    "-Darrow.enable_unsafe_memory_access=true",
    "-Darrow.enable_null_check_for_get=false",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
)


class HelperGoneError(Exception):
    """The helper process ended, or does not answer any more."""


def helper_jar(api: str = "jakarta") -> Path:
    jar = JAVAX_JAR if api == "javax" else HELPER_JAR
    if not jar.is_file():
        raise DependencyError(f"The Java helper {jar} is missing: build it with 'gradle installJar'.")
    return jar


def helper_class_path() -> list[Path]:
    """What the helper itself needs; the JMS client is kept apart from it, in a class loader of its own."""
    return [helper_jar(), *sorted(jar for jar in spark_jars().iterdir() if _FROM_SPARK.fullmatch(jar.name))]


class HelperJvm:
    """One running helper with one JMS client in it."""

    def __init__(
        self,
        client_jars: Sequence[Path],
        memory: int,
        scrub: Callable[[str], str] = str,
        factory: str | None = None,
    ) -> None:
        self._client_jars = client_jars
        self._factory = factory
        self._memory = memory
        self._scrub = scrub
        self._token = secrets.token_hex(32)
        self._process = JavaProcess([])
        self._gateway: JavaGateway | None = None
        self._data_port = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.alive

    def start(self) -> None:
        """Start the process; JavaError or DependencyError when that cannot work."""
        self._process = JavaProcess(self._arguments(), self._scrub)
        gateway_port, data_port = self._process.start(greeting=self._token)
        self._data_port = int(data_port)
        parameters = GatewayParameters(
            address=_LOOPBACK, port=int(gateway_port), auth_token=self._token, read_timeout=LONGEST_CALL
        )
        self._gateway = JavaGateway(gateway_parameters=parameters)

    def _arguments(self) -> list[str]:
        path = ":".join(map(str, helper_class_path()))
        flags = [*_JVM_FLAGS, f"-Xmx{self._memory}", f"-XX:MaxDirectMemorySize={self._memory}"]
        jars = map(str, (helper_jar(api_of(self._client_jars, self._factory)), *self._client_jars))
        return [*flags, "-cp", path, "sparkjms.JmsHelper", str(os.getpid()), *jars]

    def call(self, method: str, *arguments: str | int) -> str:
        """Call the helper; its answer begins with ``ok`` or with a kind of failure."""
        gateway = self._gateway
        if gateway is None or not self.alive:
            raise HelperGoneError(self._obituary())
        try:
            return str(getattr(gateway.entry_point, method)(*arguments))
        except Py4JJavaError as error:
            # Not even the class that sorts failures could be loaded: the JMS API itself is missing.
            words = str(error.java_exception)
            return f"{'dependency' if 'NoClassDefFound' in words else 'other'} {words}"
        except (Py4JError, OSError) as error:
            raise HelperGoneError(self._obituary()) from error

    def connect(self, settings: Mapping[str, str]) -> socket.socket:
        """A data socket. Settings travel on it, not through py4j, which logs what it is given."""
        pairs = b"".join(frame(text.encode()) for pair in settings.items() for text in pair)
        try:
            data = socket.create_connection((_LOOPBACK, self._data_port), timeout=LONGEST_CALL)
        except OSError as error:
            raise HelperGoneError(self._obituary()) from error
        try:
            data.sendall(frame(self._token.encode()) + frame(pairs))
            read_exactly(data, 1)
        except BaseException as error:
            data.close()
            if isinstance(error, OSError):
                raise HelperGoneError(self._obituary()) from error
            raise
        return data

    def stop(self) -> None:
        """Close all sessions in order and end the process."""
        self._close_gateway()
        self._process.stop()

    def kill(self) -> None:
        self._close_gateway()
        self._process.kill()

    def _close_gateway(self) -> None:
        gateway, self._gateway = self._gateway, None
        if gateway is not None:
            gateway.close()

    def _obituary(self) -> str:
        tail = self._process.tail
        hint = " Give it more memory with the option 'helperMemory'." if "OutOfMemoryError" in tail else ""
        return f"the Java helper process is gone.{hint}" + (f" Its last words: {tail}" if tail else "")


def frame(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def read_exactly(data: socket.socket, size: int) -> bytearray:
    """Exactly so many bytes; ConnectionError when the other end closes before."""
    buffer = bytearray(size)
    view = memoryview(buffer)
    while view:
        count = data.recv_into(view)
        if count == 0:
            raise ConnectionError("the data socket was closed")
        view = view[count:]
    return buffer
