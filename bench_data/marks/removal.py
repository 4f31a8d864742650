"""The picture under its number marks: who measures or repairs a picture must not take its numbers for a part of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..recent import Recent
from .drawing import line_dot_px, line_paper_px
from .finding import FoundDisc, find_discs
from .lines import line_end

__all__ = ["PaintedOver", "paint_over_marks", "painted_over"]

_RIM_PX: Final = 2.0
"""Smooth edges, and how closely discs are found."""
_WITHIN_PX: Final = 1.2
"""So far inside a disc nothing but the disc is seen, wherever exactly its edge is."""
_STANDS_OUT: Final = 24
"""Grey levels between a mark and what is around it."""
_REACH_PX: Final = 3.0
_SHIFT: Final = 4
"""OpenCV's whole numbers count sixteenths of a pixel: 4 bits."""

_Line = tuple[FoundDisc, tuple[float, float] | None]


@dataclass(frozen=True, eq=False)
class PaintedOver:
    """A picture whose marks are painted over from what is around them.

    Attributes:
        image_srgb_u8: (H, W, 3) display-encoded; as it was outside ``covered``.
        covered: (H, W) which pixels are painted: the marks with a rim of two pixels.
        drawn: (H, W) which of these show the marks themselves, and must be kept for the numbers to be read.
    """

    image_srgb_u8: NDArray[np.uint8]
    covered: NDArray[np.bool_]
    drawn: NDArray[np.bool_]


def paint_over_marks(image_srgb_u8: NDArray[np.uint8]) -> PaintedOver | None:
    """The picture under the marks of `draw_marks`, as far as the surroundings tell; None for one without marks.

    Args:
        image_srgb_u8: (H, W, 3) display-encoded.

    Raises:
        BenchDataError: another shape or type.
    """
    lines = _RECENT_LINES.of(image_srgb_u8)
    if not lines:
        return None
    image = np.ascontiguousarray(image_srgb_u8)
    covered = _covered(lines, image.shape[:2], _RIM_PX)
    under = painted_over(image, covered)
    stands_out = np.abs(image.astype(np.int16) - under).max(axis=2) > _STANDS_OUT
    return PaintedOver(under, covered, stands_out | _covered(lines, image.shape[:2], -_WITHIN_PX))


def _lines_of(image_srgb_u8: NDArray[np.uint8]) -> tuple[_Line, ...]:
    discs = find_discs(image_srgb_u8)
    if not discs:
        return ()
    grey = np.asarray(np.ascontiguousarray(image_srgb_u8).mean(axis=2, dtype=np.float32))
    return tuple((disc, line_end(grey, disc)) for disc in discs)


# Whoever looks at a picture, each tool that repairs it and each verdict on a repair asks for the same marks.
_RECENT_LINES: Final[Recent[tuple[_Line, ...]]] = Recent(_lines_of, most=256)


def painted_over(image_srgb_u8: NDArray[np.uint8], covered: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """A copy (H, W, 3) in which the covered pixels (H, W) are made up from what is around them.

    After Telea, "An image inpainting technique based on the fast marching method" (2004): of the ways tried, the one
    that moves the statistics of a picture least.
    """
    import cv2

    image = np.ascontiguousarray(image_srgb_u8)
    return np.asarray(cv2.inpaint(image, covered.view(np.uint8), _REACH_PX, cv2.INPAINT_TELEA), dtype=np.uint8)


def _covered(lines: Sequence[_Line], shape: tuple[int, ...], rim_px: float) -> NDArray[np.bool_]:
    """(H, W) discs, lines and the dots at their ends, all grown by a rim."""
    import cv2

    mask = np.zeros(shape, np.uint8)

    def fixed(point: tuple[float, float]) -> tuple[int, int]:
        x, y = ((value - 0.5) * (1 << _SHIFT) for value in point)
        return round(x), round(y)

    def spot(point: tuple[float, float], radius_px: float) -> None:
        reach = round(max(0.0, radius_px + rim_px) * (1 << _SHIFT))
        cv2.circle(mask, fixed(point), reach, 1, -1, cv2.LINE_8, _SHIFT)

    for disc, end in lines:
        spot(disc.centre_px, disc.radius_px)
        if end is not None:
            width = max(1, math.ceil(line_paper_px(disc.radius_px) + 2 * rim_px))
            cv2.line(mask, fixed(disc.centre_px), fixed(end), 1, width, cv2.LINE_8, _SHIFT)
            spot(end, line_dot_px(disc.radius_px))
    return mask > 0
