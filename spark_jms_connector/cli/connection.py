"""The arguments with which every command that talks to a broker is told where it is and who asks."""

from __future__ import annotations

import argparse

SHORTHANDS = {
    "url": "where the broker is",
    "provider": "the JMS client by name; not for stomp://",
    "user": "who logs in",
    "password-file": "a file that holds the password",
    "password-env": "an environment variable that holds the password",
    "client-id": "the JMS client id",
}


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    for name, meaning in SHORTHANDS.items():
        parser.add_argument(f"--{name}", help=meaning)
    parser.add_argument(
        "-o", "--option", action="append", default=[], type=_pair, metavar="NAME=VALUE", help="any other option"
    )


def connection_options(given: argparse.Namespace) -> dict[str, str]:
    """What was given, under the names that options have in Spark."""
    named = {name.replace("-", ""): getattr(given, name.replace("-", "_")) for name in SHORTHANDS}
    return {name: value for name, value in named.items() if value is not None} | dict(given.option)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value
