"""ActiveMQ Classic over STOMP.

Text or bytes: a content-length means a BytesMessage. MapMessage, StreamMessage and ObjectMessage arrive empty, and
cannot be told from an empty text: read such queues through JMS. A text that holds NUL breaks the connection, because
Classic sends it without a length.

Identity: ``message-id`` is the JMSMessageID. NACK is never used: it dead-letters.
"""

from __future__ import annotations

from collections.abc import Mapping

from spark_jms_connector.errors import OptionError
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription, Window
from spark_jms_connector.transport.stomp.dialect import Dialect
from spark_jms_connector.transport.stomp.frames import Frame

_PREFETCH = 1000
_PAGE = 200  # maxPageSize, which also bounds what one consumer of a queue may hold


class Classic(Dialect):
    name = "Classic"
    browses = True

    def subscribe_headers(self, spec: ConsumerSpec) -> dict[str, str]:
        headers = {
            "id": "receiver",
            "destination": self.address(spec.destination),
            "activemq.prefetchSize": str(_prefetch(spec)),
        }
        if spec.selector:
            headers["selector"] = spec.selector
        if spec.subscription is not None and spec.subscription.kind == "durable":
            headers["activemq.subscriptionName"] = str(spec.subscription.name)
        return headers

    def unsubscribe_headers(
        self, destination: Destination, subscription: Subscription, client_id: str | None
    ) -> dict[str, str]:
        return {
            "id": "receiver",
            "destination": self.address(destination),
            "activemq.subscriptionName": str(subscription.name),
        }

    def window(self, spec: ConsumerSpec) -> Window:
        prefetch = _prefetch(spec)
        if spec.destination.kind == "topic":
            return Window(messages=prefetch, limit="Classic sends at most 'prefetch' messages ahead: raise it.")
        return Window(
            messages=min(prefetch, _PAGE),
            limit="Over STOMP Classic sends no more messages ahead of an acknowledgement than 'prefetch' and the"
            " queue's maxPageSize (200 unless the broker sets it): raise them, or set 'acknowledge' to onJournal.",
        )

    def message_id(self, headers: dict[str, str]) -> str | None:
        return headers.pop("message-id", None)

    def is_text(self, frame: Frame, headers: Mapping[str, str]) -> bool | None:
        return not frame.has_length

    def check(self, spec: ConsumerSpec) -> None:
        super().check(spec)
        if spec.subscription is not None and spec.subscription.shared:
            raise OptionError(
                "Option 'subscription' is sharedDurable, which Classic does not have: publish to a topic named"
                " VirtualTopic.NAME and read the queue Consumer.YOURS.VirtualTopic.NAME with many receivers."
            )


def _prefetch(spec: ConsumerSpec) -> int:
    return _PREFETCH if spec.prefetch is None else max(1, spec.prefetch)  # 0 would mean none, ever
