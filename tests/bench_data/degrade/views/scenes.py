"""Small clouds and cameras for degraded views."""

from __future__ import annotations

from functools import cache

import numpy as np

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.degrade import DegradationParameters
from seeworthy.bench_data.degrade.views import DegradedView, degrade_view_with
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, a_cloud, blob, furnished_room

__all__ = ["CAMERA", "clear_room", "markers", "markers_at", "room", "seen_with"]

CAMERA = a_camera(64, 48)


@cache
def clear_room() -> GaussianCloud:
    """The view of `CAMERA` without what is close to it, whose Gaussians are as large as the picture.

    Those look different through another lens, because every lens is linearised in the middle of a Gaussian.
    """
    fine = furnished_room(40_000)
    return fine.selected(np.linalg.norm(fine.means - CAMERA.centre_m, axis=1) > 1.5)


@cache
def room() -> GaussianCloud:
    return furnished_room(4_000)


def markers_at(points: np.ndarray, scale_m: float = 0.02) -> GaussianCloud:
    """A small bright Gaussian at each of the points (N, 3), instances 0, 1, ..."""
    return a_cloud(*[blob(tuple(p), scale=scale_m, opacity=0.99, instance=at) for at, p in enumerate(points)])  # type: ignore[arg-type]


def markers(
    camera: Camera, depth_m: float | np.ndarray = 3.0, scale_m: float = 0.02
) -> tuple[np.ndarray, GaussianCloud]:
    """World points (9, 3) on a grid in the picture, and a cloud of markers there."""
    across, down = np.meshgrid([0.25, 0.5, 0.75], [0.25, 0.5, 0.75])
    pixels = np.stack([across.ravel() * camera.width, down.ravel() * camera.height], axis=1)
    points = camera.unproject(pixels, depth_m)
    return points, markers_at(points, scale_m)


def seen_with(
    cloud: GaussianCloud,
    camera: Camera,
    threads: int = 1,
    far_m: float | None = 5.0,
    **parameters: DegradationParameters,
) -> DegradedView:
    return degrade_view_with(cloud, camera, parameters, seed=0, engine="numba", threads=threads, far_m=far_m)
