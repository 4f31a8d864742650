"""The few arrays that all image statistics share, computed once a picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import Picture, linear_from_srgb, srgb_from_u8
from ...bench_data.marks import paint_over_marks

__all__ = ["NativeTile", "PictureViews"]

_LUMA_WEIGHTS = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""BT.601 luma, the Y that JPEG codes."""

_LUMINANCE_WEIGHTS = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
"""BT.709 luminance of linear light, the Y of sRGB."""

_TONE_SIDE_PX = 256
_FINE_SIDE_PX = 640
_EDGE_SIDE_PX = 960
_WHOLE_AREA_PX = 640 * 640
_TILE_SIDE_PX = 240
_TILES_PER_SIDE = 3
_JPEG_BLOCK_PX = 8


@dataclass(frozen=True, eq=False)
class NativeTile:
    """A piece of the picture at its own pixels.

    Args:
        rgb: (h, w, 3) float32, 8-bit sRGB values 0 to 255.
        luma: (h, w) float32, BT.601 luma, 0 to 255.
        origin_px: (x, y) of its upper left pixel; multiples of 8, so that all tiles see one JPEG grid.
        marked: (h, w) pixels of number marks, which are painted over; None in a picture without.
    """

    rgb: NDArray[np.float32]
    luma: NDArray[np.float32]
    origin_px: tuple[int, int]
    marked: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class PictureViews:
    """Shrunken and cropped views of one picture.

    Light and colour do not need fine detail and are measured on a copy of 256 px; edge widths on one of at most 960 px,
    since a blur that matters is large against the picture. Noise, coding blocks and effective resolution live in single
    pixels and are measured on native tiles.

    Args:
        picture: what is measured.
        marked: (H, W) pixels painted over where number marks were: statistics of fine detail leave them out.
            None where there are none; see :meth:`without_marks`.
    """

    picture: Picture
    marked: NDArray[np.bool_] | None = None

    @classmethod
    def without_marks(cls, picture: Picture) -> Self:
        """Views of what is under the number marks of a picture: these were never dark, hazy or blurred with it."""
        painted = paint_over_marks(picture.image_srgb_u8)
        if painted is None:
            return cls(picture)
        return cls(Picture(painted.image_srgb_u8, source=picture.source), painted.covered)

    @cached_property
    def tone_srgb(self) -> NDArray[np.float32]:
        """(h, w, 3) float32 in [0, 1], display-encoded, longer side at most 256 px."""
        return srgb_from_u8(_shrunk(self.picture.image_srgb_u8, _TONE_SIDE_PX))

    @cached_property
    def tone_linear(self) -> NDArray[np.float32]:
        """(h, w, 3) float32 in [0, 1], linear light of :attr:`tone_srgb`."""
        return linear_from_srgb(self.tone_srgb)

    @cached_property
    def tone_luminance(self) -> NDArray[np.float32]:
        """(h, w) float32 in [0, 1], linear luminance."""
        return np.asarray(self.tone_linear @ _LUMINANCE_WEIGHTS, dtype=np.float32)

    @cached_property
    def tone_luma(self) -> NDArray[np.float32]:
        """(h, w) float32 in [0, 1], display-encoded luma."""
        return np.asarray(self.tone_srgb @ _LUMA_WEIGHTS, dtype=np.float32)

    @cached_property
    def fine_brightest(self) -> NDArray[np.uint8]:
        """(h, w) uint8, the brightest channel of each pixel, longer side at most 640 px: thin print is still there."""
        small = _shrunk(self.picture.image_srgb_u8, _FINE_SIDE_PX)
        return np.asarray(small.max(axis=2), dtype=np.uint8)

    @cached_property
    def edge_luma(self) -> NDArray[np.float32]:
        """(h, w) float32, luma 0 to 255, longer side at most 960 px."""
        small = _shrunk(self.picture.image_srgb_u8, _EDGE_SIDE_PX)
        return np.asarray(small.astype(np.float32) @ _LUMA_WEIGHTS, dtype=np.float32)

    @cached_property
    def edge_marked(self) -> NDArray[np.bool_] | None:
        """(h, w) pixels of :attr:`edge_luma` that show something of a mark; None in a picture without."""
        if self.marked is None:
            return None
        return _shrunk(self.marked.astype(np.uint8) * np.uint8(255), _EDGE_SIDE_PX) > 0

    @property
    def edge_scale(self) -> float:
        """Pixels of the picture per pixel of :attr:`edge_luma`, 1 or more."""
        return max(1.0, max(self.picture.size) / _EDGE_SIDE_PX)

    @cached_property
    def tiles(self) -> tuple[NativeTile, ...]:
        """The whole picture, or nine tiles spread over it when it is larger than 640x640."""
        image = self.picture.image_srgb_u8
        height, width = image.shape[:2]
        if height * width <= _WHOLE_AREA_PX:
            return (self._tile(0, 0, width, height),)
        return tuple(
            self._tile(x, y, _TILE_SIDE_PX, _TILE_SIDE_PX) for y in _tile_starts(height) for x in _tile_starts(width)
        )

    def _tile(self, x: int, y: int, width_px: int, height_px: int) -> NativeTile:
        piece = (slice(y, y + height_px), slice(x, x + width_px))
        rgb = self.picture.image_srgb_u8[piece].astype(np.float32)
        marked = None if self.marked is None else self.marked[piece]
        return NativeTile(rgb, np.asarray(rgb @ _LUMA_WEIGHTS, dtype=np.float32), (x, y), marked)


def _tile_starts(length_px: int) -> list[int]:
    """Starts of up to three tiles along one side: evenly spread, on the 8-pixel grid."""
    last = max(0, length_px - _TILE_SIDE_PX)
    starts = {
        int(last * index / (_TILES_PER_SIDE - 1)) // _JPEG_BLOCK_PX * _JPEG_BLOCK_PX for index in range(_TILES_PER_SIDE)
    }
    return sorted(starts)


def _shrunk(image_srgb_u8: NDArray[np.uint8], longer_side_px: int) -> NDArray[np.uint8]:
    """The picture with its longer side at most so long, by area average; small pictures are left alone."""
    import cv2

    height, width = image_srgb_u8.shape[:2]
    factor = longer_side_px / max(height, width)
    if factor >= 1:
        return image_srgb_u8
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(image_srgb_u8, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
