"""One question with the two answers that a model gave it: its own, and the one that follows from its scene graph."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ...bench_data.questions import AnswerType, Question, Truth
from ..derive.derived import Derived
from ..judging import Tolerances, is_right, same_answer

__all__ = ["Compared", "Outcome", "outcome_of"]


class Outcome(StrEnum):
    """How the two answers stand to the truth and to each other."""

    BOTH_RIGHT = "both right"
    ONLY_DIRECT_RIGHT = "only the answer right"
    ONLY_DERIVED_RIGHT = "only the graph right"
    SAME_WRONG = "both wrong, the same"
    DIFFERENT_WRONG = "both wrong, different"


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A question with both answers.

    Args:
        question: with its truth.
        picture: the picture that both answers are about; questions of one picture share its fate.
        direct: what the model answered; None without an answer.
        derived: what follows from the graph that it drew; None without a graph.
        ceiling: what follows from the true graph in the same form; None where it was not worked out.
    """

    question: Question
    picture: str
    direct: Truth | None
    derived: Derived | None
    ceiling: Derived | None = None

    @property
    def derived_value(self) -> Truth | None:
        """The one answer that follows from the graph; None where there is no graph or several answers fit."""
        return self.derived.value if self.derived is not None and self.derived.is_determined else None

    @property
    def is_covered(self) -> bool:
        """Whether there are two answers to compare."""
        return self.direct is not None and self.derived_value is not None

    @property
    def group(self) -> str:
        """What reports group it by: its ability, else its kind."""
        return self.question.tags.get("ability", self.question.kind)

    @property
    def tells_errors_apart(self) -> bool:
        """Whether two wrong answers can differ: of two options the other one is all that is left."""
        kind, options = self.question.answer_type, len(self.question.options)
        return kind is not AnswerType.YES_NO and not (kind is AnswerType.CHOICE and options < 3)


def outcome_of(item: Compared, tolerances: Tolerances | None = None) -> Outcome | None:
    """How the two answers stand to the truth and to each other; None where there are not two."""
    derived = item.derived_value
    if item.direct is None or derived is None:
        return None
    direct_right = is_right(item.question, item.direct, tolerances)
    derived_right = is_right(item.question, derived, tolerances)
    if direct_right or derived_right:
        if direct_right and derived_right:
            return Outcome.BOTH_RIGHT
        return Outcome.ONLY_DIRECT_RIGHT if direct_right else Outcome.ONLY_DERIVED_RIGHT
    same = same_answer(item.question, item.direct, derived, tolerances)
    return Outcome.SAME_WRONG if same else Outcome.DIFFERENT_WRONG
