"""The tables of the documentation, made from the code's declarations; run it to bring the pages up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from spark_jms_connector.columns import STANDARD, STANDARD_DDL
from spark_jms_connector.errors import SelectorError
from spark_jms_connector.options import DECLARED, SourceOptions, spark_name
from spark_jms_connector.providers import PROVIDERS
from spark_jms_connector.selector.from_sql import HINT, translate
from tests.house.sources import ROOT
from tests.transport.differences import DIFFERENCES

# What a parser says to an empty text tells what it takes; those that take it are not in this table.
KINDS = {
    "must not be empty": "text",
    "must be true or false": "`true` or `false`",
    "must be a whole number": "number",
    "must be a duration": "duration",
    "must be a size": "size",
}
# Predicates over this schema, as the page on selectors shows them.
DDL = f"region STRING, n INT, amount DOUBLE, flag BOOLEAN, price DECIMAL(10, 2), {STANDARD_DDL}"
ZONE = "Europe/Berlin"
TRANSLATED = (
    "region = 'EU' AND n > 5",
    "NOT (region = 'EU' OR n > 5)",
    "region IN ('EU', 'US')",
    "n NOT IN (1, 2)",
    "region LIKE 'a%'",
    r"region LIKE '100\%'",
    "startswith(region, 'a_')",
    "region <=> 'EU'",
    "NOT (region <=> 'EU')",
    "flag",
    "flag IS NOT TRUE",
    "n > 1.5",
    "n = 1.5",
    "n BETWEEN 1 AND 5",
    "amount BETWEEN 10 AND 20",
    "amount > 10",
    "amount = 0",
    "JMSTimestamp > timestamp'2026-01-01'",
    "JMSTimestamp < timestamp'2026-01-01'",
    "JMSTimestamp IS NULL",
    "JMSDeliveryMode = 'PERSISTENT'",
)
REFUSED = (
    "lower(region) = 'eu'",
    "n + 1 > 5",
    "n = JMSPriority",
    "region > 'EU'",
    "region RLIKE 'E.'",
    "n = '5'",
    "price > 10",
    "text LIKE '%error%'",
    "JMSRedelivered",
    "JMSXDeliveryCount > 1",
    "JMSTimestamp > timestamp'2026-01-01'",
)
PREFIXES = {"connection": "connection.*", "jndi": "jndi.*", "storage": "journal.*"}


def kind(parse: Any) -> str:
    """What an option takes, in a few words."""
    try:
        accepted = parse("")
    except ValueError as error:
        return _kind_from_refusal(str(error))
    return "list" if isinstance(accepted, tuple) else "text"


def _kind_from_refusal(words: str) -> str:
    if words.startswith("must be one of "):
        return ", ".join(f"`{name}`" for name in words.removeprefix("must be one of ").split(", "))
    return next(text for start, text in KINDS.items() if words.startswith(start))


def default(value: Any, shown: str | None) -> str:
    """A default as the user would write it."""
    if value == () or value is None and shown is None:
        return ""
    text = str(value).lower() if isinstance(value, bool) else shown or str(value)
    return f"`{text}`"


def options_table() -> list[str]:
    rows = [
        (
            f"`{spark_name(f.name)}`",
            kind(f.metadata["parse"]),
            default(f.default, f.metadata["shown"]),
            f.metadata["doc"],
        )
        for f in DECLARED.values()
    ]
    prefixed = [f for f in fields(SourceOptions) if f.name in PREFIXES]
    rows += [(f"`{PREFIXES[f.name]}`", "text", "", f.metadata["doc"]) for f in prefixed]
    return table(("Option", "Takes", "Default", "Meaning"), rows)


def providers_table() -> list[str]:
    rows = [
        (
            f"`{p.name}`",
            p.broker,
            "<br>".join(f"`{c}`" for c in p.packages),
            f"`{p.connection_factory}`",
            f"`{p.url_example}`",
            "run" if p.run_by_tests else "*not run*: loads, is configured, and says that nobody is there",
        )
        for p in PROVIDERS.values()
    ]
    return table(("Provider", "Broker", "Packages", "Factory", "Url", "By the tests"), rows)


def limits_table() -> list[str]:
    rows = [(f"`{p.name}`", _fixed(p.fixed), p.tls, p.window_limit, p.limits) for p in PROVIDERS.values()]
    return table(("Provider", "Set by the connector", "TLS", "Unacknowledged at most", "Known limits"), rows)


def _fixed(properties: Mapping[str, str]) -> str:
    return "<br>".join(f"`{name}={value}`" for name, value in properties.items())


def differences_table() -> list[str]:
    rows = [(f"`{bed}`", topic, reason) for bed, topics in DIFFERENCES.items() for topic, reason in topics.items()]
    return table(("Way to the broker", "Differs in", "How"), rows)


def columns_table() -> list[str]:
    rows = [(f"`{column.name}`", f"`{column.ddl}`", column.doc) for column in STANDARD.values()]
    return table(("Column", "Type", "Meaning"), rows)


def translated_table() -> list[str]:
    rows = [(f"`{predicate}`", f"`{translate(predicate, DDL, ZONE)}`") for predicate in TRANSLATED]
    return table(("Spark predicate", "Selector"), rows)


def refused_table() -> list[str]:
    return table(("Spark predicate", "Why not"), [(f"`{predicate}`", _refusal(predicate)) for predicate in REFUSED])


def _refusal(predicate: str) -> str:
    try:
        translate(predicate, DDL)
    except SelectorError as error:
        return str(error).partition("selector: ")[2].removesuffix(f". {HINT}")
    raise AssertionError(f"{predicate} has a selector")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


# Page -> marker -> the table that stands there.
PAGES: Mapping[str, Mapping[str, Callable[[], list[str]]]] = {
    "docs/options.md": {"options": options_table},
    "docs/brokers.md": {"providers": providers_table, "limits": limits_table, "differences": differences_table},
    "docs/columns.md": {"columns": columns_table},
    "docs/selectors.md": {"translated": translated_table, "refused": refused_table},
}


def with_tables(page: str, text: str) -> str:
    """The page's text with its tables as the code has them now."""
    for name, make in PAGES[page].items():
        begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->\n"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        assert found and closed, f"{page} must have '{begin.strip()}' and '{end.strip()}'"
        text = f"{before}{begin}\n" + "\n".join(make()) + f"\n\n{end}{after}"
    return text


def main() -> None:
    for page in PAGES:
        file = ROOT / page
        file.write_text(with_tables(page, file.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
