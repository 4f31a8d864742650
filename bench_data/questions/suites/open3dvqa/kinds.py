"""The kinds of questions of the suite, and how they read.

The names are the published ones: 39 types in v1, of which v2 drops the five about volume and adds twelve with letters,
46 in all. Ours are `apparent_width_data` and the two `sideways` distances, which v1 confuses with others.

Every text says in which frame it is asked and what is measured; the published wordings do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...answer_format import AnswerType
from ...units import Unit

__all__ = ["KINDS", "V1", "V2", "Form", "Kind", "Measured"]

Measured = Literal["right", "up", "forward", "volume", "width", "height"]
"""What two objects are compared by: where their centres are, or how large they are."""

Form = Literal["predicate", "choice", "multichoice", "tfqa", "size", "pair", "agent", "yes_no_agent", "clock"]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of question.

    Args:
        wordings: templates for ``str.format``; {a} and {b} are names. Kinds that ask which of two, and those about
            the sides of the camera, are asked both ways: the second half of their wordings asks for the other one.
        published_wordings: as the published generators ask, without a frame.
        measured, larger: of comparisons, what is compared, and whether the larger value is meant.
        versions: "v1", "v2", "v1 v2", or "" for ours.
        tags: what reports group by.
    """

    name: str
    form: Form
    answer_type: AnswerType
    wordings: tuple[str, ...]
    published_wordings: tuple[str, ...]
    versions: str
    tags: Mapping[str, str]
    unit: Unit | None = None
    margin_unit: str = ""
    measured: Measured = "right"
    larger: bool = True


@dataclass(frozen=True, slots=True)
class _Words:
    """How a comparison reads: "is {than} the mug", "which is {more}", "which is not {equally} as the other"."""

    name: str
    measured: Measured
    larger: bool
    than: str
    more: str
    equally: str
    note: str
    published: str


_SIDES = (
    "Left and right are those of a person at the camera who looks level in its direction; compare the centres of the "
    "objects."
)
_HEIGHTS = "Compare the heights of their centres above the ground."
_DEPTHS = (
    "The front is where the camera is; measure level along the camera's direction of view, to the centres of the "
    "objects."
)
_VOLUMES = "Compare the volumes of the boxes around them, each along the object's own sides."
_WIDTHS = "The width of an object is the longer of the two level sides of the box around it, along its own sides."
_TALL = "Height is that of the object itself, from its bottom to its top."
_NEAREST_HOUR = "12 is straight ahead and 3 to the right; take the nearest hour, on the ground, from centre to centre."

_RELATIONS = (
    _Words(
        "left",
        "right",
        False,
        "to the left of",
        "farther to the left",
        "as far to the left",
        _SIDES,
        "to the left of",
    ),
    _Words(
        "right",
        "right",
        True,
        "to the right of",
        "farther to the right",
        "as far to the right",
        _SIDES,
        "to the right of",
    ),
    _Words("above", "up", True, "higher up than", "higher up", "as high up", _HEIGHTS, "above"),
    _Words("below", "up", False, "lower down than", "lower down", "as low down", _HEIGHTS, "below"),
    _Words(
        "front", "forward", False, "in front of", "farther to the front", "as far to the front", _DEPTHS, "in front of"
    ),
    _Words("behind", "forward", True, "behind", "farther to the back", "as far to the back", _DEPTHS, "behind"),
)
_ATTRIBUTES = (
    _Words("big", "volume", True, "larger than", "larger", "as large", _VOLUMES, "bigger than"),
    _Words("small", "volume", False, "smaller than", "smaller", "as small", _VOLUMES, "smaller than"),
    _Words("wide", "width", True, "wider than", "wider", "as wide", _WIDTHS, "wider than"),
    _Words("thin", "width", False, "narrower than", "narrower", "as narrow", _WIDTHS, "thinner than"),
    _Words("tall", "height", True, "taller than", "taller", "as tall", _TALL, "taller than"),
    _Words("short", "height", False, "shorter than", "shorter", "as short", _TALL, "shorter than"),
)

_ASKED = (
    "Is {{a}} {than} {{b}}?",
    "Would you say that {{a}} is {than} {{b}}?",
    "Look at {{a}} and at {{b}}: is the former {than} the latter?",
)
_CLAIMED = (
    "Is it true that {{a}} is {than} {{b}}?",
    "Judge this claim: {{a}} is {than} {{b}}. Is it right?",
    "Somebody says that {{a}} is {than} {{b}}. Does that hold?",
)
_WHICH = (
    "Which is {more}: {{a}} or {{b}}?",
    "Of {{a}} and {{b}}, which one is {more}?",
    "Compare {{a}} with {{b}}: which of them is {more}?",
)
_WHICH_NOT = (
    "Which is not {equally} as the other: {{a}} or {{b}}?",
    "Of {{a}} and {{b}}, which one is not {equally} as the other?",
    "Compare {{a}} with {{b}}: which of them is not {equally} as the other?",
)

_MARGIN_UNITS = {"volume": "m3"}


def _compared(words: _Words, form: Form, *, task: str) -> Kind:
    templates = {
        "predicate": _ASKED,
        "tfqa": _CLAIMED,
        "choice": _WHICH + _WHICH_NOT,
        "multichoice": _WHICH + _WHICH_NOT,
    }[form]
    published = {"predicate": _ASKED, "tfqa": _CLAIMED}.get(form, _WHICH)
    letters = form in ("multichoice", "tfqa")
    return Kind(
        name=f"{words.name}_{form}",
        form=form,
        answer_type=AnswerType.YES_NO if form == "predicate" else AnswerType.CHOICE,
        wordings=tuple(
            f"{one.format(than=words.than, more=words.more, equally=words.equally)} {words.note}" for one in templates
        ),
        published_wordings=tuple(one.format(than=words.published, more=words.more) for one in published),
        versions="v2" if letters else "v1" if words.measured == "volume" else "v1 v2",
        tags=_tags("qualitative", task),
        margin_unit=_MARGIN_UNITS.get(words.measured, "m"),
        measured=words.measured,
        larger=words.larger,
    )


def _tags(answer_kind: str, task: str, *, embodied: bool = False) -> dict[str, str]:
    return {"type": answer_kind, "is_embodied": str(embodied).lower(), "task_group": task}


def _number(
    name: str,
    form: Form,
    task: str,
    wordings: tuple[str, str, str],
    *,
    note: str = "",
    published: tuple[str, ...],
    unit: Unit = Unit.METRE,
    versions: str = "v1 v2",
) -> Kind:
    return Kind(
        name=name,
        form=form,
        answer_type=AnswerType.NUMBER,
        wordings=tuple(f"{one} {note}".rstrip() for one in wordings),
        published_wordings=published,
        versions=versions,
        tags=_tags("quantitative", task, embodied="agent" in name),
        unit=unit,
    )


def _clock(name: str, task: str, wordings: tuple[str, str, str], published: tuple[str, ...]) -> Kind:
    return Kind(
        name=name,
        form="clock",
        answer_type=AnswerType.CLOCK,
        wordings=tuple(f"{one} {_NEAREST_HOUR}" for one in wordings),
        published_wordings=published,
        versions="v1 v2",
        tags=_tags("quantitative", task, embodied="agent" in name),
        margin_unit="deg",
    )


def _agent(name: str, measured: Measured, larger: bool, asked: str, other: str, published: str) -> Kind:
    return Kind(
        name=f"{name}_relationship2agent",
        form="yes_no_agent",
        answer_type=AnswerType.YES_NO,
        wordings=tuple(
            template.format(asked=way)
            for way in (asked, other)
            for template in (
                "You are at the camera and look level in its direction. Is the centre of {{a}} {asked}?",
                "For a person at the camera who looks level in its direction: is the centre of {{a}} {asked}?",
                "Imagine standing where the camera is, with a level gaze in its direction. Would you say that the "
                "centre of {{a}} is {asked}?",
            )
        ),
        published_wordings=(f"Is {{a}} {published}?", f"Do you see {{a}} {published}?", f"Would {{a}} be {published}?"),
        versions="v1 v2",
        tags=_tags("qualitative", "egocentric direction", embodied=True),
        margin_unit="m",
        measured=measured,
        larger=larger,
    )


_ACROSS = (
    "Measure from left to right only, for a person at the camera who looks level in its direction; heights and depths "
    "do not count."
)
_ON_THE_GROUND = "Measure level, in any direction, between their centres; heights do not count."
_OWN_BOX = "Take the box around it, along its own sides."

_RELATION_TASK = "allo-ego transformed direction"
_SIZE_TASK = "allocentric size"

_ALL = (
    *(_compared(words, "predicate", task=_RELATION_TASK) for words in _RELATIONS),
    *(_compared(words, "choice", task=_RELATION_TASK) for words in _RELATIONS),
    *(_compared(words, "predicate", task=_SIZE_TASK) for words in _ATTRIBUTES),
    *(_compared(words, "choice", task=_SIZE_TASK) for words in _ATTRIBUTES),
    _number(
        "width_data",
        "size",
        "object-centric size",
        (
            "How wide is {a}, in metres?",
            "What is the width of {a}, in metres?",
            "Estimate the width of {a} in metres.",
        ),
        note=_WIDTHS,
        published=("How wide is {a}?", "What is the width of {a}?", "Estimate the width of {a}."),
    ),
    _number(
        "height_data",
        "size",
        "object-centric size",
        (
            "How tall is {a}, in metres?",
            "What is the height of {a}, in metres?",
            "Estimate the height of {a} in metres.",
        ),
        note=_TALL,
        published=("How tall is {a}?", "What is the height of {a}?", "Estimate the height of {a}."),
    ),
    _number(
        "volume_data",
        "size",
        "object-centric size",
        (
            "What volume does {a} take up, in cubic metres?",
            "How many cubic metres does {a} fill?",
            "Estimate the volume of {a} in cubic metres.",
        ),
        note=_OWN_BOX,
        published=("What volume does {a} take up?", "What is the volume of {a}?", "Estimate the volume of {a}."),
        unit=Unit.CUBIC_METRE,
        versions="v1",
    ),
    _number(
        "apparent_width_data",
        "size",
        "object-centric size",
        (
            "How far does {a} extend from left to right, in metres, as it stands before the camera?",
            "From the camera's point of view, how many metres does {a} reach from its left end to its right end?",
            "Estimate in metres how broad {a} is as it faces the camera, from its leftmost to its rightmost corner.",
        ),
        note="Measure level, at right angles to the camera's direction of view, between the corners of the box around "
        "it.",
        published=(),
        versions="",
    ),
    _number(
        "distance_data",
        "pair",
        "allocentric distance",
        (
            "How many metres are the centres of {a} and {b} apart, in a straight line?",
            "What is the straight-line distance between the centres of {a} and {b}, in metres?",
            "Estimate in metres how far it is from the centre of {a} straight to that of {b}.",
        ),
        published=(
            "How far apart are {a} and {b}?",
            "What is the distance between {a} and {b}?",
            "Estimate the distance from {a} to {b}.",
        ),
    ),
    _number(
        "vertical_distance_data",
        "pair",
        "allocentric distance",
        (
            "By how many metres do the heights of the centres of {a} and {b} differ?",
            "What is the difference in height between the centres of {a} and {b}, in metres?",
            "Estimate in metres how much higher one of the centres of {a} and {b} is than the other.",
        ),
        published=(
            "How far apart are {a} and {b} vertically?",
            "What is the vertical distance between {a} and {b}?",
            "Estimate the vertical distance from {a} to {b}.",
        ),
    ),
    _number(
        "horizontal_distance_data",
        "pair",
        "allocentric distance",
        (
            "How far apart are {a} and {b} on the ground, in metres?",
            "What is the horizontal distance between {a} and {b}, in metres?",
            "Estimate the horizontal distance from {a} to {b} in metres.",
        ),
        note=_ON_THE_GROUND,
        published=(
            "How far apart are {a} and {b} horizontally?",
            "What is the horizontal distance between {a} and {b}?",
            "Estimate the horizontal distance from {a} to {b}.",
        ),
    ),
    _number(
        "sideways_distance_data",
        "pair",
        "allocentric distance",
        (
            "How far apart are the centres of {a} and {b} to the side, in metres?",
            "What is the sideways distance between the centres of {a} and {b}, in metres?",
            "Estimate in metres how far the centres of {a} and {b} are apart from left to right.",
        ),
        note=_ACROSS,
        published=(),
        versions="",
    ),
    _clock(
        "direction_data",
        _RELATION_TASK,
        (
            "Stand at {a} and look level in the camera's direction. At which hour of the clock is {b}?",
            "Imagine being at {a}, with a level gaze that runs as the camera's does. At what o'clock do you find {b}?",
            "From {a}, for a person who looks level in the same direction as the camera, which hour points to {b}?",
        ),
        (
            "If you are at {a}, at what o'clock is {b}?",
            "Standing at {a}, in which clock direction is {b}?",
            "From {a}, which hour of the clock points to {b}?",
        ),
    ),
    _agent("left", "right", False, "to your left", "to your right", "to your left"),
    _agent("right", "right", True, "to your right", "to your left", "to your right"),
    _agent("above", "up", True, "higher than the camera", "lower than the camera", "above you"),
    _agent("below", "up", False, "lower than the camera", "higher than the camera", "below you"),
    _number(
        "distance2agent",
        "agent",
        "egocentric distance",
        (
            "How many metres is the centre of {a} away from the camera, in a straight line?",
            "What is the straight-line distance from the camera to the centre of {a}, in metres?",
            "Estimate in metres how far you are from the centre of {a} if you stand at the camera.",
        ),
        published=(
            "How far away from you is {a}?",
            "What is your distance from {a}?",
            "Estimate your distance from {a}.",
        ),
    ),
    _number(
        "vertical_distance2agent",
        "agent",
        "egocentric distance",
        (
            "By how many metres do the heights of the camera and of the centre of {a} differ?",
            "What is the difference in height between the camera and the centre of {a}, in metres?",
            "Estimate in metres how far the centre of {a} is above or below the level of the camera.",
        ),
        published=(
            "How far away from you is {a} vertically?",
            "What is your vertical distance from {a}?",
            "Estimate your vertical distance from {a}.",
        ),
    ),
    _number(
        "horizontal_distance2agent",
        "agent",
        "egocentric distance",
        (
            "How far is {a} from the camera on the ground, in metres?",
            "What is the horizontal distance from the camera to {a}, in metres?",
            "Estimate in metres your horizontal distance from {a} if you stand at the camera.",
        ),
        note="Measure level, in any direction, to its centre; heights do not count.",
        published=(
            "How far away from you is {a} horizontally?",
            "What is your horizontal distance from {a}?",
            "Estimate your horizontal distance from {a}.",
        ),
    ),
    _number(
        "sideways_distance2agent",
        "agent",
        "egocentric distance",
        (
            "How many metres is the centre of {a} to the left or right of the camera?",
            "What is the sideways distance from the camera to the centre of {a}, in metres?",
            "Estimate in metres how far the centre of {a} is off to the side of you if you stand at the camera.",
        ),
        note=_ACROSS,
        published=(),
        versions="",
    ),
    _clock(
        "direction2agent",
        "egocentric direction",
        (
            "You stand at the camera and look level in its direction. At which hour of the clock is {a}?",
            "For a person at the camera with a level gaze in its direction, at what o'clock is {a}?",
            "From where the camera is, looking level as it does, which hour points to {a}?",
        ),
        (
            "At what o'clock from you is {a}?",
            "In which clock direction do you see {a}?",
            "Which hour of the clock points from you to {a}?",
        ),
    ),
    *(_compared(words, "multichoice", task=_RELATION_TASK) for words in _RELATIONS),
    *(_compared(words, "tfqa", task=_RELATION_TASK) for words in _RELATIONS),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
"""Name -> kind, in the published order."""
V1: tuple[Kind, ...] = tuple(kind for kind in _ALL if "v1" in kind.versions)
V2: tuple[Kind, ...] = tuple(kind for kind in _ALL if "v2" in kind.versions)
"""The 39 and 46 types of the published generators."""
