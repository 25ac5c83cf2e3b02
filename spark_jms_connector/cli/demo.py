"""The demo: fill a queue, stream it into Delta, kill the query half-way, start it again, and count."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

from spark_jms_connector.broker import ArtemisBroker
from spark_jms_connector.cli.demo_display import Display, open_display
from spark_jms_connector.cli.demo_folder import DemoFolder, FolderRefusedError
from spark_jms_connector.cli.demo_orders import QUEUE, order_batches
from spark_jms_connector.cli.demo_process import QueryFailedError, QueryProcess
from spark_jms_connector.cli.demo_report import Report, read_report
from spark_jms_connector.cli.demo_table import rows_in
from spark_jms_connector.errors import JmsConnectorError
from spark_jms_connector.options import SourceOptions
from spark_jms_connector.transport import open_transport
from spark_jms_connector.transport.base import Destination

LOOK_EVERY = 0.05
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StoppedError(Exception):
    """A signal asked the demo to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Stopped by {signal.Signals(number).name}")
        self.number = number


def main(arguments: Sequence[str]) -> int:
    """Run the demo; 0 when every message is in the table once, 1 when not, 2 when it may not use its folder."""
    given = _parser().parse_args(arguments)
    display = open_display()
    try:
        with stopped_by_signals(), DemoFolder(given.folder) as folder:
            return run(folder, given.messages, display)
    except StoppedError as stop:
        display.say(f"{stop}: nothing is left running.")
        return 128 + stop.number
    except FolderRefusedError as error:
        display.say(str(error))
        return 2
    except (JmsConnectorError, QueryFailedError) as error:
        display.say(f"The demo failed: {error}")
        return 1
    finally:
        display.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spark-jms demo", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("demo-run"), help="where all of it lives (%(default)s)")
    parser.add_argument("--messages", type=_count, default=20_000, help="how many to send (%(default)s)")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 10:
        raise argparse.ArgumentTypeError("must be at least 10")
    return number


def run(folder: DemoFolder, messages: int, display: Display) -> int:
    """The story, from an empty folder to the figures."""
    started = time.monotonic()
    display.say(f"Everything lives in {folder.path}")
    with ExitStack() as stack:
        display.phase("starting a broker")
        broker = stack.enter_context(ArtemisBroker(folder.broker))
        display.say(f"An Artemis broker runs on {broker.url}")
        display.phase("sending")
        _send(broker.url, messages, display)
        first = stack.enter_context(QueryProcess(folder, broker.url, _batch_size(messages)))
        killed_at = _until_half(first, folder, messages, display)
        again = stack.enter_context(QueryProcess(folder, broker.url, _batch_size(messages), last=True))
        _until_done(again, folder, messages, display)
        display.phase("done")
    return _show(read_report(folder.report), messages, killed_at, time.monotonic() - started, display)


def _batch_size(messages: int) -> int:
    """Small enough that the kill comes in the middle of several micro-batches."""
    return max(1, messages // 10)


def _send(url: str, messages: int, display: Display) -> None:
    transport = open_transport(SourceOptions(provider="artemis", url=url))
    try:
        producer = transport.open_producer(Destination(QUEUE))
        sent = 0
        for batch in order_batches(messages):
            producer.send(batch)
            producer.commit()
            sent += batch.num_rows
            display.sent(sent, messages)
        producer.close()
    finally:
        transport.close()


def _until_half(query: QueryProcess, folder: DemoFolder, messages: int, display: Display) -> int:
    """Kill the query when half of the messages are in the table; returns how many were."""
    display.phase("query starts")
    query.start()
    _watch(query, folder, messages, display, lambda rows: rows * 2 >= messages)
    query.kill()
    rows = rows_in(folder.table)
    display.landed(rows, messages)
    display.say(f"Killed the query with SIGKILL at {rows:,} rows")
    return rows


def _until_done(query: QueryProcess, folder: DemoFolder, messages: int, display: Display) -> None:
    display.phase("query starts again")
    query.start()
    _watch(query, folder, messages, display, lambda rows: not query.alive)
    query.check()


def _watch(
    query: QueryProcess, folder: DemoFolder, messages: int, display: Display, enough: Callable[[int], bool]
) -> None:
    before = rows = rows_in(folder.table)
    while not enough(rows):
        query.check()
        time.sleep(LOOK_EVERY)
        rows = rows_in(folder.table)
        display.landed(rows, messages)
        if rows > before:
            display.phase("query runs" if rows < messages else "counting")


def _show(report: Report, sent: int, killed_at: int, seconds: float, display: Display) -> int:
    display.table("Ten rows of the table", report.columns, report.sample)
    display.figures(
        {
            "sent": sent,
            "rows when the query was killed": killed_at,
            "redelivered after the kill": report.redelivered,
            "rows": report.rows,
            "distinct ids": report.distinct,
            "lost": report.lost(sent),
            "duplicated": report.duplicated,
        }
    )
    good = report.exactly_once(sent)
    display.verdict("Every message is in the table exactly once." if good else "NOT exactly once.", good, seconds)
    return 0 if good else 1


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Signals raise inside; while things are being put away after one, further signals wait for nothing."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        raise StoppedError(number)

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
