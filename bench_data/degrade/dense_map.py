"""Where all pixels of a picture come from at once: a `PixelMap` evaluated at every pixel centre, ten times as fast.

A lens moves a point along its radius, so that one table over the squared radius serves all pixels; while rows are read
out, all pixels of a row share one pose. What the table cannot tell to a thousandth of a pixel (the rim of an image
circle) is computed exactly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..fisheye import undistorted_angle

if TYPE_CHECKING:
    from .pixel_map import PixelMap

__all__ = ["TOLERANCE_PX", "nominal_of_pixel_centres"]

TOLERANCE_PX = 1e-3
"""How far a source may be off; measured between the table's entries, it is about 1e-6 for real lenses."""

_CELLS = 4096


def nominal_of_pixel_centres(pixel_map: PixelMap) -> NDArray[np.float64]:
    """(H, W, 2) where each pixel centre of the degraded picture lies in the nominal one; NaN outside the lens.

    The same as `PixelMap.to_nominal` at every pixel centre, within `TOLERANCE_PX`.

    Raises:
        BenchDataError: a map that needs depth.
    """
    nominal, degraded = pixel_map.nominal, pixel_map.degraded
    height, width = degraded.height, degraded.width
    if pixel_map.is_identity or pixel_map.needs_depth or not (_is_forward(degraded) and nominal.model == "pinhole"):
        return pixel_map.to_nominal(degraded.pixel_centres()).reshape(height, width, 2)
    x = (np.arange(width, dtype=np.float64) + 0.5 - degraded.cx) / degraded.fx
    y = ((np.arange(height, dtype=np.float64) + 0.5 - degraded.cy) / degraded.fy)[:, None]
    # Rays (x, y, 1) as a pinhole would have them.
    unsure = None
    if degraded.model == "fisheye":
        scale, unsure = _pinhole_over_fisheye(x * x + y * y, degraded, max(nominal.fx, nominal.fy))
        x, y = x * scale, y * scale
    if pixel_map.readout is not None:
        x, y = _on_nominal_plane(pixel_map, x, y)
    source = np.empty((height, width, 2))
    source[..., 0] = nominal.fx * x + nominal.cx
    source[..., 1] = nominal.fy * y + nominal.cy
    if unsure is not None and unsure.any():
        rows, columns = np.nonzero(unsure)
        source[rows, columns] = pixel_map.to_nominal(np.stack([columns, rows], axis=1) + 0.5)
    return source


def _is_forward(camera: Camera) -> bool:
    """Whether all that it images lies in front of it, so that a ray can be written as (x, y, 1)."""
    return camera.model == "pinhole" or camera.theta_limit_rad < math.pi / 2


def _pinhole_over_fisheye(
    radius_squared: NDArray[np.float64], camera: Camera, focal_px: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """tan(theta) / theta_d (H, W) of pixels at these theta_d squared, and which of them it is not sure of.

    Args:
        radius_squared: (H, W).
        camera: a fisheye.
        focal_px: of the picture in which the error counts.
    """
    largest = float(radius_squared.max())
    if largest == 0:
        return np.ones_like(radius_squared), None

    def exact(squares: NDArray[np.float64]) -> NDArray[np.float64]:
        radius = np.sqrt(squares)
        theta = undistorted_angle(radius, camera.distortion, limit_rad=camera.theta_limit_rad)
        return np.divide(np.tan(theta), radius, out=np.ones_like(radius), where=radius > 0)

    knots = np.linspace(0, largest, _CELLS + 1)
    middles = (knots[1:] + knots[:-1]) / 2
    table = exact(knots)
    off_px = np.abs((table[1:] + table[:-1]) / 2 - exact(middles)) * np.sqrt(middles) * focal_px
    is_unsure = ~(off_px <= TOLERANCE_PX)  # NaN too
    at = radius_squared * (_CELLS / largest)
    cell = np.minimum(at.astype(np.int32), _CELLS - 1)
    at -= cell
    at *= np.diff(table)[cell]
    at += table[cell]
    return at, is_unsure[cell] if is_unsure.any() else None


def _on_nominal_plane(
    pixel_map: PixelMap, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x / z and y / z (H, W), in nominal axes, of where the rays (x, y, 1) of each row's camera meet the plane."""
    readout, depth_m = pixel_map.readout, pixel_map.plane_depth_m
    height = pixel_map.degraded.height
    if readout is None:
        return x, y
    poses = readout.nominal_from_moved((np.arange(height) + 0.5) / height - 0.5)
    rotation, centre = poses[:, :3, :3, None], poses[:, :3, 3, None]
    ray_x, ray_y, ray_z = (
        rotation[:, axis, 0] * x + (rotation[:, axis, 1] * y + rotation[:, axis, 2]) for axis in (0, 1, 2)
    )
    # A motion without translation needs no depth: every plane is seen alike.
    plane_m = 1.0 if depth_m is None else depth_m
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = (1 - centre[:, 2] / plane_m) / ray_z
    ahead[~(ahead > 0)] = np.nan
    ray_x *= ahead
    ray_y *= ahead
    return ray_x + centre[:, 0] / plane_m, ray_y + centre[:, 1] / plane_m
