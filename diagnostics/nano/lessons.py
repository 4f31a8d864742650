"""Lessons: what is asked about each picture of a room, and what the model should say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from ...bench_data.questions import QUESTION_SUITES, Question, Refusals, SceneTruth
from ...bench_data.questions.suites.crisp import CrispSettings
from ...bench_data.questions.suites.open3dvqa import Open3DVQASettings
from ...bench_data.questions.suites.spacedg import SpaceDGSettings
from ..asking import question_text
from ..auditing.pictures import true_graph
from ..scene_graph import GraphRequest
from .answers import answer_words, graph_words, number_word
from .symbols import MOST_MARKS, Placement, placements

__all__ = ["GRAPH_KIND", "Lesson", "Lessons", "lessons_of"]

GRAPH_KIND: Final = "graph"

_SPACEDG: Final = frozenset(
    {
        "camera_object_distance_estimation.single_view",
        "camera_object_relative_direction.two_objects",
        "object_bounding_size_estimation.extents",
        "object_counting.visible_count",
        "object_existence_estimation.visible_existence",
    }
)
"""Those about one picture."""
_ALONE: Final[Mapping[str, int]] = {
    "camera_object_relative_direction.two_objects": 6,
    "object_counting.visible_count": 3,
    "object_existence_estimation.visible_existence": 1,
}
"""Whose options, or answers, depend on what else the pictures of a scene show: how often each of these is asked about
every picture as if there were no other, as in a benchmark of one view a scene."""
_MOST_TURNS: Final = max(_ALONE.values())
_LABELS_PER_VIEW: Final = 12
_CRISP_FACTOR: Final = 5


class Lesson(NamedTuple):
    """One thing to learn to say; ``names`` is what the prompt calls objects."""

    kind: str
    prompt: str
    answer: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lessons:
    """All about one picture.

    Args:
        view: its place among the room's.
        numbers: object -> the number drawn on it; empty for the picture as it is.
        lessons: what is asked.
    """

    view: int
    numbers: Mapping[int, int]
    lessons: tuple[Lesson, ...]


def lessons_of(truth: SceneTruth, *, seed: int, numberings: int, label_shares: Mapping[str, float]) -> list[Lessons]:
    """The lessons of a room: first every view as it is, about things by their names, then about things by numbers.

    Args:
        truth: of the room.
        seed: of the questions and numbers.
        numberings: how often each view is numbered anew.
        label_shares: see `SpaceDGSettings`.
    """
    named: dict[str, list[Lesson]] = defaultdict(list)
    for question in _named(truth, seed, label_shares):
        named[question.views[0]].append(_lesson(question))
    found = [Lessons(place, {}, tuple(dict.fromkeys(named[view.name]))) for place, view in enumerate(truth.views)]
    for numbering in range(numberings):
        found += _numbered(truth, seed * numberings + numbering)
    return found


def _named(truth: SceneTruth, seed: int, label_shares: Mapping[str, float]) -> Iterator[Question]:
    settings = SpaceDGSettings(views_per_label=_LABELS_PER_VIEW, label_shares=label_shares)
    spacedg = QUESTION_SUITES.get("spacedg")
    for question in spacedg.generate(truth, settings, seed, Refusals()):
        if question.kind in _SPACEDG and len(question.views) == 1:
            yield question
    for place, view in enumerate(truth.views):
        alone = replace(truth, views=(view,), co_visibility=None)
        for turn in range(_MOST_TURNS):
            own_seed = (seed * len(truth.views) + place) * _MOST_TURNS + turn
            for question in spacedg.generate(alone, settings, own_seed, Refusals()):
                if turn < _ALONE.get(question.kind, 0):
                    yield question
    for question in QUESTION_SUITES.get("open3dvqa").generate(truth, Open3DVQASettings(), seed, Refusals()):
        if len(question.views) == 1:
            yield question


def _numbered(truth: SceneTruth, seed: int) -> Iterator[Lessons]:
    settings = CrispSettings(near_duplicate_share=None, questions_factor=_CRISP_FACTOR, most_objects=MOST_MARKS)
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in QUESTION_SUITES.get("crisp").generate(truth, settings, seed, Refusals()):
        asked[question.views[0]].append(question)
    for place, view in enumerate(truth.views):
        numbers = {one: number for question in asked[view.name] for one, number in question.marks.items()}
        if len(numbers) < 2:
            continue
        graph = true_graph(truth, place, numbers)
        labels = {number: truth.objects[one].label for one, number in numbers.items()}
        told = Lesson(GRAPH_KIND, GraphRequest.of(graph).text, graph_words(graph))
        placed = placements(truth, place)
        places = {number: placed[one] for one, number in numbers.items()}
        basics = (*_naming(labels), *_placing(places))
        yield Lessons(place, numbers, (*(_lesson(one) for one in asked[view.name]), *basics, told))


def _naming(labels: Mapping[int, str]) -> Iterator[Lesson]:
    """What no suite asks, and everything rests on: which thing carries which number."""
    for number, label in labels.items():
        yield Lesson("naming/what", f"What is object {number}?", label)
        if list(labels.values()).count(label) == 1:
            yield Lesson("naming/which", f"Which number is on the {label}?", str(number))


def _placing(places: Mapping[int, Placement]) -> Iterator[Lesson]:
    """Where each thing is, and each seen from the next, in metres.

    All comparisons rest on these, and are learned far sooner from them than from one bit, yes or no, whose meaning
    turns with every wording.
    """
    for number, one in places.items():
        right, up = one.numbers["right"], one.numbers["up"]
        yield Lesson("placing/right", f"How far to the left or right is object {number}?", _beside(right))
        yield Lesson("placing/forward", f"How far ahead is object {number}?", number_word(one.numbers["forward"]))
        yield Lesson("placing/up", f"How far above or below the camera is object {number}?", _above(up))
    numbers = list(places)
    for first, second in zip(numbers, numbers[1:] + numbers[:1], strict=True):
        for this, other in ((first, second), (second, first)):
            by = {group: value - places[other].numbers[group] for group, value in places[this].numbers.items()}
            pair = f"object {this}, seen from object {other}?"
            yield Lesson("placing/pair_right", f"How far to the left or right is {pair}", _beside(by["right"]))
            yield Lesson("placing/pair_up", f"How far above or below is {pair}", _above(by["up"]))
            yield Lesson(
                "placing/pair_forward",
                f"How far in front or behind is {pair}",
                _sided(by["forward"], "front", "behind"),
            )
            yield Lesson(
                "placing/pair_distance",
                f"How much nearer or farther than object {other} is object {this}?",
                _sided(by["distance"], "nearer", "farther"),
            )
            yield Lesson(
                "placing/pair_height",
                f"How many times shorter or taller than object {other} is object {this}?",
                _sided(by["height"], "shorter", "taller", float(np.exp(abs(by["height"])))),
            )


def _beside(metres: float) -> str:
    return _sided(metres, "left", "right")


def _above(metres: float) -> str:
    return _sided(metres, "below", "above")


def _sided(value: float, negative: str, positive: str, size: float | None = None) -> str:
    return f"{negative if value < 0 else positive} {number_word(value if size is None else size)}"


def _lesson(question: Question) -> Lesson:
    kind, names = f"{question.suite}/{question.kind}", tuple(question.names.values())
    return Lesson(kind, question_text(question), answer_words(question), names)
