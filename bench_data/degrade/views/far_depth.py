"""The depth that counts as far in a scene, shared by all its views."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera
from ...errors import BenchDataError
from ...render import RenderSettings, render_many
from ...splats import GaussianCloud
from ..scene_depth import far_depth_m

__all__ = ["far_m_of", "scene_far_m"]

_LONGER_SIDE_PX = 160


def scene_far_m(
    cloud: GaussianCloud, cameras: Sequence[Camera], *, engine: str = "auto", threads: int | None = None
) -> float:
    """The 95th percentile of the depths that the cameras see, in metres; every camera counts alike.

    Drawn small: 160 pixels along the longer side.

    Raises:
        BenchDataError: no camera, or none sees anything.
    """
    small = [_shrunk(camera) for camera in cameras]
    depths = [seen.depth_m for seen in render_many(cloud, small, RenderSettings(), engine=engine, threads=threads)]
    known = [depth[np.isfinite(depth)] for depth in depths]
    known = [depth for depth in known if len(depth)]
    if not known:
        raise BenchDataError("no camera sees anything of the scene: check the poses, or give far_m in metres")
    # The same number of depths from each, so that a view half out of the window does not count half.
    count = max(len(depth) for depth in known)
    at = (np.arange(count) + 0.5) / count
    return far_depth_m(np.concatenate([_quantiles(depth, at) for depth in known]).astype(np.float32))


def far_m_of(depth_m: NDArray[np.float32]) -> float:
    """The far depth of one view (H, W), NaN = unknown.

    Raises:
        BenchDataError: nothing is seen.
    """
    if np.isnan(depth_m).all():
        raise BenchDataError("the view shows nothing of the scene, so its far depth is unknown: give far_m in metres")
    return far_depth_m(depth_m)


def _quantiles(depths: NDArray[np.float32], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """As `numpy.quantile`, which takes hundreds of times longer for thousands of quantiles."""
    return np.interp(at * (len(depths) - 1), np.arange(len(depths)), np.sort(depths))


def _shrunk(camera: Camera) -> Camera:
    share = min(1.0, _LONGER_SIDE_PX / max(camera.width, camera.height))
    return camera.resized(max(1, round(camera.width * share)), max(1, round(camera.height * share)))
