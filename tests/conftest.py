"""Fixtures that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from spark_jms_connector.transport.memory import MemoryServer, start_memory_broker
from tests.brokers import artemis, classic  # noqa: F401  (found here by their names)
from tests.spark_session import spark  # noqa: F401

# The same examples in every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture
def memory_server() -> Iterator[MemoryServer]:
    """A memory broker of the test's own, served on loopback."""
    with start_memory_broker() as server:
        yield server
