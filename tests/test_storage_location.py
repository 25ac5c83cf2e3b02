"""Where a journal is: URIs and their options, read without touching any storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jms_connector.errors import OptionError
from spark_jms_connector.storage import Storage
from spark_jms_connector.storage_location import locate


@pytest.mark.parametrize("form", ["{}", "file://{}", "file:{}", "file://localhost{}"])
def test_local_folders_may_be_written_in_several_ways(tmp_path: Path, form: str) -> None:
    assert locate(form.format(tmp_path), {}).folder == str(tmp_path)


@pytest.mark.parametrize(
    ("uri", "folder", "bucket"),
    [
        ("s3://lake/journals/orders/", "lake/journals/orders", "lake"),
        ("s3a://lake/j", "lake/j", "lake"),
        ("gs://lake/j", "lake/j", "lake"),
        ("abfss://box@account.dfs.core.windows.net/j", "box/j", "box"),
        ("hdfs://name:8020/j", "/j", None),
    ],
)
def test_remote_uris(uri: str, folder: str, bucket: str | None) -> None:
    location = locate(uri, {})
    assert (location.folder, location.bucket, location.local) == (folder, bucket, False)


def test_options_become_keywords_of_the_right_type() -> None:
    given = {"endpointOverride": "host:9000", "allow_bucket_creation": "TRUE", "load_frequency": "60"}
    assert locate("s3://lake/j", given).keywords == {
        "endpoint_override": "host:9000",
        "allow_bucket_creation": True,
        "load_frequency": 60,
    }
    assert locate("s3://lake/j?region=eu-west-1", {}).keywords == {"region": "eu-west-1"}
    assert locate("hdfs://me@name:1/j", {"replication": "2"}).keywords == {
        "host": "hdfs://name",
        "port": 1,
        "user": "me",
        "replication": 2,
    }


@pytest.mark.parametrize(
    ("uri", "options", "words"),
    [
        (
            "s3://lake/j",
            {"endpoint_overide": "x"},
            "'journal.endpoint_overide'. Did you mean 'journal.endpoint_override'",
        ),
        ("/folder", {"region": "x"}, "Unknown option 'journal.region'. Known options for '/folder': none"),
        (
            "s3://lake/j",
            {"allow_bucket_creation": "perhaps"},
            "'journal.allow_bucket_creation' is 'perhaps': it must be",
        ),
        ("ftp://host/j", {}, "scheme 'ftp'"),
        ("file://host/j", {}, "file:///folder"),
        ("s3:///j", {}, "names no bucket"),
        ("abfss://box/j", {}, "container@account"),
    ],
)
def test_what_cannot_work_is_refused_without_io(uri: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(OptionError) as caught:
        Storage(uri, options)
    assert words in str(caught.value)


def test_secrets_are_never_shown() -> None:
    options = {"secret_key": "hidden1", "session_token": "hidden2"}
    location = locate("s3://lake/j", options)
    assert "hidden" not in f"{Storage('s3://lake/j', options)!r} {location!r} {location.scrub('signed with hidden1')}"


@pytest.mark.parametrize("uri", ["s3://user:hidden@lake/j", "s3://hidden@lake/j", "s3://lake/j?secret_key=hidden"])
def test_a_uri_with_secrets_is_refused(uri: str) -> None:
    with pytest.raises(OptionError, match="holds credentials") as caught:
        Storage(uri)
    assert "hidden" not in str(caught.value)


def test_half_of_the_credentials_is_an_option_error() -> None:
    with pytest.raises(OptionError, match="journal") as caught:
        Storage("s3://lake/j", {"access_key": "hidden"}).list("")
    assert "hidden" not in str(caught.value)
