"""Motion blur: the light of many poses along the camera's path while the shutter is open, SpaceDG eq. 6.

``encode(mean_i decode(picture_i))``: light adds up, display-encoded values do not. Poses turn at constant speed and
move on a straight line, both ends included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..camera_paths import pose_path
from ..cameras import Camera
from ..errors import BenchDataError
from ..images import linear_from_srgb, srgb_from_linear
from ..splats import GaussianCloud
from .drawing import draw_frames
from .engines import choose_engine
from .frame import Frame
from .settings import RenderSettings

__all__ = ["POSES", "Exposure", "Quadrature", "exposure_ends", "exposure_weights", "render_exposure"]

POSES = 80
"""Pictures that are averaged, as SpaceDG does."""

Quadrature = Literal["full", "draft"]


@dataclass(frozen=True, eq=False)
class Exposure:
    """A picture of what came in while the shutter was open."""

    image_linear: NDArray[np.float32]
    """(H, W, 3) mean light."""
    alpha: NDArray[np.float32]
    """(H, W) mean coverage."""
    poses: int
    """How many pictures were drawn."""
    engine: str

    @cached_property
    def image_srgb(self) -> NDArray[np.float32]:
        """(H, W, 3) display-encoded."""
        return srgb_from_linear(self.image_linear)


def exposure_ends(
    camera: Camera, *, translation_m: ArrayLike, rotation_rad: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First and last pose (4, 4) of a motion whose middle is the camera's own pose, so that its truth stays true.

    Args:
        camera: the nominal pose.
        translation_m: (3,) from the first to the last position, in the axes of the nominal camera.
        rotation_rad: (3,) rotation vector from the first to the last orientation, in the same axes.
    """
    from scipy.spatial.transform import Rotation

    shift, turn = (np.asarray(v, dtype=np.float64) for v in (translation_m, rotation_rad))
    if shift.shape != (3,) or turn.shape != (3,) or not (np.isfinite(shift).all() and np.isfinite(turn).all()):
        raise BenchDataError("translation_m and rotation_rad must be three finite numbers each")
    ends = []
    for half in (-0.5, 0.5):
        camera_from_end = np.eye(4)
        camera_from_end[:3, :3] = Rotation.from_rotvec(half * turn).as_matrix()
        camera_from_end[:3, 3] = half * shift
        ends.append(camera.world_from_camera @ camera_from_end)
    return ends[0], ends[1]


def exposure_weights(poses: int, quadrature: Quadrature = "full") -> NDArray[np.float64]:
    """Weights, summing to 1, of evenly spaced pictures.

    "full": ``poses`` equal ones. "draft": about half as many, ``poses // 2 + 1``, weighted as if those between were
    interpolated linearly. For 80 poses that is twice as fast; 1 to 5 % of 8-bit values are off by one, few by two.
    """
    if poses < 1:
        raise BenchDataError(f"poses must be at least 1, got {poses}")
    if quadrature == "full":
        return np.full(poses, 1 / poses)
    if quadrature != "draft":
        raise BenchDataError(f'quadrature must be "full" or "draft", got {quadrature!r}')
    count = poses // 2 + 1
    at = np.linspace(0, count - 1, poses)
    lower = np.minimum(at.astype(np.intp), max(count - 2, 0))
    weights = np.zeros(count)
    np.add.at(weights, lower, 1 - (at - lower))
    np.add.at(weights, np.minimum(lower + 1, count - 1), at - lower)
    return weights / poses


def render_exposure(
    cloud: GaussianCloud,
    camera: Camera,
    start: ArrayLike,
    end: ArrayLike,
    settings: RenderSettings | None = None,
    *,
    poses: int = POSES,
    quadrature: Quadrature = "full",
    engine: str = "auto",
    threads: int | None = None,
) -> Exposure:
    """Draws what a moving camera takes in.

    Args:
        cloud: what to draw.
        camera: the lens; its own pose plays no part.
        start, end: (4, 4) first and last pose, camera-to-world (see `exposure_ends`).
        settings: as for `render_many`.
        poses: pictures to average.
        quadrature: "draft" draws half of them, see `exposure_weights`.
        engine, threads: as for `render`. The result is the same for any number of threads.

    Raises:
        BenchDataError: as `render`.
    """
    weights = exposure_weights(poses, quadrature)
    settings = settings or RenderSettings()
    chosen = choose_engine(engine, settings).engine
    ends = np.stack([np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)])
    cameras = [camera.with_pose(pose) for pose in pose_path(ends, count=len(weights))]

    def light_of(frame: Frame) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return linear_from_srgb(frame.image_srgb), frame.alpha

    light, term = np.zeros((camera.height, camera.width, 3)), np.empty((camera.height, camera.width, 3))
    coverage = np.zeros((camera.height, camera.width))
    # In float64 and in the order of time, so that rounding does not depend on which thread is done first.
    drawn = draw_frames(cloud, cameras, settings, engine=chosen, threads=threads, finish=light_of)
    for weight, (image_linear, alpha) in zip(weights, drawn, strict=True):
        light += np.multiply(image_linear, weight, out=term)
        coverage += weight * alpha
    return Exposure(light.astype(np.float32), coverage.astype(np.float32), len(weights), chosen)
