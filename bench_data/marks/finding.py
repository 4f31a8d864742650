"""Finds the discs of number marks in a picture, by their two rims: black between two whites, or the other way round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .drawing import rim_radii
from .mark import Disc
from .rims import Circle, clearest_circles

__all__ = ["FoundDisc", "find_discs"]

_RADII_PX: Final = (6.0, 6.7, 7.4, 8.1, 8.9, 9.7, 10.6, 11.5, 12.4, 13.3, 14.2, 15.1)
"""Looked for on each level of a pyramid, in steps of half a rim; larger ones are found on the next level."""
_LEVELS: Final = 3
_MOST_PIXELS: Final = 1_200_000
"""Larger pictures are halved first: their marks are large too."""
_BLACK, _WHITE = 100, 190
"""Ink and paper with the smoothing of their edges, grey levels."""
_REACH_PX: Final = 5
_AROUND_PX: Final = 25
_DENSE: Final = 0.25
"""Share of the pixels around the middle of a disc that have black and white within two pixels: a third for the
smallest disc, more for larger ones."""
_STEP: Final = 60.0
"""Mean step across the rims, in grey levels, from which a place is looked at closely."""
_MOST_CANDIDATES: Final = 100
_CONCENTRIC: Final = 0.3
"""Distance of the middles of two circles around one another, in radii."""


@dataclass(frozen=True, slots=True)
class FoundDisc:
    """A disc with its rims; continuous pixel coordinates, pixel centres at +0.5.

    Attributes:
        centre_px: (x, y) of its middle, to about half a pixel.
        radius_px: of its outer rim, to about a twelfth.
        disc: its colours.
    """

    centre_px: tuple[float, float]
    radius_px: float
    disc: Disc


def find_discs(image_srgb_u8: NDArray[np.uint8]) -> tuple[FoundDisc, ...]:
    """The discs that `draw_marks` drew, of 6 to 60 pixels of radius, from left to right.

    They are told by both rims all around and ink within, which hardly anything else has; numbers are not read. Discs
    that something covers, blurs or fades may be missed.

    Args:
        image_srgb_u8: (H, W, 3) display-encoded.

    Raises:
        BenchDataError: another shape or type.
    """
    image = np.asarray(image_srgb_u8)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise BenchDataError(f"image_srgb_u8 must be (H, W, 3) of uint8, got {image.shape} of {image.dtype}")
    scale, circles = 1.0, list[Circle]()
    while image.shape[0] * image.shape[1] > _MOST_PIXELS:
        image, scale = _halved(image), 2 * scale
    for _ in range(_LEVELS):
        if min(image.shape[:2]) < 2 * _RADII_PX[0] + 1:
            break
        circles += [
            one._replace(x=one.x * scale, y=one.y * scale, radius=one.radius * scale) for one in _on_level(image)
        ]
        image, scale = _halved(image), 2 * scale
    return tuple(
        FoundDisc((one.x, one.y), one.radius, "light" if one.sign > 0 else "dark") for one in sorted(_apart(circles))
    )


def _halved(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    height, width = image.shape[:2]
    size = (max(1, width // 2), max(1, height // 2))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _on_level(image: NDArray[np.uint8]) -> list[Circle]:
    import cv2

    red, green, blue = cv2.split(np.ascontiguousarray(image))
    darkest, brightest = cv2.min(cv2.min(red, green), blue), cv2.max(cv2.max(red, green), blue)
    window = np.ones((_REACH_PX, _REACH_PX), np.uint8)
    # Ink and paper have no colour: white is bright in all channels, black is dark in all.
    near_white = np.asarray(cv2.dilate(darkest, window)) >= _WHITE
    near_black = np.asarray(cv2.erode(brightest, window)) <= _BLACK
    both = (near_white & near_black).view(np.uint8) * np.uint8(255)
    dense = np.asarray(cv2.blur(both, (_AROUND_PX, _AROUND_PX))) >= 255 * _DENSE
    if not dense.any():
        return []
    grey = cv2.addWeighted(darkest, 0.5, brightest, 0.5, 0, dtype=cv2.CV_32F)
    return clearest_circles(np.asarray(grey, np.float32), _candidates(np.asarray(grey, np.float32), dense))


def _candidates(grey: NDArray[np.float32], dense: NDArray[np.bool_]) -> list[Circle]:
    """Where the mean step across the rims is larger than around, for any radius; the strongest of each colour."""
    import cv2

    best = {sign: np.zeros(grey.shape, np.float32) for sign in (1, -1)}
    radius_at = {sign: np.zeros(grey.shape, np.float32) for sign in (1, -1)}
    for radius in _RADII_PX:
        kernel = _kernel(radius)
        half = kernel.shape[0] // 2
        if min(grey.shape) < kernel.shape[0] - 1:
            break
        # Discs reach up to the border, kernels a little further.
        wider = cv2.copyMakeBorder(grey, half, half, half, half, cv2.BORDER_REPLICATE)
        steps = cv2.matchTemplate(wider, kernel, cv2.TM_CCORR)
        for sign in best:
            larger = sign * steps > best[sign]
            best[sign][larger], radius_at[sign][larger] = sign * steps[larger], radius
    found = list[Circle]()
    for sign, step in best.items():
        step[~dense] = 0
        rows, columns = np.nonzero((step >= _STEP) & (step >= cv2.dilate(step, np.ones((5, 5), np.uint8))))
        order = np.argsort(-step[rows, columns], kind="stable")[:_MOST_CANDIDATES]
        found += [
            Circle(column + 0.5, row + 0.5, float(radius_at[sign][row, column]), sign, 0.0)
            for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True)
        ]
    return found


@cache
def _kernel(radius: float) -> NDArray[np.float32]:
    """White on both sides less the black rim between, so that a picture of a light disc gives their mean step."""
    outer, inner = (float(rim) for rim in rim_radii(np.array(radius)))
    half, fine = math.ceil(radius), 8
    side = 2 * half + 1
    places = (np.arange(side * fine) + 0.5) / fine - side / 2
    distance = np.hypot(places, places[:, None])

    def ring(low: float, high: float) -> NDArray[np.float64]:
        inside = ((distance >= low) & (distance < high)).reshape(side, fine, side, fine).mean(axis=(1, 3))
        return np.asarray(inside / inside.sum())

    white = (ring(outer, radius) + ring(inner - 0.8 * (outer - inner), inner)) / 2
    return np.asarray(white - ring(inner, outer), dtype=np.float32)


def _apart(circles: list[Circle]) -> list[Circle]:
    """The clearest of those that overlap: discs never do."""
    kept = list[Circle]()
    for one in sorted(circles, key=lambda circle: (-circle.step, circle)):
        if not any(_is_number_of(one, other) for other in circles) and all(
            math.hypot(one.x - other.x, one.y - other.y) > 0.8 * (one.radius + other.radius) for other in kept
        ):
            kept.append(one)
    return kept


def _is_number_of(one: Circle, other: Circle) -> bool:
    """Around a round number, the paper of a disc looks like the rim of a smaller disc of the other colours."""
    return (
        one.sign != other.sign
        and one.radius < other.radius
        and math.hypot(one.x - other.x, one.y - other.y) < _CONCENTRIC * other.radius
    )
