"""Answers, scene graphs, and whether they agree: of audits, and of runs that ask for scene graphs."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from ..summary import ConsistencyRow, ReportSummary
from .charts import Bar, BarRow, Span, bar_chart
from .formats import DASH, Table, score_words, share, span_of, table

__all__ = ["AuditSection", "audit_section"]

_SERIES = ("answers (QA)", "scene graphs (SGC)", "agreement of the two")


@dataclass(frozen=True)
class AuditSection:
    """What the section shows: the three scores as bars, and everything beside them."""

    bars: Markup
    rows: Table


def audit_section(summary: ReportSummary) -> AuditSection | None:
    """None where no scene graph was asked for."""
    if not summary.consistency:
        return None
    several = len({row.audit for row in summary.consistency}) > 1
    bars = [BarRow(_label(row, several), _bars(row)) for row in summary.consistency]
    columns = (
        "<audit or run|<model|<condition|pictures|questions|QA|chance|without pictures|SGC|graphs|no graph|"
        "coverage|agreement|by chance|corrected for chance|ceiling|<diagnosis"
    )
    return AuditSection(
        bars=bar_chart(bars, _SERIES, key="audits", title="Answers, scene graphs and their agreement"),
        rows=table("", columns, [_row(row) for row in summary.consistency]),
    )


def _label(row: ConsistencyRow, several: bool) -> str:
    return f"{row.model}, {row.condition}" + (f" ({row.audit})" if several else "")


def _bars(row: ConsistencyRow) -> tuple[Bar, ...]:
    return (
        Bar(0, None if row.qa is None else Span(row.qa), f"{row.questions:,} questions", row.chance),
        Bar(1, None if row.sgc is None else Span(row.sgc), f"{row.graphs:,} graphs"),
        Bar(2, span_of(row.agreement), "", row.agreement_chance),
    )


def _row(row: ConsistencyRow) -> tuple[str, ...]:
    sure = "" if row.mode_probability is None else f" ({100 * row.mode_probability:.0f}%)"
    return (
        row.audit,
        row.model,
        row.condition,
        f"{row.pictures:,}",
        f"{row.questions:,}",
        share(row.qa),
        share(row.chance),
        share(row.qa_blind),
        share(row.sgc),
        f"{row.graphs:,}",
        f"{row.graphs_failed:,}",
        score_words(row.coverage),
        score_words(row.agreement),
        share(row.agreement_chance),
        DASH if row.kappa is None else f"{row.kappa.estimate:.2f}",
        share(row.ceiling),
        DASH if row.mode is None else row.mode + sure,
    )
