"""SpatialBench's depth files, decoded to metres."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from ....images import ImageLimits
from ....images.decoding import decode
from ....images.files import read_file
from ....images.opaque import scalar_samples
from ..files import read_array

__all__ = ["DepthMap", "check_depth_format", "read_depth_map", "read_grey"]

_DIVISORS = {
    "uint16_png_div1000": 1000.0,
    "uint16_png_div1000_rectified": 1000.0,
    "uint16_png_div100": 100.0,
    "uint16_png_div_655.35": 655.35,
}
_SKY_FROM = 65500
_LEAST_CODE = 0.0015
"""Of the inverse encoding, out of 1: what is below was not measured."""

_INVERSE = "uint16_png_inverse_encoded"
_NPY = "npy_float32_meters"
_EXR = "exr_float32"
_KNOWN = (*_DIVISORS, _INVERSE, _NPY, "float32_binary_HxW", "none")
_BINARY = re.compile(r"float32_binary.*_(\d{1,5})x(\d{1,5})")


class DepthMap(NamedTuple):
    """(H, W) float32 metres, 0 where unknown; and where the sky is, for encodings that tell."""

    depth_m: NDArray[np.float32]
    sky: NDArray[np.bool_] | None


def check_depth_format(encoding: str, source: str) -> None:
    """Refuses a ``depth_format`` that is not known; EXR is known, though not read.

    Raises:
        BenchDataError: it is not; the message begins with the source.
    """
    if encoding not in (*_KNOWN, _EXR) and not _BINARY.fullmatch(encoding):
        raise BenchDataError(f"{source}: unknown depth_format {encoding[:40]!r}; known are {', '.join(_KNOWN)}")


def read_depth_map(
    path: Path, encoding: str, *, metric_scale: float = 1.0, limits: ImageLimits | None = None
) -> DepthMap:
    """A file of ``depths/``, by the ``depth_format`` of ``meta.json``; not for "none".

    Raises:
        BenchDataError: an unknown encoding, or a file that is not of it.
    """
    limits = limits or ImageLimits()
    check_depth_format(encoding, str(path))
    if encoding in _DIVISORS:
        raw = _sixteen_bits(path, limits)
        depth = raw.astype(np.float32) / np.float32(_DIVISORS[encoding])
        if encoding != "uint16_png_div100":
            return DepthMap(depth, None)
        sky = raw >= _SKY_FROM
        return DepthMap(np.where(sky, np.float32(0), depth), sky)
    if encoding == _INVERSE:
        return _inverse(_sixteen_bits(path, limits), metric_scale)
    if encoding == _NPY:
        return DepthMap(_plain(read_array(path, most_bytes=limits.max_file_bytes), path), None)
    if encoding == _EXR:
        raise BenchDataError(
            f"{path}: EXR is not read; store depth as .npy, and {_NPY} as the depth_format of meta.json"
        )
    size = _BINARY.fullmatch(encoding)
    if size is None:
        raise BenchDataError(f"{path}: depth_format {encoding!r} has no depth")
    return DepthMap(_plain(_binary(path, int(size[1]), int(size[2]), limits), path), None)


def read_grey(path: Path, limits: ImageLimits | None = None) -> NDArray[np.generic]:
    """(H, W) stored values of a grey picture: a mask.

    Raises:
        BenchDataError: missing, damaged, or in colour.
    """
    limits = limits or ImageLimits()
    decoded = decode(read_file(path, limits), source=str(path), limits=limits, animated="error")
    samples = scalar_samples(decoded.image)
    if samples is not None:
        return samples
    if decoded.image.mode in ("L", "1"):
        return np.asarray(decoded.image.convert("L"))
    raise BenchDataError(f"{path}: is in colour (mode {decoded.image.mode}); a mask is a grey picture")


def _sixteen_bits(path: Path, limits: ImageLimits) -> NDArray[np.int64]:
    samples = read_grey(path, limits)
    if samples.dtype != np.uint16:
        raise BenchDataError(f"{path}: holds {samples.dtype}, its depth_format says 16-bit whole numbers")
    return samples.astype(np.int64)


def _inverse(raw: NDArray[np.int64], metric_scale: float) -> DepthMap:
    code = raw.astype(np.float32) / np.float32(65535)
    sky = code > np.float32(_SKY_FROM / 65535)
    with np.errstate(divide="ignore"):
        depth = np.float32(metric_scale) * code / (np.float32(1000) - np.float32(999) * code) / np.float32(0.004)
    return DepthMap(np.where(sky | (code < _LEAST_CODE), np.float32(0), depth).astype(np.float32), sky)


def _plain(values: NDArray[np.float64], path: Path) -> NDArray[np.float32]:
    flat = np.squeeze(values)
    if flat.ndim != 2:
        raise BenchDataError(f"{path}: depth must be (H, W), got {values.shape}")
    with np.errstate(over="ignore"):
        return np.nan_to_num(flat.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)


def _binary(path: Path, height: int, width: int, limits: ImageLimits) -> NDArray[np.float64]:
    limits.check_size(width, height, str(path))
    data = read_file(path, limits)
    if len(data) != 4 * height * width:
        raise BenchDataError(f"{path}: {len(data):,} bytes, {height}x{width} float32 need {4 * height * width:,}")
    return np.frombuffer(data, dtype="<f4").reshape(height, width).astype(np.float64)
