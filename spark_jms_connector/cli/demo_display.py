"""What the demo shows: bars that move in a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table


class Display:
    """Plain lines, for pipes and logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last_phase = ""
        self._quarters: dict[str, int] = {}

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def phase(self, name: str) -> None:
        if name != self._last_phase:
            self._last_phase = name
            self._show_phase(name)

    def sent(self, count: int, total: int) -> None:
        self._show_count("sent", count, total)

    def landed(self, count: int, total: int) -> None:
        self._show_count("in the table", count, total)

    def table(self, title: str, columns: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> None:
        self._settle()
        self.say(f"{title}:")
        table = Table(box=None, pad_edge=False)
        for name, kind in columns:
            table.add_column(f"{name}\n{kind}", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        self._console.print(table)

    def figures(self, figures: Mapping[str, int]) -> None:
        width = max(map(len, figures))
        for name, figure in figures.items():
            self.say(f"  {name:{width}}  {figure:>9,}")

    def verdict(self, text: str, good: bool, seconds: float) -> None:
        self._console.print(text, style="bold green" if good else "bold red", end=" ")
        self.say(f"({seconds:.0f} s)")

    def close(self) -> None:
        self._settle()

    def _show_phase(self, name: str) -> None:
        self.say(f"... {name}")

    def _show_count(self, what: str, count: int, total: int) -> None:
        quarter = 4 * count // total
        if quarter > self._quarters.get(what, 0):
            self._quarters[what] = quarter
            self.say(f"    {what}: {count:,} of {total:,}")

    def _settle(self) -> None:
        """There is nothing that moves."""


class Bars(Display):
    """A bar each for what was sent and what has landed, and the phase beside them."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        columns = (
            TextColumn("{task.description:>12}"),
            BarColumn(),
            TextColumn("{task.completed:>7,.0f} / {task.total:,.0f}"),
            TimeElapsedColumn(),
            TextColumn("[cyan]{task.fields[phase]}"),
        )
        self._progress = Progress(*columns, console=console)
        self._tasks = {
            what: self._progress.add_task(what, total=0, start=False, phase="") for what in ("sent", "in the table")
        }
        self._progress.start()

    def _show_phase(self, name: str) -> None:
        task = self._tasks["sent" if name in ("starting a broker", "sending") else "in the table"]
        for each in self._tasks.values():
            self._progress.update(each, phase=name if each == task else "")
        self._progress.start_task(task)

    def _show_count(self, what: str, count: int, total: int) -> None:
        self._progress.update(self._tasks[what], completed=count, total=total)

    def _settle(self) -> None:
        self._progress.stop()


def open_display(console: Console | None = None) -> Display:
    """Bars where there is a terminal that can move its cursor, lines where not."""
    console = console or Console()
    return Bars(console) if console.is_interactive else Display(console)
