"""Counts what waits in a queue, by a STOMP browser; for brokers that have one (Artemis would consume)."""

from __future__ import annotations

from spark_jms_connector.transport.stomp import failures
from spark_jms_connector.transport.stomp.link import Link

_SILENCE = 30.0
_MANY = 2**31


def count_messages(link: Link, address: str, selector: str | None) -> int:
    headers = {"id": "browser", "destination": address, "browser": "true", "ack": "auto", "selector": selector or None}
    link.call("SUBSCRIBE", headers)
    counted = 0
    while True:
        frames = link.take(_MANY, _MANY, _SILENCE)
        if not frames:
            raise failures.lost(link.at, "a browser got no answer")
        if "browser" in frames[-1].headers():
            return counted + len(frames) - 1
        counted += len(frames)
