"""How SpatialBench stores depth, by the word in a scene's meta.json."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...images.limits import ImageLimits
from .arrays import read_array, read_grey

__all__ = ["DEPTH_FORMATS", "check_depth_format", "read_depth"]

_UNITS_PER_METRE = {
    "uint16_png_div1000": 1000.0,
    "uint16_png_div1000_rectified": 1000.0,
    "uint16_png_div100": 100.0,
    "uint16_png_div_655.35": 655.35,
}
_INVERSE = "uint16_png_inverse_encoded"
_NPY = "npy_float32_meters"
_EXR = "exr_float32"
_RAW = re.compile(r"float32_binary\w*?_(\d{1,5})x(\d{1,5})")
_SKY_RAW = 65500

DEPTH_FORMATS = (*_UNITS_PER_METRE, _INVERSE, _NPY, _EXR, "float32_binary_HxW", "none")


def check_depth_format(name: str) -> None:
    """Raises BenchDataError for a word that names no format."""
    if name not in DEPTH_FORMATS and not _RAW.fullmatch(name):
        raise BenchDataError(f"depth_format {name[:40]!r} is unknown; known are {', '.join(DEPTH_FORMATS)}")


def read_depth(
    path: Path, name: str, *, metric_scale: float, limits: ImageLimits
) -> tuple[NDArray[np.float32], NDArray[np.bool_] | None]:
    """(depth along the optical axis in metres, NaN where invalid; sky, where the format tells it).

    Args:
        path: of one frame.
        name: of the format.
        metric_scale: of the inverse encoding.
        limits: on files.

    Raises:
        BenchDataError: an unknown format, one that is not read here, or a file that does not fit it.
    """
    check_depth_format(name)
    if name in _UNITS_PER_METRE:
        raw = _sixteen_bits(path, limits)
        sky = raw >= _SKY_RAW if name == "uint16_png_div100" else None
        depth = np.where(raw == 0, np.nan, raw / _UNITS_PER_METRE[name])
        return np.where(sky, np.nan, depth).astype(np.float32) if sky is not None else depth.astype(np.float32), sky
    if name == _INVERSE:
        share = _sixteen_bits(path, limits) / 65535
        sky = share > _SKY_RAW / 65535
        depth = metric_scale * share / (1000 - 999 * share) / 0.004
        return np.where(sky | (share < 0.0015), np.nan, depth).astype(np.float32), sky
    if name == _NPY:
        return _valid(read_array(path, limits), path), None
    if name == _EXR:
        raise BenchDataError(f"{path.name}: OpenEXR depth is not read here; save it as .npy and name {_NPY}")
    shape = _RAW.fullmatch(name)
    if shape is None:
        raise BenchDataError(f"{path.name}: depth_format {name!r} has no depth")
    return _valid(_binary(path, int(shape[1]), int(shape[2])), path), None


def _sixteen_bits(path: Path, limits: ImageLimits) -> NDArray[np.float64]:
    raw = read_grey(path, limits)
    if raw.dtype != np.uint16:
        raise BenchDataError(f"{path.name}: depth needs a 16-bit grey PNG, got {raw.dtype}")
    return raw.astype(np.float64)


def _binary(path: Path, height: int, width: int) -> NDArray[np.float64]:
    if path.stat().st_size != 4 * height * width:
        raise BenchDataError(f"{path.name}: {path.stat().st_size:,} bytes, {4 * height * width:,} expected")
    return np.fromfile(path, dtype="<f4").reshape(height, width).astype(np.float64)


def _valid(depth: NDArray[np.float64], path: Path) -> NDArray[np.float32]:
    if depth.ndim != 2:
        raise BenchDataError(f"{path.name}: a depth map has two dimensions, got shape {depth.shape}")
    return np.where(np.isfinite(depth) & (depth > 0), depth, np.nan).astype(np.float32)
