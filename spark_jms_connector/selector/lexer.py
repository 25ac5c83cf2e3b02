"""Cuts a selector's text into words, strings, numbers and symbols (JMS 2.0, 3.8.1.1)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from spark_jms_connector.selector.numbers import NUMBER, read_number
from spark_jms_connector.selector.picture import syntax_error
from spark_jms_connector.selector.tree import Number

KEYWORDS = ("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE")
SYMBOLS = ("<>", "<=", ">=", "=", "<", ">", "+", "-", "*", "/", "(", ")", ",")
_SPACE = re.compile(r"[ \t\f\r\n]*")
_STRING = re.compile(r"'(?:[^']|'')*'")
_START = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc")
_PART = (*_START, "Nd", "Mn", "Mc", "Cf")


@dataclass(frozen=True)
class Token:
    """A piece of the text: word, keyword (in capitals), string (its content), number, symbol or end."""

    kind: str
    text: str
    position: int
    number: Number | None = None

    @property
    def shown(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text}'"


def is_identifier(name: str) -> bool:
    """Whether a name can stand in a selector (Java's identifiers without the reserved words)."""
    return bool(name) and _word_end(name, 0) == len(name) and name.upper() not in KEYWORDS


def tokenize(text: str) -> list[Token]:
    """All tokens and one for the end; raise SelectorError on the first character that begins none."""
    tokens: list[Token] = []
    position = _skip(text, 0)
    while position < len(text):
        token, end = _token(text, position)
        tokens.append(token)
        position = _skip(text, end)
    return [*tokens, Token("end", "", len(text))]


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _token(text: str, position: int) -> tuple[Token, int]:
    if text[position] == "'":
        return _string(text, position)
    if number := NUMBER.match(text, position):
        return _number(text, number)
    if (end := _word_end(text, position)) > position:
        word = text[position:end]
        kind, word = ("keyword", word.upper()) if word.upper() in KEYWORDS else ("word", word)
        return Token(kind, word, position), end
    for symbol in SYMBOLS:
        if text.startswith(symbol, position):
            return Token("symbol", symbol, position), position + len(symbol)
    raise syntax_error(text, position, f"{_foreign(text[position:])} is no part of the selector language")


def _string(text: str, position: int) -> tuple[Token, int]:
    found = _STRING.match(text, position)
    if found is None:
        raise syntax_error(text, position, "The string that begins here has no closing quote")
    return Token("string", found[0][1:-1].replace("''", "'"), position), found.end()


def _number(text: str, found: re.Match[str]) -> tuple[Token, int]:
    position, end = found.span()
    if end < len(text) and (text[end] == "." or _word_end(text, position, _PART) > end):
        raise syntax_error(text, position, "A number must be followed by a space or an operator")
    try:
        number = read_number(found)
    except ValueError as error:
        raise syntax_error(text, position, f"The number {found[0]} {error}") from None
    return Token("number", found[0], position, number), end


def _word_end(text: str, position: int, first: tuple[str, ...] = _START) -> int:
    allowed, end = first, position
    while end < len(text) and unicodedata.category(text[end]) in allowed:
        allowed, end = _PART, end + 1
    return end


def _foreign(rest: str) -> str:
    if rest[0] == '"':
        return "A double quote (strings stand in single quotes: 'x')"
    for wrong, right in (("!=", "<>"), ("&&", "AND"), ("||", "OR"), ("!", "NOT")):
        if rest.startswith(wrong):
            return f"'{wrong}' (it is written {right})"
    return repr(rest[0])
