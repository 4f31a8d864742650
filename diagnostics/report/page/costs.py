"""What the replies cost, and what an answer costs that came right only with the dearer model."""

from __future__ import annotations

from dataclasses import dataclass

from ..summary import ALL, CostRow, RecoveryRow, ReportSummary
from .formats import DASH, Table, money, seconds_words, table
from .naming import subject_names

__all__ = ["CostSection", "cost_section"]


@dataclass(frozen=True)
class CostSection:
    """What the section shows; ``recovery`` is None where no two models can be compared."""

    costs: Table
    recovery: Table | None


def cost_section(summary: ReportSummary) -> CostSection | None:
    """None when nothing was asked."""
    if not summary.costs:
        return None
    names = subject_names(summary)
    columns = (
        "<model|questions|calls|calls a question|tokens in|tokens out|cost|calls of unknown price|time of all replies|"
        "median of one"
    )
    costs = table("", columns, [(names[row.subject], *_cost(row)) for row in summary.costs])
    if not summary.recovery:
        return CostSection(costs, None)
    more = (
        "<from|<to|<condition|pairs|recovered|lost|extra calls|extra cost|calls per recovered|calls per net|"
        "tokens per recovered|cost per recovered|cost per net"
    )
    recovery = [
        (names[row.before], names[row.after], "all" if row.condition == ALL else row.condition, *_recovery(row))
        for row in summary.recovery
    ]
    return CostSection(costs, table("", more, recovery))


def _cost(row: CostRow) -> tuple[str, ...]:
    return (
        f"{row.questions:,}",
        f"{row.calls:,}",
        f"{row.calls / row.questions:.2f}" if row.questions else DASH,
        f"{row.input_tokens:,}",
        f"{row.output_tokens:,}",
        money(row.usd),
        f"{row.unpriced:,}",
        seconds_words(row.seconds),
        seconds_words(row.seconds_median),
    )


def _recovery(row: RecoveryRow) -> tuple[str, ...]:
    extra_usd = None if row.usd_before is None or row.usd_after is None else row.usd_after - row.usd_before
    return (
        f"{row.pairs:,}",
        f"{row.recovered:,}",
        f"{row.lost:,}",
        _extra(row.calls_after - row.calls_before),
        money(extra_usd),
        _number(row.extra_calls_per_recovered),
        _number(row.extra_calls_per_net),
        _number(row.extra_tokens_per_recovered),
        money(row.extra_usd_per_recovered),
        money(row.extra_usd_per_net),
    )


def _extra(calls: int) -> str:
    return f"{calls:+,}".replace("-", "−") if calls else "0"


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:,.1f}".replace("-", "−")
