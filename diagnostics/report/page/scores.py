"""Scores under each condition: bars, condition by category, and the table with all that stands beside a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..summary import ALL, ALL_DEGRADED, By, ReportSummary, ResultRow, Subject
from .charts import Bar, BarRow, HeatCell, bar_chart, heat_table
from .formats import DASH, Table, score_words, share, span_of, table
from .naming import drawn_subjects, subject_names

__all__ = ["HeatGrid", "ScoreSection", "score_section"]

_MOST_BARS = 120
_MOST_CELLS = 12_000
_MOST_OPEN = 3
_MOST_ROWS_AT_A_GLANCE = 16
_HEADINGS: Mapping[By, str] = {
    "kind": "category",
    "task": "task group",
    "answer_format": "form of answer",
    "suite": "suite",
}


@dataclass(frozen=True)
class HeatGrid:
    """Condition by category for one subject; ``is_open`` for those that are seen without a click."""

    heading: str
    name: str
    table: Markup
    is_open: bool


@dataclass(frozen=True)
class ScoreSection:
    """What the section shows.

    Args:
        bars: all categories together; "" when nothing is scored.
        bars_left_out: conditions that found no room in the chart.
        heat: condition by category, by subject and grouping.
        heat_left_out: tables that found no room.
        details: every number beside the scores, all categories together.
        categories: the same by category, of the finest grouping there is.
    """

    bars: Markup
    bars_left_out: int
    heat: tuple[HeatGrid, ...]
    heat_left_out: int
    details: Table
    categories: Table


def score_section(summary: ReportSummary) -> ScoreSection | None:
    """None when nothing was asked."""
    if not summary.results:
        return None
    names = subject_names(summary)
    cells = {(row.subject, row.condition, row.by, row.category): row for row in summary.results}
    conditions = _together_first(dict.fromkeys((*summary.conditions, *(row.condition for row in summary.results))))
    bars, bars_left_out = _bars(cells, conditions, drawn_subjects(summary), names)
    heat, heat_left_out = _heat(summary, cells, conditions, names)
    overall = [row for row in summary.results if row.by == "all"]
    finest: By = next((by for by in ("kind", "task") if any(row.by == by for row in summary.results)), "suite")
    parts = [row for row in summary.results if row.by == finest and row.category != ALL]
    return ScoreSection(
        bars=bars,
        bars_left_out=bars_left_out,
        heat=heat,
        heat_left_out=heat_left_out,
        details=_table("", overall, names, with_category=False),
        categories=_table("", parts, names, with_category=True),
    )


def _together_first(conditions: Iterable[str]) -> tuple[str, ...]:
    """All degraded conditions together stand beside clean, where both are seen at once."""
    names = list(conditions)
    place = {ALL_DEGRADED: 1, "clean": 0}
    return tuple(sorted(names, key=lambda name: place.get(name, 2)))


_Cells = Mapping[tuple[Subject, str, By, str], ResultRow]


def _bars(
    cells: _Cells, conditions: Sequence[str], subjects: Sequence[Subject], names: Mapping[Subject, str]
) -> tuple[Markup, int]:
    rows = []
    for condition in conditions:
        found = [cells.get((subject, condition, "all", ALL)) for subject in subjects]
        if any(row is not None and row.score is not None for row in found):
            bars = tuple(_bar(place, row) for place, row in enumerate(found))
            rows.append(BarRow(condition, bars))
    if not rows:
        return Markup(""), 0
    most = max(1, _MOST_BARS // len(subjects))
    shown = rows[:most]
    title = "Score under each condition"
    series = [names[one] for one in subjects]
    return bar_chart(shown, series, key="scores", title=title), len(rows) - len(shown)


def _bar(place: int, row: ResultRow | None) -> Bar:
    if row is None:
        return Bar(place, None)
    return Bar(place, span_of(row.score), f"n = {row.scored:,}", row.chance)


def _heat(
    summary: ReportSummary, cells: _Cells, conditions: Sequence[str], names: Mapping[Subject, str]
) -> tuple[tuple[HeatGrid, ...], int]:
    """The grids, those in sight first, and how many found no room."""
    groups = _groupings(summary)
    seeing = drawn_subjects(summary)
    in_sight = seeing[:_MOST_OPEN]
    ordered = [(by, one, one in in_sight) for by in list(groups)[:1] for one in seeing]
    ordered += [(by, one, False) for by in groups for one in summary.subjects]
    grids, room, left_out, done = [], _MOST_CELLS, 0, set[tuple[By, Subject]]()
    for by, subject, is_open in ordered:
        if (by, subject) in done:
            continue
        done.add((by, subject))
        size = len(conditions) * (len(groups[by]) + 1)
        if size > room:
            left_out += 1
            continue
        room -= size
        grid = _heat_of(subject, by, groups[by], conditions, cells)
        grids.append(HeatGrid(_HEADINGS[by], names[subject], grid, is_open))
    return tuple(grids), left_out


def _groupings(summary: ReportSummary) -> dict[By, tuple[str, ...]]:
    """Groupings that tell something, with their categories; the finest that one glance takes in comes first."""
    found: dict[By, tuple[str, ...]] = {}
    for by in _HEADINGS:
        known = dict.fromkeys(row.category for row in summary.results if row.by == by)
        categories = tuple(name for name in known if name != ALL)
        if len(categories) > 1 and categories not in found.values():
            found[by] = categories
    handy = [by for by in found if len(found[by]) <= _MOST_ROWS_AT_A_GLANCE]
    return {by: found[by] for by in dict.fromkeys((*handy[:1], *found))}


def _heat_of(subject: Subject, by: By, categories: Sequence[str], conditions: Sequence[str], cells: _Cells) -> Markup:
    rows = [_cell(cells.get((subject, condition, "all", ALL))) for condition in conditions]
    body = [[_cell(cells.get((subject, condition, by, name))) for condition in conditions] for name in categories]
    return heat_table(
        [ALL, *categories],
        conditions,
        [rows, *body],
        corner=_HEADINGS[by],
        caption="score, interval, answers",
        summed=(ALL, ALL_DEGRADED),
    )


def _cell(row: ResultRow | None) -> HeatCell:
    if row is None or row.score is None:
        return HeatCell(None)
    return HeatCell(span_of(row.score), f"n {row.scored:,}", row.chance)


def _table(caption: str, rows: Sequence[ResultRow], names: Mapping[Subject, str], *, with_category: bool) -> Table:
    category = "<category|" if with_category else ""
    columns = (
        f"<model|<condition|{category}n|scored|score|chance|without pictures|not readable|refused|cut off|"
        "failed calls|not asked yet|not scorable|if those without a reply were all wrong … right"
    )
    return table(caption, columns, [_row(row, names, with_category) for row in rows])


def _row(row: ResultRow, names: Mapping[Subject, str], with_category: bool) -> tuple[str, ...]:
    bounds = DASH if row.low is None or row.high is None else f"{share(row.low)} … {share(row.high)}"
    return (
        names[row.subject],
        row.condition,
        *((row.category,) if with_category else ()),
        f"{row.n:,}",
        f"{row.scored:,}",
        score_words(row.score),
        share(row.chance),
        share(row.blind),
        share(row.parse_failure),
        share(row.refusal),
        share(row.truncation),
        f"{row.errors:,}",
        f"{row.missing:,}",
        f"{row.unscored:,}",
        bounds,
    )
