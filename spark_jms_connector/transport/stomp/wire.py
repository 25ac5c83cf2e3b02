"""A TCP or TLS socket that one thread reads while others write, and that any thread may end."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading

_CHUNK = 256 * 2**10


class Wire:
    """The socket never blocks by itself: a TLS object must not be used by two threads at once, so none waits in it."""

    def __init__(self, host: str, port: int, timeout: float, tls: ssl.SSLContext | None) -> None:
        plain = socket.create_connection((host, port), timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = tls.wrap_socket(plain, server_hostname=host) if tls else plain
        except BaseException:
            plain.close()
            raise
        self._socket.setblocking(False)
        self._using = threading.Lock()  # held for calls that return at once
        self._sending = threading.Lock()  # held for a whole send, so that frames do not mix
        self._ended = False

    def receive(self) -> bytes:
        """What has come, or wait for it; empty once the connection has ended."""
        while not self._ended:
            try:
                with self._using:
                    return self._socket.recv(_CHUNK)
            except (BlockingIOError, ssl.SSLWantReadError):
                self._wait(select.POLLIN)
            except ssl.SSLWantWriteError:
                self._wait(select.POLLOUT)
        return b""

    def send(self, data: bytes) -> None:
        with self._sending:
            rest = memoryview(data)
            while rest:
                if self._ended:
                    raise ConnectionResetError("it was closed")
                rest = rest[self._send_some(rest) :]

    def _send_some(self, data: memoryview) -> int:
        try:
            with self._using:
                return self._socket.send(data)
        except (BlockingIOError, ssl.SSLWantWriteError):
            self._wait(select.POLLOUT)
        except ssl.SSLWantReadError:
            self._wait(select.POLLIN)
        return 0

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self._socket, event)
        poll.poll()

    def end(self) -> None:
        """Wake every thread that waits here; the reader then calls ``close``."""
        self._ended = True
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        self.end()
        with self._using:
            self._socket.close()
