"""What guessing would score, and accuracy with the guessing taken out."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from ...bench_data.questions import AnswerFormat, AnswerType
from ..errors import DiagnosticsError

__all__ = ["ChanceAdjusted", "chance_adjusted_accuracy", "chance_adjusted_by_type", "chance_level"]


class ChanceAdjusted(BaseModel):
    """Accuracy of one answer type beside its chance level."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    accuracy: float
    chance: float
    adjusted: float | None


def chance_level(answer_format: AnswerFormat) -> float:
    """Probability that a guess, even over the answers that the question allows, is right.

    Range: [0, 1); no direction, it is a property of the question.

    A choice has one in its number of options, yes/no one half, a clock one in twelve. Numbers, lists, boxes, graphs
    and free text have no finite set to guess from: 0. So has a point, unless its mask is known: ``point_chance_level``.

    >>> chance_level(AnswerFormat(answer_type=AnswerType.CHOICE, options={"A": "left", "B": "right", "C": "behind"}))
    0.3333333333333333
    """
    kind = answer_format.answer_type
    if answer_format.options:
        return 1 / len(answer_format.options)
    if kind is AnswerType.YES_NO:
        return 1 / 2
    if kind is AnswerType.CLOCK:
        return 1 / 12
    return 0.0


def chance_adjusted_accuracy(scores: Sequence[float], chance_levels: Sequence[float]) -> float:
    """``(Σ score - Σ chance) / (n - Σ chance)``: 0 is what guessing scores, 1 is perfect.

    Range: (-∞, 1]; higher is better; negative is worse than guessing.

    Source: the chance-adjusted accuracy of SITE (Wang et al. 2025), with one chance level a question.

    >>> round(chance_adjusted_accuracy([1, 0, 1], [1 / 4, 1 / 2, 1 / 3]), 6)
    0.478261

    Raises:
        DiagnosticsError: the lists are empty or differ in length, a value lies outside [0, 1], or chance is 1
            everywhere, so that nothing is left to measure.
    """
    if len(scores) == 0 or len(scores) != len(chance_levels):
        raise DiagnosticsError(
            f"chance_adjusted_accuracy needs one chance level a score, got {len(scores)} scores and "
            f"{len(chance_levels)} levels"
        )
    if not all(0 <= value <= 1 for value in (*scores, *chance_levels)):
        raise DiagnosticsError("chance_adjusted_accuracy: a score or chance level lies outside [0, 1]")
    chance = math.fsum(chance_levels)
    if chance >= len(scores):
        raise DiagnosticsError("chance_adjusted_accuracy: every guess is right (chance 1), so there is no skill to see")
    return (math.fsum(scores) - chance) / (len(scores) - chance)


def chance_adjusted_by_type(
    answer_types: Sequence[str], scores: Sequence[float], chance_levels: Sequence[float]
) -> dict[str, ChanceAdjusted]:
    """Accuracy, chance and chance-adjusted accuracy of every answer type, in the order of first appearance.

    Range: accuracy and chance in [0, 1], adjusted in (-∞, 1]; higher is better.

    >>> table = chance_adjusted_by_type(["yes_no", "number", "yes_no"], [1, 0.4, 1], [0.5, 0.0, 0.5])
    >>> table["yes_no"].adjusted, table["number"].accuracy
    (1.0, 0.4)

    Raises:
        DiagnosticsError: the lists differ in length, or a value lies outside [0, 1].
    """
    if not len(answer_types) == len(scores) == len(chance_levels):
        raise DiagnosticsError(
            f"chance_adjusted_by_type needs lists of one length, got {len(answer_types)}, {len(scores)} and "
            f"{len(chance_levels)}"
        )
    groups: dict[str, list[int]] = defaultdict(list)
    for index, answer_type in enumerate(answer_types):
        groups[str(answer_type)].append(index)
    return {
        answer_type: _group([scores[index] for index in members], [chance_levels[index] for index in members])
        for answer_type, members in groups.items()
    }


def _group(scores: list[float], chance_levels: list[float]) -> ChanceAdjusted:
    n, chance = len(scores), math.fsum(chance_levels)
    return ChanceAdjusted(
        n=n,
        accuracy=math.fsum(scores) / n,
        chance=chance / n,
        adjusted=chance_adjusted_accuracy(scores, chance_levels) if chance < n else None,
    )
