"""Making pictures fit a server's limits, the same way each time, and remembering what was done to them.

All pictures of one request share one scale and one format: an original and its repaired twin stay comparable. Sizes are
measured after base64, because that is what servers limit.
"""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...bench_data.images import Picture, linear_from_srgb, srgb_from_linear, srgb_from_u8, u8_from_srgb
from ..coordinates import PixelMap
from ..errors import ModelError
from .protocol import SentImage

__all__ = [
    "FittedImage",
    "ImageFitError",
    "ImageLimits",
    "OversizePolicy",
    "fit_images",
    "pixel_map_of",
]

JPEG_QUALITIES = (95, 90, 85, 75)
"""Tried in this order; below 75 blocks become visible at once."""
_MIN_LONG_SIDE_PX = 32
"""A picture squeezed below this answers nothing; better an error."""
_AIM = 0.93
"""The share of the limit to aim at, because file size can only be guessed."""
_GOOD_ENOUGH = 0.8
"""Stop looking for a larger scale when this share of the limit is used."""
_MAX_TRIES = 8
JPEG_NOTE = "JPEG (quality {quality}) is a degradation of its own"


class ImageFitError(ModelError):
    """Pictures cannot be made to fit the limits."""


class OversizePolicy(StrEnum):
    """What to do with pictures that are too large as PNG."""

    DOWNSCALE = "downscale"
    """Average pixels down until the PNG files fit: no new artefacts, fine detail is lost."""
    JPEG = "jpeg"
    """Keep the size and compress with loss; downscale only when even that is too large."""
    REFUSE = "refuse"
    """Send nothing; the call ends with fault ``too_large``."""


@dataclass(frozen=True)
class ImageLimits:
    """What a server accepts.

    Attributes:
        max_side_px: longest allowed side.
        max_base64_bytes: largest allowed picture after base64, each.
        policy: how to make pictures smaller.
    """

    max_side_px: int | None = None
    max_base64_bytes: int | None = None
    policy: OversizePolicy = OversizePolicy.DOWNSCALE


@dataclass(frozen=True)
class FittedImage:
    """A picture ready to send: the file and the record of how it came about."""

    data: bytes
    sent: SentImage

    @property
    def data_uri(self) -> str:
        return f"data:{self.sent.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"


def fit_images(pictures: tuple[Picture, ...], limits: ImageLimits, *, shrink: float = 1.0) -> tuple[FittedImage, ...]:
    """Encodes the pictures of one request so that each keeps the limits, all by one scale and in one format.

    PNG at full size comes first, so a picture within the limits arrives bit for bit. The same input gives the same
    bytes.

    Args:
        shrink: a further factor in (0, 1] on the sides (and its square on the allowed bytes), for a server that
            refuses what its limits allow.

    Raises:
        ImageFitError: the policy forbids making pictures smaller, or no sensible size fits.
    """
    if not 0 < shrink <= 1:
        raise ModelError(f"shrink must lie in (0, 1], got {shrink}")
    if not pictures:
        return ()
    if limits.max_base64_bytes is not None:
        limits = replace(limits, max_base64_bytes=max(1, round(limits.max_base64_bytes * shrink**2)))
    sides = [max(picture.size) for picture in pictures]
    allowed = 1.0 if limits.max_side_px is None else min(1.0, limits.max_side_px / max(sides))
    scale = allowed * shrink
    if limits.policy is OversizePolicy.REFUSE and scale < 1:
        what = "the server asks for less" if allowed == 1 else f"the limit is {limits.max_side_px} px"
        raise ImageFitError(
            f"the longest side is {max(sides)} px, {what} and the policy is 'refuse'; "
            "set oversize_policy=downscale or send a smaller picture"
        )
    plain = _encode(pictures, scale, quality=None)
    if _fits(plain, limits):
        return plain
    if limits.policy is OversizePolicy.REFUSE:
        raise ImageFitError(
            f"a PNG of {_largest(plain):,} base64 bytes exceeds the limit of {limits.max_base64_bytes:,} and the "
            "policy is 'refuse'; set oversize_policy=downscale or jpeg"
        )
    if limits.policy is OversizePolicy.JPEG:
        for quality in JPEG_QUALITIES:
            lossy = _encode(pictures, scale, quality=quality)
            if _fits(lossy, limits):
                return lossy
        return _downscale(pictures, lossy, limits, scale=scale, quality=JPEG_QUALITIES[-1])
    return _downscale(pictures, plain, limits, scale=scale, quality=None)


def pixel_map_of(sent: SentImage) -> PixelMap:
    """The exact map from pixels of the sent picture to those of the original.

    >>> sent = SentImage(sha256="", original_size=(2000, 1000), sent_size=(1000, 500), media_type="image/png")
    >>> pixel_map_of(sent).to_original([[100, 200]]).tolist()
    [[200.0, 400.0]]
    """
    width, height = sent.original_size
    sent_width, sent_height = sent.sent_size
    matrix = np.diag([width / sent_width, height / sent_height, 1.0])
    return PixelMap.from_matrix(matrix, original_size=sent.original_size, rectified_size=sent.sent_size)


def _downscale(
    pictures: tuple[Picture, ...],
    too_large: tuple[FittedImage, ...],
    limits: ImageLimits,
    *,
    scale: float,
    quality: int | None,
) -> tuple[FittedImage, ...]:
    """The largest scale found in a few tries at which all pictures fit.

    File size goes about as scale**exponent, with 2 for the area; noise, which averaging calms, has a steeper one, so
    the exponent is taken from the last two tries.
    """
    limit = limits.max_base64_bytes or 0
    long_side = max(max(picture.size) for picture in pictures)
    smallest = min(scale, min(_MIN_LONG_SIDE_PX, long_side) / long_side)
    fits_at, fails_at, exponent = 0.0, scale, 2.0
    size = _largest(too_large)
    best: tuple[FittedImage, ...] | None = None
    for _ in range(_MAX_TRIES):
        guess = scale * (_AIM * limit / size) ** (1 / exponent)
        if not fits_at < guess < fails_at:
            guess = math.sqrt(max(fits_at, smallest) * fails_at)
        guess = max(guess, smallest)
        fitted = _encode(pictures, guess, quality=quality)
        new_size = _largest(fitted)
        if not math.isclose(guess, scale):
            exponent = min(4.0, max(1.0, math.log(new_size / size) / math.log(guess / scale)))
        scale, size = guess, new_size
        if new_size <= limit:
            best, fits_at = fitted, guess
            if new_size >= _GOOD_ENOUGH * limit:
                return best
        elif guess <= smallest:
            break
        else:
            fails_at = guess
    if best is not None:
        return best
    raise ImageFitError(
        f"no size of at least {_MIN_LONG_SIDE_PX} px fits into {limit:,} base64 bytes; raise max_image_base64_bytes"
    )


def _fits(fitted: tuple[FittedImage, ...], limits: ImageLimits) -> bool:
    return limits.max_base64_bytes is None or _largest(fitted) <= limits.max_base64_bytes


def _largest(fitted: tuple[FittedImage, ...]) -> int:
    return max(image.sent.base64_bytes or 0 for image in fitted)


def _encode(pictures: tuple[Picture, ...], scale: float, *, quality: int | None) -> tuple[FittedImage, ...]:
    return tuple(_encode_one(picture, scale, quality) for picture in pictures)


def _encode_one(picture: Picture, scale: float, quality: int | None) -> FittedImage:
    small = _scaled(picture, scale)
    data = small.png() if quality is None else _jpeg(small, quality)
    notes = []
    if small.size != picture.size:
        notes.append(f"downscaled by {scale:.4f}")
    if quality is not None:
        notes.append(JPEG_NOTE.format(quality=quality))
    sent = SentImage(
        sha256=picture.sha256,
        original_size=picture.size,
        sent_size=small.size,
        media_type="image/png" if quality is None else "image/jpeg",
        jpeg_quality=quality,
        base64_bytes=4 * math.ceil(len(data) / 3),
        note="; ".join(notes) or None,
    )
    return FittedImage(data, sent)


def _scaled(picture: Picture, scale: float) -> Picture:
    """The picture averaged down, in linear light: a larger pixel collects the photons of those that it replaces."""
    width, height = (max(1, round(side * scale)) for side in picture.size)
    if (width, height) == picture.size:
        return picture
    import cv2

    light_of_code, code_of_light = _light_tables()
    image = np.empty((height, width, 3), dtype=np.uint8)
    # One channel at a time keeps the floating-point copy of a large picture small.
    for channel in range(3):
        light = light_of_code[picture.image_srgb_u8[:, :, channel]]
        small = cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA)
        image[:, :, channel] = code_of_light[np.rint(small).astype(np.uint16)]
    return Picture(image, source=picture.source, notes=picture.notes)


@cache
def _light_tables() -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """From 8-bit codes to linear light in [0, 65535], and back from rounded light.

    16 bits are enough: at the dark end, where the curve is steepest, one code spans 20 steps of light.
    """
    top = np.float32(np.iinfo(np.uint16).max)
    light_of_code = linear_from_srgb(srgb_from_u8(np.arange(256, dtype=np.uint8))) * top
    light = np.arange(int(top) + 1, dtype=np.float32) / top
    return light_of_code, u8_from_srgb(srgb_from_linear(light))


def _jpeg(picture: Picture, quality: int) -> bytes:
    """A baseline JPEG without chroma subsampling and without metadata."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(picture.image_srgb_u8).save(buffer, format="JPEG", quality=quality, subsampling=0)
    return buffer.getvalue()
