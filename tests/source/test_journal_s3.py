"""The journal on an S3 server on loopback: whole runs, deaths at every crash point, exact counts."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from spark_jms_connector import crash_points
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.source.slices import read_slice
from spark_jms_connector.source.stream import Stream
from spark_jms_connector.storage import Storage
from tests.model.spark_world import QUEUE, World, kill_at
from tests.source.conftest import finish

moto_server = pytest.importorskip("moto.server")

ON_DISKS_ONLY = ("segment before fsync", "segment after fsync, before rename")
POINTS = [point for point in crash_points.POINTS if point not in ON_DISKS_ONLY]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "{}:{}".format(*server.get_host_and_port())
    server.stop()


@dataclass
class S3World(World):
    """A world whose tasks read from S3 too."""

    def storage(self) -> Storage:
        assert self.options.journal is not None
        return Storage(self.options.journal, self.options.storage)

    def _run(self, stream: Stream) -> None:
        batches = [batch for part in self._slices for batch in read_slice(self.storage(), part)]
        self.table.setdefault(len(self.offsets), [text for batch in batches for text in batch["text"].to_pylist()])
        self.phase = "clog"

    def names(self) -> list[str]:
        return [f"{folder}/{name}" for folder in ("segments", "plans", "marks") for name in self.storage().list(folder)]


_numbers = itertools.count(1)


@pytest.fixture(params=["onCommit", "onJournal"])
def world(endpoint: str, request: pytest.FixtureRequest) -> S3World:
    access = {
        "endpoint_override": endpoint,
        "scheme": "http",
        "region": "us-east-1",
        "access_key": "user",
        "secret_key": "hidden",
        "allow_bucket_creation": "true",
    }
    journal = f"s3a://lake-{next(_numbers)}/journals/orders"
    options = SourceOptions(
        queue=QUEUE.name,
        url="memory://here",
        journal=journal,
        storage=access,
        acknowledge=request.param,
        receive_timeout=0.0,
        reconnect_timeout=30.0,
        segment_max_messages=3,
    )
    return S3World(Path(journal), options)


def test_a_whole_run(world: S3World) -> None:
    for _ in range(3):
        world.send(7)
        world.settle()
    finish(world)
    assert world.broker.transport().depth(QUEUE) == 0


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_every_crash_point_that_applies(world: S3World, point: str) -> None:
    world.send(12)
    kill_at(point, 1 if point == "before segment is deleted" else 2)
    for _ in range(60):
        world.turn()
        if world.story:
            break
    assert world.story == [f"Killed: {point}"]
    finish(world)


def test_a_reader_taken_over_and_what_it_seals_late(world: S3World) -> None:
    world.send(9)
    for _ in range(4):
        world.turn()
    world.orphan()
    world.step_spark()
    for _ in range(3):
        world.step_zombie(0)
        world.step_zombie(1)
        world.turn()
    finish(world)


def test_few_objects_stay(world: S3World) -> None:
    for _ in range(6):
        world.send(5)
        world.settle()
    finish(world)
    assert len(world.names()) < 20
