"""The frame parser: any cut of any frames gives the same frames, and garbage raises our error only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stomp.utils import Frame as StompFrame
from stomp.utils import convert_frame, pack

from spark_jms_connector.errors import ConnectionLostError
from spark_jms_connector.transport.stomp.frames import Frame, FrameParser, number, parse_head, unescape

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = TEXT.filter(lambda name: name != "content-length")


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace(":", "\\c").replace("\r", "\\r")


@st.composite
def frames(draw: st.DrawFn) -> tuple[bytes, Frame]:
    """A frame as bytes and as the parser should see it, with the ends of line and beats that may follow it."""
    command = draw(st.sampled_from([b"MESSAGE", b"RECEIPT", b"ERROR", b"CONNECTED"]))
    headers = draw(st.dictionaries(NAMES, TEXT, max_size=4))
    with_length = draw(st.booleans())
    body = draw(st.binary(max_size=300))
    if not with_length:
        body = body.replace(b"\0", b"")
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [f"{escape(name)}:{escape(value)}" for name, value in headers.items()]
    if with_length:
        lines.insert(draw(st.integers(0, len(lines))), f"content-length:{len(body)}")
    head = end.join(lines)
    between = draw(st.sampled_from([b"", b"\n", b"\r\n", b"\n\n\n"]))
    data = command + end.encode() + (head + end if lines else "").encode() + end.encode() + body + b"\0" + between
    return data, Frame(command, head.encode(), body, with_length)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in zip(ends, ends[1:], strict=False)]


@given(st.lists(frames(), max_size=5), st.lists(st.integers(0, 10_000), max_size=20))
def test_any_cut_gives_the_same_frames(sent: list[tuple[bytes, Frame]], places: list[int]) -> None:
    parser = FrameParser()
    data = b"".join(part for part, _ in sent)
    got = [frame for chunk in cut(data, places) for frame in parser.feed(chunk)]
    assert [(f.command, f.headers(), f.body, f.has_length) for f in got] == [
        (f.command, f.headers(), f.body, f.has_length) for _, f in sent
    ]


@given(frames())
def test_byte_by_byte(sent: tuple[bytes, Frame]) -> None:
    parser = FrameParser()
    got = [frame for byte in sent[0] for frame in parser.feed(bytes([byte]))]
    assert [(frame.headers(), frame.body) for frame in got] == [(sent[1].headers(), sent[1].body)]


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_garbage_raises_our_error_only(chunks: list[bytes]) -> None:
    parser = FrameParser()
    try:
        for chunk in chunks:
            for frame in parser.feed(chunk):
                frame.headers()
    except ConnectionLostError:
        pass


@pytest.mark.parametrize(
    "garbage",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\x15\x03\x03\x00\x02\x02\x46",
        b"MESSAGE\ncontent-length:x\n\nbody\0",
        b"MESSAGE\ncontent-length:-1\n\nbody\0",
        b"MESSAGE\ncontent-length:99999999999999999999\n\nbody\0",
        b"MESSAGE\ncontent-length:2\n\nbody\0",
    ],
)
def test_garbage_is_refused_at_once(garbage: bytes) -> None:
    with pytest.raises(ConnectionLostError, match="not STOMP"):
        FrameParser().feed(garbage)


@pytest.mark.parametrize("head", [b"no colon", b"a:b\nno colon", b"a:\\t", b"a:b\\"])
def test_bad_headers_are_refused(head: bytes) -> None:
    with pytest.raises(ConnectionLostError):
        parse_head(head)


def test_the_first_of_a_repeated_header_counts() -> None:
    assert parse_head(b"a:1\nb:2\na:3") == {"a": "1", "b": "2"}


@given(TEXT)
def test_unescape_undoes_escape(text: str) -> None:
    assert unescape(escape(text)) == text


def test_a_large_frame_in_small_pieces_is_joined_once() -> None:
    parser, body = FrameParser(), b"\0x" * 2_000_000
    data = b"MESSAGE\ncontent-length:%d\n\n" % len(body) + body + b"\0\n"
    got = [frame for at in range(0, len(data), 4096) for frame in parser.feed(data[at : at + 4096])]
    assert [frame.body for frame in got] == [body]


def test_it_reads_what_the_library_writes() -> None:
    data = pack(convert_frame(StompFrame("MESSAGE", {"a": "ü"}, "text")))
    (frame,) = FrameParser().feed(data)
    assert (frame.headers(), frame.body) == ({"a": "ü"}, b"text")


@pytest.mark.parametrize(
    ("text", "expected"), [("7", 7), ("-1", -1), ("", None), (None, None), ("x", None), ("9" * 30, None)]
)
def test_number(text: str | None, expected: int | None) -> None:
    assert number(text) == expected
