"""What the embedded models were meant to reach, and whether they do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from ...diagnostics.report.summary import ALL_DEGRADED
from .tables import CLEAN, Numbers, robust

__all__ = ["Goal", "goals"]

_ABOVE_BLIND: Final = 0.20
_SURE, _SURE_KINDS = (
    0.85,
    (
        "visible_existence",
        "is_left_of",
        "is_right_of",
        "nearer_camera",
        "farther_camera",
        "left_choice",
        "right_choice",
    ),
)
_VALID: Final = 0.99
_REPAIRABLE: Final = ("low_light-bench", "haze-bench")
_WON_BACK, _NEGATIVE_FLIPS = 0.5, 0.02


@dataclass(frozen=True)
class Goal:
    """A goal.

    Args:
        text: what was aimed at.
        measured: what came out, in words.
        met: None where the study did not ask enough to tell.
    """

    text: str
    measured: str
    met: bool | None


def goals(numbers: Numbers, choices: Collection[str]) -> tuple[Goal, ...]:
    """All goals, with what was measured.

    Args:
        choices: the kinds whose questions are multiple choice.
    """
    first = numbers.models[0]
    found = [_above_blind(numbers, first, choices), _sure(numbers, first), _graphs(numbers, first)]
    found += [goal for condition in _REPAIRABLE for goal in _repaired(numbers, first, condition)]
    if len(numbers.models) > 1:
        found.append(_trained_on_degraded(numbers, first, numbers.models[1]))
    return tuple(found)


def _above_blind(numbers: Numbers, model: str, choices: Collection[str]) -> Goal:
    text = f"{model}: at least 20 points above its blind baseline on every multiple-choice kind"
    short, asked = [], 0
    for kind in numbers.kinds():
        row = numbers.score(model, CLEAN, kind, "kind")
        if kind not in choices or row is None or row.score is None or row.blind is None:
            continue
        asked += 1
        if row.score.estimate - row.blind < _ABOVE_BLIND:
            short.append(f"{kind} {100 * (row.score.estimate - row.blind):+.0f}")
    if not asked:
        return Goal(text, "not asked", None)
    measured = f"{asked - len(short)} of {asked} kinds" + (f"; short: {', '.join(short)}" if short else "")
    return Goal(text, measured, not short)


def _sure(numbers: Numbers, model: str) -> Goal:
    text = f"{model}: at least 85 % on existence, left and right, nearer and farther"
    found = []
    for kind in numbers.kinds():
        row = numbers.score(model, CLEAN, kind, "kind")
        if kind.endswith(_SURE_KINDS) and row is not None and row.score is not None:
            found.append((kind, row.score.estimate))
    if not found:
        return Goal(text, "not asked", None)
    measured = ", ".join(f"{kind} {share:.0%}" for kind, share in found)
    return Goal(text, measured, all(share >= _SURE for _, share in found))


def _graphs(numbers: Numbers, model: str) -> Goal:
    text = f"{model}: at least 99 % of the scene graphs can be read"
    rows = [row for row in numbers.summary.consistency if row.model == model and row.condition == CLEAN]
    asked = sum(row.graphs for row in rows)
    if not asked:
        return Goal(text, "not asked", None)
    read = asked - sum(row.graphs_failed for row in rows)
    return Goal(text, f"{read:,} of {asked:,}", read / asked >= _VALID)


def _repaired(numbers: Numbers, model: str, condition: str) -> tuple[Goal, ...]:
    text = f"{robust(model)}: wins back half of what {condition} takes"
    share = numbers.won_back(model, condition)
    given = numbers.between(model, robust(model), condition)
    flips = None if given is None else given.negative_flip_rate
    limit = f"{robust(model)}: at most 2 % negative flips under {condition}"
    return (
        Goal(text, "nothing to win back, or not asked", None)
        if share is None
        else Goal(text, f"{share:.0%}", share >= _WON_BACK),
        Goal(limit, "not asked", None) if flips is None else Goal(limit, f"{flips:.1%}", flips <= _NEGATIVE_FLIPS),
    )


def _trained_on_degraded(numbers: Numbers, clean: str, degraded: str) -> Goal:
    text = f"{degraded} beats {clean} on degraded pictures, beyond the interval"
    row = numbers.between(clean, degraded, ALL_DEGRADED)
    if row is None:
        return Goal(text, "not asked", None)
    low, high = row.difference.low, row.difference.high
    points = f"{100 * row.difference.estimate:+.1f} points"
    if low is None or high is None:
        return Goal(text, points, None)
    return Goal(text, f"{points} [{100 * low:+.1f}, {100 * high:+.1f}]", low > 0)
