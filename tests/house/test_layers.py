"""Imports point down only, and each foreign library is known to few."""

from __future__ import annotations

import ast
from fnmatch import fnmatch
from graphlib import TopologicalSorter

import pytest

from tests.house.sources import imports, modules, own_imports

# From the top down; what shares a line is one layer, inside which only cycles are forbidden.
LAYERS = (
    ("__init__", "__main__", "cli/*"),
    ("datasource",),
    ("source/*", "sink/*"),
    ("broker", "broker_process", "transport/*"),
    ("option_rules",),
    ("selector/*",),
    ("schema", "columns", "property_values", "storage", "storage_*"),
    ("message", "options", "option_types", "providers"),
    ("errors", "version", "crash_points"),
)
LIBRARIES = {
    "pyspark": ("datasource", "__init__", "source/stream_reader", "cli/demo*", "transport/jvm"),
    "delta": ("cli/demo*",),
    "py4j": ("transport/jvm", "transport/jms"),
    "stomp": ("transport/stomp/*",),
    "sqlglot": ("selector/from_sql", "selector/sql_*"),
    "rich": ("cli/*", "__main__"),
}


def layer(module: str) -> int:
    for number, names in enumerate(LAYERS):
        if any(fnmatch(module, name) for name in names):
            return number
    raise AssertionError(f"{module}.py is in no layer: add it to LAYERS")


@pytest.mark.parametrize("module", modules())
def test_imports_point_down(module: str) -> None:
    upward = {name for name in own_imports(modules()[module]) if layer(name) < layer(module)}
    assert not upward, f"{module} imports from above: {sorted(upward)}"


@pytest.mark.parametrize(("one", "other"), [("source", "sink"), ("sink", "source")])
def test_source_and_sink_do_not_know_each_other(one: str, other: str) -> None:
    for module, tree in modules().items():
        if module.startswith(f"{one}/"):
            assert not [name for name in own_imports(tree) if name.startswith(f"{other}/")], module


def test_nobody_imports_the_facade() -> None:
    importers = [module for module, tree in modules().items() if "__init__" in own_imports(tree)]
    assert not [module for module in importers if layer(module) > 0]


def test_there_is_no_import_cycle() -> None:
    TopologicalSorter({module: own_imports(tree) - {module} for module, tree in modules().items()}).prepare()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_is_known_to_few(library: str) -> None:
    users = [module for module, tree in modules().items() if library in _libraries(tree)]
    strangers = [module for module in users if not any(fnmatch(module, name) for name in LIBRARIES[library])]
    assert not strangers, f"{library} is imported in {strangers}"


def _libraries(tree: ast.Module) -> set[str]:
    return {name.split(".")[0] for name in imports(tree)}
