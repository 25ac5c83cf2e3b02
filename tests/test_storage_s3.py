"""The same storage contract against an S3 server on loopback, and against a filesystem that renames as HDFS does."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs

from spark_jms_connector.errors import JournalStorageError
from spark_jms_connector.storage import Storage, _Remote
from spark_jms_connector.storage_location import HDFS, Location, locate

moto_server = pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "{}:{}".format(*server.get_host_and_port())
    server.stop()


def _options(endpoint: str) -> dict[str, str]:
    return {
        "endpoint_override": endpoint,
        "scheme": "http",
        "region": "us-east-1",
        "access_key": "user",
        "secret_key": "hidden",
    }


@pytest.fixture
def storage(endpoint: str, request: pytest.FixtureRequest) -> Storage:
    bucket = request.node.name.replace("_", "-")[:60]
    return Storage(f"s3a://{bucket}/journal", {**_options(endpoint), "allow_bucket_creation": "true"})


def test_a_file_comes_back(storage: Storage) -> None:
    assert storage.list("segments") == {}
    storage.put("segments/a.arrow", [b"one ", pa.py_buffer(b"two")])
    storage.put("segments/empty", b"")
    assert storage.read("segments/a.arrow").to_pybytes() == b"one two"
    assert storage.exists("segments/a.arrow")
    assert not storage.exists("segments")
    assert storage.list("segments") == {"a.arrow": 7, "empty": 0}
    assert storage.list("") == {}


def test_a_large_file_in_parts(storage: Storage) -> None:
    part = bytes(range(256)) * 2**15
    storage.put("segments/large", [part, part, b"end"])
    assert storage.list("segments") == {"large": 2 * len(part) + 3}
    assert storage.read("segments/large").to_pybytes() == part + part + b"end"


def test_absence(storage: Storage) -> None:
    storage.put("segments/a", b"1")
    storage.delete("segments/a")
    storage.delete("segments/a")
    storage.sweep("segments")
    assert not storage.exists("segments/a")
    assert storage.list("segments") == {}
    with pytest.raises(FileNotFoundError):
        storage.read("segments/a")


def test_a_bucket_that_does_not_exist(endpoint: str) -> None:
    storage = Storage("s3://nobody-made-it/j", _options(endpoint), retry_for=60)
    for operation, *arguments in (("put", "a", b"1"), ("list", ""), ("exists", "a"), ("read", "a")):
        with pytest.raises(JournalStorageError, match="'nobody-made-it' .* does not exist. Create it"):
            getattr(storage, operation)(*arguments)


def test_a_server_that_does_not_answer() -> None:
    storage = Storage("s3://lake/j", _options("127.0.0.1:1"), retry_for=0.1)
    with pytest.raises(
        JournalStorageError, match=r"list 'segments' in the journal s3://lake/j.*Tried for 0.1 s"
    ) as caught:
        storage.list("segments")
    assert "hidden" not in str(caught.value)


class _Refuse(BaseHTTPRequestHandler):
    """A server that says 403 to everything."""

    def _refuse(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _refuse

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("operation", ["put", "list", "exists", "read", "delete"])
def test_refused_means_refused(operation: str) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refuse) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        storage = Storage("s3://lake/j", _options(f"127.0.0.1:{server.server_port}"), retry_for=60)
        started = time.monotonic()
        with pytest.raises(JournalStorageError, match="read and write there") as caught:
            getattr(storage, operation)(*(("a", b"1") if operation == "put" else ("a",)))
        server.shutdown()
    assert time.monotonic() - started < 30
    assert "hidden" not in str(caught.value)


class _Folder(_Remote):
    """HDFS as far as it matters here: folders, and a move that is one step."""

    def __init__(self, location: Location) -> None:
        super().__init__(location)
        self.__dict__["_fs"] = fs.LocalFileSystem()


def test_where_a_move_is_one_step_files_appear_whole(tmp_path: Path) -> None:
    backend = _Folder(replace(locate("hdfs://name/j", {}), folder=str(tmp_path), kind=HDFS))
    backend.put("a", [pa.py_buffer(b"whole")])
    (tmp_path / ".tmp-left").write_bytes(b"half")
    assert backend.list("") == {"a": 5}
    assert sorted(file.name for file in tmp_path.iterdir()) == [".tmp-left", "a"]
