"""Evidence out of compared answers and the scores under other conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..consistency import Compared, Outcome, expected_agreement, expected_same_wrong, outcome_of
from ..judging import Tolerances, agreement, chance_of, is_comparable, score_answer
from .evidence import Evidence

__all__ = ["gather_evidence"]

Scores = Mapping[str, float]
"""Question id -> score; questions that were not asked are missing."""

_NONE: Scores = {}


def gather_evidence(
    items: Sequence[Compared],
    *,
    blind: Scores = _NONE,
    own: Scores = _NONE,
    true: Scores = _NONE,
    shuffled: Scores = _NONE,
    tolerances: Tolerances | None = None,
) -> tuple[Evidence, ...]:
    """What a diagnosis rests on: the questions that the true graph decides, with their scores under all conditions.

    Args:
        items: questions with both answers, asked with the picture alone, and with their ceilings.
        blind: scores without the picture.
        own, true, shuffled: scores with that graph beside the picture.
        tolerances: when measures are right, and the same.
    """
    kept = [
        item
        for item in items
        if is_comparable(item.question) and item.ceiling is not None and item.ceiling.is_determined
    ]
    expected = expected_agreement(kept)
    same_expected = np.nan_to_num(expected_same_wrong(kept, tolerances))
    return tuple(
        _evidence(item, float(chance), float(shared), (blind, own, true, shuffled), tolerances)
        for item, chance, shared in zip(kept, expected, same_expected, strict=True)
    )


def _evidence(
    item: Compared,
    agreement_chance: float,
    same_chance: float,
    others: tuple[Scores, Scores, Scores, Scores],
    tolerances: Tolerances | None,
) -> Evidence:
    question, derived = item.question, item.derived_value
    outcome = outcome_of(item, tolerances)
    telling = outcome is not None and item.tells_errors_apart
    blind, own, true, shuffled = (scores.get(question.id) for scores in others)
    covered = item.direct is not None and derived is not None
    return Evidence(
        picture=item.picture,
        chance=chance_of(question),
        direct=score_answer(question, item.direct),
        derived=score_answer(question, derived),
        agreement=agreement(question, item.direct, derived)
        if item.direct is not None and derived is not None
        else None,
        agreement_chance=agreement_chance if covered else None,
        same_wrong=float(outcome is Outcome.SAME_WRONG) if telling else None,
        same_wrong_chance=same_chance if telling else None,
        blind=blind,
        own=own,
        true=true,
        shuffled=shuffled,
    )
