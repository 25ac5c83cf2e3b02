"""Where brokers are: the urls of the option ``url``, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from spark_jms_connector.errors import OptionError

_PORTS = {"stomp": 61613, "stomp+ssl": 61614}


@dataclass(frozen=True)
class Address:
    """One broker; ``virtual_host`` is the url's path, which only RabbitMQ heeds."""

    host: str
    port: int
    tls: bool
    virtual_host: str = "/"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"stomp{'+ssl' if self.tls else ''}://{host}:{self.port}"


def addresses(urls: str) -> list[Address]:
    """The brokers to try in turn; a url without a scheme has that of the one before it."""
    found: list[Address] = []
    scheme = "stomp"
    for part in filter(None, map(str.strip, urls.split(","))):
        text = part if "://" in part else f"{scheme}://{part}"
        scheme = text.partition("://")[0].lower()
        found.append(_address(text, scheme))
    if not found:
        raise OptionError("Option 'url' names no broker: write it like stomp://host:61613.")
    return found


def _address(text: str, scheme: str) -> Address:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if scheme not in _PORTS or not host or parts.query or parts.fragment or "@" in parts.netloc:
        raise OptionError(
            "Option 'url' cannot be used over STOMP: write it like stomp://host:61613 or stomp+ssl://host:61614, for"
            " RabbitMQ with /virtual-host at its end, and use options instead of a query."
        )
    path = unquote(parts.path.removeprefix("/"))
    return Address(host, port or _PORTS[scheme], scheme == "stomp+ssl", path or "/")
