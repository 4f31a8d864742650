"""Scores against severity, over all items and by task, out of the tables of scores and differences."""

from __future__ import annotations

from collections import defaultdict

from ...metrics import Interval
from ..summary import ALL_DEGRADED, By, MixtureScore, PairedRow, ResultRow, SeverityCurve, SeverityPoint, Subject
from .conditions import named_condition

__all__ = ["mixture_scores", "severity_curves"]

_Place = tuple[Subject, str, By, str]


def severity_curves(
    results: tuple[ResultRow, ...], paired: tuple[PairedRow, ...], *, blind_prompts: frozenset[str]
) -> tuple[SeverityCurve, ...]:
    """One for each subject that sees pictures, degradation and task; `ALL` first. Without levels it has one point."""
    differences, clean = _differences(paired), _clean_scores(results)
    members: dict[_Place, list[ResultRow]] = defaultdict(list)
    for row in _by_task(results, blind_prompts):
        named = named_condition(row.condition)
        if row.condition != ALL_DEGRADED and not (named.is_clean or named.is_found or named.is_mixture):
            members[row.subject, named.name, row.by, row.category].append(row)
    return tuple(
        SeverityCurve(
            subject=subject,
            degradation=degradation,
            task=task,
            clean=clean.get((subject, by, task)),
            chance=_chance(rows),
            points=tuple(
                SeverityPoint(
                    level=named_condition(row.condition).level,
                    condition=row.condition,
                    scored=row.scored,
                    score=row.score,
                    difference=differences.get((subject, row.condition, by, task)),
                )
                for row in sorted(rows, key=lambda row: _strength(row.condition))
            ),
        )
        for (subject, degradation, by, task), rows in members.items()
    )


def mixture_scores(
    results: tuple[ResultRow, ...], paired: tuple[PairedRow, ...], *, blind_prompts: frozenset[str]
) -> tuple[MixtureScore, ...]:
    """One for each subject that sees pictures, mixture and task; `ALL` first."""
    differences, clean = _differences(paired), _clean_scores(results)
    return tuple(
        MixtureScore(
            subject=row.subject,
            condition=row.condition,
            task=row.category,
            scored=row.scored,
            score=row.score,
            clean=clean.get((row.subject, row.by, row.category)),
            difference=differences.get((row.subject, row.condition, row.by, row.category)),
        )
        for row in _by_task(results, blind_prompts)
        if row.condition != ALL_DEGRADED and named_condition(row.condition).is_mixture
    )


def _by_task(results: tuple[ResultRow, ...], left_out: frozenset[str]) -> list[ResultRow]:
    """The rows of all items, then those of tasks, without those of some prompts."""
    seeing = [row for row in results if row.subject.prompt not in left_out]
    return [row for row in seeing if row.by == "all"] + [row for row in seeing if row.by == "task"]


def _clean_scores(results: tuple[ResultRow, ...]) -> dict[tuple[Subject, By, str], Interval | None]:
    return {
        (row.subject, row.by, row.category): row.score
        for row in _by_task(results, frozenset())
        if named_condition(row.condition).is_clean
    }


def _differences(paired: tuple[PairedRow, ...]) -> dict[_Place, Interval]:
    return {
        (row.after, row.condition_after, row.by, row.category): row.difference
        for row in paired
        if row.contrast == "condition" and row.by in ("all", "task")
    }


def _chance(rows: list[ResultRow]) -> float | None:
    scored = sum(row.scored for row in rows)
    return sum(row.scored * (row.chance or 0.0) for row in rows) / scored if scored else None


def _strength(condition: str) -> tuple[int, str]:
    level = named_condition(condition).level
    return ("0", "1", "2", "3", "4", "5", "bench", "").index(level), condition
