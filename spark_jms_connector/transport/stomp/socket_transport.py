"""stomp.py's transport over our socket and frame parser: it keeps listeners, heart-beats and sending, not receiving."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stomp.transport import BaseTransport
from stomp.utils import Frame as StompFrame

from spark_jms_connector.errors import TransportError
from spark_jms_connector.transport.stomp.addresses import Address
from spark_jms_connector.transport.stomp.frames import MESSAGE, Frame, FrameParser
from spark_jms_connector.transport.stomp.wire import Wire

_CONNECT_TIMEOUT = 20.0
_CORK_BYTES = 256 * 2**10


class SocketTransport(BaseTransport):  # type: ignore[misc]  # stomp.py has no types
    """Hands messages over by the bufferful; every other frame goes to stomp.py's listeners one by one."""

    def __init__(self, address: Address, tls: ssl.SSLContext | None, deliver: Callable[[list[Frame]], None]) -> None:
        super().__init__()
        self.vhost = address.virtual_host
        self.cause: BaseException | str = "the broker closed it"
        self._address = address
        self._tls = tls
        self._deliver = deliver
        self._wire: Wire | None = None
        self._held: bytearray | None = None
        self._holding = threading.Lock()

    def start(self) -> None:
        """Connect, and read from then on. OSError when nothing answers; there is no second attempt."""
        self.running = True
        self.attempt_connection()
        self.io_thread = threading.Thread(target=self._read, name=f"stomp-{self._address.port}", daemon=True)
        self.io_thread.start()

    def attempt_connection(self) -> None:
        self._wire = Wire(self._address.host, self._address.port, _CONNECT_TIMEOUT, self._tls)
        self.current_host_and_port = (self._address.host, self._address.port)

    def _read(self) -> None:
        wire, parser = self._wire, FrameParser()
        assert wire is not None
        try:
            while data := wire.receive():
                self.notify("heartbeat")  # whatever comes shows that the broker is alive
                self._dispatch(parser.feed(data))
        except (OSError, TransportError) as error:
            self.cause = error
        finally:
            self.running = False
            wire.close()
            self.notify("disconnected")

    def _dispatch(self, frames: list[Frame]) -> None:
        messages = [frame for frame in frames if frame.command == MESSAGE]
        if messages:
            self._deliver(messages)
        if len(messages) == len(frames):
            return
        for frame in frames:
            if frame.command != MESSAGE:
                body = frame.body.decode("utf-8", "replace")
                name = frame.command.decode("ascii")
                self.notify(name.lower(), StompFrame(name, frame.headers(), body))

    def send(self, encoded_frame: bytes) -> None:
        with self._holding:
            if self._held is not None:
                self._held += encoded_frame
                if len(self._held) < _CORK_BYTES:
                    return
                encoded_frame, self._held = bytes(self._held), bytearray()
            self._write(encoded_frame)

    def _write(self, data: bytes) -> None:
        if self._wire is None:
            raise ConnectionResetError("it was never made")
        self._wire.send(data)

    @contextmanager
    def corked(self) -> Iterator[None]:
        """Many small frames sent inside go out as few large writes."""
        with self._holding:
            self._held = bytearray()
        try:
            yield
        finally:
            with self._holding:
                held, self._held = bytes(self._held or b""), None
                if held:
                    self._write(held)

    def disconnect_socket(self) -> None:
        """End it; unasked, only stomp.py does so, when heart-beats stay away."""
        if self.running:
            self.cause = "its heart-beats stopped"
        self.set_connected(False)
        if self._wire is not None:
            self._wire.end()
