"""A place in a text, drawn with a caret below it."""

from __future__ import annotations

import unicodedata

from spark_jms_connector.errors import SelectorError

_BEFORE, _AFTER = 60, 30


def syntax_error(text: str, position: int, problem: str) -> SelectorError:
    """The error for a text that is wrong at a position (counted from 0, shown from 1)."""
    return SelectorError(f"{problem}, at position {position + 1}:\n{draw(text, position)}", position)


def draw(text: str, position: int) -> str:
    """The part of the text around the position, and a caret under it."""
    start, end = max(0, position - _BEFORE), min(len(text), position + _AFTER)
    before = ("…" if start else "") + _printable(text[start:position])
    after = _printable(text[position:end]) + ("…" if end < len(text) else "")
    return f"  {before}{after}\n  {' ' * sum(map(_width, before))}^"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
