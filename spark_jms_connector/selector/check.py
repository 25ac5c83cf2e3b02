"""What is legal in a selector and still a trap: brokers read it differently, or it can never be true."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from spark_jms_connector.selector.lexer import Token, tokenize
from spark_jms_connector.selector.parser import parse
from spark_jms_connector.selector.tree import (
    And,
    Approximate,
    Arithmetic,
    Boolean,
    Comparison,
    Exact,
    Identifier,
    Node,
    Not,
    Or,
    String,
    children,
    nodes,
)

log = logging.getLogger(__name__)

# Set when a message is received (JMS 2.0, 3.5.9): to select by them is undefined.
RECEIVER_SET = ("JMSXDeliveryCount", "JMSXRcvTimestamp", "JMSXConsumerTXID", "JMSXState")
HEADERS = {
    "JMSMessageID": "string",
    "JMSCorrelationID": "string",
    "JMSType": "string",
    "JMSDeliveryMode": "string",
    "JMSPriority": "number",
    "JMSTimestamp": "number",
}
_LITERALS = (Exact, Approximate, String, Boolean)


def warnings(selector: str) -> list[str]:
    """What to beware of in a selector, each thing once; raise SelectorError if it is none."""
    tree = parse(selector)
    found = list(_of_text(tokenize(selector)))
    if isinstance(tree, Identifier):
        found.append(_alone(tree))
    for node in nodes(tree):
        found += _of_node(node)
    return list(dict.fromkeys(found))


def log_selector(selector: str | None, where: str | None = None) -> None:
    """Say once, where a stream starts, what the broker is asked for and what to beware of."""
    if not selector:
        return
    log.info("The broker is asked for: %s%s", selector, f" (for where: {where})" if where else "")
    for warning in warnings(selector):
        log.warning("Selector %r: %s", selector, warning)


def _of_text(tokens: list[Token]) -> Iterator[str]:
    padded = [*tokens, tokens[-1], tokens[-1]]
    for token, second, third in zip(tokens, padded[1:], padded[2:], strict=False):
        if token.kind == "number":
            yield from _of_number(token.text)
        elif token.kind == "symbol" and token.text == "-" == second.text and second.position == token.position + 1:
            yield "'--' begins a comment on ActiveMQ and Artemis: put a space or parentheses between the signs."
        elif token.kind == "keyword" and token.text == "NOT" and _negates_a_part(second, third):
            yield "NOT binds tighter than a comparison on ActiveMQ and Artemis: put its operand in parentheses."


def _negates_a_part(second: Token, third: Token) -> bool:
    """Whether what follows NOT is neither in parentheses, nor one word, nor the rest of NOT IN and the like."""
    follows = second.text in ("(", "IN", "LIKE", "BETWEEN", "NULL") and second.kind in ("symbol", "keyword")
    return not follows and not (third.kind == "end" or third.text in ("AND", "OR", ")"))


def _of_number(text: str) -> Iterator[str]:
    lowered = text.lower()
    hexadecimal = lowered.startswith("0x")
    if "p" in lowered or not hexadecimal and lowered[-1] in "fd":
        yield f"{text} is a number that ActiveMQ and Artemis do not read: write it as a plain decimal."
    elif lowered[-1] == "l":
        yield f"{text} has a suffix that brokers read differently: leave it out."
    elif len(text) > 1 and text.isdigit() and text[0] == "0":
        yield f"{text} is octal, which is {int(text, 8)}."


def _of_node(node: Node) -> Iterator[str]:
    if isinstance(node, Identifier):
        yield from _of_name(node.name)
    elif isinstance(node, Comparison):
        yield from _of_comparison(node)
    elif isinstance(node, And | Or | Not):
        yield from (_alone(child) for child in children(node) if isinstance(child, Identifier))
    elif isinstance(node, Arithmetic):
        if any(symbol == "/" for symbol, _ in node.rest):
            yield "'/' between whole numbers drops the rest by JMS, but not on ActiveMQ and Artemis."
        yield "Arithmetic differs between brokers in how it wraps and what it does with text: compare with a constant."


def _alone(name: Identifier) -> str:
    return f"'{name.name}' alone as a condition is read differently by brokers: write {name.name} = TRUE."


def _of_name(name: str) -> Iterator[str]:
    if name in RECEIVER_SET:
        yield f"'{name}' is set when a message is received: selecting by it is undefined."
    elif name == "JMSXGroupSeq":
        yield "'JMSXGroupSeq' is 0 instead of NULL on ActiveMQ for a message without a group."
    elif name.startswith("JMS") and not name.startswith(("JMSX", "JMS_")) and name not in HEADERS:
        yield f"'{name}' is no header: JMS reserves names that begin with JMS, so no message can have it."
    if not name.isascii():
        yield f"'{name}' is refused by ActiveMQ and Artemis: names there are of ASCII letters."
    if name.upper() in ("XPATH", "XQUERY"):
        yield f"'{name}' is a reserved word on ActiveMQ and Artemis."


def _of_comparison(node: Comparison) -> Iterator[str]:
    left, right = node.left, node.right
    if isinstance(left, Identifier) and isinstance(right, Identifier):
        yield "Two names compared: on ActiveMQ and Artemis they are equal if the message has neither."
    if isinstance(left, _LITERALS) and isinstance(right, Identifier):
        yield "A value left of a name: ActiveMQ and Artemis take it for false if the message lacks the name; turn it."
    kinds = {kind for kind in (_kind(left), _kind(right)) if kind}
    if len(kinds) > 1:
        yield f"A {' is compared with a '.join(sorted(kinds))}: that is never true."


def _kind(node: Node) -> str | None:
    if isinstance(node, Identifier):
        return HEADERS.get(node.name)
    return "string" if isinstance(node, String) else "boolean" if isinstance(node, Boolean) else "number"
