"""The package's own files, as the house tests look at them."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "spark_jms_connector"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path inside it, parsed: ``source/receiver`` …"""
    folder = ROOT / PACKAGE
    files = sorted(folder.rglob("*.py"))
    return {str(file.relative_to(folder).with_suffix("")): ast.parse(file.read_text()) for file in files}


def imports(tree: ast.Module) -> set[str]:
    """The full names that a module imports, wherever in it: ``py4j.protocol.Py4JError`` …"""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full here"
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


def own_imports(tree: ast.Module) -> set[str]:
    """The modules of this package that a module imports, by their path inside it."""
    found = {_module_of(name.split(".")[1:]) for name in imports(tree) if name.split(".")[0] == PACKAGE}
    return {name for name in found if name}


def _module_of(parts: list[str]) -> str:
    known = modules()
    for length in range(len(parts), 0, -1):
        for candidate in ("/".join(parts[:length]), "/".join([*parts[:length], "__init__"])):
            if candidate in known:
                return candidate
    return "__init__" if "__init__" in known else ""


def committed() -> list[Path]:
    """The files under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
