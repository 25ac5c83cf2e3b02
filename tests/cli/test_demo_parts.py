"""The demo's parts that need neither broker nor Spark."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from spark_jms_connector.cli.demo import main
from spark_jms_connector.cli.demo_display import Bars, Display, open_display
from spark_jms_connector.cli.demo_folder import CONTENT, MARK, DemoFolder, FolderRefusedError
from spark_jms_connector.cli.demo_orders import BATCH, SCHEMA, order, order_batches
from spark_jms_connector.cli.demo_process import descendants
from spark_jms_connector.cli.demo_report import Report, read_report, write_report
from spark_jms_connector.cli.demo_table import rows_in

# The folder


def test_a_new_folder_is_made_and_marked(tmp_path: Path) -> None:
    with DemoFolder(tmp_path / "new" / "run") as folder:
        assert (folder.path / MARK).is_file()
        assert folder.spark.is_dir()


def test_a_second_run_removes_what_the_first_left_and_nothing_else(tmp_path: Path) -> None:
    with DemoFolder(tmp_path) as folder:
        folder.table.mkdir()
        (folder.table / "part").touch()
        folder.log.touch()
        (folder.path / "mine").touch()
    with DemoFolder(tmp_path) as folder:
        assert {path.name for path in folder.path.iterdir()} == {MARK, "spark", "mine"}


def test_a_folder_with_foreign_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    with pytest.raises(FolderRefusedError, match="no demo made it"), DemoFolder(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["orders"]


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderRefusedError, match="is a file"), DemoFolder(tmp_path / "file"):
        pass


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with DemoFolder(tmp_path) as first:
        first.log.touch()
        with pytest.raises(FolderRefusedError, match="Another demo"), DemoFolder(tmp_path):
            pass
        assert first.log.exists()


def test_a_link_in_the_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    with DemoFolder(tmp_path / "run") as folder:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "kept").touch()
        folder.table.symlink_to(tmp_path / "other")
    with DemoFolder(tmp_path / "run"):
        assert (tmp_path / "other" / "kept").exists()


def test_everything_the_demo_makes_is_known_to_be_its_own(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path)
    places = (folder.broker, folder.journal, folder.checkpoint, folder.table, folder.spark, folder.log, folder.report)
    assert {place.name for place in places} == set(CONTENT)


def test_a_refused_folder_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "precious").touch()
    assert main(["--folder", str(tmp_path)]) == 2
    assert "stays as it is" in capsys.readouterr().out


# The messages


def test_orders_are_numbered_from_one_without_gaps() -> None:
    batches = list(order_batches(BATCH + 5))
    texts = [json.loads(text)["order"] for batch in batches for text in batch.column("text").to_pylist()]
    assert texts == list(range(1, BATCH + 6))


def test_every_property_has_a_column_of_its_type() -> None:
    types = {"long": "BIGINT", "int": "INT", "double": "DOUBLE", "boolean": "BOOLEAN", "string": "STRING"}
    columns = set(SCHEMA.split(", "))
    assert {f"{name} {types[value.type]}" for name, value in order(7).properties.items()} <= columns


# The figures


def report(rows: int, distinct: int, lowest: int = 1, highest: int = 100) -> Report:
    return Report(rows, distinct, lowest, highest, 0, [["a", "INT"]], [["1"]])


@pytest.mark.parametrize(
    ("found", "lost", "duplicated", "good"),
    [
        (report(100, 100), 0, 0, True),
        (report(99, 99), 1, 0, False),
        (report(101, 100), 0, 1, False),
        (report(100, 99), 1, 1, False),
        (report(100, 100, lowest=2, highest=101), 0, 0, False),
    ],
)
def test_lost_and_duplicated(found: Report, lost: int, duplicated: int, good: bool) -> None:
    assert (found.lost(100), found.duplicated, found.exactly_once(100)) == (lost, duplicated, good)


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_report(report(3, 2), tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report(3, 2)


def test_rows_are_counted_from_the_log(tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    for number, rows in enumerate(([], [5, 7], [8])):
        adds = [{"add": {"stats": json.dumps({"numRecords": count})}} for count in rows]
        lines = [{"commitInfo": {}}, *adds]
        (log / f"{number:020d}.json").write_text("\n".join(map(json.dumps, lines)))
    assert rows_in(tmp_path) == 20


def test_no_table_has_no_rows(tmp_path: Path) -> None:
    assert rows_in(tmp_path / "none") == 0


def test_descendants_are_found_at_any_depth() -> None:
    assert descendants(1, {2: 1, 3: 2, 4: 3, 5: 1, 7: 6}) == {2, 3, 4, 5}


# The display


def shown(display: Display, console: Console) -> str:
    display.phase("sending")
    for count in range(0, 101, 10):
        display.sent(count, 100)
    display.phase("done")
    display.table("Rows", [["region", "STRING"]], [["EU"]])
    display.figures({"lost": 0})
    display.verdict("All there.", True, 3)
    display.close()
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_without_a_terminal_there_are_plain_lines() -> None:
    console = Console(file=io.StringIO())
    display = open_display(console)
    text = shown(display, console)
    assert not isinstance(display, Bars)
    assert "\x1b" not in text
    assert text.isascii()
    assert "    sent: 50 of 100\n" in text
    assert text.count("sent:") == 4
    assert "All there. (3 s)" in text


def test_in_a_terminal_there_are_bars() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=100)
    display = open_display(console)
    assert isinstance(display, Bars)
    assert "100 / 100" in shown(display, console)
