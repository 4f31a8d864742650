"""Question: structured first, text second."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from ..errors import BenchDataError
from .answer_format import AnswerFormat, AnswerType
from .query import Query
from .units import Unit

__all__ = ["Fact", "Option", "Question", "Truth", "question_from_json", "question_to_json"]

Truth: TypeAlias = bool | int | float | str | tuple[float, ...]
"""choice: an option's key; yes_no: bool; number: float, or int for a count; list: floats; clock: the hour as int;
box: (x0, y0, x1, y1) and point: (x, y), continuous pixel coordinates."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice: what it means, and how it reads. The key is content, never a letter."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One quantity that the truth rests on, for people: "distance from the red sofa to the camera", 2.31, m."""

    what: str
    value: float
    unit: Unit | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with its truth.

    Args:
        id: unique in its suite; names scene, views and a running number.
        suite: the family of questions: spacedg, open3dvqa, crisp, grounding, robostress.
        kind: the type within the suite ("camera_rotation.single_dominant").
        scene: the scene's id.
        views: names of the pictures shown, in order; a query's view numbers index them.
        query: what is asked.
        text: what is asked, in words, without options and without instructions on the form of the answer.
        answer_type: the form of the answer.
        truth: the answer; see :data:`Truth`.
        unit: of a number or a list, as the text asks for it.
        options: of a choice, in the order shown; letters follow the order.
        margin: how far the truth is from turning into another, in ``margin_unit``; None where it cannot turn.
        margin_unit: "m", "deg", "m3", "px", "count", or "ratio".
        derivation: what the truth rests on.
        names: object number -> what the text calls it ("the red sofa", "object 3").
        marks: object number -> the number drawn on the picture, where objects are marked.
        wording: which wording was taken.
        tags: what reports group by: ability, task_group, difficulty, answer kind.
        published: made by the published rule, fault included; never mixed with sound ones.
        seed: that drew wording, distractors and order.
    """

    id: str
    suite: str
    kind: str
    scene: str
    views: tuple[str, ...]
    query: Query
    text: str
    answer_type: AnswerType
    truth: Truth
    unit: Unit | None = None
    options: tuple[Option, ...] = ()
    margin: float | None = None
    margin_unit: str = ""
    derivation: tuple[Fact, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    marks: Mapping[int, int] = field(default_factory=dict)
    wording: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    published: bool = False
    seed: int = 0

    @property
    def answer_format(self) -> AnswerFormat:
        """What the parser of replies needs to know."""
        length = len(self.truth) if self.answer_type is AnswerType.LIST and isinstance(self.truth, tuple) else None
        options = {letter: option.text for letter, option in zip(string.ascii_uppercase, self.options, strict=False)}
        return AnswerFormat(answer_type=self.answer_type, options=options or None, unit=self.unit, length=length)

    @property
    def letter(self) -> str | None:
        """The letter of the right option of a choice."""
        for letter, option in zip(string.ascii_uppercase, self.options, strict=False):
            if option.key == self.truth:
                return letter
        return None

    def key_of(self, letter: str) -> str | None:
        """The key of the option with a letter; None where there is no such option."""
        index = string.ascii_uppercase.find(letter.upper()) if len(letter) == 1 else -1
        return self.options[index].key if 0 <= index < len(self.options) else None


@cache
def _adapter() -> TypeAdapter[Question]:
    return TypeAdapter(Question)


def question_to_json(question: Question) -> str:
    """One line of JSON, without loss."""
    return _adapter().dump_json(question, exclude_defaults=False).decode("utf-8")


def question_from_json(text: str | bytes) -> Question:
    """Reads what :func:`question_to_json` wrote.

    Raises:
        BenchDataError: not JSON, or not a question; the message names the field.
    """
    try:
        question = _adapter().validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the record"
        raise BenchDataError(f"not a question: {place}: {first['msg']}") from error
    _check(question)
    return question


def _check(question: Question) -> None:
    kind, truth = question.answer_type, question.truth
    if kind is AnswerType.CHOICE:
        keys = [option.key for option in question.options]
        if truth not in keys or len(set(keys)) != len(keys):
            raise BenchDataError(
                f"question {question.id}: the truth {truth!r} must be one of the distinct options {keys}"
            )
    fits = {
        AnswerType.YES_NO: isinstance(truth, bool),
        AnswerType.NUMBER: isinstance(truth, int | float) and not isinstance(truth, bool),
        AnswerType.LIST: isinstance(truth, tuple),
        AnswerType.BOX: isinstance(truth, tuple) and len(truth) == 4,
        AnswerType.POINT: isinstance(truth, tuple) and len(truth) == 2,
        AnswerType.CLOCK: isinstance(truth, int) and not isinstance(truth, bool) and 1 <= truth <= 12,
    }
    if not fits.get(kind, True):
        raise BenchDataError(f"question {question.id}: the truth {truth!r} is no answer of type {kind.value}")
