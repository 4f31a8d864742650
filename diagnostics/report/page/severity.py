"""Scores over severity, over all items and by task, and under mixtures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..summary import ALL, MixtureScore, ReportSummary, SeverityCurve, SeverityPoint, Subject
from .charts import Curve, CurvePoint, curve_chart
from .formats import Table, difference_words, score_words, share, span_of, table
from .naming import drawn_subjects, subject_names

__all__ = ["SeveritySection", "severity_section"]

_MOST_CHARTS = 60
_MOST_IN_SIGHT = 12
_CLEAN_AT, _BENCH_AT, _UNNAMED_AT = 0.0, 6.0, 7.0
_LOOSE = {"bench": _BENCH_AT, "": _UNNAMED_AT}
"""Levels that are on no scale: drawn as points at the right, off the line."""


@dataclass(frozen=True)
class SeveritySection:
    """What the section shows.

    Args:
        charts: one a degradation that was asked at two levels or more.
        tasks: (task, its charts).
        tasks_in_sight: they are few enough to be seen without a click.
        charts_left_out: that found no room.
        points: every point of every curve over all items.
        mixtures: scores under mixtures, over all items and by task; None without any.
    """

    charts: tuple[Markup, ...]
    tasks: tuple[tuple[str, tuple[Markup, ...]], ...]
    tasks_in_sight: bool
    charts_left_out: int
    points: Table
    mixtures: Table | None


def severity_section(summary: ReportSummary) -> SeveritySection | None:
    """None where there is neither a degradation nor a mixture."""
    if not (summary.severity_curves or summary.task_curves or summary.mixtures):
        return None
    names, subjects = subject_names(summary), drawn_subjects(summary)
    overall = [curve for curve in summary.severity_curves if curve.task == ALL]
    charts = _charts(overall, subjects, names, "curve")
    by_task = [curve for curve in (*summary.task_curves, *summary.severity_curves) if curve.task != ALL]
    tasks, left_out = [], max(0, len(charts) - _MOST_CHARTS)
    room = _MOST_CHARTS - min(len(charts), _MOST_CHARTS)
    for place, task in enumerate(dict.fromkeys(curve.task for curve in by_task)):
        drawn = _charts([one for one in by_task if one.task == task], subjects, names, f"task{place}")
        left_out += max(0, len(drawn) - room)
        if drawn[:room]:
            tasks.append((task, drawn[:room]))
        room -= len(drawn[:room])
    return SeveritySection(
        charts=charts[:_MOST_CHARTS],
        tasks=tuple(tasks),
        tasks_in_sight=sum(len(drawn) for _, drawn in tasks) <= _MOST_IN_SIGHT,
        charts_left_out=left_out,
        points=_points_table(overall, names),
        mixtures=_mixtures_table(summary.mixtures, names) if summary.mixtures else None,
    )


def _charts(
    curves: Sequence[SeverityCurve], subjects: Sequence[Subject], names: Mapping[Subject, str], key: str
) -> tuple[Markup, ...]:
    charts = []
    for place, degradation in enumerate(dict.fromkeys(curve.degradation for curve in curves)):
        mine = [curve for curve in curves if curve.degradation == degradation and curve.subject in subjects]
        levels = {p.level for curve in mine for p in curve.points if p.score is not None and p.level not in _LOOSE}
        if len(levels) >= 2:
            task = mine[0].task
            title = degradation if task == ALL else f"{task}: {degradation}"
            charts.append(_chart(title, mine, subjects, names, f"{key}-{place}"))
    return tuple(charts)


def _chart(
    title: str,
    curves: Sequence[SeverityCurve],
    subjects: Sequence[Subject],
    names: Mapping[Subject, str],
    key: str,
) -> Markup:
    drawn, ticks = [], dict[float, str]()
    for curve in curves:
        series = subjects.index(curve.subject)
        on_line, loose = _placed(curve)
        if on_line:
            drawn.append(Curve(series, tuple(sorted(on_line, key=lambda one: one.x))))
        drawn += [Curve(series, (point,)) for point in loose]
        ticks |= {point.x: _tick(point.x) for point in (*on_line, *loose)}
    chances = {curve.chance for curve in curves}
    chance = next(iter(chances)) if len(chances) == 1 else None
    return curve_chart(
        drawn,
        [names[one] for one in subjects],
        key=key,
        title=title,
        ticks=dict(sorted(ticks.items())),
        chance=chance,
    )


def _placed(curve: SeverityCurve) -> tuple[list[CurvePoint], list[CurvePoint]]:
    """Points on the line, clean first, and those off the scale of levels. A level 0 is drawn as clean where none is."""
    on_line: list[CurvePoint] = []
    loose: list[CurvePoint] = []
    clean = span_of(curve.clean)
    if clean is not None and curve.clean is not None:
        on_line.append(CurvePoint(_CLEAN_AT, clean, f"n = {curve.clean.n_items:,}"))
    for point in curve.points:
        span = span_of(point.score)
        if span is None or (point.level == "0" and clean is not None):
            continue
        at = _LOOSE.get(point.level)
        placed = CurvePoint(_level(point) if at is None else at, span, f"n = {point.scored:,}")
        (on_line if at is None else loose).append(placed)
    return on_line, loose


def _level(point: SeverityPoint) -> float:
    return float(point.level)


def _tick(at: float) -> str:
    return {_CLEAN_AT: "clean", _BENCH_AT: "bench", _UNNAMED_AT: "as given"}.get(at, f"{at:g}")


def _points_table(curves: Sequence[SeverityCurve], names: Mapping[Subject, str]) -> Table:
    rows = [
        (
            names[curve.subject],
            point.condition,
            f"{point.scored:,}",
            score_words(point.score),
            difference_words(point.difference),
            share(curve.chance),
        )
        for curve in curves
        for point in curve.points
    ]
    return table("", "<model|<condition|n|score|from clean, in points|chance", rows)


def _mixtures_table(mixtures: Sequence[MixtureScore], names: Mapping[Subject, str]) -> Table:
    rows = [
        (
            names[one.subject],
            one.condition,
            one.task,
            f"{one.scored:,}",
            score_words(one.score),
            score_words(one.clean),
            difference_words(one.difference),
        )
        for one in mixtures
    ]
    return table("", "<model|<mixture|<task|n|score|clean|difference in points", rows)
