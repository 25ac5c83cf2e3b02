"""SIGKILL at the named points on other brokers, wires and subscriptions: every message lands once all the same."""

from __future__ import annotations

import pytest

from tests.e2e.test_crash_points import ALL, MESSAGES, MODES, kill_and_count
from tests.e2e.trial import Trial

pytest_plugins = ["tests.e2e.trial_fixtures", "tests.e2e.road_fixtures"]
pytestmark = pytest.mark.broker

ROADS = ("classic", "stomp-artemis", "stomp-classic", "durable", "sharedDurable", "classic-durable", "stomp-durable")
# Every point in one of the modes, and every mode at half of the points, shifted from road to road.
PAIRS = [
    (road, point, MODES[(number + shift) % 2]) for shift, road in enumerate(ROADS) for number, point in enumerate(ALL)
]


@pytest.mark.parametrize("road", ROADS, indirect=True)
def test_without_a_kill(road: Trial) -> None:
    road.send(MESSAGES)
    road.drain(road.start_loop)
    road.check_exact()


@pytest.mark.parametrize("road", ROADS, indirect=True)
def test_a_kill_before_the_acknowledgement(road: Trial) -> None:
    kill_and_count(road, "before JMS commit#2", "onCommit")


@pytest.mark.matrix
@pytest.mark.parametrize(("road", "point", "mode"), PAIRS, indirect=["road"])
def test_kill_at(road: Trial, point: str, mode: str) -> None:
    kill_and_count(road, point, mode)
