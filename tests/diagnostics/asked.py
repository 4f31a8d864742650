"""Small questions for tests that need no scene."""

from __future__ import annotations

from seeworthy.bench_data.questions import AnswerType, Option, Question, Truth, Unit
from seeworthy.bench_data.questions.query import CameraRef, Distance, Exceeds, ObjectRef, Value

_DISTANCE = Distance(ObjectRef(1), CameraRef())


def number(truth: float, *, name: str = "q", kind: str = "distance", unit: Unit = Unit.METRE) -> Question:
    """How far is object 1?"""
    return Question(
        id=name,
        suite="test",
        kind=kind,
        scene="s",
        views=("v",),
        query=Value(_DISTANCE),
        text="How far is object 1 from the camera?",
        answer_type=AnswerType.NUMBER,
        truth=truth,
        unit=unit,
        marks={1: 1},
    )


def yes_no(truth: bool, *, name: str = "q", kind: str = "is_far") -> Question:
    """Is object 1 far away?"""
    return Question(
        id=name,
        suite="test",
        kind=kind,
        scene="s",
        views=("v",),
        query=Exceeds(_DISTANCE, 3.0),
        text="Is object 1 more than 3 m away?",
        answer_type=AnswerType.YES_NO,
        truth=truth,
        marks={1: 1},
    )


def choice(truth: str, keys: tuple[str, ...], *, name: str = "q", kind: str = "pick") -> Question:
    """Which one? The texts of options are their keys in words."""
    return Question(
        id=name,
        suite="test",
        kind=kind,
        scene="s",
        views=("v",),
        query=Exceeds(_DISTANCE, 3.0),
        text="Which one is it?",
        answer_type=AnswerType.CHOICE,
        truth=truth,
        options=tuple(Option(key, f"the {key} one") for key in keys),
        marks={1: 1},
    )


def of_type(answer_type: AnswerType, truth: Truth, unit: Unit | None = None) -> Question:
    """Anything else."""
    return Question(
        id="q",
        suite="test",
        kind=answer_type.value,
        scene="s",
        views=("v",),
        query=Value(_DISTANCE),
        text="?",
        answer_type=answer_type,
        truth=truth,
        unit=unit,
    )
