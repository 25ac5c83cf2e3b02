"""Cases of the selector language in a tab-separated file: selector, message as JSON, and the answer expected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.message import Message, Value, double_text
from spark_jms_connector.selector.evaluate import evaluate
from spark_jms_connector.selector.parser import parse

ANSWERS = {True: "true", False: "false", None: "unknown"}
# A table's cells hold no line breaks and tabs: their pictures stand for them in selectors.
_PICTURES = str.maketrans({"␉": "\t", "␊": "\n", "␌": "\f", "␍": "\r"})
_HEADERS = {
    "JMSMessageID": "message_id",
    "JMSCorrelationID": "correlation_id",
    "JMSType": "type",
    "JMSTimestamp": "timestamp",
    "JMSPriority": "priority",
    "JMSXGroupID": "group_id",
    "JMSXGroupSeq": "group_seq",
    "JMSXDeliveryCount": "delivery_count",
}


@dataclass(frozen=True)
class Case:
    """One line of the file."""

    line: int
    selector: str
    message: Message
    expected: str

    @property
    def answer(self) -> str:
        """true, false, unknown, or invalid."""
        try:
            tree = parse(self.selector)
        except SelectorError:
            return "invalid"
        return ANSWERS[evaluate(tree, self.message)]


def read_cases(lines: Iterable[str]) -> Iterator[Case]:
    """The cases of a file; ValueError names a line that is none."""
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip("\r\n"):
            continue
        try:
            selector, message, expected = line.rstrip("\r\n").split("\t")[:3]
            case = Case(number, selector.translate(_PICTURES), message_of(json.loads(message)), expected)
        except (ValueError, LookupError, AttributeError, TypeError):
            raise ValueError(f"line {number} is no case: selector, message as JSON and answer, by tabs") from None
        if expected not in (*ANSWERS.values(), "invalid"):
            raise ValueError(f"line {number} expects '{expected}': it must be true, false, unknown or invalid")
        yield case


def message_of(fields: Mapping[str, Mapping[str, Any]]) -> Message:
    """A message with the given headers and properties: ``{"name": {"t": type, "v": value}}``."""
    headers: dict[str, Any] = {}
    properties: dict[str, Value] = {}
    for name, field in fields.items():
        kind, value = field["t"], field["v"]
        if name == "JMSDeliveryMode":
            headers["delivery_mode"] = {1: "NON_PERSISTENT", 2: "PERSISTENT"}.get(value, value)
        elif name in _HEADERS:
            headers[_HEADERS[name]] = value
        else:
            properties[name] = Value(kind, _text(value))
    return Message(properties=properties, **headers)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    return None if value is None else str(value)
