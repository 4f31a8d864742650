"""Boxes and points in the pixels of the original picture.

The space of the written numbers is a property of the model's adapter and has to be given: nothing is guessed from the
size of the numbers. What does not fit the space is ``invalid``, never clipped. Corners in the wrong order are ordered,
for a box is the same region either way, and flagged; a box without area is ``invalid``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...tools.models import CoordinateSpace
from ..errors import DiagnosticsError
from .claims import Claim, conclude, settle
from .coordinates import CoordinateGroup, box_groups, point_groups
from .reading import Reading, nothing_found, read
from .result import Flag, ParsedReply, ParseStatus

__all__ = ["Box", "PictureFrame", "Point", "parse_box", "parse_point"]

Box = tuple[float, float, float, float]
Point = tuple[float, float]
Size = tuple[int, int]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PictureFrame:
    """What the numbers of a model mean: its space, and the (width, height) of the picture as sent and as given."""

    space: CoordinateSpace
    sent_size: Size
    original_size: Size

    def __post_init__(self) -> None:
        for name, size in (("sent_size", self.sent_size), ("original_size", self.original_size)):
            if len(size) != 2 or min(size) < 1:
                raise DiagnosticsError(f"{name} must be (width, height) in pixels, got {size}")

    @property
    def extent(self) -> tuple[float, float]:
        """The largest x and y that the space allows."""
        width, height = {
            CoordinateSpace.PERMILLE: (1000, 1000),
            CoordinateSpace.FRACTION: (1, 1),
            CoordinateSpace.SENT_PIXELS: self.sent_size,
            CoordinateSpace.ORIGINAL_PIXELS: self.original_size,
        }[self.space]
        return float(width), float(height)

    def to_original(self, values: Sequence[float]) -> tuple[float, ...]:
        """x, y, x, y ... of the space, in pixels of the original picture."""
        return tuple(value * self.original_size[axis % 2] / self.extent[axis % 2] for axis, value in enumerate(values))


def parse_box(
    text: str, space: CoordinateSpace, sent_size: Size, original_size: Size, *, cut: bool = False
) -> ParsedReply[Box]:
    """The box of a reply as (x0, y0, x1, y1) in pixels of the original picture, corners in order.

    Args:
        space: what the model's numbers are measured in (``Capabilities.coordinate_space``).
        sent_size, original_size: (width, height) of the picture as the model saw it and as it was given.

    >>> parse_box("[100,200,300,400]", CoordinateSpace.PERMILLE, (1000, 500), (2000, 1000)).value
    (200.0, 200.0, 600.0, 400.0)
    """
    frame = PictureFrame(CoordinateSpace(space), sent_size, original_size)
    return read(text, lambda reading: _decide_box(reading, frame), cut=cut)


def parse_point(
    text: str, space: CoordinateSpace, sent_size: Size, original_size: Size, *, cut: bool = False
) -> ParsedReply[Point]:
    """The point of a reply as (x, y) in pixels of the original picture; a box instead of a point is ``invalid``.

    >>> parse_point("(500, 250)", CoordinateSpace.PERMILLE, (1000, 500), (2000, 1000)).value
    (1000.0, 250.0)
    """
    frame = PictureFrame(CoordinateSpace(space), sent_size, original_size)
    return read(text, lambda reading: _decide_point(reading, frame), cut=cut)


def _decide_box(reading: Reading, frame: PictureFrame) -> ParsedReply[Box]:
    return _decide(reading, box_groups(reading.lower), lambda group: _box(group, frame))


def _decide_point(reading: Reading, frame: PictureFrame) -> ParsedReply[Point]:
    boxes = [group for group in box_groups(reading.lower) if group.bracketed and not group.denied]
    if boxes:
        return _invalid(reading, boxes[0], _Fit(None, boxes[0].flags, "a box where a point is asked for"))
    return _decide(reading, point_groups(reading.lower), lambda group: _point(group, frame))


@dataclass(frozen=True, slots=True)
class _Fit(Generic[T]):
    """What written numbers are in the original picture, or why they are nothing there."""

    value: T | None
    flags: tuple[Flag, ...]
    problem: str = ""


def _decide(
    reading: Reading, groups: list[CoordinateGroup], fit: Callable[[CoordinateGroup], _Fit[T]]
) -> ParsedReply[T]:
    claims = [
        Claim(group, group.start, group.end, group.rule, group.final, denied=group.denied, flags=group.flags)
        for group in groups
    ]
    standing = settle(claims, reading.lower, lambda one, other: one.values == other.values)
    fits = [(claim, fit(claim.value)) for claim in standing]
    if len(fits) == 1 and fits[0][1].value is None:
        return _invalid(reading, *_first(fits))
    placed = [
        Claim(one.value, claim.start, claim.end, claim.rule, flags=one.flags)
        for claim, one in fits
        if one.value is not None
    ]
    if len(placed) < len(fits):
        return _invalid(reading, *_first([pair for pair in fits if pair[1].value is None]))
    result = conclude(placed, reading.text, cut=reading.cut)
    return nothing_found(reading) if result is None else result


def _first(fits: list[tuple[Claim[CoordinateGroup], _Fit[T]]]) -> tuple[CoordinateGroup, _Fit[T]]:
    return fits[0][0].value, fits[0][1]


def _box(group: CoordinateGroup, frame: PictureFrame) -> _Fit[Box]:
    problem, flags = _misfit(group, frame)
    x0, y0, x1, y1 = group.values
    if not problem and (x0 == x1 or y0 == y1):
        problem = f"a box without area: {group.values}"
    if problem:
        return _Fit(None, flags, problem)
    if x1 < x0 or y1 < y0:
        flags = (*flags, Flag.CORNERS_REORDERED)
        x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    a, b, c, d = frame.to_original((x0, y0, x1, y1))
    return _Fit((a, b, c, d), flags)


def _point(group: CoordinateGroup, frame: PictureFrame) -> _Fit[Point]:
    problem, flags = _misfit(group, frame)
    if problem:
        return _Fit(None, flags, problem)
    x, y = frame.to_original(group.values)
    return _Fit((x, y), flags)


def _misfit(group: CoordinateGroup, frame: PictureFrame) -> tuple[str, tuple[Flag, ...]]:
    """What is wrong with the numbers in this space ("" if nothing), and what looks odd about them."""
    width, height = frame.extent
    flags = group.flags
    if not all(math.isfinite(value) for value in group.values):
        return "a coordinate is not finite", flags
    outside = [value for axis, value in enumerate(group.values) if not 0 <= value <= (height if axis % 2 else width)]
    if outside:
        flags = (*flags, Flag.OUT_OF_RANGE)
        if frame.space is CoordinateSpace.FRACTION:
            flags = (*flags, Flag.SPACE_LOOKS_WRONG)
        return f"{outside[0]:g} lies outside 0..{width:g} x 0..{height:g} of the space {frame.space.value}", flags
    fractions = max(group.values) <= 1 and any(value != int(value) for value in group.values)
    if fractions and frame.space is not CoordinateSpace.FRACTION:
        flags = (*flags, Flag.SPACE_LOOKS_WRONG)
    return "", flags


def _invalid(reading: Reading, group: CoordinateGroup, fit: _Fit[T]) -> ParsedReply[T]:
    return ParsedReply(
        ParseStatus.INVALID,
        span=reading.text.span(group.start, group.end),
        rule=group.rule,
        flags=(*reading.flags, *fit.flags),
        detail=fit.problem,
    )
