"""Where a journal is: its URI and ``journal.*`` options, read into a pyarrow filesystem and a folder in it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pyarrow import fs

from spark_jms_connector import option_types as types
from spark_jms_connector.errors import DependencyError, OptionError
from spark_jms_connector.options import SECRET, secret_name

LOCAL, S3, GCS, AZURE, HDFS = "LocalFileSystem", "S3FileSystem", "GcsFileSystem", "AzureFileSystem", "HadoopFileSystem"
_SCHEMES = {
    "file": LOCAL,
    "s3": S3,
    "s3a": S3,
    "gs": GCS,
    "gcs": GCS,
    "abfs": AZURE,
    "abfss": AZURE,
    "hdfs": HDFS,
    "viewfs": HDFS,
}


def _seconds(value: str) -> timedelta:
    return timedelta(seconds=types.duration(value))


def _texts(*names: str) -> dict[str, types.Parser]:
    return dict.fromkeys(names, types.text)


def _booleans(*names: str) -> dict[str, types.Parser]:
    return dict.fromkeys(names, types.boolean)


# pyarrow's classes offer no signature to ask, so what a URI's options may be is written down here.
KEYWORDS: Mapping[str, Mapping[str, types.Parser]] = {
    LOCAL: {},
    S3: {
        **_texts("access_key", "secret_key", "session_token", "region", "scheme", "endpoint_override", "role_arn"),
        **_texts("session_name", "external_id", "proxy_options", "tls_ca_file_path"),
        **_booleans("anonymous", "background_writes", "allow_delayed_open", "allow_bucket_creation"),
        **_booleans("force_virtual_addressing"),
        "request_timeout": types.duration,
        "connect_timeout": types.duration,
        "load_frequency": types.count(),
    },
    GCS: {
        **_texts("target_service_account", "default_bucket_location", "scheme", "endpoint_override", "project_id"),
        **_booleans("anonymous"),
        "retry_time_limit": _seconds,
    },
    AZURE: {
        **_texts("account_name", "account_key", "sas_token", "client_id", "client_secret", "tenant_id"),
        **_texts("blob_storage_authority", "blob_storage_scheme", "dfs_storage_authority", "dfs_storage_scheme"),
    },
    HDFS: {
        **_texts("user", "kerb_ticket"),
        "replication": types.count(),
        "buffer_size": types.count(0),
        "default_block_size": types.count(),
    },
}
# S3: a small object is one request instead of three. GCS: its own retries would block for 15 minutes.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    S3: {"allow_delayed_open": True},
    GCS: {"retry_time_limit": timedelta(seconds=10)},
}


@dataclass(frozen=True)
class Location:
    """A folder in a filesystem that is not connected yet."""

    kind: str
    folder: str
    shown: str
    keywords: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def local(self) -> bool:
        return self.kind == LOCAL

    @property
    def bucket(self) -> str | None:
        """What must exist before anything can be written, where the storage has such a thing."""
        return self.folder.split("/")[0] if self.kind in (S3, GCS, AZURE) else None

    def connect(self) -> fs.FileSystem:
        """The filesystem, ready to use."""
        factory = getattr(fs, self.kind, None)
        if factory is None:
            raise DependencyError(f"The installed pyarrow has no {self.kind}, which '{self.shown}' needs.")
        known = factory.__doc__ or ""
        defaults = {name: value for name, value in _DEFAULTS.get(self.kind, {}).items() if name in known}
        try:
            return factory(**{**defaults, **self.keywords})
        except (TypeError, ValueError) as error:
            raise OptionError(f"The journal.* options do not fit '{self.shown}': {self.scrub(str(error))}") from None

    def scrub(self, text: str) -> str:
        """The text without any secret that was given as an option."""
        for name, value in self.keywords.items():
            if secret_name(name) and isinstance(value, str):
                text = text.replace(value, SECRET)
        return text


def locate(uri: str, options: Mapping[str, str]) -> Location:
    """Read a URI and its options; raise OptionError on what cannot work. No I/O."""
    if "://" not in uri and not uri.lower().startswith("file:"):
        return _checked(LOCAL, os.path.abspath(uri), uri, options)
    parts = urlsplit(uri)
    kind = _SCHEMES.get(parts.scheme.lower())
    if kind is None:
        raise OptionError(f"Option 'journal' has the scheme '{parts.scheme}': it must be a path or {_schemes()}.")
    # Azure writes container@account; anybody else's text before the @ may be a password.
    query = dict(parse_qsl(parts.query))
    inside = parts.password is not None or (kind in (S3, GCS) and parts.username is not None)
    if inside or any(secret_name(name) for name in query):
        raise OptionError("Option 'journal' holds credentials: give them as journal.* options, which are never shown.")
    return _READERS[kind](parts, {**query, **options})


def _schemes() -> str:
    return ", ".join(f"{scheme}://" for scheme in _SCHEMES)


def _file(parts: SplitResult, options: Mapping[str, str]) -> Location:
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise OptionError("Option 'journal' names a host: write a local folder as file:///folder.")
    return _checked(LOCAL, os.path.abspath(unquote(parts.path)), f"file://{parts.path}", options)


def _bucket(parts: SplitResult, options: Mapping[str, str]) -> Location:
    if not parts.netloc:
        raise OptionError(f"Option 'journal' names no bucket: write {parts.scheme}://bucket/folder.")
    folder = (parts.netloc + parts.path).rstrip("/")
    return _checked(_SCHEMES[parts.scheme], folder, f"{parts.scheme}://{folder}", options)


def _azure(parts: SplitResult, options: Mapping[str, str]) -> Location:
    container, at, host = parts.netloc.rpartition("@")
    given = {"account_name": host.split(".")[0], **options} if at else dict(options)
    folder = f"{container if at else host}{parts.path}".strip("/")
    if not folder or not given.get("account_name"):
        raise OptionError(f"Option 'journal' must be {parts.scheme}://container@account.dfs.core.windows.net/folder.")
    return _checked(AZURE, folder, f"{parts.scheme}://{parts.netloc}{parts.path}", given)


def _hdfs(parts: SplitResult, options: Mapping[str, str]) -> Location:
    # A name without a port is a logical one; pyarrow takes port 0 for that.
    where = {"host": f"{parts.scheme}://{parts.hostname}" if parts.hostname else "default", "port": parts.port or 0}
    user = {"user": parts.username} if parts.username else {}
    found = _checked(HDFS, parts.path.rstrip("/"), f"{parts.scheme}://{parts.hostname or ''}{parts.path}", options)
    return Location(found.kind, found.folder, found.shown, {**where, **user, **found.keywords})


_READERS: Mapping[str, Callable[[SplitResult, Mapping[str, str]], Location]] = {
    LOCAL: _file,
    S3: _bucket,
    GCS: _bucket,
    AZURE: _azure,
    HDFS: _hdfs,
}


def _checked(kind: str, folder: str, shown: str, options: Mapping[str, str]) -> Location:
    known = KEYWORDS[kind]
    # Spark lowers the case of option names, and may meet them in its own spelling.
    spelled = {name.replace("_", ""): name for name in known}
    keywords = {}
    for given, value in options.items():
        name = spelled.get(given.lower().replace("_", ""))
        if name is None:
            raise OptionError(_unknown(given, shown, known))
        keywords[name] = _parsed(name, value, known[name])
    return Location(kind, folder, shown, keywords)


def _parsed(name: str, value: str, parse: types.Parser) -> Any:
    try:
        return parse(value)
    except ValueError as error:
        shown = SECRET if secret_name(name) else repr(value)
        raise OptionError(f"Option 'journal.{name}' is {shown}: it {error}.") from None


def _unknown(given: str, shown: str, known: Mapping[str, types.Parser]) -> str:
    close = difflib.get_close_matches(given.lower(), known, n=1, cutoff=0.6)
    if close:
        return f"Unknown option 'journal.{given}'. Did you mean 'journal.{close[0]}'?"
    names = ", ".join(f"journal.{name}" for name in sorted(known)) or "none"
    return f"Unknown option 'journal.{given}'. Known options for '{shown}': {names}."
