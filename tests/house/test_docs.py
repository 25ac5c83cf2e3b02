"""The documentation says what the code says, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.docs_tables import PAGES, with_tables
from tests.house.sources import ROOT, modules

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_tables_are_up_to_date(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert with_tables(page, text) == text, "run 'make docs-tables'"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text("utf-8"))
    missing = [t for t in targets if "://" not in t and not (document.parent / t).exists()]
    assert not missing


def test_every_make_target_named_exists() -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"\bmake\s([a-z][a-z-]+)", _code(document.read_text("utf-8"))))
        assert named <= known, document.name


def _code(text: str) -> str:
    """What stands in shell blocks and in code spans."""
    return "\n".join("".join(parts) for parts in re.findall(r"```sh\n(.*?)```|`(make\s[^`]+)`", text, re.DOTALL))


def test_the_architecture_names_every_file() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_/]+)\.py`", page))
    wanted = {name for name in modules() if not name.endswith("__init__")}
    assert not wanted - named - _covered(page), "docs/architecture.md should say what they are for"
    assert not named - set(modules())


def _covered(page: str) -> set[str]:
    """Modules that the page names as a group: ``transport/memory*.py``."""
    groups = re.findall(r"`([a-z_/]+)\*\.py`", page)
    return {name for name in modules() if name.startswith(tuple(groups))}
