"""The command that removes a subscription: what it asks for, what it says, and that it does it."""

from __future__ import annotations

import pytest

from spark_jms_connector.cli import main
from spark_jms_connector.transport.base import ConsumerSpec, Destination, Subscription
from spark_jms_connector.transport.memory import MemoryServer

TOPIC = Destination("prices", "topic")
NIGHTLY = Subscription("sharedDurable", "nightly")


def run(server: MemoryServer, *arguments: str) -> int:
    return main(["unsubscribe", *arguments, "--url", server.url, "-o", f"password={server.token}"])


def test_a_subscription_is_removed_and_then_missing(
    memory_server: MemoryServer, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_server.broker.transport().open_consumer(ConsumerSpec(TOPIC, subscription=NIGHTLY)).close()
    assert run(memory_server, "nightly", "--topic", "prices") == 0
    assert "'nightly' on topic 'prices' is removed" in capsys.readouterr().out
    assert run(memory_server, "nightly", "--topic", "prices") == 1
    assert "Not removed: " in capsys.readouterr().err


def test_a_durable_one_belongs_to_its_client_id(memory_server: MemoryServer) -> None:
    spec = ConsumerSpec(TOPIC, client_id="me", subscription=Subscription("durable", "audit"))
    memory_server.broker.transport().open_consumer(spec).close()
    assert run(memory_server, "audit", "--topic", "prices", "--client-id", "you") == 1
    assert run(memory_server, "audit", "--topic", "prices", "--client-id", "me") == 0


def test_one_in_use_stays(memory_server: MemoryServer, capsys: pytest.CaptureFixture[str]) -> None:
    memory_server.broker.transport().open_consumer(ConsumerSpec(TOPIC, subscription=NIGHTLY))
    assert run(memory_server, "nightly", "--topic", "prices") == 1
    assert "in use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nightly", "--topic", "t", "-o", "reciever=1"], "Did you mean 'receivers'?"),
        (["a b", "--topic", "t"], "'subscriptionName' is 'a b'"),
    ],
)
def test_bad_input(
    memory_server: MemoryServer, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(memory_server, *arguments) == 1
    assert words in capsys.readouterr().err


def test_where_the_broker_is_must_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unsubscribe", "nightly", "--topic", "t"]) == 1
    assert "Option 'url' is missing" in capsys.readouterr().err


def test_an_option_without_a_value() -> None:
    with pytest.raises(SystemExit) as end:
        main(["unsubscribe", "nightly", "--topic", "t", "-o", "user"])
    assert end.value.code == 2
