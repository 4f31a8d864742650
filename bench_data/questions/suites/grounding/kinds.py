"""The kinds of questions of the suite, and how they read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...answer_format import AnswerType

__all__ = ["KINDS", "NOTES", "WAYS", "Kind", "Shape", "Way"]

Shape = Literal["point", "box"]
Way = Literal["description", "category", "attribute", "distance", "distance_to", "side", "height"]
"""What an object is told apart by."""

WAYS: tuple[Way, ...] = ("description", "category", "attribute", "distance", "distance_to", "side", "height")

NOTES: Mapping[Way, str] = {
    "distance": "Only what the image shows counts; distances are between the camera and the centres of the objects.",
    "distance_to": "Only what the image shows counts; distances are between the centres of the objects.",
    "side": "Only what the image shows counts; left and right are those of the image.",
    "height": "Only what the image shows counts; compare the heights of the objects themselves, from bottom to top.",
}
"""What is measured, where an object is found by a comparison."""

_WORDINGS: Mapping[Shape, tuple[str, ...]] = {
    "point": ("Point to {a}.", "Where in the image is {a}? Point to it.", "Find {a}, and put a point on it."),
    "box": (
        "Draw the box around all that can be seen of {a}.",
        "Where in the image is {a}? Put a box around its visible part.",
        "Find {a}, and mark the smallest box that holds all that is visible of it.",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of question.

    Args:
        wordings: templates for ``str.format``; {a} is what the object is called.
        tags: what reports group by; ``task`` and ``gt_type`` as RoboStressBench has them.
    """

    name: str
    shape: Shape
    way: Way
    answer_type: AnswerType
    wordings: tuple[str, ...]
    tags: Mapping[str, str]


def _kind(shape: Shape, way: Way) -> Kind:
    return Kind(
        name=f"{shape}.{way}",
        shape=shape,
        way=way,
        answer_type=AnswerType.POINT if shape == "point" else AnswerType.BOX,
        wordings=tuple(f"{one} {NOTES.get(way, '')}".rstrip() for one in _WORDINGS[shape]),
        tags={
            "task": "target_grounding",
            "gt_type": "mask" if shape == "point" else "bbox",
            "referring": "relation" if way in NOTES else way,
        },
    )


KINDS: Mapping[str, Kind] = {kind.name: kind for shape in _WORDINGS for kind in (_kind(shape, way) for way in WAYS)}
"""Name -> kind."""
