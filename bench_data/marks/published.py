"""CRISP's marks as published: a translucent blue disc in the middle of each box, whatever else is there.

Kept so that published pictures can be made again. Faults: blue vanishes on blue, discs overlap, and the number of a
small box stands in its middle although its disc sits on its upper edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError

__all__ = ["PublishedMark", "draw_published_marks", "place_published_marks"]

_BLUE = np.array([0.0, 0.0, 255.0])
_SMALL_PX = 30


@dataclass(frozen=True, slots=True)
class PublishedMark:
    """One published mark, whole pixels counted at their centres.

    Args:
        object, number: of the object, and what is drawn.
        bbox_xyxy: its box.
        circle_center: (x, y) of the disc.
        radius: in pixels.
        alpha: opacity of the disc.
        font_scale, thickness: of the number.
        text_anchor: (x, y) of the number's middle.
    """

    object: int
    number: int
    bbox_xyxy: tuple[float, float, float, float]
    circle_center: tuple[int, int]
    radius: int
    alpha: float
    font_scale: float
    thickness: int
    text_anchor: tuple[int, int]


def place_published_marks(
    numbers: Mapping[int, int], boxes_px: Mapping[int, tuple[float, float, float, float]]
) -> tuple[PublishedMark, ...]:
    """The published marks of a picture, in the order of ``numbers``.

    Args:
        numbers: object -> the number to draw.
        boxes_px: object -> (x0, y0, x1, y1).

    Raises:
        BenchDataError: an object without a box.
    """
    marks = []
    for one, number in numbers.items():
        if one not in boxes_px:
            raise BenchDataError(f"object {one} has no box to put mark {number} on")
        x0, y0, x1, y1 = boxes_px[one]
        width, height = x1 - x0, y1 - y0
        middle = int((x0 + x1) / 2), int((y0 + y1) / 2)
        small = width < _SMALL_PX or height < _SMALL_PX
        radius = 5 if small else min(40, max(15, int(0.15 * min(width, height))))
        scale = max(0.4, radius / 20)
        marks.append(
            PublishedMark(
                object=one,
                number=number,
                bbox_xyxy=(x0, y0, x1, y1),
                circle_center=(middle[0], int(y0)) if small else middle,
                radius=radius,
                alpha=0.8 if small else 0.6,
                font_scale=scale,
                thickness=max(1, int(2 * scale)),
                text_anchor=middle,
            )
        )
    return tuple(marks)


def draw_published_marks(image_srgb_u8: NDArray[np.uint8], marks: Sequence[PublishedMark]) -> NDArray[np.uint8]:
    """A copy of a picture with the published marks on it.

    Args:
        image_srgb_u8: (H, W, 3) display-encoded.
        marks: see `place_published_marks`.

    Raises:
        BenchDataError: another shape or type.
    """
    import cv2

    if image_srgb_u8.dtype != np.uint8 or image_srgb_u8.ndim != 3 or image_srgb_u8.shape[2] != 3:
        raise BenchDataError(
            f"image_srgb_u8 must be (H, W, 3) of uint8, got {image_srgb_u8.shape} of {image_srgb_u8.dtype}"
        )
    drawn = image_srgb_u8.copy()
    for mark in marks:
        overlay = drawn.copy()
        cv2.circle(overlay, mark.circle_center, mark.radius, _BLUE.tolist(), -1)
        drawn = np.asarray(cv2.addWeighted(overlay, mark.alpha, drawn, 1 - mark.alpha, 0), np.uint8)
        text, font = str(mark.number), cv2.FONT_HERSHEY_SIMPLEX
        (width, height), _ = cv2.getTextSize(text, font, mark.font_scale, mark.thickness)
        origin = mark.text_anchor[0] - width // 2, mark.text_anchor[1] + height // 2
        cv2.putText(drawn, text, origin, font, mark.font_scale, (0, 0, 0), mark.thickness + 2, cv2.LINE_AA)
        cv2.putText(drawn, text, origin, font, mark.font_scale, (255, 255, 255), mark.thickness, cv2.LINE_AA)
    return drawn
