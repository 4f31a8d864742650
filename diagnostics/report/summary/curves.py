"""Scores against the severity of a degradation."""

from __future__ import annotations

from ...metrics import Interval
from .base import Subject, Value

__all__ = ["MixtureScore", "SeverityCurve", "SeverityPoint"]


class SeverityPoint(Value):
    """One level.

    Attributes:
        level: "0" to "5", "bench", or "" where the condition's name has none.
        condition: its name.
        scored: items with a score.
        score: None without any.
        difference: from clean pictures, over the same questions; None without pairs.
    """

    level: str
    condition: str
    scored: int
    score: Interval | None
    difference: Interval | None


class SeverityCurve(Value):
    """One subject and degradation, over all items or over one task.

    Attributes:
        degradation: its name, without a level.
        task: or `ALL`.
        clean: the score on clean pictures; None where there are none.
        chance: mean chance level of all scored items of the curve.
        points: from weak to strong; "bench" and unnamed levels come last.
    """

    subject: Subject
    degradation: str
    task: str
    clean: Interval | None
    chance: float | None
    points: tuple[SeverityPoint, ...]


class MixtureScore(Value):
    """One subject under a mixture of degradations, over all items or over one task.

    Attributes:
        condition: the mixture's name.
        task: or `ALL`.
        clean: the score on clean pictures.
        difference: from clean pictures, over the same questions.
    """

    subject: Subject
    condition: str
    task: str
    scored: int
    score: Interval | None
    clean: Interval | None
    difference: Interval | None
