"""How an option's text becomes a value: durations and sizes read like Spark's, errors name the option."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

Parser = Callable[[str], Any]

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_BYTES = {"b": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30, "t": 2**40, "tb": 2**40}


def text(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def url(value: str) -> str:
    if "://" not in text(value):
        raise ValueError("must say how and where, such as tcp://broker:61616")
    if "@" in value:
        raise ValueError("must hold no user and no password: they have options of their own")
    return value.strip()


def subscription_name(value: str) -> str:
    """What every provider takes (JMS 2.0, 6.11.5)."""
    if not re.fullmatch(r"[\w.\-]{1,128}", text(value).strip(), re.ASCII):
        raise ValueError("must be letters, digits, '_', '.' and '-' only, at most 128 of them")
    return value.strip()


def boolean(value: str) -> bool:
    lowered = value.strip().lower()
    if lowered not in ("true", "false"):
        raise ValueError("must be true or false")
    return lowered == "true"


def count(minimum: int = 1) -> Parser:
    def parse(value: str) -> int:
        if not re.fullmatch(r"\s*[0-9]+\s*", value):
            raise ValueError("must be a whole number")
        number = int(value.strip())  # int() itself knows fewer kinds of white space
        if number < minimum:
            raise ValueError(f"must be at least {minimum}")
        return number

    return parse


def duration(value: str) -> float:
    return _scaled(value, _SECONDS, 1e-3, "a duration such as 200ms, 5s or 10m (a bare number is milliseconds)")


def memory(value: str) -> int:
    if size(value) < 64 * 2**20:
        raise ValueError("must be at least 64m")
    return size(value)


def size(value: str) -> int:
    found = int(_scaled(value, _BYTES, 1, "a size such as 64k, 64m or 1g (a bare number is bytes)"))
    if found < 1:
        raise ValueError("must be at least one byte")
    return found


def _scaled(value: str, units: Mapping[str, float], bare: float, wanted: str) -> float:
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)\s*", value)
    unit = units.get(match[2].lower()) if match and match[2] else bare
    if match is None or unit is None or float(match[1]) == 0:
        raise ValueError(f"must be {wanted}, greater than 0")
    return float(match[1]) * unit


def choice(*allowed: str) -> Parser:
    def parse(value: str) -> str:
        for name in allowed:
            if name.lower() == value.strip().lower():
                return name
        raise ValueError(f"must be one of {', '.join(allowed)}")

    return parse


def time_zone(value: str) -> str:
    """As Spark names it; UTC, an offset or a region."""
    zone(text(value).strip())
    return value.strip()


def zone(name: str) -> tzinfo:
    """A time zone by Spark's name for it; ValueError if it is none."""
    if name in ("Z", "UTC"):
        return timezone.utc
    if offset := re.fullmatch(r"([+-])(0[0-9]|1[0-7]):([0-5][0-9])", name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    try:
        if "/" in name:
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass
    raise ValueError("must be UTC, an offset such as +02:00, or a region such as Europe/Berlin")


def names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
