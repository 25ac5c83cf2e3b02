"""A STOMP server in a few lines, for what real brokers do not do on demand; and TLS in front of a real one."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable
from types import TracebackType

HELLO = b"CONNECTED\nversion:1.2\nserver:%s\nheart-beat:%s\n\n\0"
ARTEMIS = b"ActiveMQ-Artemis/2.44.0"


class FakeServer:
    """Answers CONNECT and every receipt; ``silent_on`` names commands that it leaves unanswered."""

    def __init__(
        self, server: bytes = ARTEMIS, beats: bytes = b"0,0", silent_on: tuple[bytes, ...] = (), messages: bytes = b""
    ) -> None:
        self._hello = HELLO % (server, beats)
        self._silent = silent_on
        self._messages = messages
        self.received = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"stomp://127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        rest = b""
        with contextlib.suppress(OSError):
            while data := connection.recv(65536):
                self.received += data
                *frames, rest = (rest + data).split(b"\0")
                for frame in frames:
                    self._answer(connection, frame.lstrip(b"\n"))

    def _answer(self, connection: socket.socket, frame: bytes) -> None:
        command, *lines = frame.split(b"\n")
        if command == b"CONNECT":
            connection.sendall(self._hello)
        if command in self._silent:
            return
        for line in lines:
            if line.startswith(b"receipt:"):
                connection.sendall(b"RECEIPT\nreceipt-id:" + line[8:] + b"\n\n\0")
        if command == b"SUBSCRIBE":
            connection.sendall(self._messages)
        if command == b"DISCONNECT":
            connection.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for connection in self._connections:
            connection.close()


class TlsFront:
    """Ends TLS and passes everything on to a broker's plain port."""

    def __init__(self, context: ssl.SSLContext, port: int) -> None:
        self._context = context
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        outer = self._context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        try:
            outer.do_handshake()
        except OSError:
            _refuse(outer)
            return
        inner = socket.create_connection(("127.0.0.1", self._target))
        self._open += [outer, inner]
        outer.settimeout(0.02)
        up = threading.Thread(target=_pump, args=(outer.recv, inner.sendall, inner), daemon=True)
        up.start()
        _pump(inner.recv, outer.sendall, outer)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for opened in self._open:
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()


def _refuse(refused: ssl.SSLSocket) -> None:
    """Close once the client has read why: closing over unread bytes would reset the connection and lose the alert."""
    with contextlib.suppress(OSError):
        refused.settimeout(5)
        socket.socket.shutdown(refused, socket.SHUT_WR)
        while socket.socket.recv(refused, 65536):
            pass
    refused.close()


def _pump(receive: Callable[[int], bytes], send: Callable[[bytes], None], target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            try:
                data = receive(65536)
            except TimeoutError:
                continue
            if not data:
                break
            send(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
