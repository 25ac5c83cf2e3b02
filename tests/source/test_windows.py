"""A broker that holds messages back until a commit never makes a stream wait: its window is known, or found out."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from spark_jms_connector.source.filling import Filling
from spark_jms_connector.source.windows import PROOFS, WindowWatch
from spark_jms_connector.transport.base import Window
from spark_jms_connector.transport.memory_session import ConsumerSession
from tests.source.conftest import Bench

KNOWN = Window(messages=3, limit="The queue's depth; raise it.")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def pause_at(watch: WindowWatch, *counts: int, waited: float = 0.0) -> None:
    for count in counts:
        watch.paused(count)
        watch.came_after_commit(waited)


def test_a_known_window_ends_a_segment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ConsumerSession, "window", KNOWN)
    bench.custody.patient = True
    bench.send(*"abcde")
    with caplog.at_level(logging.INFO):
        bench.until(lambda: bench.receiver.waiting)
    assert bench.receiver.waiting is not None
    assert bench.receiver.waiting.seal.rows == 3
    assert caplog.text.count(KNOWN.limit) == 1


def test_a_window_of_bytes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConsumerSession, "window", Window(bytes=1))
    bench.custody.patient = True
    bench.send(*"ab")
    bench.until(lambda: bench.receiver.waiting)


def test_no_window_ends_nothing() -> None:
    watch = WindowWatch(0)
    watch.opened(Window())
    assert watch.most(1000) == 1000
    assert not watch.full(Filling(rows=10**6, bytes=10**9))


def test_a_window_is_found_out(caplog: pytest.LogCaptureFixture) -> None:
    watch = WindowWatch(0)
    pause_at(watch, *[200] * PROOFS)
    assert watch.most(1000) == 1000
    pause_at(watch, 200)
    assert watch.most(1000) == 200
    assert "no more than 200 messages unacknowledged" in caplog.text


@pytest.mark.parametrize("counts", [(200, 199) * 5, (1,) * 9, (200, 200, 0, 200, 200)])
def test_chance_is_no_window(counts: tuple[int, ...]) -> None:
    watch = WindowWatch(0)
    pause_at(watch, *counts)
    assert watch.most(1000) == 1000


def test_a_pause_before_the_next_message_is_no_window() -> None:
    watch = WindowWatch(0)
    pause_at(watch, *[200] * 9, waited=5.0)
    assert watch.most(1000) == 1000


def test_a_new_session_may_have_another_window() -> None:
    watch = WindowWatch(0)
    pause_at(watch, *[200] * 9)
    watch.opened(Window())
    assert watch.most(1000) == 1000


def test_a_receiver_finds_a_window_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a broker does that stops after four unacknowledged messages although there are more."""
    usual = ConsumerSession._take

    def held_back(session: ConsumerSession, most: int, size: int) -> object:
        return usual(session, min(most, 4 - len(session.received)), size) if len(session.received) < 4 else []

    monkeypatch.setattr(ConsumerSession, "_take", held_back)
    bench.make(on_journal=True)
    bench.send(*map(str, range(40)))
    bench.until(lambda: bench.custody.counters.acknowledged >= 16)
    found = bench.receiver._window.most(1000)
    assert found == 4
