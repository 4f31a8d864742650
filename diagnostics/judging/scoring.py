"""How right an answer is, from 0 to 1, by the form of its question."""

from __future__ import annotations

from ...bench_data.questions import AnswerType, Question, Truth, Unit
from ..errors import DiagnosticsError
from ..metrics import box_iou, chance_level, list_mean_relative_accuracy, mean_relative_accuracy

__all__ = ["chance_of", "score_answer"]


def score_answer(question: Question, value: Truth | None) -> float:
    """The score of an answer; 0 for none.

    Range: [0, 1]; higher is better.

    Choices, yes or no, clock hours and counts are right or wrong; measures get their mean relative accuracy, lists the
    mean of it, boxes their IoU.

    Args:
        value: in the terms of ``question.truth``.

    Raises:
        DiagnosticsError: the question asks for a point, which cannot be scored without the object's mask.
    """
    truth = question.truth
    if question.answer_type is AnswerType.POINT:
        raise DiagnosticsError(f"question {question.id} asks for a point; score it with point_in_mask")
    if value is None:
        return 0.0
    match question.answer_type:
        case AnswerType.NUMBER if isinstance(truth, int | float) and isinstance(value, int | float):
            if question.unit is Unit.COUNT:
                return float(value == truth)
            return mean_relative_accuracy(value, truth)
        case AnswerType.LIST if isinstance(truth, tuple) and isinstance(value, tuple):
            return list_mean_relative_accuracy(value, truth)
        case AnswerType.BOX if isinstance(truth, tuple) and isinstance(value, tuple):
            return box_iou(value, truth) if len(value) == 4 else 0.0
    return float(type(value) is type(truth) and value == truth)


def chance_of(question: Question) -> float:
    """What a guess scores on average: one in the number of options; 0 for answers without a finite set.

    Range: [0, 1).
    """
    return chance_level(question.answer_format)
