"""Scores by stress tag: the axes of a radar."""

from __future__ import annotations

from typing import Literal

from ...metrics import Interval
from .base import Subject, Value

__all__ = ["StressRow"]


class StressRow(Value):
    """One subject and one stress tag of RoboStressBench; an item counts under each of its tags, once.

    Attributes:
        by: "tag" for one of the 16 tags, which are all there in a fixed order; "dimension" for a letter's tags
            together.
        tag: such as "occlusion"; for a dimension its name, such as "geometry".
        dimension: "M", "V", "L" or "G".
        n, scored: items that the plan has here, and those with a score; 0 where the data has none with this tag.
        score, chance: None when nothing is scored.
    """

    subject: Subject
    by: Literal["tag", "dimension"]
    tag: str
    dimension: str
    n: int
    scored: int
    score: Interval | None
    chance: float | None
