"""One STOMP connection: log in, call and wait for the receipt, hold arrived messages, end."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, NoReturn

from stomp.exception import StompException
from stomp.listener import ConnectionListener
from stomp.protocol import Protocol12

from spark_jms_connector.errors import ConnectionLostError, InUseError, OptionError, TransportError
from spark_jms_connector.transport.stomp import failures
from spark_jms_connector.transport.stomp.addresses import Address
from spark_jms_connector.transport.stomp.frames import Frame
from spark_jms_connector.transport.stomp.socket_transport import SocketTransport

# Both ways, in milliseconds. Artemis closes a connection without heart-beats that is idle for a minute.
HEARTBEATS = (10_000, 10_000)
_LOGIN_TIMEOUT = 30.0
_RECEIPT_TIMEOUT = 60.0
_GOODBYE_TIMEOUT = 5.0


class Link(ConnectionListener):  # type: ignore[misc]  # stomp.py has no types
    """Used by one thread, but for ``close``. After any failure it is of no use any more."""

    def __init__(self, address: Address, tls: ssl.SSLContext | None) -> None:
        self.at = str(address)
        self.server = ""
        self._encrypted = tls is not None
        self._changed = threading.Condition()
        self._inbox: deque[Frame] = deque()
        self._receipts: set[str] = set()
        self._numbers = count(1)
        self._failure: TransportError | None = None
        self._closed = False
        self._ended = False
        self._socket = SocketTransport(address, tls, self._deliver)
        self._protocol = Protocol12(self._socket, HEARTBEATS, auto_content_length=False)
        self._socket.set_listener("link", self)

    def open(self, user: str | None, password: str | None, client_id: str | None) -> None:
        """Connect and log in; AccessError at once where the broker refuses."""
        for name, value in (("user", user), ("password", password), ("clientId", client_id)):
            if value is not None and any(character in value for character in "\r\n\0"):
                raise OptionError(f"Option '{name}' holds a line break or NUL, which STOMP cannot carry in it.")
        try:
            self._log_in(user, password, client_id)
        except InUseError:
            raise
        except ConnectionLostError as error:
            # A broker that misses a client certificate may reset the connection before its alert is read.
            hint = " If the broker asks for a client certificate, give it with 'keyStore'." if self._encrypted else ""
            raise ConnectionLostError(f"{error}{hint}") from error

    def _log_in(self, user: str | None, password: str | None, client_id: str | None) -> None:
        try:
            self._socket.start()
            self._protocol.connect(user, password, headers=_given({"client-id": client_id}), with_connect_command=True)
            self._await(lambda: self.server, _LOGIN_TIMEOUT, "it does not answer the login")
        except (OSError, StompException) as error:
            self._fail(error)
        finally:
            if not self.server:
                self.close()

    def check(self) -> None:
        """Raise what has gone wrong so far."""
        with self._changed:
            self._check()

    def send(self, command: str, headers: Mapping[str, str | None], body: str | bytes = "") -> None:
        self.check()
        try:
            self._protocol.send_frame(command, _given(headers), body)
        except (OSError, StompException) as error:
            self._fail(error)

    def call(self, command: str, headers: Mapping[str, str | None], body: str | bytes = "") -> None:
        """Send, and wait until the broker says that it has done it."""
        receipt = f"receipt-{next(self._numbers)}"
        self.send(command, {**headers, "receipt": receipt}, body)
        self._await(lambda: receipt in self._receipts, _RECEIPT_TIMEOUT, f"no answer to {command}")
        self._receipts.discard(receipt)

    @contextlib.contextmanager
    def corked(self) -> Iterator[None]:
        """Frames sent inside go out together."""
        try:
            with self._socket.corked():
                yield
        except OSError as error:
            self._fail(error)

    def take(self, max_messages: int, max_bytes: int, timeout: float) -> list[Frame]:
        """Wait for a first message, then take what is there, within the limits; the first is taken however large."""
        taken: list[Frame] = []
        size = 0
        with self._changed:
            self._changed.wait_for(lambda: self._inbox or self._over, timeout)
            self._check()
            inbox = self._inbox
            while inbox and len(taken) < max_messages:
                size += inbox[0].size
                if taken and size > max_bytes:
                    break
                taken.append(inbox.popleft())
        return taken

    def put_back(self, frames: list[Frame]) -> bool:
        """Have these messages taken again, before all others; False if the connection is over."""
        with self._changed:
            if self._over:
                return False
            self._inbox.extendleft(reversed(frames))
            return True

    def close(self) -> None:
        """Say goodbye, so that brokers count only what was received as delivered, and end. Any thread; never raises."""
        with self._changed:
            if self._closed:
                return
            polite = self.server and not self._over
            self._closed = True
            self._inbox.clear()
            self._changed.notify_all()
        if polite:
            with contextlib.suppress(OSError, StompException):
                self._protocol.disconnecting = True
                self._protocol.send_frame("DISCONNECT", {"receipt": "goodbye"})
                with self._changed:
                    # The broker ends the connection once all is given back; the receipt may come before that.
                    self._changed.wait_for(lambda: self._ended, _GOODBYE_TIMEOUT)
        self._socket.disconnect_socket()

    @property
    def _over(self) -> bool:
        return self._closed or self._ended or self._failure is not None

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closed:
            raise ConnectionLostError(f"The connection to the broker at {self.at} was closed here: open a new one.")

    def _await(self, done: Any, timeout: float, silence: str) -> None:
        with self._changed:
            arrived = self._changed.wait_for(lambda: done() or self._over, timeout)
            if not done():
                self._check()
                if not arrived:
                    raise failures.lost(self.at, silence)

    def _fail(self, cause: BaseException) -> NoReturn:
        # The reader may know better why: an ERROR frame, or the TLS alert behind a broken pipe.
        if self._socket.io_thread is not None:
            with self._changed:
                self._changed.wait_for(lambda: self._ended, 1.0)
        self.check()
        raise failures.lost(self.at, cause) from cause

    def _deliver(self, frames: list[Frame]) -> None:
        with self._changed:
            if not self._closed:
                self._inbox.extend(frames)
                self._changed.notify_all()

    def on_connected(self, frame: Any) -> None:
        with self._changed:
            self.server = frame.headers.get("server") or "an unnamed server"
            self._changed.notify_all()

    def on_receipt(self, frame: Any) -> None:
        with self._changed:
            self._receipts.add(frame.headers.get("receipt-id", ""))
            self._changed.notify_all()

    def on_error(self, frame: Any) -> None:
        refused = failures.refusal(self.at, frame.headers.get("message", ""), frame.body or "")
        with self._changed:
            self._failure = self._failure or refused
            self._changed.notify_all()
        self._socket.disconnect_socket()

    def on_disconnected(self) -> None:
        with self._changed:
            self._ended = True
            if not self._closed:
                self._failure = self._failure or failures.lost(self.at, self._socket.cause)
            self._changed.notify_all()


def _given(headers: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if value is not None}
