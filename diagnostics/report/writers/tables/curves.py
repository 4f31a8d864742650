"""Tables of severity curves and mixtures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...summary import MixtureScore, ReportSummary, SeverityCurve
from .cells import Table, count, interval, names_of, number, with_legend

__all__ = ["curve_tables"]

_UNSTATED = "no level"


def curve_tables(summary: ReportSummary) -> Iterator[Table]:
    """Severity over all items and by task, then mixtures."""
    if summary.severity_curves:
        yield _curves(summary, summary.severity_curves, "severity", "Scores by severity")
    if summary.task_curves:
        yield _curves(summary, summary.task_curves, "tasks", "Scores by severity and task", with_task=True)
    if summary.mixtures:
        yield _mixtures(summary, summary.mixtures)


def _curves(
    summary: ReportSummary, curves: Sequence[SeverityCurve], name: str, title: str, *, with_task: bool = False
) -> Table:
    names = names_of(summary)
    levels = list(dict.fromkeys(_level(point.level) for curve in curves for point in curve.points))
    levels.sort(key=lambda level: (level == _UNSTATED, level == "bench", level))
    cells, shown = [], []
    for curve in curves:
        points = {_level(point.level): point for point in curve.points}
        scores = [points[level].score if level in points else None for level in levels]
        shown += [curve.clean, *scores]
        task = (curve.task,) if with_task else ()
        cells.append(
            (
                names[curve.subject],
                curve.degradation,
                *task,
                number(curve.chance),
                interval(curve.clean),
                *(interval(score) for score in scores),
            )
        )
    words = ("subject", "degradation", *(("task",) if with_task else ()))
    head = (*words, "chance", "clean", *levels)
    return Table(name, title, head, tuple(cells), len(words), with_legend(shown))


def _mixtures(summary: ReportSummary, mixtures: Sequence[MixtureScore]) -> Table:
    names = names_of(summary)
    cells = tuple(
        (
            names[one.subject],
            one.condition,
            one.task,
            count(one.scored),
            interval(one.clean),
            interval(one.score),
            interval(one.difference, signed=True),
        )
        for one in mixtures
    )
    head = ("subject", "mixture", "task", "scored", "clean", "score", "difference [95 % interval]")
    shown = (each for one in mixtures for each in (one.clean, one.score, one.difference))
    return Table("mixtures", "Mixtures of degradations", head, cells, 3, with_legend(shown))


def _level(level: str) -> str:
    return level or _UNSTATED
