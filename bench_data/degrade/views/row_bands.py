"""Rows that are drawn together although they are read one after the other."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...cameras import Camera
from ..camera_motion import CameraMotion

__all__ = ["LARGEST_ERROR_PX", "RowBand", "row_bands"]

LARGEST_ERROR_PX = 0.25
"""No point appears farther from where it belongs because its row was drawn with its neighbours."""

_FAR_M = 1e4
_GRID = 5
_INSTANTS = 9

RowBand = tuple[int, int]
"""First row, and the row after the last."""


def row_bands(
    camera: Camera, readout: CameraMotion | None, near_m: float, *, largest_error_px: float = LARGEST_ERROR_PX
) -> list[RowBand]:
    """Bands of neighbouring rows that cover the picture, each to be drawn at the instant of its middle.

    Args:
        camera: the lens at its nominal pose.
        readout: the motion while rows are read; None for one band.
        near_m: points nearer than this are not cared for.
        largest_error_px: of any point between the first and the last row of a band.
    """
    height = camera.height
    if readout is None:
        return [(0, height)]
    speed = _fastest_px(camera, readout, near_m)
    # The outermost rows of a band are (rows - 1) / 2 from its middle, and height rows are read in the whole time.
    rows = height if speed == 0 else min(height, math.floor(1 + 2 * largest_error_px * height / speed))
    count = -(-height // rows)
    limits = [height * band // count for band in range(count + 1)]
    return list(itertools.pairwise(limits))


def _fastest_px(camera: Camera, readout: CameraMotion, near_m: float) -> float:
    """The way of the fastest image point, near or far, if it kept its speed for the whole readout."""
    lens = camera.with_pose(np.eye(4))
    x, y = np.meshgrid(np.linspace(0, camera.width, _GRID), np.linspace(0, camera.height, _GRID))
    pixels = np.stack([x.ravel(), y.ravel()], axis=1)
    points = np.concatenate([lens.unproject(pixels, near_m), lens.unproject(pixels, _FAR_M)])
    points = points[np.isfinite(points).all(axis=1)]
    poses = readout.nominal_from_moved(np.linspace(-0.5, 0.5, _INSTANTS))
    tracks = np.stack([lens.project((points - pose[:3, 3]) @ pose[:3, :3]).points_px for pose in poses])
    ways = np.linalg.norm(np.diff(tracks, axis=0), axis=2) * (_INSTANTS - 1)
    return float(np.nanmax(ways, initial=0.0))
