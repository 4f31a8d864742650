"""How the camera of a picture looks out: focal length, principal point, and which way is down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .photograph_camera import ASSUMED_CAMERA, assumed_pinhole
from .registry import SceneLight

__all__ = ["Viewpoint", "viewpoint_of"]

_LEVEL_CAMERA = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
"""Rotation of a level camera that looks along the world's y axis, with z up."""


@dataclass(frozen=True)
class Viewpoint:
    """A pinhole and its rotation.

    Args:
        width, height: picture size in pixels.
        focal_px: (x, y) focal lengths.
        centre_px: (x, y) principal point, pixel centres at +0.5.
        camera_from_world: (3, 3) rotation; the world's z points up.
        approximations: what was assumed about the camera.
    """

    width: int
    height: int
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    camera_from_world: NDArray[np.float64]
    approximations: tuple[str, ...]

    @property
    def mean_focal_px(self) -> float:
        return float(np.sqrt(self.focal_px[0] * self.focal_px[1]))


def viewpoint_of(light: SceneLight) -> Viewpoint:
    """The camera of the picture, or for a photograph a level one that sees 60 degrees along the longer side."""
    height, width = light.image_linear.shape[:2]
    camera = light.camera
    assumed: tuple[str, ...] = ()
    if camera is None:
        camera, rotation = assumed_pinhole(width, height), _LEVEL_CAMERA
        assumed = (ASSUMED_CAMERA, "the camera was taken to be level")
    else:
        rotation = camera.camera_from_world[:3, :3]
        if camera.model != "pinhole":
            assumed = ("the fisheye was taken as a pinhole of the same focal length",)
    return Viewpoint(width, height, (camera.fx, camera.fy), (camera.cx, camera.cy), rotation, assumed)
