"""One question and its answer as a conversation, as trainers read it."""

from __future__ import annotations

from pydantic import JsonValue

from ...questions import AnswerType
from ...questions.prompts import Places, prompt_text
from ..conversations import IMAGE_MARK, turns
from ..item import SuiteImage, SuiteItem
from ..pictures import picture_size
from .answers import taught_answer

__all__ = ["PictureSizes", "not_taught", "training_record"]

_UNANSWERABLE = "unanswerable"
"""The tag of questions that no one could answer under their condition, as data sets set it."""


class PictureSizes:
    """(width, height) of pictures; each is decoded once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[int, int]] = {}

    def of(self, image: SuiteImage) -> tuple[int, int]:
        """The size in pixels.

        Raises:
            BenchDataError: the picture cannot be read.
        """
        if image.data is not None:
            return picture_size(image)
        key = (str(image.root), image.path)
        if key not in self._known:
            self._known[key] = picture_size(image)
        return self._known[key]


def not_taught(item: SuiteItem) -> str | None:
    """Why a question must not be taught; None when it may be."""
    if item.truth is None:
        return "questions without an answer"
    if not item.images:
        return "questions without a picture"
    if _UNANSWERABLE in item.tags:
        # Its truth is known, but to teach it would teach to guess.
        return "questions that no one could answer from these pictures"
    said = [item.text, *item.options.values(), *([item.truth] if isinstance(item.truth, str) else [])]
    return f"texts that hold {IMAGE_MARK}" if any(IMAGE_MARK in text for text in said) else None


def training_record(item: SuiteItem, sizes: PictureSizes, *, places: Places = "permille") -> dict[str, JsonValue]:
    """A conversation of two turns: the prompt of `seeworthy bench` word for word, and the answer in the form it wants.

    Args:
        item: with its pictures where the record's file will lie; `not_taught` has no objection.
        sizes: of pictures.
        places: what boxes and points are wanted in.

    Raises:
        BenchDataError: its truth is not of its form, or a picture cannot be read.
    """
    placed = item.answer_type in (AnswerType.BOX, AnswerType.POINT)
    answer = taught_answer(item, places=places, size=sizes.of(item.images[0]) if placed else None)
    prompt = prompt_text(item.text, item.answer_format, places=places)
    kind, _, sub_kind = item.kind.partition(".")
    return {
        "id": item.id,
        "image": [image.path for image in item.images],
        "conversations": turns(f"{IMAGE_MARK}\n" * len(item.images) + prompt, answer),
        "suite": item.suite,
        "question_type": item.tags.get("question_type", kind),
        "sub_question_type": item.tags.get("sub_question_type", sub_kind),
        "scene": item.scene,
        "condition": item.condition,
    }
