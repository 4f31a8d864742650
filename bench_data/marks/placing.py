"""Where marks go: on their object where it is large enough, otherwise beside it with a line; never over one another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from ..questions.scene_truth import Sight
from .mark import Disc, Mark

__all__ = ["mark_radius_px", "place_marks"]

_GAP_PX = 2.0
"""Between two discs."""
_SMALLEST_PX = 6.0
_SHRINK = 0.85
_ON_DEPTH = 0.6
"""A disc may reach over the edge of its object, as long as its middle is this many radii inside."""
_MOST_COVERED = 0.4
"""A disc on its object covers at most this share of what is seen of it."""
_ANGLES = 24
_REACHES = (1.6, 2.2, 3.0, 4.0, 5.5, 7.5, 10.0, 14.0)
"""Distances of a disc beside its object, in radii, from anchor to middle."""
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])

Ids = NDArray[np.int32]
Point = tuple[float, float]


def mark_radius_px(width: int, height: int) -> float:
    """The radius of the marks of a picture of this size: the same for all of them, so that it tells nothing of depth.

    >>> [round(mark_radius_px(*size)) for size in ((320, 240), (640, 480), (1752, 1168))]
    [10, 15, 30]
    """
    return float(min(30.0, max(_SMALLEST_PX, 5.0 + 0.018 * math.sqrt(width * height))))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is seen of one object."""

    object: int
    number: int
    pixels: int
    anchor_px: Point
    """A point on it, as far inside as possible."""
    x0: int
    y0: int
    depth_px: NDArray[np.float64]
    """(h, w) for the pixels from (x0, y0) on: how far inside the object each one is; 0 outside."""


def place_marks(
    numbers: Mapping[int, int],
    *,
    size: tuple[int, int],
    instance_ids: NDArray[np.integer] | None = None,
    sights: Mapping[int, Sight] | None = None,
    image_srgb_u8: NDArray[np.uint8] | None = None,
) -> tuple[Mark, ...]:
    """Places the marks of one picture. The same input gives the same marks.

    Args:
        numbers: object -> the number to draw.
        size: (width, height) of the picture.
        instance_ids: (H, W) the object in each pixel; the better choice.
        sights: object -> how it appears, where there is no map of pixels; discs then go by boxes and inner points.
        image_srgb_u8: (H, W, 3) the picture, by which light or dark discs are chosen; all are light without it.

    Returns:
        One mark for each object, in the order of their numbers.

    Raises:
        BenchDataError: neither map nor sights, or both; a shape that does not fit; an object that is not seen; a number
            drawn twice; or more marks than there is room for.
    """
    width, height = size
    if len(set(numbers.values())) != len(numbers):
        raise BenchDataError("each mark of a picture must have a number of its own")
    if (instance_ids is None) == (sights is None):
        raise BenchDataError("place_marks needs either instance_ids or sights")
    if image_srgb_u8 is not None and image_srgb_u8.shape != (height, width, 3):
        raise BenchDataError(f"image_srgb_u8 must have shape {(height, width, 3)}, got {image_srgb_u8.shape}")
    if sights is not None:
        ids = _painted(numbers, sights, width, height)
    else:
        ids = np.asarray(instance_ids).astype(np.int32)
        if ids.shape != (height, width):
            raise BenchDataError(f"instance_ids must have shape {(height, width)}, got {ids.shape}")
    shapes = [_shape(one, number, ids, None if sights is None else sights[one]) for one, number in numbers.items()]
    radius = mark_radius_px(width, height)
    while True:
        placed = _Layout(shapes, ids, radius).placed()
        if placed is not None:
            break
        radius *= _SHRINK
        if radius < _SMALLEST_PX:
            raise BenchDataError(f"there is no room for {len(numbers)} marks on a picture of {width} x {height} pixels")
    marks = [
        Mark(shape.object, shape.number, centre, radius, _disc(centre, radius, image_srgb_u8), anchor)
        for shape, (centre, anchor) in zip(shapes, placed, strict=True)
    ]
    return tuple(sorted(marks, key=lambda mark: mark.number))


def _shape(one: int, number: int, ids: Ids, sight: Sight | None) -> _Shape:
    import cv2

    mask = (ids == one).view(np.uint8)
    x0, y0, width, height = cv2.boundingRect(mask)
    if not width:
        raise BenchDataError(f"object {one} has no visible pixel to put mark {number} on")
    # A rim of zeros: the border of the picture is an edge too.
    padded = np.pad(mask[y0 : y0 + height, x0 : x0 + width], 1)
    rough = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1].astype(np.float64)
    # OpenCV's roots differ in the last digit from call to call; the squares are whole numbers.
    depth = np.sqrt(np.rint(rough * rough))
    if sight is None:
        row, column = divmod(int(np.argmax(depth)), depth.shape[1])
        anchor = (x0 + column + 0.5, y0 + row + 0.5)
    else:
        anchor = sight.point_px
    pixels = int(np.count_nonzero(padded)) if sight is None else sight.pixels
    return _Shape(one, number, pixels, anchor, x0, y0, depth)


def _painted(numbers: Mapping[int, int], sights: Mapping[int, Sight], width: int, height: int) -> Ids:
    """A map of pixels made of boxes, the smaller ones in front, each around its inner point."""
    missing = [one for one in numbers if one not in sights]
    if missing:
        raise BenchDataError(f"object {missing[0]} is not seen in this picture; it cannot be marked")
    ids = np.full((height, width), -1, np.int32)
    boxes = {one: sights[one].box_px for one in numbers}
    for one in sorted(numbers, key=lambda n: -(boxes[n][2] - boxes[n][0]) * (boxes[n][3] - boxes[n][1])):
        x0, y0, x1, y1 = boxes[one]
        ids[math.floor(y0) : math.ceil(y1), math.floor(x0) : math.ceil(x1)] = one
    for one in numbers:
        x, y = sights[one].point_px
        ids[min(height - 1, max(0, math.floor(y))), min(width - 1, max(0, math.floor(x)))] = one
    return ids


def _disc(centre: Point, radius: float, image: NDArray[np.uint8] | None) -> Disc:
    """Light where the picture under and around the disc is dark, and the other way round."""
    if image is None:
        return "light"
    (x, y), reach = centre, 1.3 * radius
    patch = image[max(0, int(y - reach)) : int(y + reach) + 1, max(0, int(x - reach)) : int(x + reach) + 1]
    return "light" if float((patch.reshape(-1, 3) @ _LUMINANCE).mean()) < 140 else "dark"


class _Layout:
    """Tries to find a place for all marks at one radius."""

    def __init__(self, shapes: list[_Shape], ids: Ids, radius: float) -> None:
        self._shapes = shapes
        self._ids = ids
        self._height, self._width = ids.shape
        self._radius = radius
        self._pixels = {shape.object: shape.pixels for shape in shapes}
        self._discs: list[Point] = []
        self._lines: list[tuple[Point, Point]] = []
        span = math.ceil(radius)
        ys, xs = np.mgrid[-span : span + 1, -span : span + 1]
        self._inside = xs * xs + ys * ys <= radius * radius
        self._span = span

    def placed(self) -> list[tuple[Point, Point | None]] | None:
        """(middle, anchor or None) of each shape in order; None when one of them finds no place."""
        found: dict[int, tuple[Point, Point | None]] = {}
        # The smaller an object, the fewer places it has: it comes first.
        order = sorted(self._shapes, key=lambda shape: (shape.pixels, shape.number))
        beside = []
        for shape in order:
            centre = self._on(shape)
            if centre is None:
                beside.append(shape)
            else:
                self._discs.append(centre)
                found[shape.object] = (centre, None)
        for shape in beside:
            centre = self._beside(shape)
            if centre is None:
                return None
            self._discs.append(centre)
            self._lines.append((centre, shape.anchor_px))
            found[shape.object] = (centre, shape.anchor_px)
        return [found[shape.object] for shape in self._shapes]

    def _on(self, shape: _Shape) -> Point | None:
        """The middle of a disc on the object itself, as far inside as other discs allow."""
        radius = self._radius
        if math.pi * radius * radius > _MOST_COVERED * shape.pixels:
            return None
        depth = shape.depth_px.copy()
        height, width = depth.shape
        xs, ys = np.arange(width) + (shape.x0 + 0.5), np.arange(height)[:, None] + (shape.y0 + 0.5)
        # Whole discs stay in the picture, where it is large enough for one.
        depth[(xs < radius) | (xs > self._width - radius) | (ys < radius) | (ys > self._height - radius)] = 0
        for x, y in self._discs:
            depth[(xs - x) ** 2 + (ys - y) ** 2 < (2 * radius + _GAP_PX) ** 2] = 0
        # Deeper than a disc needs is no better; the middle of the object then decides.
        row, column = divmod(int(np.argmax(depth)), width)
        if depth[row, column] < _ON_DEPTH * radius:
            return None
        return float(column + shape.x0 + 0.5), float(row + shape.y0 + 0.5)

    def _beside(self, shape: _Shape) -> Point | None:
        """The middle of a disc beside the object, where it hides the least."""
        best, best_cost = None, math.inf
        ax, ay = shape.anchor_px
        for reach in _REACHES:
            # Cost grows with distance: once farther than the best, nothing better comes.
            if best_cost <= 0.15 * reach:
                break
            for step in range(_ANGLES):
                angle = 2 * math.pi * step / _ANGLES - math.pi / 2
                centre = ax + reach * self._radius * math.cos(angle), ay + reach * self._radius * math.sin(angle)
                cost = 0.15 * reach + self._cost(centre, shape)
                if cost < best_cost:
                    best, best_cost = centre, cost
        return best

    def _cost(self, centre: Point, shape: _Shape) -> float:
        """What a disc there would hide; infinite where it cannot be."""
        radius = self._radius
        x, y = centre
        if not (radius <= x <= self._width - radius and radius <= y <= self._height - radius):
            return math.inf
        if any(math.dist(centre, disc) < 2 * radius + _GAP_PX for disc in self._discs):
            return math.inf
        cost = 0.0
        for other in self._shapes:
            near = math.dist(centre, other.anchor_px)
            if near < radius + _GAP_PX:
                cost += 5.0
        for disc in self._discs:
            if _distance_to_segment(disc, centre, shape.anchor_px) < radius:
                cost += 2.0
        cost += sum(2.0 for line in self._lines if _cross(line, (centre, shape.anchor_px)))
        cost += sum(_distance_to_segment(centre, *line) < radius for line in self._lines) * 2.0
        return cost + self._hidden(centre, shape)

    def _hidden(self, centre: Point, shape: _Shape) -> float:
        """Shares of marked objects under the disc, its own doubly, and a little for standing on another one."""
        x, y = int(centre[0]), int(centre[1])
        span = self._span
        y0, x0 = max(0, y - span), max(0, x - span)
        ids = self._ids[y0 : y + span + 1, x0 : x + span + 1]
        inside = self._inside[
            y0 - y + span : y0 - y + span + ids.shape[0], x0 - x + span : x0 - x + span + ids.shape[1]
        ]
        under, counts = np.unique(ids[inside], return_counts=True)
        cost = 0.0
        for one, count in zip(under.tolist(), counts.tolist(), strict=True):
            if one in self._pixels:
                own = one == shape.object
                cost += (4.0 if own else 2.0) * count / self._pixels[one]
                cost += 0.0 if own else 0.3 * count / inside.sum()
        return cost


def _distance_to_segment(point: Point, start: Point, end: Point) -> float:
    length2 = (end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2
    if length2 == 0:
        return math.dist(point, start)
    along = ((point[0] - start[0]) * (end[0] - start[0]) + (point[1] - start[1]) * (end[1] - start[1])) / length2
    along = min(1.0, max(0.0, along))
    return math.dist(point, (start[0] + along * (end[0] - start[0]), start[1] + along * (end[1] - start[1])))


def _cross(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    (a, b), (c, d) = one, other
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
