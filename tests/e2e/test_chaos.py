"""Half a minute of random kills; ``make chaos`` goes on for longer, and with Spark."""

from __future__ import annotations

import pytest

from tests import chaos


@pytest.mark.broker
@pytest.mark.matrix
def test_random_kills_change_nothing() -> None:
    assert chaos.main(["--seconds", "30", "--mode", "light"]) == 0
