"""Depth maps: grey files whose values are lengths, not brightness."""

from __future__ import annotations

import io
import os

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError
from .decoding import decode
from .files import read_file
from .limits import ImageLimits
from .opaque import scalar_samples
from .orientation import upright

__all__ = ["load_depth"]

_NUMPY_SIGNATURE = b"\x93NUMPY"


def load_depth(
    path: str | os.PathLike[str], *, metres_per_unit: float, limits: ImageLimits | None = None
) -> NDArray[np.float32]:
    """Depth along the optical axis in metres, (H, W) float32, NaN where nothing was measured.

    Args:
        path: a 16-bit grey PNG, a grey TIFF of 16 or 32 bits or float, a grey PFM, or a 2-D .npy array.
        metres_per_unit: what a stored 1 means: 0.001 for millimetres, 1/5000 for TUM RGB-D, 1 for metres. There is no
            default, as files do not say.
        limits: sizes to refuse before decoding.

    Returns:
        Stored values times the unit; zero, negative, infinite and NaN become NaN. Orientation is applied as in
        :func:`~seeworthy.bench_data.images.load_image`, so depth and picture stay aligned.

    Raises:
        BenchDataError: the file is a picture (colour or 8 bits) or damaged, or no value is valid.
    """
    if isinstance(metres_per_unit, bool) or not (np.isfinite(metres_per_unit) and metres_per_unit > 0):
        raise BenchDataError(
            f"metres_per_unit must be a length above 0, got {metres_per_unit!r}; 0.001 for millimetres"
        )
    limits = limits or ImageLimits()
    data, source = read_file(path, limits), os.fspath(path)
    stored = (
        _numpy_array(data, source, limits) if data.startswith(_NUMPY_SIGNATURE) else _grey_file(data, source, limits)
    )
    values = stored.astype(np.float64)
    valid = np.isfinite(values) & (values > 0)
    if not valid.any():
        raise BenchDataError(f"{source}: no depth above 0 among {values.size} values; is this the right file?")
    return np.where(valid, values * metres_per_unit, np.nan).astype(np.float32)


def _grey_file(data: bytes, source: str, limits: ImageLimits) -> NDArray[np.generic]:
    decoded = decode(data, source=source, limits=limits, animated="error")
    samples = scalar_samples(decoded.image)
    if samples is None:
        mode = decoded.image.mode
        raise BenchDataError(
            f"{source}: is a picture (mode {mode}, 8 bits), not a depth map: depth needs 16 bits or floats; read "
            "pictures with load_image(), and ask for the raw file if this is a coloured view of depth"
        )
    if decoded.format.name == "PNM" and samples.dtype == np.int32:
        raise BenchDataError(f"{source}: PGM depth is rescaled by its stated maximum when read; store it as 16-bit PNG")
    return upright(samples, decoded.orientation)


def _numpy_array(data: bytes, source: str, limits: ImageLimits) -> NDArray[np.generic]:
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read_header(stream)
        if len(shape) != 2 or dtype.kind not in "iuf":
            raise BenchDataError(
                f"{source}: a depth array must be 2-D and real, got shape {shape} of {dtype}; squeeze it or select one"
            )
        limits.check_size(shape[1], shape[0], source)
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except BenchDataError:
        raise
    except Exception as error:
        raise BenchDataError(f"{source}: the .npy file cannot be read ({error}); write it again") from error
    return np.asarray(array)
