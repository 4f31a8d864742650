"""Draws marks: a disc with two rims in black and white, which stands out from any colour, and its number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..errors import BenchDataError
from .mark import Mark

__all__ = ["draw_marks", "line_dot_px", "line_paper_px", "line_width_px", "rim_radii"]

_FINE = 4
"""Everything is drawn so many times larger and averaged."""
_OUTER_RIM, _INNER_RIM = 0.10, 0.12
_LEAST_OUTER_PX, _LEAST_INNER_PX = 1.0, 1.3
"""Width of the rims in radii, and at least."""
_BOLD = 0.05
_LINE, _LEAST_LINE_PX = 0.11, 1.2
"""Width of a line in radii, and at least."""
_LINE_PAPER, _DOT, _DOT_PAPER = 1.6, 1.5, 0.9
"""In widths of the line: what the disc's colour adds to it, and the radius of the dot at its end."""
_FIT = 0.86
"""Half a diagonal of the number, in radii."""

_WHITE, _BLACK = 255, 0


def draw_marks(image_srgb_u8: NDArray[np.uint8], marks: Sequence[Mark]) -> NDArray[np.uint8]:
    """A copy of a picture with marks on it, the same bytes for the same input. Lines lie under all discs.

    Args:
        image_srgb_u8: (H, W, 3) display-encoded.
        marks: see `place_marks`; made for another version of the same picture, they fit this one too.

    Raises:
        BenchDataError: another shape or type.
    """
    image = np.asarray(image_srgb_u8)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
        raise BenchDataError(f"image_srgb_u8 must be (H, W, 3) of uint8, got {image.shape} of {image.dtype}")
    drawn = image.copy()
    for mark in marks:
        if mark.anchor_px is not None:
            _draw_line(drawn, mark, mark.anchor_px)
    for mark in marks:
        _draw_disc(drawn, mark)
    return drawn


def rim_radii(radius_px: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the rim in the number's colour ends and begins, in pixels from the middle; any shape."""
    outer = radius_px - np.maximum(_LEAST_OUTER_PX, _OUTER_RIM * radius_px)
    return outer, outer - np.maximum(_LEAST_INNER_PX, _INNER_RIM * radius_px)


def line_width_px(radius_px: float) -> float:
    """Width of the line of a disc, in the number's colour."""
    return max(_LEAST_LINE_PX, _LINE * radius_px)


def line_paper_px(radius_px: float) -> float:
    """Width of the line with the disc's colour on both sides of it."""
    return line_width_px(radius_px) * (1 + _LINE_PAPER)


def line_dot_px(radius_px: float) -> float:
    """Radius of the dot at the end of a line, with its rim."""
    return line_width_px(radius_px) * (_DOT + _DOT_PAPER)


def _colours(mark: Mark) -> tuple[int, int]:
    """(disc, ink) as grey levels."""
    return (_WHITE, _BLACK) if mark.disc == "light" else (_BLACK, _WHITE)


def _draw_disc(image: NDArray[np.uint8], mark: Mark) -> None:
    disc, ink = _colours(mark)
    (x, y), radius = mark.centre_px, mark.radius_px
    bounds = (x - radius, y - radius, x + radius, y + radius)
    outer, inner = (float(rim) for rim in rim_radii(np.array(radius)))
    for ring, colour in ((radius, disc), (outer, ink), (inner, disc)):

        def circle(
            pen: ImageDraw.ImageDraw, place: Callable[[float, float], tuple[float, float]], r: float = ring
        ) -> None:
            pen.ellipse([*place(x - r, y - r), *place(x + r, y + r)], fill=255)

        _paint(image, bounds, colour, circle)

    text = str(mark.number)
    font, (left, top, right, bottom) = _fitted(text, inner)

    def write(pen: ImageDraw.ImageDraw, place: Callable[[float, float], tuple[float, float]]) -> None:
        across, down = place(x, y)
        stroke = _stroke(font)
        pen.text(
            (across - (left + right) / 2, down - (top + bottom) / 2), text, fill=255, font=font, stroke_width=stroke
        )

    _paint(image, bounds, ink, write)


def _draw_line(image: NDArray[np.uint8], mark: Mark, anchor: tuple[float, float]) -> None:
    disc, ink = _colours(mark)
    (x, y), (ax, ay) = mark.centre_px, anchor
    thin = line_width_px(mark.radius_px)
    bounds = (min(x, ax) - 4 * thin, min(y, ay) - 4 * thin, max(x, ax) + 4 * thin, max(y, ay) + 4 * thin)
    for grow, colour in ((1.0, disc), (0.0, ink)):

        def line(
            pen: ImageDraw.ImageDraw, place: Callable[[float, float], tuple[float, float]], extra: float = grow
        ) -> None:
            width = thin * (1 + _LINE_PAPER * extra)
            dot = thin * (_DOT + _DOT_PAPER * extra)
            pen.line([*place(x, y), *place(ax, ay)], fill=255, width=max(1, round(width * _FINE)))
            pen.ellipse([*place(ax - dot, ay - dot), *place(ax + dot, ay + dot)], fill=255)

        _paint(image, bounds, colour, line)


def _paint(
    image: NDArray[np.uint8],
    bounds: tuple[float, float, float, float],
    colour: int,
    draw: Callable[[ImageDraw.ImageDraw, Callable[[float, float], tuple[float, float]]], None],
) -> None:
    """Lays a grey colour over the picture where ``draw`` draws, smoothly at the edges; clipped by the picture."""
    height, width = image.shape[:2]
    x0, y0 = max(0, math.floor(bounds[0])), max(0, math.floor(bounds[1]))
    x1, y1 = min(width, math.ceil(bounds[2])), min(height, math.ceil(bounds[3]))
    if x1 <= x0 or y1 <= y0:
        return
    stencil = Image.new("L", ((x1 - x0) * _FINE, (y1 - y0) * _FINE), 0)

    def place(x: float, y: float) -> tuple[float, float]:
        # The drawing library counts whole numbers as pixel centres.
        return (x - x0) * _FINE - 0.5, (y - y0) * _FINE - 0.5

    draw(ImageDraw.Draw(stencil), place)
    cover = np.asarray(stencil.reduce(_FINE), np.float32)[..., None] / 255
    patch = image[y0:y1, x0:x1]
    patch[...] = np.rint(patch * (1 - cover) + colour * cover).astype(np.uint8)


def _stroke(font: ImageFont.FreeTypeFont) -> int:
    return max(1, round(_BOLD * font.size))


@lru_cache(maxsize=256)
def _fitted(text: str, radius_px: float) -> tuple[ImageFont.FreeTypeFont, tuple[float, float, float, float]]:
    """The largest font in which the text fits into a circle, and the text's box in it; in fine pixels."""
    radius = radius_px * _FINE
    size = 2.2 * radius
    while True:
        font = ImageFont.load_default(size=size)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise BenchDataError("numbers cannot be drawn: this Pillow has no FreeType; install Pillow's wheel")
        box = font.getbbox(text, stroke_width=_stroke(font))
        if math.hypot(box[2] - box[0], box[3] - box[1]) / 2 <= radius * _FIT or size < 4:
            return font, box
        size *= 0.95
