"""What goes wrong below, as this package's errors, with what to do; the only place that translates."""

from __future__ import annotations

import re
import ssl

from stomp.exception import StompException

from spark_jms_connector.errors import (
    AccessError,
    ConnectionLostError,
    DestinationError,
    InUseError,
    SelectorError,
    TransportError,
)

# What brokers say in ERROR frames: Artemis, Classic and RabbitMQ, in words that are theirs alone. First match counts.
_SAID: tuple[tuple[str, type[TransportError], str], ...] = (
    (
        r"already connected|InvalidClientID|already in use",
        InUseError,
        "{at} has another connection with this client id: {said}. End the other one, or wait until the broker has"
        " noticed that it is gone.",
    ),
    (
        r"AMQ229031|AMQ229032|AMQ339001|Security ?(Error|Exception)|password is invalid|not authorized"
        r"|Access refused|access denied|access_refused|Authentication|Bad CONNECT|not allowed",
        AccessError,
        "{at} refuses access: {said}. Check the options 'user' and 'password' ('passwordFile', 'passwordEnv'), and that"
        " the user may do this.",
    ),
    (
        r"AMQ339017",
        DestinationError,
        "{at} does not remove the subscription: {said}. Is it in use? Then end its consumers first.",
    ),
    (
        r"selector",
        SelectorError,
        "{at} refuses the selector: {said}. Correct the option 'selector'.",
    ),
    (
        r"destination|subscription|subscribe|not_found|NOT_FOUND|no queue|AMQ229017|AMQ339016|PRECONDITION"
        r"|does not exist|RESOURCE_LOCKED",
        DestinationError,
        "{at} does not offer this: {said}. Create it there, or correct its name.",
    ),
)
_OTHER = "{at} ended the connection with an error: {said}."


def refusal(at: str, message: str, body: str) -> TransportError:
    """The error for an ERROR frame; of its body only the first line, the rest is a stack trace."""
    first = body.strip().split("\n", 1)[0].strip()
    said = " ".join(dict.fromkeys(filter(None, (message.strip(), first))))[:500].rstrip(".") or "no reason given"
    for words, kind, text in _SAID:
        if re.search(words, f"{message}\n{body}", re.IGNORECASE):
            return kind(text.format(at=f"The broker at {at}", said=said))
    return TransportError(_OTHER.format(at=f"The broker at {at}", said=said))


def lost(at: str, cause: BaseException | str) -> TransportError:
    """The error for a connection that cannot be made, or broke."""
    if isinstance(cause, TransportError):
        return cause
    if isinstance(cause, ssl.SSLCertVerificationError):
        return TransportError(
            f"The certificate of the broker at {at} is not trusted: {cause.verify_message}. Check the option"
            " 'trustStore', and that 'url' names the host that the certificate is for."
        )
    if isinstance(cause, ssl.SSLError) and "ALERT" in (cause.reason or ""):
        return TransportError(
            f"The broker at {at} refuses the TLS connection: {_words(cause.reason)}. If it asks for a client"
            " certificate, give it with 'keyStore'."
        )
    if isinstance(cause, ssl.SSLError):
        detail = f"TLS failed ({_words(cause.reason)}); is it a TLS port?"
    elif isinstance(cause, OSError):
        detail = cause.strerror or str(cause) or type(cause).__name__
    elif isinstance(cause, StompException):
        detail = "the connection is closed"
    else:
        detail = str(cause)
    return ConnectionLostError(
        f"No connection to the broker at {at}: {detail.rstrip('.')}. Is it running and reachable from here?"
    )


def _words(reason: str | None) -> str:
    return (reason or "no reason given").replace("_", " ").lower()
