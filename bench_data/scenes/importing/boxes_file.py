"""``boxes.json``: objects with boxes for sources that have none of their own.

A list, or ``{"boxes": [...]}``, of records in the axes and the unit of the source's cameras::

    {"label": "chair", "centre": [x, y, z], "size": [along x, along y, along z], "quat_wxyz": [1, 0, 0, 0]}

``quat_wxyz`` turns the box's own axes into the world's (default: none). Optional: ``description``, ``attributes`` (text
to text), ``is_structure`` (default: by the label), and ``has_front``: then x is its front and z its up, and both are
kept; otherwise the box's axes are only named anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import BenchDataError
from ...rotations import matrix_from_quat
from ..box import OrientedBox
from ..describing import described
from ..scene import Instance
from .files import read_json, validated
from .objects import is_structure_label, plain_label, settled_box
from .world import WorldChange

__all__ = ["BoxEntry", "boxes_in", "instances_of", "read_boxes", "with_descriptions"]

_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Side: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_MOST_BOXES = 5000


class BoxEntry(BaseModel):
    """One record of ``boxes.json``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    centre: tuple[_Finite, _Finite, _Finite]
    size: tuple[_Side, _Side, _Side]
    quat_wxyz: tuple[_Finite, _Finite, _Finite, _Finite] = (1.0, 0.0, 0.0, 0.0)
    description: str = ""
    attributes: dict[str, str] = {}
    is_structure: bool | None = None
    has_front: bool = False


class _BoxList(BaseModel):
    boxes: Annotated[list[BoxEntry], Field(max_length=_MOST_BOXES)]


def boxes_in(folder: Path) -> Path | None:
    """The ``boxes.json`` of a folder, if there is one."""
    path = folder / "boxes.json"
    return path if path.is_file() else None


def read_boxes(path: Path) -> tuple[BoxEntry, ...]:
    """The records of a ``boxes.json``.

    Raises:
        BenchDataError: no such file, no such JSON, or a field that is missing or wrong; it is named.
    """
    content = read_json(path)
    if isinstance(content, list):
        content = {"boxes": content}
    return tuple(validated(_BoxList, content, str(path)).boxes)


def instances_of(entries: Sequence[BoxEntry], change: WorldChange, source: str) -> tuple[Instance, ...]:
    """Instances in this project's world, numbered in order; described where their labels and attributes allow.

    Raises:
        BenchDataError: an entry that is no object; the message gives its number.
    """
    found = []
    for number, entry in enumerate(entries):
        try:
            rotation = matrix_from_quat(entry.quat_wxyz)
            box = change.box(OrientedBox(np.array(entry.centre), np.array(entry.size), rotation))
            label = plain_label(entry.label)
            found.append(
                Instance(
                    id=number,
                    label=label,
                    box=settled_box(box, has_front=entry.has_front),
                    description=entry.description,
                    attributes=entry.attributes,
                    is_structure=is_structure_label(label) if entry.is_structure is None else entry.is_structure,
                    has_front=entry.has_front,
                )
            )
        except (BenchDataError, ValidationError) as error:
            raise BenchDataError(f"{source}: box {number}: {error}") from error
    return with_descriptions(found)


def with_descriptions(instances: Sequence[Instance]) -> tuple[Instance, ...]:
    """Instances under their own descriptions where those are unique, else under what labels and attributes give."""
    given = Counter(one.description for one in instances)
    kinds: dict[str, list[Instance]] = {}
    for one in instances:
        # Only nouns that end alike can be taken for each other, so these are compared among themselves.
        kinds.setdefault(one.label.split()[-1], []).append(one)
    made = {one.id: one.description for group in kinds.values() for one in described(group)}
    found, taken = [], {text for text, count in given.items() if text and count == 1}
    for one in instances:
        own = bool(one.description) and given[one.description] == 1
        text = one.description if own else made[one.id]
        found.append(one.described(text if own or text not in taken else ""))
        taken.add(text)
    return tuple(found)
