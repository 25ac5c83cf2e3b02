"""Spark predicates made at random over a fixed schema, and messages to try them on."""

from __future__ import annotations

import itertools
from random import Random

from spark_jms_connector.message import Message, Value, double_text

SCHEMA = (
    "JMSMessageID STRING, JMSTimestamp TIMESTAMP, JMSType STRING, JMSDeliveryMode STRING, JMSPriority INT,"
    " JMSXGroupID STRING, region STRING, Code STRING, flag BOOLEAN, b TINYINT, s SMALLINT, n INT, l BIGINT, f FLOAT,"
    " d DOUBLE"
)
ZONE = "Europe/Berlin"
TIMES = (1, 1_767_222_000_000, 1_767_222_000_001, 1_774_747_800_000, 1_792_890_000_000, 1_792_893_600_000, None)
TEXTS = (
    "",
    "EU",
    "eu",
    "it's",
    "100%",
    "100x",
    "a_b",
    "a\\b",
    "a\nb",
    "\\%",
    "😀",
    "é",
    "é",
    "PERSISTENT",
    "ID:1",
    None,
)
LONGS = (0, 1, -1, 2, 10, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None)
DOUBLES = (
    0.0,
    -0.0,
    0.1,
    1.0,
    1.5,
    -2.5,
    10.0,
    1e300,
    5e-324,
    2.0**53,
    float("nan"),
    float("inf"),
    -float("inf"),
    None,
)
FLOATS = (0.0, -0.0, 0.10000000149011612, 1.5, 16777216.0, 3.4028234663852886e38, float("nan"), float("-inf"), None)
STRINGS = (
    *("'EU'", "'eu'", "''", "'it''s'", r"'it\'s'", '"EU"', r"'a\nb'", r"'a\\b'", r"r'a\b'", "'😀'", r"'\u00e9'"),
    *(r"'\U0001F600'", "'PERSISTENT'", "'ID:1'", r"'100\%'", r"'\105U'"),
)
PATTERNS = (
    "'%'",
    "''",
    "'E_'",
    r"'100\%'",
    r"'100\\%'",
    "'100%'",
    r"'a\_b'",
    "'a_b'",
    r"'a\\\\b'",
    "'_'",
    "'%\n%'",
    "'é%'",
)
INTEGERS = (
    "0",
    "1",
    "-1",
    "2",
    "10",
    "10L",
    "10S",
    "10Y",
    "+1",
    "2147483648",
    "9007199254740993",
    "9223372036854775807",
)
DECIMALS = (
    "0.0",
    "-0.0",
    "0.1",
    "1.0",
    "1.5",
    "-2.5",
    "1.5BD",
    ".5",
    "99999999999999999999",
    "9007199254740993.5",
    "10.",
)
FLOATING = ("1e0", "1.5e0", "-2.5D", "0D", "-0D", "1e300", "1E-2", "9007199254740993D", "1e19", "1.5F", "0.5F", "-0.0D")
INSTANTS = (
    *("timestamp'2026-01-01'", "timestamp'2026-01-01 00:00:00.0005'", "timestamp'2026-03-29 02:30:00'"),
    *("timestamp'2026-10-25 02:30:00'", "timestamp'1970-01-01 00:00:00Z'", "timestamp'1969-12-31 23:00:00 UTC'"),
    *("'2026-01-01 00:00:00.001'", "date'2026-01-01'", "timestamp'2026-10-25 02:00:00+01:00'", "'2026-01-01'"),
    *("timestamp'1970-01-01 01:00:00.001'", "timestamp'2026-01-01T00:00:00.000999999 Europe/Berlin'"),
)
NUMERIC = ("b", "s", "n", "l", "f", "d", "JMSPriority", "N")
TEXTUAL = ("region", "code", "Code", "JMSMessageID", "JMSType", "JMSDeliveryMode", "JMSXGroupID", "`region`")
COMPARISONS = ("=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>")


def messages(random: Random) -> list[Message]:
    """Every interesting value of every column at least twice, the columns mixed at random."""
    pools = {
        "region": TEXTS,
        "Code": TEXTS,
        "flag": (True, False, None),
        "b": (0, 1, 10, -128, 127, None),
        "s": (0, 1, 10, -(2**15), None),
        "n": (0, 1, -1, 2, 10, 2**31 - 1, -(2**31), None),
        "l": LONGS,
        "f": FLOATS,
        "d": DOUBLES,
        "time": TIMES,
        "type": TEXTS,
        "id": TEXTS,
        "group": TEXTS,
        "mode": ("PERSISTENT", "NON_PERSISTENT"),
        "priority": tuple(range(10)),
    }
    rows = 2 * max(map(len, pools.values()))
    drawn = {name: random.sample(list(itertools.islice(itertools.cycle(p), rows)), rows) for name, p in pools.items()}
    return [_message({name: values[row] for name, values in drawn.items()}) for row in range(rows)]


def _message(row: dict[str, object]) -> Message:
    kinds = {"b": "byte", "s": "short", "n": "int", "l": "long", "f": "float", "d": "double"}
    properties = {name: Value.of(row[name]) for name in ("region", "Code", "flag") if row[name] is not None}
    for name, kind in kinds.items():
        value = row[name]
        if value is not None:
            properties[name] = Value(kind, double_text(value) if isinstance(value, float) else str(value))
    plain: dict[str, object] = {"message_id": row["id"], "timestamp": row["time"], "type": row["type"]}
    plain |= {"group_id": row["group"], "delivery_mode": row["mode"], "priority": row["priority"]}
    return Message(properties=properties, **plain)  # type: ignore[arg-type]


def predicate(random: Random, depth: int = 3) -> str:
    """A predicate; some of those made have no selector, and a few are refused by Spark too."""
    shape = random.random()
    if depth and shape < 0.2:
        return f"NOT {_inner(random, depth)}" if random.random() < 0.8 else f"NOT ({predicate(random, depth - 1)})"
    if depth and shape < 0.5:
        return random.choice((" AND ", " OR ")).join(_inner(random, depth) for _ in range(random.randint(2, 3)))
    return random.choice((_compared, _compared, _compared, _listed, _between, _liked, _flagged, _nulls))(random)


def _inner(random: Random, depth: int) -> str:
    return f"({predicate(random, depth - 1)})"


def _column(random: Random) -> str:
    return random.choice((*NUMERIC, *TEXTUAL, "flag", "JMSTimestamp", "JMSTimestamp"))


def _constant(random: Random, column: str) -> str:
    if column in NUMERIC:
        return random.choice(random.choice((INTEGERS, INTEGERS, DECIMALS, FLOATING)))
    if column in TEXTUAL:
        return random.choice(STRINGS)
    return random.choice(("TRUE", "false")) if column == "flag" else random.choice(INSTANTS)


def _compared(random: Random) -> str:
    column, operator = _column(random), random.choice(COMPARISONS)
    constant = _constant(random, column if random.random() < 0.95 else _column(random))
    return f"{constant} {operator} {column}" if random.random() < 0.2 else f"{column} {operator} {constant}"


def _listed(random: Random) -> str:
    column = _column(random)
    constants = ", ".join(_constant(random, column) for _ in range(random.randint(1, 3)))
    return f"{column} {random.choice(('', 'NOT '))}IN ({constants})"


def _between(random: Random) -> str:
    column = random.choice((*NUMERIC, "JMSTimestamp"))
    low, high = _constant(random, column), _constant(random, column)
    return f"{column} {random.choice(('', 'NOT '))}BETWEEN {low} AND {high}"


def _liked(random: Random) -> str:
    column, pattern = random.choice(TEXTUAL), random.choice(PATTERNS)
    if random.random() < 0.3:
        return f"{random.choice(('startswith', 'endswith', 'contains'))}({column}, {random.choice(STRINGS)})"
    escape = random.choice(("", "", " ESCAPE '!'", r" ESCAPE '\\'", " ESCAPE '%'"))
    return f"{column} {random.choice(('', 'NOT '))}LIKE {pattern}{escape}"


def _flagged(random: Random) -> str:
    return random.choice(
        ("flag", "NOT flag", "!flag", "flag IS TRUE", "flag IS NOT TRUE", "flag IS FALSE", "TRUE", "FALSE")
    )


def _nulls(random: Random) -> str:
    column, shape = _column(random), random.random()
    if shape < 0.5:
        return f"{column} IS {random.choice(('', 'NOT '))}NULL"
    if shape < 0.7:
        return f"{column} <=> NULL"
    return f"{column} IS {random.choice(('', 'NOT '))}DISTINCT FROM {_constant(random, column)}"
