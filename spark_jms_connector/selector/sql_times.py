"""Spark's timestamps as written in a predicate, in microseconds since the epoch."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from spark_jms_connector.option_types import zone

_TIMESTAMP = re.compile(
    r"\s*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?"
    r" ?(Z|UTC|[+-][0-9]{2}:[0-9]{2}|\w+/[\w/+-]+)?)?\s*"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def microseconds(text: str, session_zone: str | None) -> int:
    """The instant a text names; ValueError says why that is not certain."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise ValueError("is written in a way that is not known here: use yyyy-mm-dd hh:mm:ss")
    named = found[8] or session_zone
    if named is None:
        raise ValueError("has no time zone: write one, such as Z, or give 'timeZone' (the session's time zone)")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    fraction = int((found[7] or "")[:6].ljust(6, "0"))
    try:
        # In a gap Python counts from before it and in an overlap it takes the first, both as Java does.
        there = datetime(year, month, day, hour, minute, second, fraction, zone(named))
        return (there - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"is no time: {error}") from None
