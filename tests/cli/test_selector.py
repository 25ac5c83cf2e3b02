"""The selector command: what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jms_connector.cli import main

CASES = Path(__file__).parents[1] / "data" / "selector-cases.tsv"


def test_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selector", "check", "a=1 and not b = 2"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "It is a selector: a = 1 AND (NOT (b = 2))"
    assert said[1].startswith("Beware: NOT binds tighter")


def test_check_draws_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selector", "check", "a = = 1"]) == 1
    assert capsys.readouterr().err.splitlines()[1:] == ["  a = = 1", "      ^"]


def test_translate(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["selector", "translate", "n > 5 AND JMSTimestamp >= timestamp'2026-01-01'"]
    arguments += ["--schema", "n INT, JMSTimestamp TIMESTAMP"]
    assert main([*arguments, "--time-zone", "Europe/Berlin"]) == 0
    assert capsys.readouterr().out == "n > 5 AND JMSTimestamp >= 1767222000000\n"
    assert main(arguments) == 1
    assert "has no time zone" in capsys.readouterr().err


def test_translate_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selector", "translate", "lower(a) = 'x'", "--schema", "a STRING"]) == 1
    assert "Filter in Spark after load()" in capsys.readouterr().err
    assert main(["selector", "translate", "a = 'x'", "--schema", "a a a"]) == 1
    assert "Not a schema" in capsys.readouterr().err


def test_a_bad_time_zone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["selector", "translate", "a", "--schema", "a BOOLEAN", "--time-zone", "Mars/Base"])
    assert "'Mars/Base' must be UTC" in capsys.readouterr().err


def test_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selector", "cases", str(CASES)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "200 passed, 0 failed"


def test_cases_that_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.tsv"
    file.write_text('# one good, two bad\na = 1\t{"a":{"t":"int","v":1}}\ttrue\na = 1\t{}\ttrue\na = = 1\t{}\tfalse\n')
    assert main(["selector", "cases", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "line 3: expected true, got unknown: a = 1",
        "line 4: expected false, got invalid: a = = 1",
        "1 passed, 2 failed",
    ]


def test_a_file_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.tsv"
    file.write_text("nothing here")
    assert main(["selector", "cases", str(file)]) == 1
    assert "line 1 is no case" in capsys.readouterr().err
    assert main(["selector", "cases", str(tmp_path / "none")]) == 1
