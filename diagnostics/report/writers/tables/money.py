"""Tables of costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...summary import CostRow, RecoveryRow, ReportSummary
from .cells import NONE, Table, count, names_of, number

__all__ = ["cost_tables"]

_COST_HEAD: Final = (
    "subject",
    "questions",
    "calls",
    "tokens in",
    "tokens out",
    "USD",
    "unpriced",
    "s in all",
    "s median",
)
_RECOVERY_HEAD: Final = (
    "from",
    "to",
    "condition",
    "pairs",
    "recovered",
    "lost",
    "calls from",
    "calls to",
    "calls a recovered",
    "calls a net one",
    "USD a recovered",
    "USD a net one",
)
_NOTE: Final = (
    "recovered: wrong before, right after. a recovered: extra calls or US dollars by recovered answer; a net one: by "
    "recovered less lost."
)


def cost_tables(summary: ReportSummary) -> Iterator[Table]:
    """What replies cost, then what it costs to get an answer right."""
    names = names_of(summary)
    if summary.costs:
        costs = tuple((names[row.subject], *_cost(row)) for row in summary.costs)
        yield Table("costs", "Costs", _COST_HEAD, costs)
    if summary.recovery:
        rows = tuple((names[row.before], names[row.after], row.condition, *_recovery(row)) for row in summary.recovery)
        yield Table("recovery", "What a recovered answer costs", _RECOVERY_HEAD, rows, 3, (_NOTE,))


def _cost(row: CostRow) -> tuple[str, ...]:
    return (
        count(row.questions),
        count(row.calls),
        count(row.input_tokens),
        count(row.output_tokens),
        _usd(row.usd),
        count(row.unpriced),
        number(row.seconds, 1),
        number(row.seconds_median, 2),
    )


def _recovery(row: RecoveryRow) -> tuple[str, ...]:
    return (
        count(row.pairs),
        count(row.recovered),
        count(row.lost),
        count(row.calls_before),
        count(row.calls_after),
        number(row.extra_calls_per_recovered, 2),
        number(row.extra_calls_per_net, 2),
        _usd(row.extra_usd_per_recovered),
        _usd(row.extra_usd_per_net),
    )


def _usd(amount: float | None) -> str:
    return NONE if amount is None else number(amount, 4)
