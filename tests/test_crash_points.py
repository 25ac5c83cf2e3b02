"""Crash points: their names are checked, and only the wanted one kills."""

from __future__ import annotations

import pytest

from spark_jms_connector import crash_points


def test_crash_points_know_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="Unknown crash point"):
        crash_points.reached("nowhere")
    monkeypatch.setenv(crash_points.VARIABLE, "nowhere")
    with pytest.raises(ValueError, match="names no crash point"):
        crash_points.reached("after receive")


def test_a_crash_point_that_is_not_wanted_is_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(crash_points.VARIABLE, "before JMS commit")
    crash_points.reached("after receive")
