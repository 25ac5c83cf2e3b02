"""Where a way to a broker differs from the contract, and why; the documentation's table is made from it."""

from __future__ import annotations

from collections.abc import Mapping

# What STOMP itself lacks, whatever the broker.
STOMP: Mapping[str, str] = {
    "bodies": "STOMP has text and bytes only: map, stream and object bodies are refused, and no body is an empty text",
    "null text": "STOMP has no null",
    "property types": "over STOMP every property is text",
    "message ids": "over STOMP a sender cannot leave the id out",
    "delivery count": "brokers do not count deliveries over STOMP: 1, or 2 when redelivered",
    "window": "brokers send only so much ahead of an acknowledgement",
    "shared not durable": "STOMP brokers share durable subscriptions only",
    "noLocal": "STOMP has none, and so the option is refused",
}

# Artemis through its own client.
ARTEMIS: Mapping[str, str] = {
    "name spaces": "Artemis reads both durable kinds from the same queue",
    "shared reset": "Artemis refuses a shared durable subscription with another topic or selector until it is removed",
}

# Where a transport may differ from the contract, and why. A test that meets a difference asserts what happens instead:
#   selector               refused
#   shared                 both shared kinds are refused
#   shared not durable     the kind 'shared' is refused
#   wildcards              refused in the name of a topic
#   noLocal                refused
#   one active consumer    an unshared durable subscription admits a second one, and each message goes to one of them
#   name spaces            a durable subscription may be read as sharedDurable, or the other way round
#   subscription reset     a durable subscription with another topic, selector or noLocal keeps its messages
#   shared reset           a shared durable subscription with another topic or selector is refused
#   change in use          a shared subscription in use may be joined for another topic
#   delivery count         what comes back is marked as redelivered, but not counted
#   unsubscribe missing    removing what does not exist is no error
#   removal in use         a shared durable subscription is removed although it has consumers, and they are told
#   removal of one in use  so is an unshared durable one
#   shared removal         a shared durable subscription cannot be removed: refused
#   shared selector        refused for a shared subscription
#   order back             what one consumer gives back reaches another one in any order
#   redelivered durable    what comes back to a durable subscription is not marked as redelivered
#   redelivered head       only the first of what comes back is marked as redelivered
#   redelivered all        what was sent ahead but not received is marked as redelivered as well
#   priority               what waits is in the order of sending, whatever the priorities
#   window                 only so much is sent ahead of a commit
DIFFERENCES: Mapping[str, Mapping[str, str]] = {
    "memory": {},
    "memory-served": {},
    "artemis": ARTEMIS,
    "jms-activemq": {
        "priority": "a queue keeps the order of sending unless the broker's policy has prioritizedMessages",
        "message ids": "the client gives every message an id, although JMS lets a sender do without",
        "supplementary characters": "in text properties they arrive damaged: the client writes Java's own UTF-8 and"
        " reads the standard one (bodies and headers are well)",
        "shared": "the client has none; a virtual topic's queue takes their place",
    },
    "jms-qpid": {
        "order back": "over AMQP, Artemis puts what a closed consumer held back in an order of its own",
        "name spaces": "over AMQP, Artemis reads both durable kinds from the same queue",
    },
    "jms-javax": ARTEMIS,
    "stomp-artemis": {
        **STOMP,
        "depth": "Artemis consumes what a STOMP browser sees, so nothing is browsed",
        "dead letters": "an ACK does not join a transaction on Artemis, and so the option is refused",
        "redelivered head": "Artemis marks only the first of what a connection gave back",
        "empty bytes": "Artemis sends an empty body without a length, as it does for text",
        "one active consumer": "Artemis admits more connections with one client id and subscription over STOMP",
        "name spaces": "Artemis reads both durable kinds from the same queue over STOMP",
        "subscription reset": "over STOMP, Artemis leaves a durable subscription as it was made: another topic or"
        " selector is ignored until it is removed",
        "change in use": "over STOMP, Artemis leaves a durable subscription as it was made: another topic is ignored",
        "shared selector": "over STOMP, Artemis ignores the selector of a shared subscription, and so it is refused",
        "shared removal": "Artemis removes no shared subscription over STOMP, and so it is refused",
        "unsubscribe missing": "Artemis does not say over STOMP whether there was one",
    },
    "stomp-classic": {
        **STOMP,
        "redelivered all": "Classic counts all that was sent ahead as delivered",
        "priority": "Classic heeds priorities only where its policy says so",
        "groups": "Classic does not show groups over STOMP",
        "shared": "Classic has none; a virtual topic's queue takes their place",
        "redelivered durable": "over STOMP, Classic does not mark what a durable subscription delivers again",
    },
    "stomp-rabbitmq": {
        **STOMP,
        "identity": "RabbitMQ gives messages no id that survives redelivery",
        "selector": "RabbitMQ has no selectors",
        "depth": "RabbitMQ has no browser over STOMP",
        "redelivered all": "RabbitMQ counts all that was sent ahead as delivered",
        "priority": "RabbitMQ heeds priorities only in queues declared for them",
        "one active consumer": "a subscription is a queue, which RabbitMQ lets many connections share",
        "name spaces": "a subscription of either durable kind is a queue, which RabbitMQ lets many connections share",
        "change in use": "on RabbitMQ a subscription's name belongs to its topic: with another topic it is another one",
        "removal in use": "RabbitMQ removes a subscription although it has consumers, and ends their connections",
        "removal of one in use": "RabbitMQ removes a subscription although it has a consumer, and ends its connection",
        "unsubscribe missing": "RabbitMQ does not say whether there was one",
    },
}
# How a topic's name says "and any words from here on", where it is not '#'.
ANY_WORDS: Mapping[str, str] = {"jms-activemq": ">", "stomp-classic": ">"}
