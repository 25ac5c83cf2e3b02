"""A segment's file and its seal record: whole, or refused with a reason."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from spark_jms_connector.errors import CorruptJournalError, JournalMismatchError
from spark_jms_connector.schema import EMPTY
from spark_jms_connector.source.segments import (
    FORMAT,
    KEY_BYTES,
    Seal,
    batch_keys,
    decode_seal,
    decode_segment,
    encode_seal,
    encode_segment,
    key_bytes,
    make_seal,
    segment_generation,
    segment_name,
)
from tests.source.conftest import GENERATION, batch, keys

BATCHES = [batch("one", "two"), batch("three")]
KEYS = batch_keys(BATCHES)


def _sealed(compression: str = "none") -> tuple[pa.Buffer, Seal]:
    data = encode_segment(BATCHES, compression)
    return data, make_seal("s", data, 3, 99, f"{GENERATION}.r0", 5)


def _record(seal: Seal) -> bytes:
    return b"".join(bytes(part) for part in encode_seal(seal, KEYS))


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_a_segment_comes_back(compression: str) -> None:
    data, seal = _sealed(compression)
    reader = decode_segment(data, seal)
    assert [reader.get_batch(i).column("text").to_pylist() for i in range(2)] == [["one", "two"], ["three"]]


@pytest.mark.parametrize("missing", [1, 8, 1000])
def test_truncated_data(missing: int) -> None:
    data, seal = _sealed()
    with pytest.raises(CorruptJournalError, match="'s'.*bytes long instead of.*3 messages.*do not delete it"):
        decode_segment(data.slice(0, data.size - missing), seal)


def test_every_flipped_byte_is_noticed() -> None:
    data, seal = _sealed()
    whole = bytearray(data)
    for place in range(0, len(whole), 97):
        whole[place] ^= 0x40
        with pytest.raises(CorruptJournalError, match="checksum differs.*restore the file from a backup"):
            decode_segment(pa.py_buffer(bytes(whole)), seal)
        whole[place] ^= 0x40


def test_a_seal_record_comes_back() -> None:
    _, seal = _sealed()
    assert decode_seal("s", pa.py_buffer(_record(seal))) == (seal, KEYS)


def test_a_seal_record_truncated_anywhere_is_refused() -> None:
    record = _record(_sealed()[1])
    for length in range(len(record)):
        with pytest.raises(CorruptJournalError, match="segment 's' is (unreadable|truncated): restore it"):
            decode_seal("s", pa.py_buffer(record[:length]))


def test_a_seal_record_with_something_behind_it_is_refused() -> None:
    with pytest.raises(CorruptJournalError, match="truncated"):
        decode_seal("s", pa.py_buffer(_record(_sealed()[1]) + b"x"))


@pytest.mark.parametrize("head", [b"", b"\n", b"[]\n", b"not json\n", b"\xff\xfe\n"])
def test_what_is_no_seal_record(head: bytes) -> None:
    with pytest.raises(CorruptJournalError, match="unreadable"):
        decode_seal("s", pa.py_buffer(head))


def _of_format(number: int, **more: object) -> pa.Buffer:
    head, _, rest = _record(_sealed()[1]).partition(b"\n")
    return pa.py_buffer(json.dumps(json.loads(head) | {"format": number} | more).encode() + b"\n" + rest)


def test_a_seal_record_of_a_newer_version_is_refused_whatever_else_it_holds() -> None:
    with pytest.raises(JournalMismatchError, match=f"'s' has format {FORMAT + 1}, this version reads up to {FORMAT}"):
        decode_seal("s", _of_format(FORMAT + 1, unheard="of"))


def test_a_seal_record_of_an_older_version_is_read() -> None:
    seal, found = decode_seal("s", _of_format(FORMAT - 1))
    assert (seal.rows, found) == (3, KEYS)


def test_keys_of_a_slice_are_its_own() -> None:
    assert bytes(key_bytes(keys(*"abcd").slice(1, 2))) == b"b".ljust(KEY_BYTES) + b"c".ljust(KEY_BYTES)
    assert key_bytes(keys()).size == 0


def test_keys_of_batches_in_order() -> None:
    assert KEYS.equals(pa.concat_arrays([b.column("key") for b in BATCHES]))
    assert len(batch_keys([])) == 0
    assert len(batch_keys([EMPTY])) == 0


def test_names_tell_the_generation_and_sort_by_number() -> None:
    names = [segment_name(GENERATION, 0, number) for number in (0, 9, 10, 12345)]
    assert names == sorted(names)
    assert {segment_generation(name) for name in names} == {GENERATION}
