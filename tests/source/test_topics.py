"""Topics and several queues in one stream: every message once, over kills, restarts and changed options."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_jms_connector import crash_points
from spark_jms_connector.errors import DestinationError, JournalMismatchError, TransportError
from spark_jms_connector.transport.base import Destination, Subscription
from tests.model.spark_world import TOPIC, World, kill_at
from tests.source.conftest import Driver, finish, receivers, sessions, spark_until

durable_kinds = pytest.mark.parametrize("kind", ["durable", "sharedDurable"])
modes = pytest.mark.parametrize("mode", ["onCommit", "onJournal"])


@pytest.fixture(params=["durable", "sharedDurable"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World.create_subscribed(tmp_path / "journal", request.param)


def connect(world: World) -> None:
    """Let everybody take turns until every receiver has its session."""
    for _ in range(10):
        world.turn()
        if all(receiver.connected for receiver in receivers(world)):
            return
    raise AssertionError("the receivers never connected")


# Durable subscriptions


def test_as_many_receivers_as_the_kind_allows(world: World) -> None:
    connect(world)
    assert len(receivers(world)) == len(sessions(world)) == (1 if world.options.single else 2)


def test_what_is_published_before_the_first_start_and_between_runs_lands(world: World) -> None:
    world.send(10)
    finish(world)
    world.die()
    world.send(10)
    finish(world)
    assert set(world.origins.values()) == {str(TOPIC)}
    assert world.waiting() == []


@durable_kinds
@modes
@pytest.mark.parametrize("point", crash_points.POINTS)
def test_a_death_at_every_crash_point(tmp_path: Path, kind: str, mode: str, point: str) -> None:
    world = World.create_subscribed(tmp_path, kind, acknowledge=mode)
    world.send(60)
    kill_at(point, times=2)
    for _ in range(400):
        world.turn()
        if world.story and len(world.landed()) == world.sent:
            break
    assert world.story == [f"Killed: {point}"]
    finish(world)


@pytest.mark.parametrize("phase", ["log", "tell", "partitions", "run", "clog"])
def test_each_of_sparks_recovery_situations(world: World, phase: str) -> None:
    world.send(10)
    for _ in range(2):
        spark_until(world, phase)
        world.die()
        world.send(3)
    finish(world)


@pytest.mark.parametrize("how", ["lose", "cut"])
def test_a_broken_connection_is_opened_again(world: World, how: str) -> None:
    connect(world)
    world.send(9)
    world.turn()
    for session in sessions(world):
        getattr(world.broker, how)(session)
    finish(world)
    assert sum(receiver.connected for receiver in receivers(world)) == world.options.receivers_each


def test_a_commit_that_took_effect_though_it_failed(world: World) -> None:
    connect(world)
    world.send(9)
    for session in sessions(world):
        world.broker.fail_next_commit(session, applied=True)
    finish(world)


def test_two_streams_need_two_subscriptions_and_each_gets_all(tmp_path: Path) -> None:
    one = World.create_subscribed(tmp_path / "one", "sharedDurable", subscription_name="one")
    two = World.create_subscribed(tmp_path / "two", "sharedDurable", subscription_name="two")
    two.broker = one.broker
    two.subscribe()
    one.send(20)
    two.sent = one.sent
    for _ in range(60):
        one.turn()
        two.turn()
    finish(one)
    finish(two)


def test_a_reader_that_outlives_its_driver_is_waited_for(tmp_path: Path) -> None:
    world = World.create_subscribed(tmp_path, "durable")
    connect(world)
    world.send(5)
    world.orphan()
    for _ in range(5):
        world.turn()
    assert not any(receiver.connected for receiver in receivers(world))
    world.die(world.zombies[0])
    finish(world)


def test_a_client_id_that_another_query_keeps_is_said_in_the_end(tmp_path: Path) -> None:
    world = World.create_subscribed(tmp_path, "durable", reconnect_timeout=100.0)
    world.broker.open_producer(TOPIC, client_id="me")
    with pytest.raises(TransportError, match="Client id 'me' is in use.*Tried again for 100 s"):
        spark_until(world, "log")


# Subscriptions that are not durable


@pytest.mark.parametrize(("kind", "name"), [("nonDurable", None), ("shared", "s")])
def test_without_durability_what_is_published_while_the_stream_is_down_is_gone(
    tmp_path: Path, kind: str, name: str | None
) -> None:
    world = World.create_subscribed(tmp_path, kind, subscription_name=name, allow_data_loss=True)
    connect(world)
    world.send(5)
    finish(world)
    world.die()
    world.send(2)
    connect(world)
    world.send(3)
    for _ in range(60):
        world.turn()
    assert sorted(world.landed()) == [f"m{number}" for number in (0, 1, 2, 3, 4, 7, 8, 9)]


# A restart with other options


@pytest.mark.parametrize(
    ("kind", "change", "says"),
    [
        ("durable", {"subscription_name": "other"}, "subscriptionName 's' (now 'other')"),
        ("durable", {"client_id": "you"}, "clientId 'me' (now 'you')"),
        ("durable", {"no_local": True}, "noLocal None (now 'true')"),
        ("durable", {"selector": "a = 1"}, "selector None (now 'a = 1')"),
        ("durable", {"topic": "other"}, "destination 'topic:prices' (now 'topic:other')"),
        ("durable", {"subscription": "sharedDurable"}, "subscription 'durable' (now 'sharedDurable')"),
        ("sharedDurable", {"subscription_name": "other"}, "subscriptionName 's' (now 'other')"),
        ("sharedDurable", {"selector": "a = 1"}, "selector None (now 'a = 1')"),
        ("sharedDurable", {"topic": None, "queue": "q"}, "destination 'topic:prices' (now 'queue:q')"),
    ],
)
def test_a_changed_subscription_is_refused(tmp_path: Path, kind: str, change: dict[str, Any], says: str) -> None:
    world = World.create_subscribed(tmp_path, kind)
    world.send(3)
    finish(world)
    world.die()
    world.send(2)
    before, world.options = world.options, replace(world.options, **change)
    with pytest.raises(JournalMismatchError, match=re.escape(says) + ".*'allowSubscriptionReset' to true"):
        spark_until(world, "log")
    assert sessions(world) == []
    world.die()
    world.options = before
    finish(world)


@pytest.mark.parametrize("change", [{"subscription_name": "other"}, {"no_local": True}, {"client_id": "you"}])
def test_a_changed_subscription_that_is_allowed_starts_anew(tmp_path: Path, change: dict[str, Any]) -> None:
    world = World.create_subscribed(tmp_path, "durable")
    world.send(3)
    finish(world)
    world.die()
    world.options = replace(world.options, allow_subscription_reset=True, **change)
    world.subscribe()
    world.send(4)
    spark_until(world, "log")
    world.options = replace(world.options, allow_subscription_reset=False)
    world.die()
    for _ in range(60):
        world.turn()
    world.check_exactly_once()


def test_a_name_that_the_other_durable_kind_has_is_refused_by_the_broker(tmp_path: Path) -> None:
    world = World.create_subscribed(tmp_path, "durable")
    world.options = replace(world.options, subscription="sharedDurable")
    with pytest.raises(DestinationError, match="Subscription 's' exists as durable"):
        spark_until(world, "log")


# Trigger.AvailableNow


def drain(world: World) -> list[str]:
    """What one run brings."""
    driver = Driver(world)
    driver.stream.prepare_for_available_now()
    driver.pace = 0.5
    driver.at = world.end
    driver.run_all()
    world.end = driver.at
    return sorted(text for found in driver.batches for text in found)


@modes
@pytest.mark.parametrize("count", [0, 1, 10])
def test_available_now_reads_the_backlog_and_ends(world: World, mode: str, count: int) -> None:
    world.options = replace(world.options, acknowledge=mode)
    assert world.broker.transport().depth(TOPIC) is None
    if count:
        world.send(count)
    assert drain(world) == sorted(f"m{number}" for number in range(count))
    assert sessions(world) == []
    world.send(2)
    assert drain(world) == [f"m{count}", f"m{count + 1}"]
    world.broker.unsubscribe(TOPIC, Subscription("durable", "s"), world.options.client_id)


# Several queues


@pytest.mark.parametrize("each", [1, 2])
@modes
def test_two_queues_land_in_one_stream(tmp_path: Path, mode: str, each: int) -> None:
    world = World.create(tmp_path, queue="a,b", receivers=each, acknowledge=mode)
    a, b = world.destinations
    assert (a, b) == (Destination("a"), Destination("b"))
    for _ in range(3):
        world.send(10, a)
        world.send(10, b)
        spark_until(world, "run")
        world.die()
    finish(world)
    expected = {f"m{number}": str(b if number // 10 % 2 else a) for number in range(60)}
    assert world.origins == expected


def test_one_of_two_queues_stays_empty(tmp_path: Path) -> None:
    world = World.create(tmp_path, queue="a, b")
    world.send(10, world.destinations[1])
    finish(world)


def test_available_now_on_two_queues(tmp_path: Path) -> None:
    world = World.create(tmp_path, queue="a,b")
    world.send(10, world.destinations[0])
    world.send(1, world.destinations[1])
    assert drain(world) == sorted(f"m{number}" for number in range(11))
    assert sessions(world) == []


def test_another_queue_added_is_a_change_but_another_order_is_not(tmp_path: Path) -> None:
    world = World.create(tmp_path, queue="a,b")
    world.send(3)
    finish(world)
    world.die()
    world.options = replace(world.options, queue="b,a")
    world.send(3)
    finish(world)
    world.die()
    world.options = replace(world.options, queue="a,b,c")
    with pytest.raises(JournalMismatchError, match=re.escape("'queue:a,queue:b' (now 'queue:a,queue:b,queue:c')")):
        spark_until(world, "log")
