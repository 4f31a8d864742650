"""Whether two answers to one question say the same, whoever is right. Neither of the two is the reference."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ...bench_data.questions import AnswerType, Question, Truth, Unit
from ..errors import DiagnosticsError
from ..metrics import box_iou
from ..metrics.truth import EDGE_TOLERANCE

__all__ = [
    "Tolerances",
    "agreement",
    "is_comparable",
    "is_right",
    "numeric_agreement",
    "same_answer",
    "symmetric_error",
]

_TOLERATED_ERRORS = tuple(percent / 100 for percent in range(50, 0, -5))
_MEASURED = (AnswerType.NUMBER, AnswerType.LIST)
_COMPARABLE = (AnswerType.CHOICE, AnswerType.YES_NO, AnswerType.CLOCK, AnswerType.BOX, *_MEASURED)


class Tolerances(BaseModel):
    """When a measured answer counts as right, and when two of them count as the same.

    Args:
        right: symmetric error against the truth up to which a measure is right.
        same: symmetric error up to which two measures are the same.
        box_iou: overlap from which a box is right, or two are the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    right: float = Field(default=0.25, ge=0, lt=1)
    same: float = Field(default=0.1, ge=0, lt=1)
    box_iou: float = Field(default=0.5, gt=0, le=1)


def is_comparable(question: Question) -> bool:
    """Whether answers to it can be compared: all but points, graphs and free text."""
    return question.answer_type in _COMPARABLE


def symmetric_error(first: float, second: float) -> float:
    """``|a - b| / max(|a|, |b|)``, the same whichever comes first.

    Range: [0, 2]; 0 for equal numbers, two zeros included; above 1 when the signs differ.

    >>> symmetric_error(2, 4), symmetric_error(4, 2), symmetric_error(0, 0)
    (0.5, 0.5, 0.0)
    """
    largest = max(abs(first), abs(second))
    return abs(first - second) / largest if largest > 0 else 0.0


def numeric_agreement(first: float, second: float) -> float:
    """The share of ten tolerances, from 50 % down to 5 %, that the symmetric error of two numbers meets.

    Range: [0, 1]; higher is more alike. Twice and half a number agree equally little, unlike by relative accuracy,
    which asks who the reference is.

    >>> numeric_agreement(2.0, 2.2), numeric_agreement(2.0, 3.0), numeric_agreement(3.0, 2.0)
    (0.9, 0.4, 0.4)
    """
    error = symmetric_error(first, second)
    return sum(error <= tolerated * (1 + EDGE_TOLERANCE) for tolerated in _TOLERATED_ERRORS) / len(_TOLERATED_ERRORS)


def agreement(question: Question, first: Truth, second: Truth) -> float:
    """How alike two answers to a question are, from 0 to 1; neither is the reference.

    Measures agree by `numeric_agreement`, lists (extents in any order) by its mean over the sorted elements, boxes by
    their IoU, all else entirely or not at all.

    Raises:
        DiagnosticsError: answers of this form cannot be compared, see `is_comparable`.
    """
    _check(question)
    if question.answer_type in _MEASURED and question.unit is not Unit.COUNT:
        one, two = _sorted(first), _sorted(second)
        if not one or len(one) != len(two):
            return 0.0
        return sum(map(numeric_agreement, one, two)) / len(one)
    if question.answer_type is AnswerType.BOX and isinstance(first, tuple) and isinstance(second, tuple):
        return _overlap(first, second)
    return float(first == second)


def same_answer(question: Question, first: Truth, second: Truth, tolerances: Tolerances | None = None) -> bool:
    """Whether two answers to a question are the same, measures within ``tolerances.same``.

    Raises:
        DiagnosticsError: answers of this form cannot be compared, see `is_comparable`.
    """
    limits = tolerances or Tolerances()
    return _within(question, first, second, limits.same, limits)


def is_right(question: Question, value: Truth | None, tolerances: Tolerances | None = None) -> bool:
    """Whether an answer is right, measures within ``tolerances.right``; no answer is not.

    Raises:
        DiagnosticsError: answers of this form cannot be compared, see `is_comparable`.
    """
    limits = tolerances or Tolerances()
    return value is not None and _within(question, value, question.truth, limits.right, limits)


def _within(question: Question, first: Truth, second: Truth, tolerated: float, limits: Tolerances) -> bool:
    _check(question)
    if question.answer_type in _MEASURED and question.unit is not Unit.COUNT:
        one, two = _sorted(first), _sorted(second)
        edge = tolerated * (1 + EDGE_TOLERANCE)
        return len(one) == len(two) > 0 and all(symmetric_error(a, b) <= edge for a, b in zip(one, two, strict=True))
    if question.answer_type is AnswerType.BOX and isinstance(first, tuple) and isinstance(second, tuple):
        return _overlap(first, second) >= limits.box_iou * (1 - EDGE_TOLERANCE)
    return first == second


def _check(question: Question) -> None:
    if not is_comparable(question):
        raise DiagnosticsError(f"question {question.id} asks for a {question.answer_type.value}, which is not compared")


def _sorted(value: Truth) -> list[float]:
    parts = value if isinstance(value, tuple) else (value,)
    return sorted(float(one) for one in parts if isinstance(one, int | float) and not isinstance(one, bool))


def _overlap(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    return box_iou(first, second) if _is_box(first) and _is_box(second) else 0.0


def _is_box(value: tuple[float, ...]) -> bool:
    return len(value) == 4 and value[0] < value[2] and value[1] < value[3]
