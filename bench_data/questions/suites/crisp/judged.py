"""What a rule says about an ask: its truth, and what the truth rests on."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .kinds import Ask
from .queries import Rule
from .table import Table

__all__ = ["Judge", "Judged"]


class Judged(NamedTuple):
    """The truth of an ask.

    truth: an option's key, yes or no, or metres.
    margin: how far it is from turning into another, in metres, cubic metres or degrees; None where it cannot turn.
    values: quantities that it rests on, in the order in which `facts_of` names them; of relations and counts none, as
        `facts_of` finds theirs in the table.
    """

    truth: str | bool | float
    margin: float | None
    values: tuple[float, ...] = ()


class Judge(Protocol):
    """A rule by which asks are answered."""

    rule: Rule

    def judge(self, ask: Ask, table: Table) -> Judged | str:
        """The truth, or the reason why it is not asked; reasons are few and fixed."""
