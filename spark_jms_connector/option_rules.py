"""Reads the options that Spark hands over: each by its declaration, then all of them together. No I/O."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from spark_jms_connector.errors import OptionError, SelectorError
from spark_jms_connector.options import DECLARED, SECRET, SourceOptions, spark_name
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.selector.from_sql import parse_predicate
from spark_jms_connector.selector.parser import parse

_PREFIXES = {"connection": "connection", "journal": "storage", "jndi": "jndi"}
_JAVA_ONLY = ("provider", "jars", "packages", "connection_factory", "connection", "jndi")


def parse_source_options(given: Mapping[str, str]) -> SourceOptions:
    """Read a stream's options; raise OptionError on the first that cannot work."""
    options = read_options(given)
    check_together(options)
    return options


def read_options(given: Mapping[str, str]) -> SourceOptions:
    """Read options each for itself; raise OptionError on the first that cannot be read."""
    values: dict[str, Any] = {field: {} for field in _PREFIXES.values()}
    for key, value in given.items():
        _read(key, value, values)
    return SourceOptions(**values)


def _read(key: str, value: str, values: dict[str, Any]) -> None:
    prefix, _, rest = key.partition(".")
    if prefix.lower() in _PREFIXES and rest:
        values[_PREFIXES[prefix.lower()]][rest] = value
        return
    declared = DECLARED.get(key.lower())
    if declared is None:
        raise OptionError(_unknown(key))
    try:
        values[declared.name] = declared.metadata["parse"](value)
    except ValueError as error:
        shown = SECRET if declared.metadata["secret"] or "@" in value else repr(value)
        raise OptionError(f"Option '{spark_name(declared.name)}' is {shown}: it {error}.") from None


def _unknown(key: str) -> str:
    known = sorted(spark_name(f.name) for f in DECLARED.values())
    close = difflib.get_close_matches(key.lower(), DECLARED, n=1, cutoff=0.6)
    hint = f"Did you mean '{spark_name(DECLARED[close[0]].name)}'?" if close else f"Known options: {', '.join(known)}."
    return f"Unknown option '{key}'. {hint}"


def check_together(options: SourceOptions) -> None:
    """What no single option can say: which are needed, and which exclude each other."""
    _check_destination(options)
    _check_subscription(options)
    _check_selector(options)
    check_connection(options)
    if options.journal is None:
        raise OptionError(
            "Option 'journal' is missing: a folder or URI, seen by the driver and all executors, that keeps messages"
            " until Spark has them, e.g. .option('journal', 's3://lake/journals/orders')."
        )
    if options.single and (options.receivers or 1) > 1:
        reason = "clientId" if options.client_id is not None else "subscription"
        raise OptionError(f"Option '{reason}' allows one receiver at a time: set 'receivers' to 1, or leave it out.")
    least, most = options.min_messages_per_trigger, options.max_messages_per_trigger
    if least and most and least > most:
        raise OptionError(
            "Option 'minMessagesPerTrigger' is larger than 'maxMessagesPerTrigger': lower it, or drop it."
        )


def _check_destination(options: SourceOptions) -> None:
    if options.queue is None and options.topic is None:
        raise OptionError(
            "Options 'queue' and 'topic' are both missing: name what to read, e.g. .option('queue', 'orders')."
        )
    if options.queue is not None and options.topic is not None:
        raise OptionError("Options 'queue' and 'topic' exclude each other: give one.")
    if options.client_id and "," in (options.queue or ""):
        raise OptionError("Option 'clientId' allows one connection at a time, and so one queue: leave it out.")


def _check_subscription(options: SourceOptions) -> None:
    kind = options.subscription
    if options.topic is None:
        for name in ("subscription", "subscription_name", "no_local"):
            if getattr(options, name):
                raise OptionError(f"Option '{spark_name(name)}' is for topics: give 'topic', not 'queue', or drop it.")
        return
    if kind is None:
        raise OptionError(
            "Option 'subscription' is missing: a topic is read with 'sharedDurable' (many receivers; the broker keeps"
            " messages while the stream is down), 'durable' (one receiver, needs 'clientId'), 'shared' or 'nonDurable'."
        )
    if kind != "nonDurable" and options.subscription_name is None:
        raise OptionError(f"Option 'subscriptionName' is missing: subscription={kind} needs one.")
    if kind == "nonDurable" and options.subscription_name is not None:
        raise OptionError("Option 'subscriptionName' means nothing with subscription=nonDurable: drop it.")
    if kind == "durable" and options.client_id is None:
        raise OptionError("Option 'clientId' is missing: subscription=durable belongs to a client id.")
    if kind in ("nonDurable", "shared") and not options.allow_data_loss:
        raise OptionError(
            f"Option 'subscription' is {kind}: what is published while the stream is down is lost. Take 'durable' or"
            " 'sharedDurable', or set 'allowDataLoss' to true."
        )
    if options.no_local and kind in ("shared", "sharedDurable"):
        raise OptionError(f"Option 'noLocal' is not for subscription={kind}: JMS has it for unshared ones only.")


def _check_selector(options: SourceOptions) -> None:
    """The syntax only: what a predicate means shows when the schema is known."""
    if options.selector and options.where:
        raise OptionError("Options 'selector' and 'where' exclude each other: give one.")
    for name, check in (("selector", parse), ("where", parse_predicate)):
        try:
            check(getattr(options, name) or "TRUE")
        except SelectorError as error:
            raise OptionError(f"Option '{name}': {error}") from error


def check_connection(options: SourceOptions) -> None:
    """Whether the options say where the broker is, with which client, and who asks."""
    if options.url is None and not options.jndi:
        raise OptionError(
            "Option 'url' is missing: say where the broker is, e.g. .option('url', 'tcp://broker:61616')."
        )
    passwords = [n for n in ("password", "password_file", "password_env") if getattr(options, n) is not None]
    if len(passwords) > 1:
        raise OptionError(f"Options {' and '.join(map(spark_name, passwords))} exclude each other: give one.")
    _check_client(options)


def _check_client(options: SourceOptions) -> None:
    """Which client library leads to the broker, and what only some of them know."""
    if options.stomp or options.memory:
        way = "stomp://" if options.stomp else "memory://"
        for name in _JAVA_ONLY:
            if getattr(options, name):
                shown = f"{name}.*" if name in _PREFIXES else spark_name(name)
                raise OptionError(f"Option '{shown}' is for Java clients; a url with {way} needs none: drop it.")
        return
    reason = PROVIDERS[options.provider].refusal(options.url or "") if options.provider else None
    if reason is not None:
        raise OptionError(f"Option 'url' cannot begin with {(options.url or '').partition(':')[0]}: {reason}.")
    if options.jndi and options.connection_factory is None:
        raise OptionError(
            "Option 'connectionFactory' is missing: with 'jndi.*' it is the name under which the factory is found."
        )
    if options.provider is None and options.connection_factory is None:
        raise OptionError(
            f"Option 'url' alone does not say which JMS client to use: add 'provider' (one of {', '.join(PROVIDERS)}),"
            " or 'connectionFactory' with 'jars' or 'packages'."
        )
    if options.connection_factory and options.provider is None and not options.jars and not options.packages:
        raise OptionError("Option 'connectionFactory' needs the client's library: add 'jars' or 'packages'.")
    known = PROVIDERS.get(options.provider or "")
    if options.prefetch and (known is None or known.prefetch_property is None):
        raise OptionError(
            "Option 'prefetch' needs a 'provider' that knows how the client calls it: use 'connection.*' instead."
        )
