"""Committed files name no package registry and no machine's own folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.sources import ROOT, committed

# Written in pieces, so that this file passes its own test.
REGISTRIES = (
    "pypi" + r"\.org",
    "python" + r"hosted\.org",
    "repo1?" + r"\.maven",
    "maven" + r"\.org",
    "repos?" + r"\.spark-packages",
    "plugins" + r"\.gradle\.org",
    "registry" + r"\.npmjs",
)
FOLDERS = (r"(?<![\w.])/" + r"(?:root|work|home/\w+|Users/\w+)/", r"(?<![\w.])/tmp/" + r"\w")
WORDS = re.compile("|".join((*REGISTRIES, *FOLDERS)))


def texts() -> list[Path]:
    return [file for file in committed() if b"\0" not in file.read_bytes()[:1024]]


@pytest.mark.parametrize("file", texts(), ids=lambda file: str(file.relative_to(ROOT)))
def test_words(file: Path) -> None:
    found = [f"{number}: {line}" for number, line in enumerate(file.read_text().splitlines(), 1) if WORDS.search(line)]
    assert not found
