"""Fetches Maven packages, once per user, with the Ivy that pyspark ships."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spark_jms_connector.errors import DependencyError, OptionError
from spark_jms_connector.transport.java import find_java

_RESOLVE_TIMEOUT = 900.0

log = logging.getLogger(__name__)


def spark_jars() -> Path:
    """The folder of Spark's own jars."""
    spec = importlib.util.find_spec("pyspark")
    homes = [Path(p) for p in (spec.submodule_search_locations or () if spec else ())]
    if os.environ.get("SPARK_HOME"):
        homes.append(Path(os.environ["SPARK_HOME"]))
    for home in homes:
        if (home / "jars").is_dir():
            return home / "jars"
    raise DependencyError("Spark's jars cannot be found: install pyspark (pip install pyspark), or set SPARK_HOME.")


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "spark-jms-connector"


def resolve(packages: Sequence[str]) -> list[Path]:
    """The jars of Maven coordinates and of all they need; from the user's cache when they were fetched before."""
    coordinates = [_coordinate(package) for package in packages]
    folder = cache_folder() / "packages" / _folder_name(packages)
    if not folder.is_dir():
        with _lock(cache_folder()):
            if not folder.is_dir():  # another process may have fetched them meanwhile
                _fetch(coordinates, folder)
    return sorted(folder.glob("*.jar"))


def existing_jars(paths: Sequence[str]) -> list[Path]:
    """The jar files that ``jars`` names; a folder stands for the jars in it."""
    found: list[Path] = []
    for text in paths:
        path = Path(text.removeprefix("file://")).expanduser()
        if not path.exists():
            raise DependencyError(f"Option 'jars' names {text}, which does not exist here: correct the path.")
        found += sorted(path.glob("*.jar")) if path.is_dir() else [path]
    return found


def _coordinate(package: str) -> tuple[str, str, str]:
    parts = package.split(":")
    if len(parts) != 3 or not all(re.fullmatch(r"[\w.\-]+", part) for part in parts):
        raise OptionError(f"Option 'packages' holds '{package}', which is not of the form 'group:artifact:version'.")
    return parts[0], parts[1], parts[2]


def _folder_name(packages: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join(packages).encode()).hexdigest()[:12]
    return f"{'-'.join(packages[0].split(':')[1:])}-{digest}"


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Processes that start together fetch once."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / "lock", "w")  # noqa: SIM115
    except OSError as error:
        raise DependencyError(
            f"The cache folder {folder} cannot be written ({error.strerror}): set XDG_CACHE_HOME to one that can,"
            " or give the client's jars with the option 'jars'."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(coordinates: Sequence[tuple[str, str, str]], folder: Path) -> None:
    """Resolve into a folder of another name first: under its own name it is always complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder.parent))
    try:
        jars = work / "jars"
        jars.mkdir()
        _run_ivy(coordinates, work, jars)
        os.rename(jars, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run_ivy(coordinates: Sequence[tuple[str, str, str]], work: Path, jars: Path) -> None:
    wanted = ", ".join(":".join(c) for c in coordinates)
    log.info("Fetching %s (once; later starts find it in %s)", wanted, cache_folder())
    description = work / "ivy.xml"
    description.write_text(_description(coordinates), "utf-8")
    command = [find_java(), "-jar", str(_ivy_jar()), "-ivy", str(description), "-confs", "default"]
    # A cache of its own: with the parents of a package already in its cache, Ivy mistakes versions that the
    # package overrides (artemis-jakarta-client then comes with the javax API).
    command += ["-types", "jar", "bundle", "maven-plugin", "-cache", str(work / "ivy")]
    command += ["-retrieve", f"{jars}/[organisation]-[artifact]-[revision](-[classifier]).[ext]"]
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_RESOLVE_TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise DependencyError(f"Fetching {wanted} took more than {_RESOLVE_TIMEOUT:.0f} s. {_REMEDY}") from error
    log.debug("ivy: %s", run.stdout)
    if run.returncode != 0 or "UNRESOLVED DEPENDENCIES" in run.stdout or not any(jars.glob("*.jar")):
        raise DependencyError(f"Could not fetch {_missing(run.stdout) or wanted}. {_REMEDY}")


_REMEDY = (
    "Check the coordinates in 'packages' and that this machine reaches a Maven repository; or download the client's"
    " jars and name them with the option 'jars'."
)


def _missing(output: str) -> str:
    found = re.findall(r":: ([^\s#]+)#([^\s;]+);(\S+?): (?:not found|configuration not found)", output)
    return ", ".join(sorted({":".join(parts) for parts in found}))


def _description(coordinates: Sequence[tuple[str, str, str]]) -> str:
    needs = "".join(
        f'<dependency org="{group}" name="{name}" rev="{version}" force="true" conf="default-&gt;default"/>'
        for group, name, version in coordinates
    )
    return (
        '<ivy-module version="2.0"><info organisation="spark-jms-connector" module="client"/>'
        f"<dependencies>{needs}</dependencies></ivy-module>"
    )


def _ivy_jar() -> Path:
    for jar in sorted(spark_jars().glob("ivy-*.jar")):
        return jar
    raise DependencyError(f"There is no Ivy in {spark_jars()}: name the client's jars with the option 'jars'.")
