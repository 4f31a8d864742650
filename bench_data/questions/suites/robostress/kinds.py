"""The kinds of questions of the suite, and how they read. All have four options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...question import Option

__all__ = ["COUNTS", "KEYS", "KINDS", "RANKS", "RELATIONS", "TOP_RANKS", "Kind"]

KEYS = ("first", "second", "third", "fourth")
"""Of options that are objects or categories: in a random order, so that a key says nothing."""

RELATIONS: Mapping[str, Option] = {
    key: Option(key, text)
    for key, text in (
        ("left+front", "to the left, and nearer to the camera"),
        ("left+behind", "to the left, and farther from the camera"),
        ("right+front", "to the right, and nearer to the camera"),
        ("right+behind", "to the right, and farther from the camera"),
    )
}
RANKS = ("nearest to", "second nearest to", "second farthest from", "farthest from")
TOP_RANKS = ("highest", "second highest", "second lowest", "lowest")
"""Names of the four places in an order; all are asked for equally often, so that none of the four objects is right more
often than another one."""
COUNTS = tuple(Option(str(count), str(count)) for count in range(4))


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of question.

    Args:
        wordings: templates for ``str.format``; {a} and {b} are names, {x} a word or a list. Kinds asked both ways have
            the other way in the second half.
        tags: what reports group by; ``task`` and ``gt_type`` as RoboStressBench has them. Stress dimension and tag
            belong to the condition under which the picture is shown, not to the question.
    """

    name: str
    wordings: tuple[str, ...]
    tags: Mapping[str, str]
    margin_unit: str = "m"


def _kind(task: str, name: str, *wordings: str, note: str = "", margin_unit: str = "m") -> Kind:
    return Kind(
        name=f"{task}.{name}",
        wordings=tuple(f"{one} {note}".rstrip() for one in wordings),
        tags={"task": f"{task}_mcq", "gt_type": "mcq", "ability": name},
        margin_unit=margin_unit,
    )


_CENTRES = "Distances are straight, to the centres of the objects."

_ALL = (
    _kind(
        "spatial",
        "relation",
        "Where is {a} in relation to {b}?",
        "Compared with {b}, where does {a} stand?",
        "Take {b} as the reference. Where do you find {a}?",
        note="Judge as a person at the camera who looks level in its direction; nearer and farther are measured along "
        "that direction.",
    ),
    _kind(
        "spatial",
        "camera_distance",
        "Which of these objects is {x} the camera?",
        "Order these objects by their distance from the camera: which one is {x} it?",
        "From where the image was taken, which of these objects is {x} the camera?",
        note=_CENTRES,
    ),
    _kind(
        "spatial",
        "object_distance",
        "Which of these objects is {x} {a}?",
        "Order these objects by their distance from {a}: which one is {x} it?",
        "Look at {a}. Which of these objects is {x} it?",
        note="Distances are straight, from centre to centre.",
    ),
    _kind(
        "spatial",
        "top_height",
        "Which of these objects has the {x} top?",
        "Compare how high above the ground the tops of these objects are: whose is the {x} one?",
        "Order these objects by how far up from the ground they reach: whose top is the {x}?",
    ),
    _kind(
        "spatial",
        "count_nearer",
        "How many of {x} are nearer to the camera than {a}?",
        "Take {x}: how many of them are nearer to the camera than {a}?",
        "Count how many of {x} are closer to the camera than {a} is.",
        note=_CENTRES,
    ),
    _kind(
        "spatial",
        "count_category",
        "How many {x} does the image show, partly hidden ones included?",
        "Count the {x} in this image, partly hidden ones included. How many are there?",
        "What is the number of {x} in the image, wholly or partly visible?",
        margin_unit="",
    ),
    _kind(
        "state",
        "existence",
        "Which of these is to be seen in the image?",
        "Only one of these is in the image. Which one?",
        "Look for each of these in the image: which one do you find?",
        "Which of these is not to be seen in the image?",
        "All but one of these are in the image. Which one is missing?",
        "Look for each of these in the image: which one do you not find?",
        margin_unit="count",
    ),
    _kind(
        "state",
        "colour",
        "Which of these objects is {x}?",
        "One of these objects is {x}. Which one?",
        "Look at the colours of these objects: which one is {x}?",
        margin_unit="count",
    ),
    _kind(
        "state",
        "material",
        "Which of these objects is made of {x}?",
        "One of these objects is made of {x}. Which one?",
        "Look at what these objects are made of: which one is of {x}?",
        margin_unit="count",
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
"""Name -> kind."""
