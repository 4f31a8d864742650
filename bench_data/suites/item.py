"""SuiteItem: one question of a suite in memory, wherever it came from; with or without a structured query behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from ..errors import BenchDataError
from ..images import ImageLimits, Picture, picture_from_bytes
from ..images.files import read_file
from ..questions import AnswerFormat, AnswerType, Question, Truth
from .paths import inside, relative_path

__all__ = [
    "AS_FOUND",
    "CLEAN",
    "Coordinates",
    "SourceRecord",
    "SuiteImage",
    "SuiteItem",
    "item_from_question",
    "shared_question_id",
]

CLEAN = "clean"
"""The condition of pictures without any degradation."""
AS_FOUND = "as_found"
"""The condition of pictures that came stressed, and of which no clean twin exists."""

Coordinates = Literal["pixels", "permille"]
"""What boxes and points are in: continuous pixel coordinates, or thousandths of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class SuiteImage:
    """A picture of a suite.

    Args:
        path: relative to the suite's folder, with forward slashes; never leads out of it.
        root: the suite's folder; None for a picture that exists nowhere yet.
        data: the bytes of the file where the suite holds pictures inside its own file.
    """

    path: str
    root: Path | None = field(default=None, compare=False)
    data: bytes | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", relative_path(self.path))

    @property
    def file(self) -> Path | None:
        """Where the file lies; None for a picture that is not a file.

        Raises:
            PathError: a link on the way leads out of the suite's folder.
        """
        return None if self.root is None else inside(self.root, self.path)

    def read(self, limits: ImageLimits | None = None) -> bytes:
        """The bytes of the picture's file.

        Raises:
            BenchDataError: it is missing, too large, or outside of the suite's folder.
        """
        limits = limits or ImageLimits()
        if self.data is not None:
            limits.check_file(len(self.data), self.path)
            return self.data
        file = self.file
        if file is None:
            raise BenchDataError(f"{self.path}: this picture has neither a folder nor bytes; set SuiteImage.root")
        return read_file(file, limits)

    def load(self, limits: ImageLimits | None = None) -> Picture:
        """The picture, decoded.

        Raises:
            BenchDataError: it cannot be read or decoded.
        """
        return picture_from_bytes(self.read(limits), source=self.path, limits=limits)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """The record that an item was read from, word for word, so that writing the same format again loses nothing.

    Args:
        format: the suite format.
        fields: of the record.
    """

    format: str
    fields: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteItem:
    """One question about one or several pictures.

    Args:
        id: unique in its suite.
        text: the question in words, without options and without instructions on the form of the answer.
        images: the pictures shown, in order.
        answer_format: the form of the answer; its options are the letters and texts shown.
        truth: choice: the letter; yes_no: bool; number: float, or int for a count; list: floats; clock: the hour;
            box: (x0, y0, x1, y1) and point: (x, y), in ``coordinates``; graph: JSON text; text: a reference answer.
            None when the suite withholds it.
        question_id: the same for the same question under every condition; the id itself by default.
        suite: the family of questions.
        kind: the type within the family.
        scene: what answers must not be treated as independent within; "" where unknown.
        condition: what was done to the pictures: "clean", a degradation or a mixture, or "as_found".
        coordinates: of a box or point.
        mask: of a point question, the path of a picture that is white where a point is right.
        tags: what reports group by.
        question: the structured question, where there is one.
        source: the record that it was read from.
    """

    id: str
    text: str
    images: tuple[SuiteImage, ...]
    answer_format: AnswerFormat
    truth: Truth | None
    question_id: str = ""
    suite: str = ""
    kind: str = ""
    scene: str = ""
    condition: str = CLEAN
    coordinates: Coordinates = "pixels"
    mask: SuiteImage | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    question: Question | None = None
    source: SourceRecord | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.question_id:
            object.__setattr__(self, "question_id", self.id)

    @property
    def answer_type(self) -> AnswerType:
        return self.answer_format.answer_type

    @property
    def options(self) -> Mapping[str, str]:
        """Letter -> text, in the order shown; empty without options."""
        return self.answer_format.options or {}


def item_from_question(
    question: Question,
    images: Sequence[SuiteImage],
    *,
    condition: str = CLEAN,
    id: str | None = None,  # noqa: A002 - the field's name
) -> SuiteItem:
    """A generated question over the pictures of one condition.

    Args:
        question: with its truth; of a choice, the key becomes the letter.
        images: one for each of the question's views, in order.
        condition: of the pictures.
        id: unique in the suite; by default the question's id, and for degraded pictures "@" and the condition.

    Raises:
        BenchDataError: there are more or fewer pictures than views.
    """
    if len(images) != len(question.views):
        raise BenchDataError(
            f"question {question.id}: it shows {len(question.views)} views, got {len(images)} pictures"
        )
    choice = question.answer_type is AnswerType.CHOICE
    return SuiteItem(
        id=id or (question.id if condition == CLEAN else f"{question.id}@{condition}"),
        text=question.text,
        images=tuple(images),
        answer_format=question.answer_format,
        truth=question.letter if choice else question.truth,
        question_id=question.id,
        suite=question.suite,
        kind=question.kind,
        scene=question.scene,
        condition=condition,
        tags=dict(question.tags),
        question=question,
    )


def shared_question_id(text: str, images: Sequence[str], *, scope: str = "") -> str:
    """A name for a question that is the same under every condition, for suites that give it none.

    Args:
        text: the question with its options.
        images: the paths without the part that names the condition.
        scope: further words that tell questions apart.
    """
    digest = hashlib.sha256("\x1f".join((scope, text, *images)).encode("utf-8", "surrogatepass"))
    return f"q-{digest.hexdigest()[:16]}"
