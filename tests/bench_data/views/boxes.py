"""Scenes of exact boxes, each of a few hundred Gaussians, and rays that are cast at the same boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.rotations import quat_from_matrix
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene, SceneKind, SceneView
from seeworthy.bench_data.splats import SH_C0, GaussianCloud

FLOOR = OrientedBox.upright((0, 0, -0.25), (7, 7, 0.1))
"""A little below everything: Gaussians are drawn in the order of their middles, so large ones hide what is on them."""


def camera_at(
    eye: Sequence[float], target: Sequence[float] = (0.0, 0.0, 0.5), *, width: int = 96, height: int = 72
) -> Camera:
    return Camera(
        width=width,
        height=height,
        fx=0.8 * width,
        fy=0.8 * width,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=look_at(eye, target),
    )


def fisheye_of(camera: Camera) -> Camera:
    return replace(camera, model="fisheye", distortion=(-0.1, 0.01, 0.0, 0.0), fx=0.6 * camera.fx, fy=0.6 * camera.fy)


def box_cloud(box: OrientedBox, instance_id: int, *, across: int = 10) -> GaussianCloud:
    """The six faces of a box as flat, nearly opaque Gaussians whose edges end close to those of the box."""
    means, scales = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        steps = box.size_m[[u, v]] / (across + 0.9)
        grid = (np.arange(across) - (across - 1) / 2)[:, None] * steps
        for side in (-0.5, 0.5):
            points = np.zeros((across * across, 3))
            points[:, u], points[:, v] = np.repeat(grid[:, 0], across), np.tile(grid[:, 1], across)
            points[:, axis] = side * box.size_m[axis]
            scale = np.zeros(3)
            scale[[u, v]], scale[axis] = 0.55 * steps, 0.004
            means.append(points)
            scales.append(np.broadcast_to(scale, points.shape))
    local = np.concatenate(means)
    colour = np.random.default_rng(instance_id).uniform(0.2, 0.9, 3)
    return GaussianCloud(
        means=local @ box.world_from_box.T + box.centre_m,
        quats_wxyz=np.broadcast_to(quat_from_matrix(box.world_from_box), (len(local), 4)),
        scales=np.concatenate(scales),
        opacities=np.full(len(local), 0.99),
        sh=np.broadcast_to((colour - 0.5) / SH_C0, (len(local), 1, 3)),
        instance_ids=np.full(len(local), instance_id),
    )


def scene_of(boxes: dict[int, OrientedBox], *, views: Sequence[Camera] = (), floor: bool = True) -> Scene:
    """Boxes by id, and a floor (structure, id 1000)."""
    instances = [Instance(id=number, label="box", box=box) for number, box in boxes.items()]
    clouds = [box_cloud(box, number) for number, box in boxes.items()]
    if floor:
        instances.append(Instance(id=1000, label="floor", box=FLOOR, is_structure=True))
        clouds.append(box_cloud(FLOOR, 1000, across=44))
    return Scene(
        id="boxes",
        kind=SceneKind.ROOM,
        cloud=GaussianCloud.merged(clouds),
        instances=tuple(instances),
        views=tuple(SceneView(f"view {k}", camera) for k, camera in enumerate(views)),
    )


def moved(scene: Scene, new_from_old: NDArray[np.float64]) -> Scene:
    """The whole scene, views included, in another place."""
    R, t = new_from_old[:3, :3], new_from_old[:3, 3]
    return replace(
        scene,
        cloud=scene.cloud.transformed(new_from_old),
        instances=tuple(
            replace(one, box=OrientedBox(R @ one.box.centre_m + t, one.box.size_m, R @ one.box.world_from_box))
            for one in scene.instances
        ),
        views=tuple(
            SceneView(view.name, view.camera.with_pose(new_from_old @ view.camera.world_from_camera))
            for view in scene.views
        ),
    )


def cast_rays(camera: Camera, boxes: dict[int, OrientedBox]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(H, W) the id of the first box that each pixel's ray hits, -1 for none, and (boxes, H, W) z of every hit."""
    rays = camera.directions_in_camera(camera.pixel_centres())
    directions = rays @ camera.world_from_camera[:3, :3].T
    depths = []
    for box in boxes.values():
        origin = box.to_box(camera.centre_m[None])[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            local = directions @ box.world_from_box
            ends = np.stack([(side * box.size_m / 2 - origin) / local for side in (-1, 1)])
            enter, leave = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
            z = np.where((enter <= leave) & (enter > 0), enter, np.inf) * rays[:, 2]
        depths.append(np.where(np.isfinite(z), z, np.inf).reshape(camera.height, camera.width))
    stack = np.stack(depths)
    first = np.argmin(stack, axis=0)
    ids = np.array(list(boxes))[first]
    return np.where(np.isfinite(stack.min(axis=0)), ids, -1), stack
