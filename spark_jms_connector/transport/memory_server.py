"""A memory broker served on loopback, one thread and one connection per session."""

from __future__ import annotations

import secrets
import socket
import threading
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from typing import Any, Protocol

import pyarrow as pa

from spark_jms_connector.errors import JmsConnectorError, UnreadableMessageError
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.memory_broker import MemoryBroker
from spark_jms_connector.transport.memory_session import Session
from spark_jms_connector.transport.memory_wire import Frame, hang_up, read_frame, send_at_once, write_frame

HOST = "127.0.0.1"


class _Called(Protocol):
    def __call__(self, **arguments: Any) -> Any: ...


class MemoryServer:
    """Serves one broker until closed; ``url`` and ``token`` are what clients need to know."""

    def __init__(self, broker: MemoryBroker) -> None:
        self.broker = broker
        self.token = secrets.token_urlsafe(24)
        # The listener itself does not authenticate: a client that stalls must not keep others from connecting.
        self._listener = Listener((HOST, 0), backlog=64)
        self._port = int(self._listener.address[1])
        self._closing = False
        self._connections: set[Connection] = set()
        threading.Thread(target=self._accept, name="memory-broker", daemon=True).start()

    @property
    def url(self) -> str:
        return f"memory://{HOST}:{self._port}"

    def __enter__(self) -> MemoryServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MemoryServer(url='{self.url}')"

    def close(self) -> None:
        """Stop serving; every open session is lost."""
        if self._closing:
            return
        self._closing = True
        # Closing a listening socket does not wake the thread that waits on it; a connection does.
        with suppress(OSError), socket.create_connection((HOST, self._port), timeout=5):
            pass
        self._listener.close()
        for connection in list(self._connections):
            with suppress(OSError):
                hang_up(connection)

    def _accept(self) -> None:
        while not self._closing:
            with suppress(OSError):
                connection = self._listener.accept()
                self._connections.add(connection)
                threading.Thread(target=self._serve, args=(connection,), name="memory-session", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        served = ServedSession(self.broker)
        try:
            self._authenticate(connection)
            while not self._closing and not served.ended:
                request, rows = read_frame(connection)
                write_frame(connection, *served.answer(request, rows))
        except (OSError, EOFError, ValueError, AuthenticationError):
            pass
        finally:
            served.lose()
            self._connections.discard(connection)
            connection.close()

    def _authenticate(self, connection: Connection) -> None:
        send_at_once(connection)
        key = self.token.encode()
        deliver_challenge(connection, key)
        answer_challenge(connection, key)


def _arguments(error: JmsConnectorError) -> list[Any]:
    return [str(error), error.preceding] if isinstance(error, UnreadableMessageError) else [str(error)]


class ServedSession:
    """What one connection may ask for."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self._session: Any = None
        self.ended = False

    def answer(self, request: Any, rows: pa.RecordBatch | None) -> Frame:
        """Do what is asked; an error is an answer too."""
        try:
            called: _Called = getattr(self, f"_do_{request['call']}")
            arguments = request["arguments"] if rows is None else {**request["arguments"], "batch": rows}
            result, batch = called(**arguments)
            return {"result": result}, batch
        except JmsConnectorError as error:
            return {"error": type(error).__name__, "arguments": _arguments(error)}, None

    def lose(self) -> None:
        """The connection is gone."""
        if isinstance(self._session, Session):
            self._session.lose()

    def _do_open_consumer(self, spec: dict[str, Any]) -> Frame:
        destination, subscription = Destination(**spec.pop("destination")), spec.pop("subscription")
        kind = Subscription(**subscription) if subscription is not None else None
        self._session = self._broker.open_consumer(ConsumerSpec(destination, subscription=kind, **spec))
        return self._session.number, None

    def _do_open_producer(self, destination: dict[str, Any], message_ids: bool) -> Frame:
        self._session = self._broker.open_producer(Destination(**destination), message_ids=message_ids)
        return self._session.number, None

    def _do_depth(self, destination: dict[str, Any], selector: str | None) -> Frame:
        return self._broker.depth(Destination(**destination), selector), None

    def _do_unsubscribe(
        self, destination: dict[str, Any], subscription: dict[str, Any], client_id: str | None
    ) -> Frame:
        self._broker.unsubscribe(Destination(**destination), Subscription(**subscription), client_id)
        return None, None

    def _do_receive(self, max_messages: int, max_bytes: int, timeout: float) -> Frame:
        received = self._session.receive(max_messages, max_bytes, timeout)
        return received.dead_lettered, received.batch

    def _do_send(self, batch: pa.RecordBatch | None = None) -> Frame:
        if batch is not None:
            self._session.send(batch)
        return None, None

    def _do_commit(self) -> Frame:
        return self._session.commit(), None

    def _do_rollback(self) -> Frame:
        return self._session.rollback(), None

    def _do_close(self) -> Frame:
        self._session.close()
        self.ended = True
        return None, None


def start_memory_broker(**settings: Any) -> MemoryServer:
    """A new broker, served on loopback; ``settings`` are those of ``MemoryBroker``."""
    return MemoryServer(MemoryBroker(**settings))
