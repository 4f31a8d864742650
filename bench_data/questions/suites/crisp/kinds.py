"""The 27 kinds of questions in 7 abilities: what each one asks, in words, and the form of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ....scene_graphs.relations import Relation
from ...answer_format import AnswerType
from ...units import Unit

__all__ = [
    "ABILITIES",
    "KINDS",
    "NO_HEIGHT",
    "RELATION_KINDS",
    "RELATION_NOTES",
    "RELATION_PHRASES",
    "SLOTS",
    "Ability",
    "Ask",
    "Kind",
    "difficulty",
]

Ability = Literal["direction", "size", "ranking", "distance", "counting", "deduction", "transformation"]


class Ask(NamedTuple):
    """A question without words: its kind and what it is about.

    objects: in the order in which the text names them; of anchored kinds the anchor comes first.
    """

    kind: str
    objects: tuple[int, ...]
    relation: Relation | None = None
    metres: float = 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of question.

    Args:
        name: within the suite.
        ability: of the seven.
        objects: how many it names.
        answer_type, unit: the form of its answer.
        wordings: with {a}, {b}, {c} for the objects, {r} for a relation and {m} for a distance.
        note: the frame and the meaning of words, put behind the question; `RELATION_NOTES` explains a relation.
        level: needs a camera that does not look straight up or down.
    """

    name: str
    ability: Ability
    objects: int
    answer_type: AnswerType
    wordings: tuple[str, ...]
    note: str = ""
    unit: Unit | None = None
    level: bool = False


RELATION_PHRASES: Mapping[Relation, str] = {
    "left": "to the left of",
    "right": "to the right of",
    "above": "above",
    "below": "below",
    "front": "in front of",
    "behind": "behind",
}

RELATION_KINDS: Mapping[str, Relation] = {
    "is_in_front_of": "front",
    "is_behind": "behind",
    "is_left_of": "left",
    "is_right_of": "right",
    "is_above": "above",
    "is_below": "below",
}

_SIDEWAYS = "Left and right are those of a person who stands at the camera and looks where it looks."
_DEPTH = "In front means nearer to the camera along its level line of sight, behind means farther along it."
_HEIGHT = (
    "Above means that its lowest point is about as high as the other's highest point or higher; below is the opposite."
)
RELATION_NOTES: Mapping[Relation, str] = {
    "left": _SIDEWAYS,
    "right": _SIDEWAYS,
    "above": _HEIGHT,
    "below": _HEIGHT,
    "front": _DEPTH,
    "behind": _DEPTH,
}

NO_HEIGHT = "Leave height aside."

_CENTRES = "Distances are between the centres of the objects."
_BOX = "Sizes are those of the smallest upright box around an object."
_SIDES = "Length is the longer and width the shorter of the two horizontal sides of the box around an object."


def _relation_kind(name: str) -> Kind:
    phrase = RELATION_PHRASES[RELATION_KINDS[name]]
    note = RELATION_NOTES[RELATION_KINDS[name]]
    if name in ("is_above", "is_below"):
        wordings = (
            f"Is {{a}} {phrase} {{b}}?",
            f"Does {{a}} lie {phrase} {{b}}?",
            f"Look at {{a}} and {{b}}. Is the former {phrase} the latter?",
        )
        return Kind(name, "direction", 2, AnswerType.YES_NO, wordings, note, level=True)
    wordings = (
        f"Seen from the camera, is {{a}} {phrase} {{b}}?",
        f"For a person standing at the camera, does {{a}} lie {phrase} {{b}}?",
        f"From the camera's point of view, would you say that {{a}} is {phrase} {{b}}?",
    )
    return Kind(name, "direction", 2, AnswerType.YES_NO, wordings, note, level=True)


def _choice(name: str, ability: Ability, objects: int, *wordings: str, note: str = "", level: bool = False) -> Kind:
    return Kind(name, ability, objects, AnswerType.CHOICE, wordings, note, level=level)


def _number(name: str, ability: Ability, objects: int, *wordings: str, note: str = "", level: bool = False) -> Kind:
    return Kind(name, ability, objects, AnswerType.NUMBER, wordings, note, Unit.METRE, level=level)


_ALL = (
    *(_relation_kind(name) for name in RELATION_KINDS),
    _choice(
        "pick_direction",
        "direction",
        2,
        "Seen from the camera, where is {a} relative to {b}?",
        "For a person standing at the camera, which of these describes where {a} is with respect to {b}?",
        "Which option tells best where {a} is, starting from {b}, in the camera's view?",
        note=f"{_SIDEWAYS} {_DEPTH} Directions in which the two hardly differ are left out.",
        level=True,
    ),
    _choice(
        "bigger_volume",
        "size",
        2,
        "Which is larger in volume, {a} or {b}?",
        "Which of {a} and {b} takes up more space?",
        "Compare {a} with {b}. Which one has the greater volume?",
        note=_BOX,
    ),
    _choice(
        "taller",
        "size",
        2,
        "Which is taller, {a} or {b}?",
        "Which of {a} and {b} has the greater height from its bottom to its top?",
        "Compare {a} with {b}. Which one is the taller of the two?",
        note=_BOX,
    ),
    _choice(
        "wider",
        "size",
        2,
        "Which is wider, {a} or {b}?",
        "Which of {a} and {b} has the greater width?",
        "Compare {a} with {b}. Which one is the wider of the two?",
        note=_SIDES,
    ),
    _number(
        "length",
        "size",
        1,
        "What is the length of {a}, in metres?",
        "How long is {a}, in metres?",
        "Estimate the length of {a} in metres.",
        note=_SIDES,
    ),
    _number(
        "height",
        "size",
        1,
        "What is the height of {a}, in metres?",
        "How tall is {a} from its bottom to its top, in metres?",
        "Estimate the height of {a} in metres.",
        note=_BOX,
    ),
    _number(
        "width",
        "size",
        1,
        "What is the width of {a}, in metres?",
        "How wide is {a}, in metres?",
        "Estimate the width of {a} in metres.",
        note=_SIDES,
    ),
    _choice(
        "rank_volume",
        "ranking",
        3,
        "Put {a}, {b} and {c} in order of volume, the largest first.",
        "Which is the order of {a}, {b} and {c} from the largest to the smallest volume?",
        "Rank {a}, {b} and {c} by the space that they take up, starting with the largest.",
        note=_BOX,
    ),
    _choice(
        "rank_height",
        "ranking",
        3,
        "Put {a}, {b} and {c} in order of their own height, the tallest first.",
        "Which is the order of {a}, {b} and {c} from the tallest to the shortest?",
        "Rank {a}, {b} and {c} by how tall they are, starting with the tallest.",
        note=_BOX,
    ),
    _choice(
        "rank_camera_distance",
        "ranking",
        3,
        "Put {a}, {b} and {c} in order of their distance from the camera, the nearest first.",
        "Which is the order of {a}, {b} and {c} from the nearest to the farthest, seen from the camera?",
        "Rank {a}, {b} and {c} by how far they are from the camera, starting with the nearest.",
        note=_CENTRES,
    ),
    _choice(
        "nearer_camera",
        "distance",
        2,
        "Which is closer to the camera, {a} or {b}?",
        "Which of {a} and {b} is nearer to where the camera stands?",
        "Compare {a} with {b}. Which one is at the shorter distance from the camera?",
        note=_CENTRES,
    ),
    _choice(
        "farther_camera",
        "distance",
        2,
        "Which is farther from the camera, {a} or {b}?",
        "Which of {a} and {b} is farther away from where the camera stands?",
        "Compare {a} with {b}. Which one is at the longer distance from the camera?",
        note=_CENTRES,
    ),
    _choice(
        "nearer_anchor",
        "distance",
        3,
        "Which is closer to {a}: {b} or {c}?",
        "Which of {b} and {c} is nearer to {a}?",
        "Start at {a}. Is it a shorter way, in a straight line, to {b} or to {c}?",
        note=_CENTRES,
    ),
    _choice(
        "farther_anchor",
        "distance",
        3,
        "Which is farther from {a}: {b} or {c}?",
        "Which of {b} and {c} is farther away from {a}?",
        "Start at {a}. Is it a longer way, in a straight line, to {b} or to {c}?",
        note=_CENTRES,
    ),
    _number(
        "camera_distance",
        "distance",
        1,
        "How far is {a} from the camera, in metres?",
        "What is the distance between the camera and {a}, in metres?",
        "Estimate in metres how far away from the camera {a} is.",
        note="The distance is to the centre of the object, in a straight line.",
    ),
    _number(
        "pair_distance",
        "distance",
        2,
        "How far apart are {a} and {b}, in metres?",
        "What is the distance between {a} and {b}, in metres?",
        "Estimate in metres how far {a} is from {b}.",
        note="The distance is between the centres of the objects, in a straight line.",
    ),
    _choice(
        "count_direction",
        "counting",
        1,
        "Seen from the camera, how many of the other numbered objects are {r} {a}?",
        "For a person standing at the camera, how many numbered objects lie {r} {a}?",
        "Count the numbered objects that are {r} {a} in the camera's view. How many are there?",
        level=True,
    ),
    _choice(
        "count_within",
        "counting",
        1,
        "How many of the other numbered objects are within {m} of {a}?",
        "Count the numbered objects that are at most {m} away from {a}. How many are there?",
        "Not counting {a} itself, how many numbered objects are no farther than {m} from {a}?",
        note=_CENTRES,
    ),
    _choice(
        "count_beyond",
        "counting",
        1,
        "How many of the other numbered objects are farther than {m} from {a}?",
        "Count the numbered objects that are more than {m} away from {a}. How many are there?",
        "Not counting {a} itself, how many numbered objects are at a distance of more than {m} from {a}?",
        note=_CENTRES,
    ),
    _number(
        "placed_distance",
        "deduction",
        2,
        "Imagine an object placed {m} {r} {a}, as seen from the camera. How far would it be from {b}, in metres?",
        "Suppose that something is put {m} {r} {a}, from the camera's point of view. "
        "What is its distance from {b}, in metres?",
        "For a person standing at the camera, a new object is set down {m} {r} {a}. "
        "Estimate in metres how far it is from {b}.",
        note="Measure along the ground, between centres.",
        level=True,
    ),
    _choice(
        "perspective",
        "transformation",
        3,
        "If you stand at {a} and face {b}, in which direction is {c}?",
        "Imagine that you are at {a}, looking towards {b}. Where is {c} from there?",
        "Take the place of {a} and turn to face {b}. In which direction do you find {c}?",
        note="Directions are on the ground, from the middle of one object to the middle of another.",
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
"""Name -> kind, in the published order of abilities."""

ABILITIES: Mapping[Ability, tuple[str, ...]] = {
    ability: tuple(kind.name for kind in _ALL if kind.ability == ability)
    for ability in ("size", "distance", "direction", "ranking", "counting", "deduction", "transformation")
}

SLOTS: Mapping[str, Mapping[Ability, int]] = {
    "easy": {"size": 1, "distance": 1, "direction": 1, "deduction": 1},
    "medium": {
        "size": 2,
        "distance": 1,
        "direction": 2,
        "ranking": 1,
        "counting": 1,
        "deduction": 1,
        "transformation": 1,
    },
    "hard": {
        "size": 3,
        "distance": 2,
        "direction": 2,
        "ranking": 2,
        "counting": 1,
        "deduction": 1,
        "transformation": 2,
    },
}
"""How many questions of each ability a picture of a difficulty gets (the published table)."""


def difficulty(edges: int) -> str | None:
    """Of a picture by the edges of its star: easy to 2, medium to 7, then hard; None without edges."""
    if edges < 1:
        return None
    return "easy" if edges <= 2 else "medium" if edges <= 7 else "hard"
