"""What the Java helper reports, as this package's errors, with what to do; the only place that translates."""

from __future__ import annotations

import difflib

from spark_jms_connector.errors import (
    AccessError,
    CommitError,
    ConnectionLostError,
    DependencyError,
    DestinationError,
    InUseError,
    JmsConnectorError,
    OptionError,
    SelectorError,
    TransportError,
    UnreadableMessageError,
)

_KINDS: dict[str, tuple[type[JmsConnectorError], str]] = {
    "lost": (
        ConnectionLostError,
        "No connection to the broker at {url}: {detail}. Is it running and reachable from here?",
    ),
    "host": (ConnectionLostError, "The broker's host cannot be found: {detail}. Check the option 'url'."),
    "busy": (
        InUseError,
        "The client id or the subscription for {destination} at {url} is in use: {detail}. It becomes free when the"
        " connection that holds it ends; if that is another query, give this one a 'clientId' or 'subscriptionName'"
        " of its own.",
    ),
    "tls": (
        TransportError,
        "TLS with the broker at {url} is refused: {detail}. Check 'trustStore' (it must hold the authority that signed"
        " the broker's certificate), the certificate's host names and dates, 'keyStore' if the broker asks for a"
        " certificate, and the passwords of both.",
    ),
    "access": (
        AccessError,
        "The broker at {url} refuses access to {destination}: {detail}. Check the options 'user' and 'password'"
        " ('passwordFile', 'passwordEnv'), and that the user may use it.",
    ),
    "destination": (
        DestinationError,
        "The broker at {url} does not offer {destination}: {detail}. Create it there, or correct its name.",
    ),
    "shared": (
        DestinationError,
        "The JMS client for {url} has no shared subscriptions ({detail}). Read {destination} with"
        " subscription=durable and one receiver; or read a queue that the broker fills from the topic: on ActiveMQ"
        " Classic that of a virtual topic, queue=Consumer.NAME.VirtualTopic.TOPIC.",
    ),
    "absent": (
        DestinationError,
        "The broker at {url} has no subscription {subscription!r} to {destination}: {detail}. Check"
        " 'subscriptionName' and 'clientId'.",
    ),
    "inUse": (
        DestinationError,
        "The subscription {subscription!r} to {destination} at {url} is in use: {detail}. Stop the query that reads"
        " it, and try again.",
    ),
    "terms": (
        DestinationError,
        "The subscription {subscription!r} exists at {url} with another topic or selector than {destination} is to be"
        " read with: {detail}. Remove it first, or take another 'subscriptionName'.",
    ),
    "selector": (
        SelectorError,
        "The broker at {url} refuses the selector {selector!r}: {detail}. Correct the option 'selector'.",
    ),
    "commit": (
        CommitError,
        "A commit on {destination} at {url} failed, and may or may not have taken effect: {detail}.",
    ),
    "dependency": (
        DependencyError,
        "The JMS client is incomplete: {detail} cannot be loaded. Add the missing library with 'packages' or 'jars', or"
        " correct 'connectionFactory'.",
    ),
    "unsupported": (
        TransportError,
        "The JMS client for {url} does not support what {destination} needs: {detail}. Take a newer client, of"
        " JMS 2.0 or later.",
    ),
    "jndi": (
        OptionError,
        "Option 'connectionFactory' is not found by JNDI: {detail}. Check the name and the environment in 'jndi.*'.",
    ),
    "url": (OptionError, "Option 'url' is {url}: {detail}."),
    "factory": (OptionError, "Option 'connectionFactory' cannot be used: {detail}."),
    "other": (TransportError, "The broker at {url} or its client failed on {destination}: {detail}."),
}

# Artemis: a shared subscription has another topic, or another selector. Waiting does not help.
_OTHER_TERMS = ("AMQ229082", "AMQ229083")

_UNREADABLE = (
    "{detail}. Set 'dedupKey' if another property identifies messages, or 'deadLetterQueue' to have such messages"
    " moved there."
)


def failure(
    kind: str,
    detail: str,
    *,
    url: str,
    destination: str,
    selector: str | None = None,
    subscription: str | None = None,
) -> JmsConnectorError:
    """The error for a kind of failure that the helper reported."""
    if kind == "property":
        return _unknown_property(detail)
    if kind == "value":
        name, _, wanted = detail.partition(" ")
        return OptionError(f"Option 'connection.{name}' must be of type {wanted}.")
    if kind == "unreadable":
        preceding, _, detail = detail.partition(" ")
        return UnreadableMessageError(_UNREADABLE.format(detail=detail.rstrip(".")), int(preceding))
    if subscription is not None and any(code in detail for code in _OTHER_TERMS):
        kind = "terms"
    error, text = _KINDS.get(kind, _KINDS["other"])
    words = {"url": url, "destination": destination, "selector": selector, "subscription": subscription}
    return error(text.format(detail=detail.rstrip("."), **words))


def _unknown_property(detail: str) -> OptionError:
    name, _, known = detail.partition(" ")
    by_lower = {n.lower(): n for n in known.split(",")}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    hint = f"Did you mean 'connection.{by_lower[close[0]]}'?" if close else f"It has: {', '.join(by_lower.values())}."
    return OptionError(f"Option 'connection.{name}' is not a property of the connection factory. {hint}")
