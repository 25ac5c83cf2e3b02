"""Spark's LIKE patterns as JMS' ones: Spark has an escape character by default, JMS has none."""

from __future__ import annotations

_ESCAPE = "\\"


def like_pattern(pattern: str, escape: str) -> tuple[str, str | None]:
    """The same pattern for a selector, and its escape character; ValueError where Spark itself refuses it."""
    parts: list[str] = []
    escaped = False
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None or following not in ("%", "_", escape):
                raise ValueError("Spark refuses its escape character before anything but '%', '_' and itself")
            parts.append(_literal(following))
            escaped |= following in ("%", "_")
        else:
            parts.append(character if character in ("%", "_") else _literal(character))
    return _joined(parts, escaped)


def pattern_for(before: str, text: str, after: str) -> tuple[str, str | None]:
    """The pattern of what begins with, ends with or contains a text."""
    escaped = any(character in "%_" for character in text)
    return _joined([before, *map(_literal, text), after], escaped)


def _literal(character: str) -> str:
    return _ESCAPE + character if character in ("%", "_", _ESCAPE) else character


def _joined(parts: list[str], escaped: bool) -> tuple[str, str | None]:
    """Without wildcards to escape there is no ESCAPE, and a backslash stands for itself."""
    if escaped:
        return "".join(parts), _ESCAPE
    return "".join(_ESCAPE if part == _ESCAPE * 2 else part for part in parts), None
