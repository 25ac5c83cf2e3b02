"""The command line finds its commands."""

from __future__ import annotations

from importlib import import_module

import pytest

from spark_jms_connector.cli import COMMANDS, main
from spark_jms_connector.version import __version__


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_a_module_that_can_be_run(command: str) -> None:
    assert callable(import_module(f"spark_jms_connector.cli.{command}").main)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"spark-jms {command}" in capsys.readouterr().out


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
def test_no_such_command(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
