"""The command line: names the commands, and hands over to the one that is called."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module

from spark_jms_connector.version import __version__

# Each command is the module of its name beside this file, with a ``main(arguments)`` that returns the exit code.
COMMANDS = {
    "demo": "a broker, a queue, a kill, and every message in Delta once",
    "selector": "check a JMS selector, or translate a Spark predicate to one",
    "unsubscribe": "remove a durable subscription from its broker",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = _parser().parse_args(arguments)
    # Imported here: a command should not wait for the libraries of the others.
    return int(import_module(f"spark_jms_connector.cli.{given.command}").main(given.arguments))


def _parser() -> argparse.ArgumentParser:
    commands = "\n".join(f"  {name:12} {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="spark-jms",
        description="JMS queues as streaming DataFrames, landed exactly once.",
        epilog=f"commands:\n{commands}\n\nspark-jms COMMAND --help says more about one.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    return parser
