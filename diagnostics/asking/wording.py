"""A question in the words in which a model gets it: what is asked, the options with their letters, the form wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from ...bench_data.images import Picture
from ...bench_data.questions import AnswerFormat, AnswerType, Question
from ...bench_data.questions.prompts import Places, prompt_text
from ...tools.models import CoordinateSpace, GenerationSettings, ImagePart, Message, Request, TextPart
from ..errors import DiagnosticsError

__all__ = ["PROMPT_VERSION", "Worded", "question_request", "question_text"]

PROMPT_VERSION: Final = 1
"""Of the wording in `bench_data.questions.prompts`; part of what a run is recorded under."""

_PLACES: Final[dict[CoordinateSpace, Places]] = {
    CoordinateSpace.PERMILLE: "permille",
    CoordinateSpace.FRACTION: "fraction",
    CoordinateSpace.SENT_PIXELS: "pixels",
    CoordinateSpace.ORIGINAL_PIXELS: "pixels",
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
    form = question.answer_format
    if form.answer_type is AnswerType.GRAPH:
        raise DiagnosticsError(f"question {question.id} asks for a graph; that needs a prompt of its own")
    return prompt_text(question.text, form, places=_PLACES[space])


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
