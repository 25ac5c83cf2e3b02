"""Finding Java and jars, the helper's class path, urls and secrets: what needs no broker."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from spark_jms_connector.errors import DependencyError, JavaError, OptionError
from spark_jms_connector.options import SECRET, SourceOptions
from spark_jms_connector.transport import credentials, java, jvm, packages
from spark_jms_connector.transport.jms import JmsTransport
from spark_jms_connector.transport.jms_errors import failure
from spark_jms_connector.transport.jms_settings import split_urls


def fake_java(folder: Path, version: str) -> Path:
    """A ``java`` that only tells a version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return program


def test_java_home_goes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path, "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java.find_java() == str(home)


@pytest.mark.parametrize(("version", "major"), [("1.8.0_412", 8), ("11.0.2", 11)])
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, major: int) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=f"is Java {major}; Java 17 or newer is needed"):
        java.find_java()


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match="install Java 17"):
        java.find_java()


def test_a_java_home_without_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=str(tmp_path)):
        java.find_java()


def test_the_version_is_read_from_the_installation(tmp_path: Path) -> None:
    program = fake_java(tmp_path, "9")
    (tmp_path / "release").write_text('JAVA_VERSION="17.0.15"\n')
    assert java.java_version(str(program)) == 17


def test_a_program_that_does_not_start_says_why() -> None:
    process = java.JavaProcess(["-cp", "/nowhere", "no.such.Main"])
    with pytest.raises(JavaError, match=r"no\.such\.Main"):
        process.start()
    assert not process.alive


def test_the_helper_gets_only_what_it_needs_of_spark() -> None:
    names = [path.name for path in jvm.helper_class_path()]
    assert any(name.startswith("arrow-vector") for name in names)
    assert any(name.startswith("py4j") for name in names)
    assert not any("spark-core" in name or "netty-all" in name for name in names)


def test_a_missing_helper_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "HELPER_JAR", tmp_path / "helper.jar")
    with pytest.raises(DependencyError, match="gradle installJar"):
        jvm.helper_class_path()


def test_packages_fetched_before_need_neither_network_nor_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fetch(coordinates: object, work: Path, jars: Path) -> None:
        (jars / "client.jar").touch()

    monkeypatch.setattr(packages, "_run_ivy", fetch)
    first = packages.resolve(["a.b:c:1"])
    monkeypatch.setattr(packages, "_run_ivy", None)
    assert packages.resolve(["a.b:c:1"]) == first != []


def test_a_failed_fetch_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def unresolved(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        output = "::          UNRESOLVED DEPENDENCIES         ::\n:: a.b#c;1: not found\n"
        return subprocess.CompletedProcess(command, 1, output, "")

    monkeypatch.setattr("subprocess.run", unresolved)
    with pytest.raises(DependencyError, match=r"Could not fetch a\.b:c:1.*option 'jars'"):
        packages.resolve(["a.b:c:1"])
    assert os.listdir(packages.cache_folder() / "packages") == []


@pytest.mark.parametrize("package", ["a:b", "a:b:c:d", "a:b:", 'a:b:1"/>'])
def test_what_is_no_coordinate_is_named(package: str) -> None:
    with pytest.raises(OptionError, match="group:artifact:version"):
        packages.resolve([package])


def test_a_missing_jar_is_named() -> None:
    with pytest.raises(DependencyError, match=r"/no/such/client\.jar"):
        packages.existing_jars(["/no/such/client.jar"])


def test_a_folder_stands_for_its_jars(tmp_path: Path) -> None:
    (tmp_path / "a.jar").touch()
    (tmp_path / "notes.txt").touch()
    assert packages.existing_jars([str(tmp_path)]) == [tmp_path / "a.jar"]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("tcp://a:1", ["tcp://a:1"]),
        ("tcp://a:1, tcp://b:2,", ["tcp://a:1", "tcp://b:2"]),
        ("(tcp://a:1,tcp://b:2)?ha=true,tcp://c:3", ["(tcp://a:1,tcp://b:2)?ha=true", "tcp://c:3"]),
    ],
)
def test_urls_are_split_outside_parentheses(text: str, urls: list[str]) -> None:
    assert split_urls(text) == urls


def test_a_password_file_is_read_at_each_connect(tmp_path: Path) -> None:
    file = tmp_path / "password"
    options = SourceOptions(password_file=str(file))
    with pytest.raises(OptionError, match=str(file)):
        credentials.password(options)
    file.write_text("first \n")
    assert credentials.password(options) == "first "
    file.write_text("second\r\n")
    assert credentials.password(options) == "second"


def test_a_password_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    options = SourceOptions(password_env="NO_SUCH_PASSWORD")
    with pytest.raises(OptionError, match="NO_SUCH_PASSWORD"):
        credentials.password(options)
    monkeypatch.setenv("NO_SUCH_PASSWORD", "there")
    assert credentials.password(options) == "there"


def test_secrets_are_found_wherever_they_are_given() -> None:
    options = SourceOptions(
        url="tcp://u:in-url@h:1?trustStorePassword=in-query&x=1",
        password="plain",
        connection={"keyStorePassword": "bean"},
    )
    shown = credentials.scrub("in-url in-query plain bean x=1", credentials.secrets_of(options, None))
    assert shown == f"{SECRET} {SECRET} {SECRET} {SECRET} x=1"
    assert "in-url" not in repr(JmsTransport(options)) and "in-query" not in repr(JmsTransport(options))


def test_the_connectors_own_properties_cannot_be_set() -> None:
    options = SourceOptions(provider="artemis", url="tcp://h:1", connection={"reconnectattempts": "-1"})
    with pytest.raises(OptionError, match="reconnectattempts"):
        JmsTransport(options).connection_settings(None)


def test_an_unknown_property_brings_a_suggestion() -> None:
    error = failure("property", "blockOnDurableSent blockOnDurableSend,clientID", url="", destination="")
    assert isinstance(error, OptionError)
    assert "'connection.blockOnDurableSend'" in str(error)
