"""What a name in a selector stands for in a message: headers and properties with the types JMS gives them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from spark_jms_connector.message import Message
from spark_jms_connector.selector.numbers import as_float
from spark_jms_connector.selector.tree import Approximate, Exact


class Misfit(Enum):
    """What arithmetic on something else than numbers gives: no value is like it."""

    MISFIT = 1


MISFIT = Misfit.MISFIT
Value: TypeAlias = Exact | Approximate | str | bool | Misfit | None

# A time that JMS would show as 0 is None in a message; as text, delivery modes are what JMS 2.0, 3.8.1.3 says.
_HEADERS: dict[str, Callable[[Message], Value]] = {
    "JMSMessageID": lambda message: message.message_id,
    "JMSCorrelationID": lambda message: message.correlation_id,
    "JMSType": lambda message: message.type,
    "JMSTimestamp": lambda message: Exact(message.timestamp or 0, True),
    "JMSPriority": lambda message: Exact(message.priority),
    "JMSDeliveryMode": lambda message: message.delivery_mode,
    "JMSXDeliveryCount": lambda message: Exact(message.delivery_count),
    "JMSXGroupID": lambda message: message.group_id,
    "JMSXGroupSeq": lambda message: None if message.group_seq is None else Exact(message.group_seq),
}


def value_of(name: str, message: Message) -> Value:
    """The value a name has; None where the message has none."""
    if name in _HEADERS:
        return _HEADERS[name](message)
    found = message.properties.get(name)
    if found is None or found.text is None or found.type == "null":
        return None
    try:
        return _TYPES[found.type](found.text)
    except (KeyError, ValueError, OverflowError):
        return MISFIT


_TYPES: dict[str, Callable[[str], Value]] = {
    "string": str,
    "boolean": lambda text: text.lower() == "true",
    "byte": lambda text: Exact(int(text)),
    "short": lambda text: Exact(int(text)),
    "int": lambda text: Exact(int(text)),
    "long": lambda text: Exact(int(text), True),
    "float": lambda text: Approximate(as_float(float(text))),
    "double": lambda text: Approximate(float(text)),
}
