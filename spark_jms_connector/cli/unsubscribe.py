"""Remove a durable subscription from its broker, with everything that waits in it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from spark_jms_connector.cli.connection import add_connection_arguments, connection_options
from spark_jms_connector.errors import JmsConnectorError
from spark_jms_connector.option_rules import check_connection, read_options
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination, Subscription

EXAMPLES = """examples:
  spark-jms unsubscribe nightly --topic prices --url tcp://broker:61616 --provider artemis
  spark-jms unsubscribe audit --topic prices --client-id ledger --url stomp://broker:61613 --user me \\
      --password-env BROKER_PASSWORD
"""


def main(arguments: Sequence[str]) -> int:
    """0 when the subscription is gone, 1 when that failed."""
    given = _parser().parse_args(arguments)
    try:
        _unsubscribe(given.name, given.topic, connection_options(given))
    except JmsConnectorError as error:
        print(f"Not removed: {error}", file=sys.stderr)
        return 1
    print(f"Subscription '{given.name}' on topic '{given.topic}' is removed, with what waited in it.")
    return 0


def _unsubscribe(name: str, topic: str, given: Mapping[str, str]) -> None:
    options = read_options({**given, "subscriptionName": name})
    check_connection(options)
    kind = "durable" if options.client_id else "sharedDurable"
    transport = open_transport(options)
    try:
        transport.unsubscribe(Destination(topic, "topic"), Subscription(kind, name), options.client_id)
    finally:
        transport.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spark-jms unsubscribe",
        description=f"{__doc__} Stopping a stream never does that.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="the subscription's name (option 'subscriptionName')")
    parser.add_argument("--topic", required=True, help="the topic it is on")
    add_connection_arguments(parser)
    return parser
