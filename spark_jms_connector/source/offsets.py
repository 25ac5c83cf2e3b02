"""A position in the journal, as Spark's logs keep it: which journal, which plan, made by which owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark_jms_connector.errors import JournalMismatchError


@dataclass(frozen=True)
class Offset:
    """The end of one plan. The beginning has no journal: it is the same before one exists."""

    journal: str = ""
    plan: int = 0
    generation: str = ""

    @property
    def is_beginning(self) -> bool:
        return self.plan == 0

    @property
    def plan_name(self) -> str:
        return plan_name(self.plan, self.generation) if self.plan else ""

    def to_json(self) -> dict[str, Any]:
        return {"journal": self.journal, "plan": self.plan, "generation": self.generation}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Offset:
        try:
            return cls(str(value["journal"]), int(value["plan"]), str(value["generation"]))
        except (KeyError, TypeError, ValueError):
            raise JournalMismatchError(
                f"The checkpoint holds an offset that this source did not write: {value!r}. "
                "It belongs to another source; start the query with a checkpoint location of its own."
            ) from None


BEGINNING = Offset()


def plan_name(number: int, generation: str) -> str:
    """Plans sort by number; the owner's generation keeps two owners' plans apart."""
    return f"{number:012d}.{generation}"


def plan_number(name: str) -> int:
    return int(name.partition(".")[0])
