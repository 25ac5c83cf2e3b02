"""A laboratory of its own for each end-to-end test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Transport
from spark_jms_connector.transport.memory import MemoryServer
from tests.e2e.lab import Lab


@pytest.fixture
def lab(spark: SparkSession, memory_server: MemoryServer, tmp_path: Path) -> Iterator[Lab]:
    """A memory broker's queue, and folders for what is read from it."""
    connection = {"url": memory_server.url, "password": memory_server.token}
    laboratory = Lab(spark, connection, memory_server.broker.transport(), tmp_path, memory_server.broker)
    yield laboratory
    laboratory.stop_all()


@pytest.fixture(scope="session")
def artemis_transport(artemis: ArtemisBroker) -> Iterator[Transport]:
    """The way to Artemis for sending and looking; one for all tests."""
    transport = open_transport(SourceOptions(provider="artemis", url=artemis.url))
    yield transport
    transport.close()


@pytest.fixture
def artemis_lab(
    spark: SparkSession, artemis: ArtemisBroker, artemis_transport: Transport, tmp_path: Path
) -> Iterator[Lab]:
    """A queue of its own on Artemis, and folders for what is read from it."""
    laboratory = Lab(spark, {"provider": "artemis", "url": artemis.url}, artemis_transport, tmp_path)
    yield laboratory
    laboratory.stop_all()
