"""Options: what is read, what is refused and how, and that no secret is ever shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spark_jms_connector import option_types as types
from spark_jms_connector.errors import OptionError
from spark_jms_connector.option_rules import parse_source_options
from spark_jms_connector.options import DECLARED, SourceOptions, spark_name, without_secrets

NEEDED = {"url": "memory://here", "queue": "orders", "journal": "/journal"}


def parsed(**options: str) -> SourceOptions:
    return parse_source_options({**NEEDED, **options})


def refused(options: dict[str, str]) -> str:
    with pytest.raises(OptionError) as caught:
        parse_source_options(options)
    return str(caught.value)


def test_defaults() -> None:
    options = parsed()
    assert (options.acknowledge, options.receivers, options.mode) == ("onCommit", None, "PERMISSIVE")
    assert (options.max_trigger_delay, options.segment_max_bytes, options.password) == (60.0, 64 * 2**20, None)


def test_names_are_case_insensitive_as_in_spark() -> None:
    assert parsed(MAXMESSAGESPERTRIGGER="7").max_messages_per_trigger == 7
    assert parsed(maxmessagespertrigger="7").max_messages_per_trigger == 7


def test_choices_are_case_insensitive_and_come_back_as_declared() -> None:
    assert parsed(mode="failfast", acknowledge="ONJOURNAL").mode == "FAILFAST"


def test_prefixed_options_are_kept_apart() -> None:
    options = parsed(
        url="tcp://here",
        provider="artemis",
        **{"connection.callTimeout": "5", "journal.region": "eu", "Journal.scheme": "http"},
    )
    assert options.connection == {"callTimeout": "5"}
    assert options.storage == {"region": "eu", "scheme": "http"}


def test_a_selector_and_a_predicate_are_read() -> None:
    assert parsed(selector="region = 'EU'").selector == "region = 'EU'"
    assert parsed(where="region <=> 'EU'", timeZone="Europe/Berlin").time_zone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"selector": "a = = 1"},
            "Option 'selector': Not a JMS selector: expected a name, a value or '(' but found '='",
        ),
        ({"selector": "a = = 1"}, "\n  a = = 1\n      ^"),
        ({"where": "a = = 1"}, "Option 'where': Not a Spark predicate"),
        ({"where": "a = 1", "selector": "a = 1"}, "Options 'selector' and 'where' exclude each other"),
        ({"timeZone": "Mars/Base"}, "Option 'timeZone' is 'Mars/Base': it must be UTC, an offset such as +02:00"),
    ],
)
def test_what_is_no_selector(options: dict[str, str], words: str) -> None:
    assert words in refused({**NEEDED, **options})


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("reciever", "receivers"), ("maxMessagePerTrigger", "maxMessagesPerTrigger"), ("QUEU", "queue")],
)
def test_an_unknown_option_gets_a_suggestion(name: str, suggestion: str) -> None:
    assert refused({**NEEDED, name: "1"}) == f"Unknown option '{name}'. Did you mean '{suggestion}'?"


def test_an_unknown_option_like_no_other_gets_the_list() -> None:
    message = refused({**NEEDED, "xyz": "1"})
    assert all(spark_name(declared.name) in message for declared in DECLARED.values())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("200ms", 0.2), ("100", 0.1), ("5 s", 5), ("1.5h", 5400), ("2min", 120), ("2m", 120), ("1d", 86400), (" 7S ", 7)],
)
def test_durations(text: str, seconds: float) -> None:
    assert types.duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "size"), [("100", 100), ("1k", 1024), ("1.5kb", 1536), ("64m", 64 * 2**20), ("1G", 2**30), ("1t", 2**40)]
)
def test_sizes(text: str, size: int) -> None:
    assert types.size(text) == size


@pytest.mark.parametrize("text", ["", "0", "0s", "-1s", "1e3", "inf", "nan", "5 fortnights", "s", "1 2", "٣s"])
@pytest.mark.parametrize("parse", [types.duration, types.size])
def test_no_duration_and_no_size(parse: types.Parser, text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse(text)


@given(st.text())
@example("0\x1f")
def test_no_text_breaks_a_parser(text: str) -> None:
    for declared in DECLARED.values():
        try:
            declared.metadata["parse"](text)
        except ValueError as error:
            assert str(error).startswith("must ")


def test_a_size_below_a_byte_is_none() -> None:
    with pytest.raises(ValueError, match="at least one byte"):
        types.size("0.1b")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"receivers": "0"}, "Option 'receivers' is '0': it must be at least 1."),
        ({"receivers": "1.5"}, "Option 'receivers' is '1.5': it must be a whole number."),
        ({"PARSETEXT": "yes"}, "Option 'parseText' is 'yes': it must be true or false."),
        ({"mode": "STRICT"}, "Option 'mode' is 'STRICT': it must be one of PERMISSIVE, DROPMALFORMED, FAILFAST."),
        ({"queue": " "}, "Option 'queue' is ' ': it must not be empty."),
        ({"receiveTimeout": "soon"}, "Option 'receiveTimeout' is 'soon': it must be a duration such as"),
    ],
)
def test_a_bad_value_is_named_with_what_it_must_be(option: dict[str, str], words: str) -> None:
    assert refused({**NEEDED, **option}).startswith(words)


@pytest.mark.parametrize("missing", ["url", "journal"])
def test_what_is_needed(missing: str) -> None:
    given = {name: value for name, value in NEEDED.items() if name != missing}
    assert refused(given).startswith(f"Option '{missing}' is missing")


def test_a_queue_or_a_topic_is_needed() -> None:
    given = {name: value for name, value in NEEDED.items() if name != "queue"}
    assert refused(given).startswith("Options 'queue' and 'topic' are both missing")


TOPIC = {"url": "memory://here", "topic": "prices", "journal": "/journal"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "'subscription' is missing"),
        ({"queue": "q"}, "'queue' and 'topic' exclude each other"),
        ({"subscription": "sharedDurable"}, "'subscriptionName' is missing"),
        ({"subscription": "durable", "subscriptionName": "s"}, "'clientId' is missing"),
        ({"subscription": "nonDurable"}, "'allowDataLoss' to true"),
        ({"subscription": "shared", "subscriptionName": "s"}, "'allowDataLoss' to true"),
        ({"subscription": "nonDurable", "subscriptionName": "s", "allowDataLoss": "true"}, "means nothing"),
        ({"subscription": "sharedDurable", "subscriptionName": "s", "noLocal": "true"}, "for unshared ones only"),
        ({"subscription": "sharedDurable", "subscriptionName": "a b"}, "at most 128 of them"),
        ({"subscription": "sharedDurable", "subscriptionName": "x" * 129}, "at most 128 of them"),
        (
            {"subscription": "durable", "subscriptionName": "s", "clientId": "me", "receivers": "2"},
            "set 'receivers' to 1",
        ),
        ({"subscription": "nonDurable", "allowDataLoss": "true", "receivers": "2"}, "set 'receivers' to 1"),
    ],
)
def test_what_a_topic_needs(options: dict[str, str], words: str) -> None:
    assert words in refused({**TOPIC, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"subscription": "sharedDurable", "subscriptionName": "s", "receivers": "4"},
        {"subscription": "durable", "subscriptionName": "s", "clientId": "me", "noLocal": "true"},
        {"subscription": "nonDurable", "allowDataLoss": "true"},
        {"subscription": "shared", "subscriptionName": "a.b-c_1", "allowDataLoss": "true"},
    ],
)
def test_topics(options: dict[str, str]) -> None:
    assert parse_source_options({**TOPIC, **options}).topic == "prices"


@pytest.mark.parametrize("name", ["subscription", "subscriptionName", "noLocal"])
def test_subscriptions_are_for_topics(name: str) -> None:
    value = {"subscription": "durable", "subscriptionName": "s", "noLocal": "true"}[name]
    assert f"'{name}' is for topics" in refused({**NEEDED, name: value})


@pytest.mark.parametrize("scheme", ["stomp", "stomp+ssl", "memory"])
@pytest.mark.parametrize("name", ["provider", "jars", "packages", "connectionFactory", "connection.x", "jndi.x"])
def test_only_java_clients_take_java_options(scheme: str, name: str) -> None:
    value = "artemis" if name == "provider" else "x"
    assert "for Java clients" in refused({**NEEDED, "url": f"{scheme}://broker:61613", name: value})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"password": "x", "passwordEnv": "Y"}, "password and passwordEnv exclude each other"),
        ({"passwordFile": "/x", "passwordEnv": "Y"}, "passwordFile and passwordEnv exclude each other"),
        ({"clientId": "me", "receivers": "2"}, "set 'receivers' to 1"),
        ({"clientId": "me", "queue": "a, b"}, "and so one queue"),
        ({"url": "tcp://broker", "provider": "artemis", "jndi.x": "y"}, "'connectionFactory' is missing"),
        ({"url": "tcp://broker:61616"}, "add 'provider' (one of artemis"),
        ({"minMessagesPerTrigger": "5", "maxMessagesPerTrigger": "4"}, "'minMessagesPerTrigger' is larger"),
    ],
)
def test_what_does_not_go_together(options: dict[str, str], words: str) -> None:
    assert words in refused({**NEEDED, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"clientId": "me", "receivers": "1"},
        {"url": "tcp://broker:61616", "provider": "artemis"},
        {"url": "tcp://broker:61616", "connectionFactory": "a.Factory", "jars": "/a.jar, /b.jar"},
        {"minMessagesPerTrigger": "4", "maxMessagesPerTrigger": "4"},
    ],
)
def test_what_does(options: dict[str, str]) -> None:
    parsed(**options)


def test_lists_are_split_and_trimmed() -> None:
    assert parsed(url="tcp://here", provider="artemis", jars="/a.jar, /b.jar,").jars == ("/a.jar", "/b.jar")


SECRETS: dict[str, Any] = {
    "password": "hidden",
    "connection.trustStorePassword": "hidden",
    "connection.brokerURL": "tcp://user:hidden@host?keyStorePassword=hidden&other=1",
    "journal.secret_key": "hidden",
    "journal.session_token": "hidden",
    "url": "tcp://here?password=hidden",
    "trustStorePassword": "hidden",
    "keyStorePassword": "hidden",
    "jndi.java.naming.security.credentials": "hidden",
}


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_are_not_in_repr(name: str) -> None:
    java = {"url": "tcp://here", "provider": "artemis", "connectionFactory": "f"}
    shown = repr(parsed(**{**java, name: SECRETS[name]}))
    assert "hidden" not in shown
    assert "********" in shown


@pytest.mark.parametrize("wrong", [{"receivers": "0"}, {"reciever": "1"}, {"passwordEnv": "X"}, {"topic": "t"}])
def test_secrets_are_not_in_errors(wrong: dict[str, str]) -> None:
    assert "hidden" not in refused({**NEEDED, **SECRETS, **wrong})


def test_what_is_no_secret_is_left_alone() -> None:
    text = "tcp://a:61616?x=1,tcp://b:61616;y=2 and s3://lake/j"
    assert without_secrets(text) == text


def test_every_option_says_what_it_means() -> None:
    assert all(declared.metadata["doc"].endswith(".") for declared in DECLARED.values())
