"""Single questions that show what the numbers mean."""

from __future__ import annotations

from typing import Literal

from .base import Subject, Value

__all__ = ["Example", "ExampleReply", "ShownPicture"]


class ShownPicture(Value):
    """A picture that was sent.

    Attributes:
        path: in its suite, for people.
        sha256: of the file's bytes, by which a run's folder keeps it; "" for a file that could not be read.
        size: (width, height) in pixels, (0, 0) where unknown.
    """

    path: str
    sha256: str
    size: tuple[int, int]


class ExampleReply(Value):
    """One side of an example.

    Attributes:
        status: a parse status, "error" or "missing".
        score: None where nothing could be scored.
        text: of the reply, as the model wrote it: hostile text. Long ones are cut, and end with "…" then.
    """

    subject: Subject
    condition: str
    pictures: tuple[ShownPicture, ...]
    status: str
    score: float | None
    text: str


class Example(Value):
    """A question with two replies, or with one.

    Attributes:
        why: "condition": right on clean pictures, lost under a condition; "arm": right by one model, lost by another
            that wraps it; "wrong": the worst reply where there is nothing to compare with.
        loss: score before minus score after; for "wrong" 1 minus the score.
        question: in words; its options follow as they were shown.
        options: letter -> text; empty without options.
        truth: in words; "" where withheld.
        before: None for "wrong".
    """

    why: Literal["condition", "arm", "wrong"]
    loss: float
    question_id: str
    kind: str
    scene: str
    question: str
    options: dict[str, str]
    truth: str
    before: ExampleReply | None
    after: ExampleReply
