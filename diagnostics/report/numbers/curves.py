"""Scores against severity, over all items and by task, out of the tables of scores and differences."""

from __future__ import annotations

from collections import defaultdict

from ...metrics import Interval
from ..summary import ALL_DEGRADED, By, MixtureScore, PairedRow, ResultRow, SeverityCurve, SeverityPoint, Subject
from .conditions import named_condition

__all__ = ["mixture_scores", "severity_curves"]

_Place = tuple[Subject, str, By, str]
"""Subject, condition, and the category of a way of grouping."""


def severity_curves(
    results: tuple[ResultRow, ...], paired: tuple[PairedRow, ...], *, by: By, blind_prompts: frozenset[str]
) -> tuple[SeverityCurve, ...]:
    """One for each subject that sees pictures, degradation and category; without levels it has one point.

    Args:
        by: "all" or "task".
    """
    differences, clean = _differences(paired), _clean_scores(results)
    members: dict[tuple[Subject, str, str], list[ResultRow]] = defaultdict(list)
    for row in results:
        if row.by != by or row.subject.prompt in blind_prompts:
            continue
        named = named_condition(row.condition)
        if row.condition != ALL_DEGRADED and not (named.is_clean or named.is_found or named.is_mixture):
            members[row.subject, named.name, row.category].append(row)
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
        for (subject, degradation, task), rows in members.items()
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
        for row in _by_task(results)
        if row.subject.prompt not in blind_prompts
        and row.condition != ALL_DEGRADED
        and named_condition(row.condition).is_mixture
    )


def _by_task(results: tuple[ResultRow, ...]) -> list[ResultRow]:
    return [row for row in results if row.by == "all"] + [row for row in results if row.by == "task"]


def _clean_scores(results: tuple[ResultRow, ...]) -> dict[tuple[Subject, By, str], Interval | None]:
    return {
        (row.subject, row.by, row.category): row.score
        for row in _by_task(results)
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
