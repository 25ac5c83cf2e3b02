"""The journal's files of messages: an Arrow file, and beside it the seal record that makes it count."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from spark_jms_connector.errors import CorruptJournalError, JournalMismatchError
from spark_jms_connector.schema import JOURNAL

FORMAT = 1
KEY_BYTES = 16


@dataclass(frozen=True)
class Seal:
    """What is known of a segment without reading it."""

    name: str
    rows: int
    bytes: int
    length: int
    crc32: int
    receiver: str
    first_sequence: int
    format: int = FORMAT


def segment_name(generation: str, receiver: int, number: int) -> str:
    return f"{generation}.r{receiver}.{number:08d}"


def segment_generation(name: str) -> str:
    return name.partition(".")[0]


def encode_segment(batches: Sequence[pa.RecordBatch], compression: str) -> pa.Buffer:
    """The Arrow file (not stream: a stream without its end reads as complete) of some batches."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
    with pa.ipc.new_file(sink, JOURNAL, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def decode_segment(data: pa.Buffer, seal: Seal) -> pa.ipc.RecordBatchFileReader:
    """Open a segment's data, after checking that it is whole."""
    if data.size != seal.length:
        raise CorruptJournalError(_damaged(seal, f"{data.size} bytes long instead of {seal.length}"))
    if zlib.crc32(data) != seal.crc32:
        raise CorruptJournalError(_damaged(seal, "not what was written: its checksum differs"))
    return pa.ipc.open_file(data)


def _damaged(seal: Seal, how: str) -> str:
    return (
        f"Segment '{seal.name}' of the journal is {how}. It holds {seal.rows} messages that may be gone from the"
        " broker: restore the file from a backup of the journal's storage; do not delete it."
    )


def make_seal(name: str, data: pa.Buffer, rows: int, size: int, receiver: str, first_sequence: int) -> Seal:
    return Seal(name, rows, size, data.size, zlib.crc32(data), receiver, first_sequence)


def encode_seal(seal: Seal, keys: pa.Array) -> list[bytes | pa.Buffer]:
    """One line of JSON, then the keys, 16 bytes each."""
    return [json.dumps(asdict(seal)).encode() + b"\n", key_bytes(keys)]


def decode_seal(name: str, data: pa.Buffer) -> tuple[Seal, pa.Array]:
    raw = memoryview(data)
    head, separator, _ = bytes(raw[:4096]).partition(b"\n")
    try:
        fields = json.loads(head) if separator else None
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise CorruptJournalError(f"The seal record of segment '{name}' is unreadable: restore it from a backup.")
    if int(fields.get("format", 0)) > FORMAT:
        raise JournalMismatchError(
            f"Segment '{name}' has format {fields['format']}, this version reads up to {FORMAT}: use a newer version."
        )
    try:
        seal = Seal(**fields)
    except TypeError:
        raise CorruptJournalError(
            f"The seal record of segment '{name}' is damaged: restore it from a backup."
        ) from None
    start = len(head) + 1
    if data.size != start + seal.rows * KEY_BYTES:
        raise CorruptJournalError(f"The seal record of segment '{name}' is truncated: restore it from a backup.")
    return seal, keys_from_bytes(data.slice(start), seal.rows)


def key_bytes(keys: pa.Array) -> pa.Buffer:
    """The keys of an array one after the other, whatever slice it is."""
    values = keys.buffers()[1]
    if values is None or len(keys) == 0:
        return pa.py_buffer(b"")
    return values.slice(keys.offset * KEY_BYTES, len(keys) * KEY_BYTES)


def keys_from_bytes(data: pa.Buffer, rows: int) -> pa.Array:
    return pa.Array.from_buffers(pa.binary(KEY_BYTES), rows, [None, data])


def batch_keys(batches: Sequence[pa.RecordBatch]) -> pa.Array:
    """The keys of all rows, in order, as one array."""
    chunks = [batch.column("key") for batch in batches]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.binary(KEY_BYTES))
