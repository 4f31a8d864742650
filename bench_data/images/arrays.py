"""Pictures from arrays that are already in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .picture import Picture
from .samples import Background, composited, u8_from_float, u8_from_integers, u8_from_u16

__all__ = ["picture_from_array"]


def picture_from_array(
    array: NDArray[np.generic],
    *,
    source: str = "memory",
    value_range: tuple[float, float] | None = None,
    background: Background = (255, 255, 255),
) -> Picture:
    """A picture from an array of display-encoded (sRGB) values.

    Args:
        array: (H, W), (H, W, 1), (H, W, 3) RGB or (H, W, 4) RGB and coverage. bool, uint8 and uint16 span their type;
            floats must lie in [0, 1]; everything else needs ``value_range``.
        source: where it came from, for messages.
        value_range: the values of black and white, where the type does not say.
        background: 8-bit sRGB colour behind transparent parts.

    Raises:
        BenchDataError: no array, wrong shape, NaN or infinite values, or a range that is unknown or not kept.

    >>> picture_from_array(np.array([[0.0, 0.5, 1.0]])).image_srgb_u8[0, :, 0].tolist()
    [0, 128, 255]
    """
    if not isinstance(array, np.ndarray):
        raise BenchDataError(
            f"{source}: expected a NumPy array, got {type(array).__name__}; convert it with numpy first"
        )
    samples = _eight_bit(_with_channels(array, source), value_range, source)
    if samples.shape[2] == 1:
        return Picture(np.repeat(samples, 3, axis=2), source=source)
    if samples.shape[2] == 3:
        return Picture(samples, source=source)
    colours, alpha = samples[..., :3], samples[..., 3]
    if alpha.min() == 255:
        return Picture(colours, source=source)
    note = f"transparent parts shown over the colour {background}"
    return Picture(composited(colours, alpha, background), source=source, notes=(note,))


def _with_channels(array: NDArray[np.generic], source: str) -> NDArray[np.generic]:
    if array.size == 0:
        raise BenchDataError(f"{source}: the array is empty, shape {array.shape}")
    if array.ndim == 2:
        return array[..., None]
    if array.ndim == 3 and array.shape[2] in (1, 3, 4):
        return array
    hint = "give (H, W), (H, W, 1), (H, W, 3) or (H, W, 4)"
    if array.ndim == 3 and array.shape[0] in (1, 3, 4):
        hint = "the channels seem to come first: pass array.transpose(1, 2, 0)"
    elif array.ndim == 4:
        hint = "it looks like a batch: pass one picture at a time"
    raise BenchDataError(f"{source}: an array of shape {array.shape} is no picture; {hint}")


def _eight_bit(array: NDArray[np.generic], value_range: tuple[float, float] | None, source: str) -> NDArray[np.uint8]:
    if np.issubdtype(array.dtype, np.floating):
        return u8_from_float(array.astype(np.float64), value_range, source)
    if array.dtype != np.bool_ and not np.issubdtype(array.dtype, np.integer):
        raise BenchDataError(f"{source}: an array of {array.dtype} is no picture; use integers, floats or bool")
    if value_range is not None:
        return u8_from_integers(array.astype(np.int64), value_range, source)
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype == np.uint8:
        return array.astype(np.uint8)
    if array.dtype == np.uint16:
        return u8_from_u16(array.astype(np.uint16))
    return u8_from_integers(array.astype(np.int64), value_range, source)
