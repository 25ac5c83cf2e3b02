"""Check a JMS selector, translate a Spark predicate to one, or run a file of cases. No broker is asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spark_jms_connector.errors import SelectorError
from spark_jms_connector.option_types import time_zone
from spark_jms_connector.selector.cases import read_cases
from spark_jms_connector.selector.check import warnings
from spark_jms_connector.selector.from_sql import translate
from spark_jms_connector.selector.parser import parse
from spark_jms_connector.selector.printer import to_text

EXAMPLES = """examples:
  spark-jms selector check "region = 'EU' AND NOT amount = 5"
  spark-jms selector translate "amount BETWEEN 10 AND 20 AND JMSTimestamp > timestamp'2026-01-01'" \\
      --schema "amount DOUBLE, JMSTimestamp TIMESTAMP" --time-zone Europe/Berlin
  spark-jms selector cases cases.tsv
"""


def main(arguments: Sequence[str]) -> int:
    """0 when all is well, 1 when a text is refused or a case fails."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except (SelectorError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _check(given: argparse.Namespace) -> int:
    print(f"It is a selector: {to_text(parse(given.text))}")
    for warning in warnings(given.text):
        print(f"Beware: {warning}")
    return 0


def _translate(given: argparse.Namespace) -> int:
    selector = translate(given.predicate, given.schema, given.time_zone)
    print(selector)
    for warning in warnings(selector):
        print(f"Beware: {warning}", file=sys.stderr)
    return 0


def _cases(given: argparse.Namespace) -> int:
    passed = failed = 0
    with Path(given.file).open(encoding="utf-8", newline="\n") as lines:
        for case in read_cases(lines):
            answer = case.answer
            if answer == case.expected:
                passed += 1
                continue
            failed += 1
            print(f"line {case.line}: expected {case.expected}, got {answer}: {case.selector}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _time_zone(text: str) -> str:
    try:
        return time_zone(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' {error}") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spark-jms selector",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    check = actions.add_parser("check", help="whether a text is a selector, and what to beware of in it")
    check.add_argument("text", help="the selector")
    check.set_defaults(run=_check)
    translated = actions.add_parser("translate", help="the selector for a Spark predicate")
    translated.add_argument("predicate", help="a Spark SQL predicate over the schema's columns")
    translated.add_argument("--schema", required=True, metavar="DDL", help="columns and types: 'region STRING, n INT'")
    translated.add_argument("--time-zone", type=_time_zone, metavar="ZONE", help="the Spark session's time zone")
    translated.set_defaults(run=_translate)
    cases = actions.add_parser("cases", help="run a file of cases: selector, message as JSON, answer, by tabs")
    cases.add_argument("file", help="the file")
    cases.set_defaults(run=_cases)
    return parser
