"""Cuts whole socket buffers into STOMP 1.2 frames, and turns header lines into text and back."""

from __future__ import annotations

import re
from typing import NamedTuple

from spark_jms_connector.errors import ConnectionLostError

MESSAGE = b"MESSAGE"
_COMMANDS = frozenset((MESSAGE, b"RECEIPT", b"ERROR", b"CONNECTED"))
_LONGEST_HEAD = 64 * 2**20
_LONGEST_BODY = 2**31
_HEAD_END = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(rb"\ncontent-length:([^\r\n]*)")
_BETWEEN = re.compile(rb"[\r\n]*")
_ESCAPES = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\c": ":"}
_ESCAPED = re.compile(r"\\.?", re.DOTALL)


class Frame(NamedTuple):
    """One frame as it came: its header lines undivided, since most of them are read in bulk."""

    command: bytes
    head: bytes
    body: bytes
    has_length: bool

    def headers(self) -> dict[str, str]:
        return parse_head(self.head)

    @property
    def size(self) -> int:
        return len(self.head) + len(self.body)


def broken(reason: str) -> ConnectionLostError:
    return ConnectionLostError(
        f"What the broker sends is not STOMP 1.2: {reason}. Does the option 'url' name a STOMP port?"
    )


class FrameParser:
    """Takes bytes as they come, however they are cut, and gives the frames that are complete.

    What is incomplete is only looked at again when enough has come to go on, so that a large frame costs no more
    than a copy.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0
        self._needed = 0
        self._awaits_nul = False

    def feed(self, data: bytes) -> list[Frame]:
        self._parts.append(data)
        self._held += len(data)
        if self._held < self._needed or (self._awaits_nul and b"\0" not in data):
            return []
        buffer = b"".join(self._parts) if len(self._parts) > 1 else data
        frames: list[Frame] = []
        rest = self._cut(buffer, frames)
        left = buffer[rest:]
        self._parts, self._held = [left] if left else [], len(left)
        return frames

    def _cut(self, buffer: bytes, frames: list[Frame]) -> int:
        """Append the complete frames; return where the first incomplete one starts."""
        self._needed, self._awaits_nul = 0, False
        at, end = 0, len(buffer)
        while True:
            if at < end and buffer[at] in b"\r\n":
                at = _BETWEEN.match(buffer, at).end()  # type: ignore[union-attr]  # it always matches
            if at >= end:
                return at
            head_end = _HEAD_END.search(buffer, at)
            if head_end is None:
                self._refuse_garbage(buffer, at)
                return at
            stop, body_at = head_end.span()
            command_end = buffer.find(b"\n", at, stop + 1)
            length = _LENGTH.search(buffer, command_end, stop)
            body_end = body_at + self._length(length[1]) if length else buffer.find(b"\0", body_at)
            if body_end < 0:
                self._check_command(buffer[at:command_end])
                self._awaits_nul = True
                return at
            if body_end >= end:
                self._check_command(buffer[at:command_end])
                self._needed = body_end + 1 - at
                return at
            if buffer[body_end]:
                raise broken("a frame is longer than its content-length")
            message = buffer.startswith(b"MESSAGE\n", at)
            command = MESSAGE if message else self._check_command(buffer[at:command_end])
            frames.append(Frame(command, buffer[command_end + 1 : stop], buffer[body_at:body_end], length is not None))
            at = body_end + 1

    @staticmethod
    def _length(digits: bytes) -> int:
        if not digits.isdigit() or len(digits) > 10 or int(digits) > _LONGEST_BODY:
            raise broken("a content-length is not a length")
        return int(digits)

    @staticmethod
    def _check_command(line: bytes) -> bytes:
        command = line[:-1] if line.endswith(b"\r") else line
        if command not in _COMMANDS:
            raise broken("an unknown command")
        return command

    def _refuse_garbage(self, buffer: bytes, at: int) -> None:
        """Do not wait for ever for the end of something that is no frame."""
        line = buffer[at : buffer.find(b"\n", at) + 1 or at + 16].rstrip(b"\r\n")
        if not any(command.startswith(line) or line == command for command in _COMMANDS):
            raise broken("an unknown command")
        if len(buffer) - at > _LONGEST_HEAD:
            raise broken("headers without an end")


def parse_head(head: bytes) -> dict[str, str]:
    """Header lines as text; the first of a repeated header counts (STOMP 1.2, "Repeated Header Entries")."""
    text = head.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    if not text:
        return {}
    try:
        headers = dict([line.split(":", 1) for line in reversed(text.split("\n"))])
    except ValueError:
        raise broken("a header without a colon") from None
    if "\\" in text:
        return {unescape(name): unescape(value) for name, value in headers.items()}
    return headers


def unescape(text: str) -> str:
    return _ESCAPED.sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    try:
        return _ESCAPES[found[0]]
    except KeyError:
        raise broken("an escape that STOMP does not have") from None


def number(text: str | None) -> int | None:
    """A header's number; None where a sender wrote something else."""
    try:
        found = int(text) if text else None
    except ValueError:
        return None
    return found if found is not None and -(2**31) <= found < 2**63 else None
