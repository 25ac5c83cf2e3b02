"""What the options mean to the parts: terms for the journal, settings for a receiver. Pure."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.option_types import names
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.selector.from_sql import translate
from spark_jms_connector.source.receiver import ReceiverSettings
from spark_jms_connector.source.recovery import Terms
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription


def destinations(options: SourceOptions) -> list[Destination]:
    """What the stream reads: a topic, or each of the queues once."""
    if options.topic is not None:
        return [Destination(options.topic, "topic")]
    return [Destination(name) for name in dict.fromkeys(names(options.queue or ""))]


def subscription(options: SourceOptions) -> Subscription | None:
    if options.subscription is None:
        return None
    return Subscription(options.subscription, options.subscription_name, options.no_local)


def with_selector(options: SourceOptions, schema: pa.Schema) -> SourceOptions:
    """The options with ``where`` turned into ``selector``: what consumers ask for and the journal pins."""
    if options.where is None:
        return options
    columns = [field for field in schema if field.name != options.column_name_of_corrupt_record]
    try:
        selector = translate(options.where, pa.schema(columns), options.time_zone, options.parses_text)
    except SelectorError as error:
        raise SelectorError(f"Option 'where': {error}") from None
    return replace(options, selector=selector)


def journal_terms(options: SourceOptions) -> Terms:
    """What the journal pins: a changed restart is refused unless the user allows it."""
    pins = {
        "destination": ",".join(sorted(map(str, destinations(options)))),
        "selector": options.selector,
        "clientId": options.client_id,
        "subscription": options.subscription,
        "subscriptionName": options.subscription_name,
        "noLocal": "true" if options.no_local else None,
    }
    return Terms(pins, options.on_new_checkpoint, options.allow_subscription_reset, options.keep_acknowledged_ids)


def receiver_settings(options: SourceOptions, destination: Destination, careful: bool) -> ReceiverSettings:
    """A segment never holds more than one micro-batch may."""
    return ReceiverSettings(
        spec=ConsumerSpec(
            destination,
            options.selector,
            options.prefetch,
            options.dedup_key,
            options.dead_letter_queue,
            options.client_id,
            subscription(options),
        ),
        max_messages=_smaller(options.segment_max_messages, options.max_messages_per_trigger),
        max_bytes=_smaller(options.segment_max_bytes, options.max_bytes_per_trigger),
        timeout=options.receive_timeout,
        reconnect_timeout=options.reconnect_timeout,
        on_journal=options.acknowledge == "onJournal",
        careful_start=careful,
    )


def _smaller(own: int, limit: int | None) -> int:
    return own if limit is None else min(own, limit)
