"""Number marks: discs that tell a model which object is meant, readable on any colour and never overlapping."""

from .drawing import draw_marks
from .mark import Mark, marks_from_json, marks_to_json
from .placing import mark_radius_px, place_marks
from .published import PublishedMark, draw_published_marks, place_published_marks

__all__ = [
    "Mark",
    "PublishedMark",
    "draw_marks",
    "draw_published_marks",
    "mark_radius_px",
    "marks_from_json",
    "marks_to_json",
    "place_marks",
    "place_published_marks",
]
