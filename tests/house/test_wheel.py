"""The wheel holds everything a user needs: the Java helper, the types, and the name Spark looks for."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.house.sources import ROOT, modules

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    # setuptools leaves its build folder beside the sources, and would take stale files from one left before.
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "LICENSE", "README.md", "pyspark_jms.py", "spark_jms_connector"):
        if (ROOT / name).exists():
            subprocess.run(["cp", "-r", str(ROOT / name), str(source)], check=True)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(target), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return zipfile.ZipFile(next(Path(target).glob("*.whl")))


@pytest.mark.parametrize(
    "name",
    [
        "spark_jms_connector/jars/spark-jms-connector-helper.jar",
        "spark_jms_connector/jars/spark-jms-connector-helper-javax.jar",
        "spark_jms_connector/py.typed",
        "pyspark_jms.py",
    ],
)
def test_the_wheel_contains(wheel: zipfile.ZipFile, name: str) -> None:
    assert name in wheel.namelist()


def test_the_wheel_contains_every_module(wheel: zipfile.ZipFile) -> None:
    wanted = {f"spark_jms_connector/{module}.py" for module in modules()}
    assert wanted <= set(wheel.namelist())


def test_the_wheel_contains_no_tests(wheel: zipfile.ZipFile) -> None:
    assert not [name for name in wheel.namelist() if name.startswith("tests/")]
