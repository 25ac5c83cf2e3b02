"""The facade's ``__all__`` is sorted and says exactly what it offers."""

from __future__ import annotations

import ast

import pytest

from tests.house.sources import modules


@pytest.fixture
def facade() -> ast.Module:
    return modules()["__init__"]


def exported(facade: ast.Module) -> list[str]:
    for node in facade.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    raise AssertionError("the facade has no __all__")


def public_names(facade: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in facade.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "__future__":
            names |= {name.asname or name.name for name in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return {name for name in names if not name.startswith("_") or name == "__version__"}


def test_all_is_sorted(facade: ast.Module) -> None:
    assert exported(facade) == sorted(exported(facade))


def test_all_is_exact(facade: ast.Module) -> None:
    assert set(exported(facade)) == public_names(facade)


def test_every_error_is_public(facade: ast.Module) -> None:
    errors = {node.name for node in modules()["errors"].body if isinstance(node, ast.ClassDef)}
    assert errors <= set(exported(facade))
