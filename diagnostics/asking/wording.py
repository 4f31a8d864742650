"""A question in the words in which a model gets it: what is asked, the options with their letters, the form wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from ...bench_data.images import Picture
from ...bench_data.questions import AnswerFormat, AnswerType, Question, Unit
from ...tools.models import CoordinateSpace, GenerationSettings, ImagePart, Message, Request, TextPart
from ..errors import DiagnosticsError

__all__ = ["PROMPT_VERSION", "Worded", "question_request", "question_text"]

PROMPT_VERSION: Final = 1
"""Of the wording below; part of what a run is recorded under."""

_FORMS: Final = {
    AnswerType.CHOICE: "Reply with the capital letter of the one option that is right.",
    AnswerType.YES_NO: "Reply with yes or no.",
    AnswerType.CLOCK: "Reply with a clock direction, where 12 o'clock is straight ahead and 3 o'clock is to the right.",
    AnswerType.TEXT: "Reply in a few words.",
}
_SPACES: Final = {
    CoordinateSpace.PERMILLE: "each from 0 to 1000, relative to the width and height of the picture",
    CoordinateSpace.FRACTION: "each from 0 to 1, relative to the width and height of the picture",
    CoordinateSpace.SENT_PIXELS: "in pixels of the picture",
    CoordinateSpace.ORIGINAL_PIXELS: "in pixels of the picture",
}


class Worded(Protocol):
    """What can be asked: a question, or an item of a suite that has only words."""

    @property
    def id(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def answer_format(self) -> AnswerFormat: ...


def question_text(question: Worded, *, space: CoordinateSpace = CoordinateSpace.PERMILLE) -> str:
    """The question with its options and the form of its answer.

    Args:
        space: what the model's boxes and points are measured in.

    Raises:
        DiagnosticsError: the question asks for a scene graph, which has a prompt of its own.
    """
    parts = [question.text.strip()]
    form = question.answer_format
    if form.answer_type is AnswerType.CHOICE:
        parts.append("\n".join(f"{letter}. {text}" for letter, text in (form.options or {}).items()))
    parts.append(_form(question, space))
    return "\n\n".join(parts)


def question_request(
    question: Question,
    pictures: Sequence[Picture],
    *,
    space: CoordinateSpace,
    before: Sequence[str | Picture] = (),
    history: Sequence[Message] = (),
    settings: GenerationSettings | None = None,
    seed: int | None = None,
) -> Request:
    """The request for a question: the pictures, then what is told beforehand, then the question.

    Args:
        pictures: to look at, in order; none for a blind question.
        space: see `question_text`.
        before: paragraphs and pictures between the pictures and the question: a hint, a scene graph.
        history: turns that came before this one; the pictures are then not shown again.
    """
    parts: list[TextPart | ImagePart] = [] if history else [ImagePart(picture=one) for one in pictures]
    parts += [TextPart(text=one) if isinstance(one, str) else ImagePart(picture=one) for one in before]
    parts.append(TextPart(text=question_text(question, space=space)))
    messages = (*history, Message(parts=tuple(parts)))
    return Request(messages=messages, settings=settings or GenerationSettings(), seed=seed)


def _form(question: Worded, space: CoordinateSpace) -> str:
    form = question.answer_format
    kind, unit = form.answer_type, form.unit
    if kind in _FORMS:
        return _FORMS[kind]
    if kind is AnswerType.NUMBER:
        if unit is None or unit is Unit.COUNT:
            return "Reply with one number."
        return f"Reply with one number in {unit.value}."
    if kind is AnswerType.LIST:
        length = form.length or 1
        return f"Reply with exactly {length} numbers in {unit.value if unit else 'm'}, separated by commas."
    if kind is AnswerType.BOX:
        return f"Reply with the four numbers left, top, right, bottom of the box, in square brackets, {_SPACES[space]}."
    if kind is AnswerType.POINT:
        return f"Reply with the two numbers x, y of the point, in square brackets, {_SPACES[space]}."
    raise DiagnosticsError(f"question {question.id} asks for a {kind.value}; that needs a prompt of its own")
