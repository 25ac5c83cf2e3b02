"""Passwords: where they come from, and keeping them out of everything that is shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from spark_jms_connector.errors import OptionError
from spark_jms_connector.options import SECRET, SourceOptions, secret_name


def password(options: SourceOptions) -> str | None:
    """The password as it is now: a file or variable is read at every connect, so it may be rotated."""
    if options.password_file is not None:
        try:
            with open(options.password_file, encoding="utf-8") as file:
                return file.read().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise OptionError(
                f"Option 'passwordFile' names {options.password_file}, which cannot be read: {reason}."
            ) from None
    if options.password_env is not None:
        value = os.environ.get(options.password_env)
        if value is None:
            raise OptionError(f"Option 'passwordEnv' names the variable {options.password_env}, which is not set.")
        return value
    return options.password


def secrets_of(options: SourceOptions, current: str | None) -> list[str]:
    """Every text that must never be shown, the longest first."""
    found = [
        current or "",
        options.password or "",
        options.trust_store_password or "",
        options.key_store_password or "",
    ]
    for free in (options.connection, options.jndi):
        found += [value for name, value in free.items() if secret_name(name)]
        found += [secret for value in free.values() for secret in _in_url(value)]
    found += _in_url(options.url or "")
    return sorted(filter(None, set(found)), key=len, reverse=True)


def _in_url(text: str) -> list[str]:
    """The passwords that a url holds, as ``//user:password@`` or ``?password=…``."""
    named = re.findall(r"([\w.]+)=([^&;,)]*)", text)
    return re.findall(r"//[^/@:,]*:([^/@]*)@", text) + [value for name, value in named if secret_name(name)]


def scrub(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, SECRET)
    return text
