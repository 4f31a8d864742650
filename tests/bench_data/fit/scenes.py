"""Small scenes that fits are tried on."""

from __future__ import annotations

import numpy as np

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.fit import FitView
from seeworthy.bench_data.render import render
from seeworthy.bench_data.splats import GaussianCloud, cloud_from_points
from tests.bench_data.render.scenes import a_camera, furnished_room

__all__ = ["cloud_of_dots", "noisy_start", "room_views"]


def room_views(
    count: int = 6, width: int = 64, height: int = 48, *, gaussians: int = 4000, depth: bool = False
) -> tuple[FitView, ...]:
    """Pictures of the furnished room from a short path."""
    cloud, views = furnished_room(gaussians).with_sh_degree(0), []
    for i in range(count):
        pose = look_at((1.0 + 0.3 * i, 1.0 + 0.1 * i, 1.5), (6.0, 4.0, 1.0))
        camera = a_camera(width, height).with_pose(pose)
        picture = render(cloud, camera, engine="numba", threads=1)
        depth_m = picture.depth_m if depth else None
        views.append(FitView(name=f"{i}.png", camera=camera, image_srgb_u8=picture.image_srgb_u8, depth_m=depth_m))
    return tuple(views)


def noisy_start(count: int = 600, seed: int = 0) -> GaussianCloud:
    """Grey points near the room's surfaces."""
    rng = np.random.default_rng(seed)
    truth = furnished_room(4000)
    points = truth.means[rng.choice(len(truth), count, replace=False)] + rng.normal(scale=0.03, size=(count, 3))
    return cloud_from_points(points, np.full((count, 3), 0.5), opacity=0.3)


def cloud_of_dots(rng: np.random.Generator, count: int, camera: Camera, *, opacity: float = 0.9) -> GaussianCloud:
    """Gaussians of all shapes in front of a camera."""
    depth_m = rng.uniform(0.5, 6, count)
    points = camera.unproject(rng.uniform(-0.2, 1.2, (count, 2)) * [camera.width, camera.height], depth_m)
    quats = rng.normal(size=(count, 4))
    return GaussianCloud(
        means=points,
        quats_wxyz=quats / np.linalg.norm(quats, axis=1, keepdims=True),
        scales=np.exp(rng.normal(-2.5, 0.9, (count, 3))),
        opacities=rng.uniform(0.02, opacity, count),
        sh=rng.normal(size=(count, 4, 3)),
    )
