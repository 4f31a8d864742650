"""Judging answers: what a reply says as a typed answer, how right it is, and whether two answers say the same."""

from .agreement import Tolerances, agreement, is_comparable, is_right, numeric_agreement, same_answer, symmetric_error
from .reading import ReadAnswer, answer_as_text, read_answer
from .scoring import chance_of, score_answer

__all__ = [
    "ReadAnswer",
    "Tolerances",
    "agreement",
    "answer_as_text",
    "chance_of",
    "is_comparable",
    "is_right",
    "numeric_agreement",
    "read_answer",
    "same_answer",
    "score_answer",
    "symmetric_error",
]
