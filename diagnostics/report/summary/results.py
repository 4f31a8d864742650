"""Scores, with everything that an honest score stands beside."""

from __future__ import annotations

from ...metrics import Interval
from .base import By, Subject, Value

__all__ = ["ResultRow"]


class ResultRow(Value):
    """One subject, condition and category.

    Attributes:
        condition: or `ALL_DEGRADED`.
        by, category: which items; `ALL` for all of them.
        n: items times repeats that the plan has here.
        scored: with a reply and a score; what ``score`` is the mean of.
        unscored: with a reply that cannot be scored (no truth, free text).
        errors: whose call failed.
        missing: not asked yet.
        score: mean score with its interval over scenes; None when nothing is scored.
        low, high: the mean over all items that have a truth, if every one without a reply scored 0, or 1; None when
            nothing is scored.
        chance: mean chance level of the scored items.
        blind: mean score of the same arm in the same run under a prompt that shows no picture; None without one.
        parse_failure, refusal, truncation: shares of the items with a reply; None without any.
    """

    subject: Subject
    condition: str
    by: By
    category: str
    n: int
    scored: int
    unscored: int
    errors: int
    missing: int
    score: Interval | None
    low: float | None
    high: float | None
    chance: float | None
    blind: float | None
    parse_failure: float | None
    refusal: float | None
    truncation: float | None
