"""Clouds and cameras that the tests of the renderer look at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.scenes.room import Gaussians, fluff, room
from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.splats import SH_C0, GaussianCloud

__all__ = ["a_camera", "a_cloud", "blob", "cloud_of", "fisheye", "fluffy_room", "furnished_room"]


def cloud_of(gaussians: Gaussians) -> GaussianCloud:
    return GaussianCloud(
        means=gaussians.means,
        quats_wxyz=gaussians.quats_wxyz,
        scales=gaussians.scales,
        opacities=gaussians.opacities,
        sh=gaussians.sh,
        instance_ids=gaussians.instance_ids,
    )


def furnished_room(count: int = 8_000, seed: int = 0) -> GaussianCloud:
    return cloud_of(room(count, seed))


def fluffy_room(count: int = 8_000, seed: int = 0) -> GaussianCloud:
    return cloud_of(fluff(room(count, seed), share=0.4))


def a_camera(width: int = 160, height: int = 120, *, eye: tuple[float, float, float] = (1.0, 1.0, 1.5)) -> Camera:
    """Into the room of `furnished_room`, 70 degrees wide."""
    focal = width / 2 / np.tan(np.radians(35))
    return Camera(
        width=width,
        height=height,
        fx=focal,
        fy=focal,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=look_at(eye, (6.0, 4.0, 1.0)),
    )


def fisheye(camera: Camera, k1: float = -0.235, k2: float = 0.01) -> Camera:
    return replace(camera, model="fisheye", distortion=(k1, k2, 0.0, 0.0), fx=0.8 * camera.fx, fy=0.8 * camera.fy)


def blob(
    mean: tuple[float, float, float],
    *,
    scale: float | tuple[float, float, float] = 0.1,
    opacity: float = 0.8,
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0),
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0),
    instance: int = -1,
) -> GaussianCloud:
    """One Gaussian of one colour."""
    return GaussianCloud(
        means=np.array([mean], np.float32),
        quats_wxyz=np.array([quat], np.float32),
        scales=np.broadcast_to(np.float32(scale), (1, 3)),
        opacities=np.array([opacity], np.float32),
        sh=((np.array(colour, np.float32) - 0.5) / np.float32(SH_C0)).reshape(1, 1, 3),
        instance_ids=np.array([instance]),
    )


def a_cloud(*parts: GaussianCloud) -> GaussianCloud:
    return GaussianCloud.merged(parts)
