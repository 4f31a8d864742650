"""Rolling shutter: rows are read one after the other, top to bottom, while the camera moves.

SpaceDG leaves it to the future, so the ranges are ours, for a sensor read in 1/30 s. The row in the middle is read at
the nominal pose. The motion is mostly a pan: within 30 degrees of level, with a small part along the optical axis;
rotation and translation push the image the same way, as when a hand swings round the elbow. A level pan skews upright
lines; the vertical part stretches or squashes the picture.

Levels, as the shift between the first and the last row at 3 m on a picture 640 pixels wide that sees 60 degrees:
1: about 10 px (a hand turning at 20 degrees a second), 2: 21 px, 3: 43 px (90 degrees a second), 4: 70 px, 5: 105 px,
bench: 150 px (a whip pan, or a drone).

In a scene each row is drawn along the path. On a photograph the scene is one plane that faces the camera, at the
median depth, or at 3 m when no depth is given: each row is then seen through a homography of its own. The border is
reflected.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from ..stress import Stress
from .camera_motion import CameraMotion, Vector
from .photograph_camera import ASSUMED_CAMERA, ASSUMED_DEPTH_M, assumed_pinhole, picture_along
from .pixel_map import PixelMap
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw
from .view_plan import ViewPlan

__all__ = ["RollingShutterParameters", "rolling_shutter"]

_ROTATION_RAD: dict[Severity, Range] = {
    1: (0.010, 0.013),
    2: (0.023, 0.028),
    3: (0.046, 0.055),
    4: (0.076, 0.090),
    5: (0.11, 0.13),
    "bench": (0.15, 0.20),
}
_TRANSLATION_M: dict[Severity, Range] = {
    1: (0.015, 0.022),
    2: (0.035, 0.045),
    3: (0.070, 0.090),
    4: (0.12, 0.14),
    5: (0.18, 0.22),
    "bench": (0.25, 0.35),
}
_STEEPEST_RAD = np.deg2rad(30.0)
_ALONG_AXIS = 0.15


class RollingShutterParameters(DegradationParameters):
    """The camera's motion between reading the first and the last row, in the axes of the nominal camera.

    Args:
        translation_m: from the first to the last position (x right, y down, z forward).
        rotation_rad: rotation vector from the first to the last orientation.
    """

    translation_m: Vector
    rotation_rad: Vector

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        angle = float(rng.uniform(-_STEEPEST_RAD, _STEEPEST_RAD)) + np.pi * int(rng.integers(2))
        right, down = np.cos(angle), np.sin(angle)
        # Turning about (-down, right) moves the image the way that moving along (right, down) does.
        axis = np.array([-down, right, rng.uniform(-_ALONG_AXIS, _ALONG_AXIS)])
        way = np.array([right, down, rng.uniform(-_ALONG_AXIS, _ALONG_AXIS)])
        axis *= draw(_ROTATION_RAD, severity, rng) / np.linalg.norm(axis)
        way *= draw(_TRANSLATION_M, severity, rng) / np.linalg.norm(way)
        return cls(
            translation_m=(float(way[0]), float(way[1]), float(way[2])),
            rotation_rad=(float(axis[0]), float(axis[1]), float(axis[2])),
        )

    @property
    def motion(self) -> CameraMotion:
        return CameraMotion(self.translation_m, self.rotation_rad)


def _read_by_rows(plan: ViewPlan, parameters: RollingShutterParameters) -> ViewPlan:
    return replace(plan, readout=parameters.motion)


@light_degradation(
    Stress.ROLLING_SHUTTER,
    summary="the camera moved while rows were read one after the other",
    stage=FormationStage.MOTION,
    parameters=RollingShutterParameters,
    version="2",
    on_view=_read_by_rows,
)
def rolling_shutter(light: SceneLight, parameters: RollingShutterParameters, rng: np.random.Generator) -> LightEffect:
    """Takes each row of a photograph from the view of a plane at the instant at which the row was read."""
    height, width = light.image_linear.shape[:2]
    if light.depth_m is None or np.isnan(light.depth_m).all():
        depth_m, known = ASSUMED_DEPTH_M, "no depth given: the scene was taken as a plane at 3 m"
    else:
        depth_m = float(np.nanmedian(light.depth_m))
        known = f"the scene was taken as a plane at its median depth, {depth_m:.3g} m"
    assumed = () if light.camera is not None else (ASSUMED_CAMERA,)
    camera = light.camera or assumed_pinhole(width, height)
    pixel_map = PixelMap(camera, camera, parameters.motion, depth_m)
    image = picture_along(light.image_linear, pixel_map, beyond="reflected")
    return LightEffect(image, (known, *assumed, "the border was reflected"), pixel_map)
