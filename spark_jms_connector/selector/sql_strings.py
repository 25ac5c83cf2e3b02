"""Spark's string literals, taken out of a predicate before it is parsed: their escapes are Spark's own.

Each is replaced by a placeholder; ``Lifted`` knows what stood there, and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark_jms_connector.selector.picture import syntax_error

_PIECE = re.compile(
    r"""
      (?P<comment>--|/\*)
    | (?P<name>`(?:[^`]|``)*`)
    | (?P<raw>(?<![\w$])[rR](?:'[^']*'|"[^"]*"))
    | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    | (?P<open>['"`])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([01][0-7]{2})|(.))", re.DOTALL)
_NAMED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_PLACEHOLDER = re.compile(r"~(\d+)~")


@dataclass(frozen=True)
class Lifted:
    """A predicate without its strings: ``starts`` pairs positions in ``text`` with those before."""

    text: str
    strings: tuple[str, ...]
    starts: tuple[tuple[int, int], ...]

    def original(self, position: int) -> int:
        """Where a position of the text was before."""
        now, before = max((pair for pair in self.starts if pair[0] <= position), default=(0, 0))
        return before + position - now

    def string(self, placeholder: str) -> str | None:
        """What a placeholder stands for."""
        found = _PLACEHOLDER.fullmatch(placeholder)
        return self.strings[int(found[1])] if found else None


def lift(predicate: str) -> Lifted:
    """Take the strings out; raise SelectorError on a quote that is not closed, and on comments."""
    text, end = "", 0
    strings: list[str] = []
    starts = [(0, 0)]
    for piece in _PIECE.finditer(predicate):
        if piece["open"]:
            raise syntax_error(predicate, piece.start(), "Not a Spark predicate: this quote is not closed")
        if piece["comment"]:
            raise syntax_error(predicate, piece.start(), "A predicate takes no comments")
        if piece["name"]:
            continue
        text += predicate[end : piece.start()] + f"'~{len(strings)}~'"
        strings.append(piece["raw"][2:-1] if piece["raw"] else _unquoted(piece["string"]))
        end = piece.end()
        starts.append((len(text), end))
    return Lifted(text + predicate[end:], tuple(strings), tuple(starts))


def _unquoted(literal: str) -> str:
    quote = literal[0]
    # Escapes first: what they stand for is never read again.
    parts = re.split(r"(\\.)", literal[1:-1], flags=re.DOTALL)
    doubled = "".join(part if part.startswith("\\") else part.replace(quote * 2, quote) for part in parts)
    return _ESCAPE.sub(_unescaped, doubled)


def _unescaped(found: re.Match[str]) -> str:
    if found[4] is not None:
        return _NAMED.get(found[4], found[4])
    return chr(int(found[3], 8) if found[3] else int(found[1] or found[2], 16))
