"""How strongly scores depend on degradation: |r| by its type, by form of answer, by task (SpaceDG, figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...metrics import Interval
from ..summary import ALL, By, ReportSummary, SensitivityRow, Subject
from .charts import Bar, BarRow, Span, bar_chart
from .charts.scales import reach_of
from .formats import DASH, Table, table
from .naming import subject_names

__all__ = ["SensitivitySection", "sensitivity_section"]

_PANELS: Sequence[tuple[By, str]] = (
    ("all", "By degradation"),
    ("answer_format", "By form of answer, all degradations together"),
    ("task", "By task group, all degradations together"),
)
_MOST_ROWS = 40
_SERIES = (
    "over answers, each question's own level taken out",
    "over answers",
    "over the models' mean scores, as published",
)


@dataclass(frozen=True)
class SensitivitySection:
    """What the section shows: (heading, chart) by panel, of whom it speaks, and every number."""

    about: str
    panels: tuple[tuple[str, Markup], ...]
    rows: Table


def sensitivity_section(summary: ReportSummary) -> SensitivitySection | None:
    """None without a pair of a clean and a degraded reply."""
    if not any(row.n for row in summary.sensitivity):
        return None
    names = subject_names(summary)
    subject = _drawn(summary.sensitivity)
    mine = [row for row in summary.sensitivity if row.subject == subject]
    panels = [(heading, _panel([row for row in mine if _belongs(row, by)], by, heading)) for by, heading in _PANELS]
    return SensitivitySection(
        about="all models together" if subject is None else names[subject],
        panels=tuple((heading, chart) for heading, chart in panels if chart),
        rows=_table(summary.sensitivity, names),
    )


def _drawn(rows: Sequence[SensitivityRow]) -> Subject | None:
    """All subjects together where there is such a row, or else the first subject."""
    return None if any(row.subject is None for row in rows) else rows[0].subject


def _belongs(row: SensitivityRow, by: By) -> bool:
    if row.by != by or row.n == 0:
        return False
    return row.degradation != ALL if by == "all" else row.degradation == ALL


def _panel(rows: Sequence[SensitivityRow], by: By, heading: str) -> Markup:
    known = [row for row in rows if row.items is not None or row.items_paired is not None]
    if not known:
        return Markup("")
    ranked = sorted(known, key=lambda row: (-_size(row), row.degradation, row.category))[:_MOST_ROWS]
    kinds = 3 if any(row.models is not None for row in ranked) else 2
    bars = [BarRow(row.degradation if by == "all" else row.category, _bars(row)[:kinds]) for row in ranked]
    ends = [bar.span.ends[1] for row in bars for bar in row.bars if bar.span is not None]
    return bar_chart(
        bars, _SERIES[:kinds], key=f"sensitivity-{by}", title=f"|r|, {heading}", high=reach_of(ends), unit="|r|"
    )


def _bars(row: SensitivityRow) -> tuple[Bar, ...]:
    pairs, models = f"{row.n:,} pairs", f"{row.subjects} models"
    return (
        Bar(0, _strength(row.items_paired), pairs),
        Bar(1, _strength(row.items), pairs),
        Bar(2, None if row.models is None else Span(abs(row.models)), models),
    )


def _size(row: SensitivityRow) -> float:
    found = row.items_paired or row.items
    return 0.0 if found is None else abs(found.estimate)


def _strength(found: Interval | None) -> Span | None:
    """The absolute value; an interval with both signs reaches down to 0."""
    if found is None:
        return None
    if found.low is None or found.high is None:
        return Span(abs(found.estimate))
    far = max(abs(found.low), abs(found.high))
    near = 0.0 if found.low <= 0 <= found.high else min(abs(found.low), abs(found.high))
    return Span(abs(found.estimate), near, far)


def _table(rows: Sequence[SensitivityRow], names: Mapping[Subject, str]) -> Table:
    cells = [
        (
            "all models" if row.subject is None else names[row.subject],
            row.degradation,
            "" if row.by == "all" else row.category,
            f"{row.n:,}",
            _r(row.items_paired),
            _r(row.items),
            str(row.subjects),
            _plain(row.models),
            _plain(row.models_paired),
        )
        for row in rows
    ]
    columns = (
        "<model|<degradation|<category|pairs|r paired|r over answers|models|r over models' means|"
        "r over models' means, paired"
    )
    return table("", columns, cells)


def _r(found: Interval | None) -> str:
    if found is None:
        return DASH
    bounds = "" if found.low is None or found.high is None else f" [{found.low:+.2f}, {found.high:+.2f}]"
    return (f"{found.estimate:+.2f}" + bounds).replace("-", "−")


def _plain(value: float | None) -> str:
    return DASH if value is None else f"{value:+.2f}".replace("-", "−")
