"""What every broker spells its own way over STOMP, and what a broker that lacks something is refused with."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark_jms_connector.errors import OptionError
from spark_jms_connector.message import Message
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription, Window
from spark_jms_connector.transport.stomp.frames import Frame, number

_DESTINATIONS = re.compile(r"(?:/(queue|topic)/|(queue|topic)://)(.+)", re.DOTALL)


class Dialect:
    """One kind of broker. Headers of a MESSAGE that are neither JMS headers nor ``hidden`` are properties."""

    name = ""
    dead_letters_reason: str | None = None  # why they cannot be sent in the transaction that acknowledges
    browses = False
    message_id_header: str | None = None  # a SEND header that gives a message its id
    content_types = False  # whether a content-type tells text from bytes
    text_has_length = False  # whether text goes out with a content-length
    not_persistent: str | None = "false"
    unsubscribes_while_subscribed = False  # whether only a subscriber can remove its subscription
    hidden: frozenset[str] = frozenset(("subscription", "ack", "content-length", "receipt", "transaction"))

    def address(self, destination: Destination) -> str:
        """A destination as SEND and SUBSCRIBE name it."""
        return f"/{destination.kind}/{destination.name}"

    def reply_to(self, destination: Destination) -> str:
        return self.address(destination)

    def destination(self, text: str, read: Destination) -> str:
        """A destination as columns show it."""
        found = _DESTINATIONS.fullmatch(text)
        return f"{found[1] or found[2]}:{found[3]}" if found else text

    def send_headers(self, destination: Destination) -> dict[str, str]:
        return {"destination": self.address(destination)}

    def subscribe_headers(self, spec: ConsumerSpec) -> dict[str, str]:
        raise NotImplementedError

    def unsubscribe_headers(
        self, destination: Destination, subscription: Subscription, client_id: str | None
    ) -> dict[str, str]:
        raise NotImplementedError

    def window(self, spec: ConsumerSpec) -> Window:
        raise NotImplementedError

    def timestamp(self, text: str | None) -> int | None:
        return number(text) or None

    def send_extras(self, message: Message) -> dict[str, str]:
        """Headers of a SEND that only this broker knows."""
        return {}

    def message_id(self, headers: dict[str, str]) -> str | None:
        """Take the id out of a message's headers: one that it keeps when it is delivered again, or None."""
        raise NotImplementedError

    def is_text(self, frame: Frame, headers: Mapping[str, str]) -> bool | None:
        """Whether the body is text; None where only its bytes can tell."""
        raise NotImplementedError

    def check(self, spec: ConsumerSpec) -> None:
        """Refuse what this broker cannot do over STOMP, rather than do something else."""
        subscription = spec.subscription
        if spec.dead_letter_queue is not None and self.dead_letters_reason is not None:
            raise OptionError(f"Option 'deadLetterQueue' cannot be kept over STOMP by {self.dead_letters_reason}")
        if subscription is None:
            return
        if subscription.no_local:
            raise OptionError("Option 'noLocal' is not supported over STOMP: drop it, or filter by a property.")
        if subscription.kind == "shared":
            raise OptionError(
                "Option 'subscription' is shared, which STOMP brokers do not have: take 'sharedDurable', or"
                " 'nonDurable' with one receiver."
            )
