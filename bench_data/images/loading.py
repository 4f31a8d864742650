"""Any picture file as a person sees it: upright, opaque, 8-bit sRGB, first frame."""

from __future__ import annotations

import os

import numpy as np

from ..errors import BenchDataError
from .decoding import Animated, decode
from .files import read_file
from .limits import ImageLimits
from .opaque import opaque_srgb
from .orientation import upright
from .picture import Picture
from .samples import Background

__all__ = ["load_image", "picture_from_bytes"]

_WHITE: Background = (255, 255, 255)


def load_image(
    path: str | os.PathLike[str],
    *,
    limits: ImageLimits | None = None,
    animated: Animated = "first",
    background: Background = _WHITE,
    value_range: tuple[float, float] | None = None,
) -> Picture:
    """Loads a picture file (PNG, JPEG, GIF, WebP, BMP, TIFF, PNM, AVIF; told by content, not by name).

    EXIF orientation is applied, transparency is laid over ``background``, embedded colour profiles are converted to
    sRGB, 16-bit grey is scaled by 65535. Whatever was done beyond plain decoding stands in ``picture.notes``.

    Args:
        path: a file; not a URL.
        limits: sizes to refuse before decoding; the default allows 64 million pixels.
        animated: take the first of several frames or pages with a note, or refuse ("error").
        background: 8-bit sRGB colour behind transparent parts.
        value_range: values of black and white in grey files of more than 8 bits; needed for 32-bit integers and for
            floats outside [0, 1].

    Raises:
        BenchDataError: the file is missing, not a picture, too large, damaged or cut off, or its range is unknown. A
            cut-off file is never filled up.
    """
    limits = limits or ImageLimits()
    return picture_from_bytes(
        read_file(path, limits),
        source=os.fspath(path),
        limits=limits,
        animated=animated,
        background=background,
        value_range=value_range,
    )


def picture_from_bytes(
    data: bytes | bytearray | memoryview,
    *,
    source: str = "memory",
    limits: ImageLimits | None = None,
    animated: Animated = "first",
    background: Background = _WHITE,
    value_range: tuple[float, float] | None = None,
) -> Picture:
    """As :func:`load_image`, from the bytes of a file; ``source`` names it in messages."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise BenchDataError(f"{source}: expected the bytes of a picture file, got {type(data).__name__}")
    limits = limits or ImageLimits()
    decoded = decode(bytes(data), source=source, limits=limits, animated=animated)
    pixels, notes = opaque_srgb(
        decoded.image, source=source, limits=limits, background=background, value_range=value_range
    )
    return Picture(
        upright(pixels, decoded.orientation).astype(np.uint8, copy=False), source=source, notes=(*decoded.notes, *notes)
    )
