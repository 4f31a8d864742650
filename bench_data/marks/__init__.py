"""Number marks: discs that tell a model which object is meant, readable on any colour and never overlapping."""

from .drawing import draw_marks
from .finding import FoundDisc, find_discs
from .mark import Mark, marks_from_json, marks_to_json
from .placing import mark_radius_px, place_marks
from .published import PublishedMark, draw_published_marks, place_published_marks
from .removal import PaintedOver, paint_over_marks, painted_over

__all__ = [
    "FoundDisc",
    "Mark",
    "PaintedOver",
    "PublishedMark",
    "draw_marks",
    "draw_published_marks",
    "find_discs",
    "mark_radius_px",
    "marks_from_json",
    "marks_to_json",
    "paint_over_marks",
    "painted_over",
    "place_marks",
    "place_published_marks",
]
