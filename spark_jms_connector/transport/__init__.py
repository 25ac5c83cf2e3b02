"""Ways to a broker; this file is the only place that chooses one."""

from __future__ import annotations

from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport.base import Transport


def open_transport(options: SourceOptions) -> Transport:
    """The transport that the options ask for; nothing connects yet."""
    # Imported here: no transport needs another's libraries.
    if options.stomp:
        from spark_jms_connector.transport.stomp.transport import StompTransport

        return StompTransport(options)
    if options.memory:
        from spark_jms_connector.transport.memory import MemoryTransport

        return MemoryTransport(options)
    from spark_jms_connector.transport.jms import JmsTransport

    return JmsTransport(options)
