"""The columns that a predicate may name: which of them a selector can see, and as what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import sqlglot
from sqlglot import exp

from spark_jms_connector.columns import STANDARD
from spark_jms_connector.errors import SelectorError
from spark_jms_connector.selector.check import HEADERS, RECEIVER_SET
from spark_jms_connector.selector.lexer import is_identifier
from spark_jms_connector.selector.parser import UNSEEN_HEADERS
from spark_jms_connector.selector.tree import Identifier

WHOLE = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 20}
FLOATING = ("FLOAT", "DOUBLE")
_PROPERTY_TYPES = (*WHOLE, *FLOATING, "STRING", "BOOLEAN")
_ARROW = {
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.bool_(): "BOOLEAN",
}


@dataclass(frozen=True)
class Column:
    """A column as the schema declares it."""

    name: str
    type: str

    @property
    def identifier(self) -> Identifier:
        return Identifier(self.name)

    @property
    def timestamp(self) -> bool:
        return self.type == "TIMESTAMP"


def columns_of(schema: str | pa.Schema) -> Mapping[str, Column]:
    """The columns of a schema, declared as DDL or as Arrow's, by name."""
    types = _from_ddl(schema) if isinstance(schema, str) else {f.name: _arrow_type(f.type) for f in schema}
    return {name: Column(name, kind) for name, kind in types.items()}


def _arrow_type(kind: pa.DataType) -> str:
    return "TIMESTAMP" if pa.types.is_timestamp(kind) else _ARROW.get(kind, str(kind).upper())


def _from_ddl(ddl: str) -> dict[str, str]:
    try:
        table = sqlglot.parse_one(f"CREATE TABLE t ({ddl})", read="spark")
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise SelectorError(
            f"Not a schema: '{ddl}'. Write columns and types: 'region STRING, amount DOUBLE'."
        ) from None
    found = {column.name: column.kind for column in table.find_all(exp.ColumnDef) if column.parent is table.this}
    if not found or None in found.values():
        raise SelectorError(f"Not a schema: '{ddl}'. Write columns and types: 'region STRING, amount DOUBLE'.")
    return {name: kind.sql("spark").upper() for name, kind in found.items() if kind is not None}


def resolve(name: str, columns: Mapping[str, Column], parse_text: bool) -> Column:
    """The column of that name, in any case as in Spark; ValueError says why no selector can see it."""
    found = [column for column in columns.values() if column.name.lower() == name.lower()]
    if len(found) != 1:
        raise ValueError("names more than one column" if found else f"is not in the schema ({', '.join(columns)})")
    column = found[0]
    if column.name in STANDARD:
        _check_standard(column)
    else:
        _check_property(column, parse_text)
    return column


def _check_standard(column: Column) -> None:
    if column.name in UNSEEN_HEADERS:
        raise ValueError("is a header that JMS does not let selectors see")
    if column.name in RECEIVER_SET:
        raise ValueError("is set when a message is received, so a selector on it is undefined")
    if column.name == "JMSXGroupSeq":
        raise ValueError("is 0 instead of NULL on some brokers")
    if column.name not in HEADERS and column.name != "JMSXGroupID":
        raise ValueError("is not a header or a property, and selectors see nothing else")
    if column.type != STANDARD[column.name].ddl:
        raise ValueError(f"must be {STANDARD[column.name].ddl}")


def _check_property(column: Column, parse_text: bool) -> None:
    if column.name in RECEIVER_SET:
        raise ValueError("is set when a message is received, so a selector on it is undefined")
    if not is_identifier(column.name):
        raise ValueError("is a name that no selector can hold")
    if column.type not in _PROPERTY_TYPES:
        raise ValueError(f"is {column.type}, and JMS has nothing like it")
    if parse_text and column.type != "STRING":
        raise ValueError(
            f"is {column.type}, but with 'parseText' it may be read from text, which a selector sees as text"
        )
