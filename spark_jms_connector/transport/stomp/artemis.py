"""ActiveMQ Artemis over STOMP.

Text or bytes: Artemis sends a content-length with both. For a BytesMessage it is the second header line, for text
the last (2.44), which is how they are told apart here; where it is in neither place, a body that is UTF-8 is text.
MapMessage, StreamMessage and ObjectMessage arrive as bytes that mean nothing here: read such queues through JMS.

Identity: ``message-id`` is ``consumer,message``; only the part after the comma stays the same when a message is
delivered again. It is unique within a broker, and not the JMSMessageID that a JMS client would show.

Selectors: over STOMP every property is text, and so ``n > 5`` finds nothing that was sent over STOMP unless the
broker is told to convert. It is told so: typed properties of JMS senders compare as they always do, and texts compare
as the numbers that columns of this connector show for them, as on Classic. The price is that ``n = 5`` also finds the
text ``'5'`` that strict JMS would not.

A connection that ends without a goodbye: Artemis rolls its transaction back twice, from two threads. Depending on which
is first, the first unacknowledged message stays out of the queue until the broker starts again; no client can help it.

Never used: ``browser:true``, which consumes here, and NACK, which deletes. An ACK does not join a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jms_connector.errors import DestinationError, SelectorError
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription, Window
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import Frame

_WINDOW = 32 * 2**20
_BYTES_PER_MESSAGE = 1024
_CONVERT = "convert_string_expressions:"
_OWN_PREFIXES = (_CONVERT, "hyphenated_props:")


class Artemis(Dialect):
    name = "Artemis"
    dead_letters_reason = (
        "Artemis, where an ACK does not join a transaction: a crash could lose the message or double it. Drop it, or"
        " read through JMS (provider=artemis)."
    )
    hidden = Dialect.hidden | {"destination-type", "__AMQ_CID", "_AMQ_ROUTING_TYPE"}

    def address(self, destination: Destination) -> str:
        return destination.name

    def destination(self, text: str, read: Destination) -> str:
        if "://" in text or text.startswith("/"):
            return super().destination(text, read)
        return f"{read.kind}:{text.partition('::')[0]}"

    def reply_to(self, destination: Destination) -> str:
        return f"{destination.kind}://{destination.name}"

    def send_headers(self, destination: Destination) -> dict[str, str]:
        return {"destination": destination.name, "destination-type": _routing(destination)}

    def subscribe_headers(self, spec: ConsumerSpec) -> dict[str, str]:
        headers = {
            "id": "receiver",
            "destination": spec.destination.name,
            "subscription-type": _routing(spec.destination),
            "consumer-window-size": str(self.window(spec).bytes),
        }
        if spec.selector:
            own = spec.selector.startswith(_OWN_PREFIXES)
            headers["selector"] = spec.selector if own else _CONVERT + spec.selector
        subscription = spec.subscription
        if subscription is not None and subscription.kind == "durable":
            headers["durable-subscription-name"] = str(subscription.name)
        elif subscription is not None and subscription.kind == "sharedDurable":
            # The queue that JMS clients know as this subscription.
            headers["destination"] = f"{spec.destination.name}::{_shared_queue(subscription, spec.client_id)}"
        return headers

    def unsubscribe_headers(
        self, destination: Destination, subscription: Subscription, client_id: str | None
    ) -> dict[str, str]:
        if subscription.shared:
            queue = _shared_queue(subscription, client_id)
            raise DestinationError(
                f"Artemis removes no shared subscription over STOMP: delete the queue '{queue}' of the address"
                f" '{destination.name}' there, or unsubscribe through JMS."
            )
        return {"id": "receiver", "durable-subscription-name": str(subscription.name)}

    def check(self, spec: ConsumerSpec) -> None:
        super().check(spec)
        if spec.selector and spec.subscription is not None and spec.subscription.shared:
            raise SelectorError(
                "Option 'selector' is ignored by Artemis for a shared subscription over STOMP: drop it and filter the"
                " DataFrame, or read through JMS (provider=artemis)."
            )

    def window(self, spec: ConsumerSpec) -> Window:
        size = _WINDOW if spec.prefetch is None else max(1, spec.prefetch * _BYTES_PER_MESSAGE)
        return Window(
            bytes=size,
            limit=f"Artemis sends at most {size} bytes ahead of an acknowledgement: raise 'prefetch' (1 KB each), or"
            " set 'acknowledge' to onJournal.",
        )

    def message_id(self, headers: dict[str, str]) -> str | None:
        number = headers.pop("message-id", "").partition(",")[2]
        return f"ID:{number}" if number else None

    def is_text(self, frame: Frame, headers: Mapping[str, str]) -> bool | None:
        if not frame.has_length:
            return True
        end = frame.head.find(b"\n")
        return False if frame.head.startswith(b"content-length:", end + 1) else None


def _routing(destination: Destination) -> str:
    return "ANYCAST" if destination.kind == "queue" else "MULTICAST"


def _shared_queue(subscription: Subscription, client_id: str | None) -> str:
    return f"{client_id}.{subscription.name}" if client_id else str(subscription.name)
