"""Which JMS a client speaks, jakarta.jms or javax.jms: found out from its jars."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from spark_jms_connector.errors import DependencyError

_APIS = ("jakarta", "javax")


def api_of(jars: Sequence[Path], factory: str | None = None) -> str:
    """``jakarta`` or ``javax``; where both are there, the one that the factory's class speaks of."""
    found: set[str] = set()
    spoken = b""
    entry = f"{(factory or '').replace('.', '/')}.class"
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                names = set(archive.namelist())
                found |= {api for api in _APIS if f"{api}/jms/ConnectionFactory.class" in names}
                spoken += archive.read(entry) if entry in names else b""
        except (OSError, zipfile.BadZipFile) as error:
            raise DependencyError(f"The jar {jar} cannot be read ({error}): replace it.") from error
    if not found:
        raise DependencyError(
            "The JMS API is not among the client's jars: neither jakarta/jms/ConnectionFactory nor javax/jms/"
            "ConnectionFactory. Add jakarta.jms:jakarta.jms-api:3.1.0 (for older clients javax.jms:javax.jms-api:2.0.1)"
            " to 'packages', or its jar to 'jars'."
        )
    if len(found) == 2 and b"javax/jms/" in spoken and b"jakarta/jms/" not in spoken:
        return "javax"
    return "jakarta" if "jakarta" in found else "javax"
