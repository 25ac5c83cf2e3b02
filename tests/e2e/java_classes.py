"""Java that only tests need, compiled against the Spark they run on."""

from __future__ import annotations

import subprocess
from pathlib import Path

from spark_jms_connector.transport.packages import spark_jars

SOURCES = Path(__file__).parent / "java"


def compiled(name: str, folder: Path) -> str:
    """Compile one class into a folder and return that folder, as a class path has it."""
    command = ["javac", "-nowarn", "-cp", f"{spark_jars()}/*", "-d", str(folder), str(SOURCES / f"{name}.java")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return str(folder)
