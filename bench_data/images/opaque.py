"""From any colour mode of a file to opaque 8-bit sRGB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .limits import ImageLimits
from .profile import to_srgb
from .samples import Background, composited, u8_from_float, u8_from_integers, u8_from_u16

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

__all__ = ["SIXTEEN_BIT_GREY", "opaque_srgb", "scalar_samples"]

SIXTEEN_BIT_GREY: Final = ("I;16", "I;16L", "I;16B", "I;16N")
_DEPTH_HINT: Final = "if it is a depth map, read it with load_depth()"
_SRGB_GAMMA: Final = 1 / 2.2


def opaque_srgb(
    image: ImageFile,
    *,
    source: str,
    limits: ImageLimits,
    background: Background,
    value_range: tuple[float, float] | None,
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """(H, W, 3) uint8 sRGB of a loaded image, and notes on what had to be done.

    Raises:
        BenchDataError: a colour mode that has no picture meaning, or samples whose range is not known.
    """
    notes: list[str] = []
    colour, alpha = _eight_bit(image, source, value_range, notes)
    rgb, profile_notes = to_srgb(colour, image.info.get("icc_profile"), limits.max_profile_bytes)
    notes += profile_notes
    gamma = image.info.get("gamma")
    if isinstance(gamma, float) and not profile_notes and abs(gamma - _SRGB_GAMMA) > 0.05:
        notes.append(f"file gamma {gamma:g} ignored: taken as sRGB")
    pixels = np.array(rgb, dtype=np.uint8)
    if alpha is not None and alpha.min() < 255:
        pixels = composited(pixels, alpha, background)
        notes.append(f"transparent parts shown over the colour {background}")
    return pixels, tuple(notes)


def scalar_samples(image: Image) -> NDArray[np.generic] | None:
    """(H, W) samples as stored for a grey image of 16 or 32 bits (uint16, int32 or float32); None for other modes."""
    if image.mode in SIXTEEN_BIT_GREY:
        return np.asarray(image).astype(np.uint16)
    if image.mode in ("I", "F"):
        return np.asarray(image)
    return None


def _eight_bit(
    image: ImageFile, source: str, value_range: tuple[float, float] | None, notes: list[str]
) -> tuple[Image, NDArray[np.uint8] | None]:
    """Colours as an 8-bit L, RGB or CMYK image, and coverage where the file has it."""
    samples = scalar_samples(image)
    if samples is not None:
        return _deep_grey(image, samples, source, value_range, notes)
    if image.mode in ("L", "RGB", "CMYK") and not image.has_transparency_data:
        return image, None
    if image.mode in ("1", "P", "YCbCr") and not image.has_transparency_data:
        return image.convert("L" if image.mode == "1" else "RGB"), None
    if image.mode in ("1", "L", "P", "RGB", "RGBA", "LA", "PA", "RGBa"):
        with_alpha = image.convert("RGBA")
        return with_alpha.convert("RGB"), np.array(with_alpha.getchannel("A"), dtype=np.uint8)
    raise BenchDataError(
        f"{source}: pixels of mode {image.mode!r} have no plain picture meaning; convert the file to 8-bit RGB first"
    )


def _deep_grey(
    image: ImageFile,
    samples: NDArray[np.generic],
    source: str,
    value_range: tuple[float, float] | None,
    notes: list[str],
) -> tuple[Image, NDArray[np.uint8] | None]:
    from PIL import Image as PillowImage

    if samples.dtype == np.uint16:
        if value_range is None:
            grey = u8_from_u16(samples.astype(np.uint16))
            notes.append(f"16-bit grey scaled by 65535; {_DEPTH_HINT}")
        else:
            grey = u8_from_integers(samples.astype(np.int64), value_range, source)
        see_through = image.info.get("transparency")
        alpha = None if see_through is None else np.where(samples == see_through, 0, 255).astype(np.uint8)
        return PillowImage.fromarray(grey), alpha
    if image.mode == "F":
        grey = u8_from_float(samples.astype(np.float32), value_range, source)
        notes.append("float samples taken as display-encoded grey")
        return PillowImage.fromarray(grey), None
    if image.format == "PPM" and value_range is None:
        # Pillow has scaled these to 0..65535 from the maximum that the file states.
        notes.append(f"16-bit grey scaled by its stated maximum; {_DEPTH_HINT}")
        return PillowImage.fromarray(u8_from_u16(samples.astype(np.uint16))), None
    grey = u8_from_integers(samples.astype(np.int64), value_range, source)
    return PillowImage.fromarray(grey), None
