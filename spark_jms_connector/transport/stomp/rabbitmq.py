"""RabbitMQ over STOMP.

Identity: RabbitMQ gives a message none that survives its redelivery, so ``dedupKey`` is required. Where senders set
the AMQP property message_id (this connector's producer does), ``dedupKey=JMSMessageID`` takes that.

Text or bytes: by the content-type (``text/…`` or ``application/octet-stream``); without one a body that is UTF-8 is
text. Priorities need a queue declared with x-max-priority; a time to live counts at the head of the queue only. There
are no selectors. A durable subscription is a queue named after its topic, client id and name, which RabbitMQ lets many
connections share.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import unquote

from spark_jms_connector.errors import OptionError, SelectorError
from spark_jms_connector.message import Message
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription, Window
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import Frame, number

_PREFETCH = 5000
_LARGEST_PREFETCH = 65535
_SECONDS_END = 10**11
_SLASH = "%2F"  # the only escape that RabbitMQ reads, although it writes others


class RabbitMq(Dialect):
    name = "RabbitMQ"
    message_id_header = "amqp-message-id"
    content_types = True
    text_has_length = True
    not_persistent = None  # ``false`` would make RabbitMQ declare the queue for this connection alone
    unsubscribes_while_subscribed = True
    hidden = Dialect.hidden | {"message-id", "content-type", "expiration"}

    def address(self, destination: Destination) -> str:
        return f"/{destination.kind}/{destination.name.replace('/', _SLASH)}"

    def destination(self, text: str, read: Destination) -> str:
        return super().destination(unquote(text), read)

    def subscribe_headers(self, spec: ConsumerSpec) -> dict[str, str]:
        subscription = spec.subscription
        durable = subscription is not None and subscription.durable
        headers = {
            "id": _queue_id(subscription, spec.client_id) if subscription and durable else "receiver",
            "destination": self.address(spec.destination),
            "prefetch-count": str(self.window(spec).messages),
        }
        return headers | ({"durable": "true", "auto-delete": "false"} if durable else {})

    def unsubscribe_headers(
        self, destination: Destination, subscription: Subscription, client_id: str | None
    ) -> dict[str, str]:
        return {
            "id": _queue_id(subscription, client_id),
            "destination": self.address(destination),
            "durable": "true",
            "auto-delete": "false",
        }

    def window(self, spec: ConsumerSpec) -> Window:
        wanted = _PREFETCH if spec.prefetch is None else spec.prefetch
        messages = min(max(1, wanted), _LARGEST_PREFETCH)
        return Window(
            messages=messages,
            limit=f"RabbitMQ sends at most {messages} messages ahead of an acknowledgement: raise 'prefetch', or set"
            " 'acknowledge' to onJournal.",
        )

    def timestamp(self, text: str | None) -> int | None:
        """AMQP counts seconds; some senders write milliseconds all the same."""
        found = number(text)
        return found * 1000 if found and found < _SECONDS_END else found or None

    def send_extras(self, message: Message) -> dict[str, str]:
        now = time.time()
        extras = {"timestamp": str(int(now))}
        if message.expiration is not None:
            extras["expiration"] = str(max(0, message.expiration - int(now * 1000)))
        return extras

    def message_id(self, headers: dict[str, str]) -> str | None:
        return headers.pop("amqp-message-id", None)

    def is_text(self, frame: Frame, headers: Mapping[str, str]) -> bool | None:
        kind = headers.get("content-type", "")
        if kind.startswith("text/"):
            return True
        return False if kind == "application/octet-stream" else None

    def check(self, spec: ConsumerSpec) -> None:
        super().check(spec)
        if spec.selector:
            raise SelectorError("RabbitMQ has no selectors: drop 'selector', and filter the DataFrame instead.")
        if spec.dedup_key is None:
            raise OptionError(
                "Option 'dedupKey' is missing: RabbitMQ gives messages no id that survives their redelivery. Name a"
                " property that identifies them; JMSMessageID if the senders set AMQP's message_id."
            )


def _queue_id(subscription: Subscription, client_id: str | None) -> str:
    return f"{client_id}.{subscription.name}" if client_id else str(subscription.name)
