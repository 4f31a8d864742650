"""Motion blur: the camera moves while the shutter is open; light is averaged along its path, equation 6 of SpaceDG.

Published range (table 9): translation 0.2 to 0.35 (m), rotation 0.06 to 0.12 (rad) over the exposure. The path is
centred on the nominal pose, so that what is true of the sharp picture stays true of the blurred one.

In a scene 80 views along the path are drawn, and their light is averaged.

On a photograph the scene is one plane that faces the camera: every instant of the exposure is then a homography. Its
distance is the median depth, or 3 m when no depth is given; the lens is assumed to see 60 degrees along the longer
side. The border is reflected. Rotation and translation push the image the same way, as when a hand swings round the
elbow, so that they never cancel; both have a small part along the optical axis (roll, approach).

Levels, as the length of the blur in the middle of a 640-pixel-wide picture: 1: about 4 px, 2: 10 px, 3: 22 px (text and
small objects go), 4: 36 px, 5: 55 px; bench: 70 to 130 px.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..stress import Stress
from .camera_motion import CameraMotion, Vector
from .path_blur import mean_along_path
from .photograph_camera import ASSUMED_CAMERA, ASSUMED_DEPTH_M, assumed_pinhole
from .registry import DegradationParameters, FormationStage, LightEffect, SceneLight, Severity, light_degradation
from .severity import Range, draw
from .view_plan import ViewPlan

__all__ = ["MotionBlurParameters", "motion_blur"]

_ROTATION_RAD: dict[Severity, Range] = {
    1: (0.0040, 0.0052),
    2: (0.010, 0.013),
    3: (0.021, 0.026),
    4: (0.034, 0.040),
    5: (0.048, 0.056),
    "bench": (0.06, 0.12),
}
_TRANSLATION_M: dict[Severity, Range] = {
    1: (0.008, 0.012),
    2: (0.020, 0.028),
    3: (0.045, 0.060),
    4: (0.080, 0.100),
    5: (0.130, 0.160),
    "bench": (0.20, 0.35),
}
_ALONG_AXIS = 0.25
_STEP_PX = 0.75
_MAX_STEPS = 600


class MotionBlurParameters(DegradationParameters):
    """The camera's motion over the whole exposure, in the axes of the nominal camera (x right, y down, z forward).

    Args:
        translation_m: from the first to the last position.
        rotation_rad: rotation vector from the first to the last orientation.
    """

    translation_m: Vector
    rotation_rad: Vector

    @classmethod
    def sample(cls, severity: Severity, rng: np.random.Generator) -> Self:
        direction = float(rng.uniform(0, 2 * np.pi))
        right, down = np.cos(direction), np.sin(direction)
        # Turning about (-down, right) moves the image the way that moving along (right, down) does.
        axis = _unit(-down, right, float(rng.uniform(-_ALONG_AXIS, _ALONG_AXIS)))
        way = _unit(right, down, float(rng.uniform(-_ALONG_AXIS, _ALONG_AXIS)))
        rotation = draw(_ROTATION_RAD, severity, rng)
        translation = draw(_TRANSLATION_M, severity, rng)
        return cls(translation_m=_scaled(way, translation), rotation_rad=_scaled(axis, rotation))

    @property
    def motion(self) -> CameraMotion:
        return CameraMotion(self.translation_m, self.rotation_rad)


def _while_open(plan: ViewPlan, parameters: MotionBlurParameters) -> ViewPlan:
    return replace(plan, exposure=parameters.motion)


@light_degradation(
    Stress.MOTION_BLUR,
    summary="the camera moved during the exposure",
    stage=FormationStage.MOTION,
    parameters=MotionBlurParameters,
    version="2",
    on_view=_while_open,
)
def motion_blur(light: SceneLight, parameters: MotionBlurParameters, rng: np.random.Generator) -> LightEffect:
    """Averages the views of a plane along the path, in linear light."""
    image = light.image_linear
    height, width = image.shape[:2]
    if light.depth_m is None or np.isnan(light.depth_m).all():
        depth_m = ASSUMED_DEPTH_M
        known = "no depth given: the scene was taken as a plane at 3 m"
    else:
        depth_m = float(np.nanmedian(light.depth_m))
        known = f"the scene was taken as a plane at its median depth, {depth_m:.3g} m"
    intrinsics = _intrinsics(light.camera or assumed_pinhole(width, height))

    def nominal_from_moved(when: float) -> NDArray[np.float64]:
        return _homography(parameters, when, depth_m, intrinsics)

    instants = _step_count([nominal_from_moved(-0.5), nominal_from_moved(0.5)], width, height)
    blurred = mean_along_path(image, nominal_from_moved, instants)
    return LightEffect(blurred, (known, _lens_taken_as(light.camera), "the border was reflected"))


def _lens_taken_as(camera: Camera | None) -> str:
    if camera is None:
        return ASSUMED_CAMERA
    return (
        "motion was taken to act all over as it does in the middle of the lens"
        if camera.model == "fisheye"
        else "motion was seen through the lens that was given"
    )


def _intrinsics(camera: Camera) -> NDArray[np.float64]:
    # Whole numbers are pixel centres, as the warp counts them.
    return np.array([[camera.fx, 0, camera.cx - 0.5], [0, camera.fy, camera.cy - 0.5], [0, 0, 1]])


def _homography(
    parameters: MotionBlurParameters, when: float, depth_m: float, intrinsics: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Maps a pixel of the moved camera to the nominal one, for the plane z = depth_m of the nominal camera."""
    import cv2

    turn, _ = cv2.Rodrigues(np.array(parameters.rotation_rad, dtype=np.float64) * when)
    shift_m = np.array(parameters.translation_m, dtype=np.float64) * when
    onto_plane = (depth_m - shift_m[2]) * np.eye(3) + np.outer(shift_m, [0.0, 0.0, 1.0])
    return np.asarray(intrinsics @ onto_plane @ turn @ np.linalg.inv(intrinsics), dtype=np.float64)


def _step_count(ends: list[NDArray[np.float64]], width: int, height: int) -> int:
    """Instants that move the fastest of centre and corners by at most 0.75 px each."""
    right, bottom = width - 1.0, height - 1.0
    points = np.array([[right / 2, bottom / 2], [0, 0], [right, 0], [0, bottom], [right, bottom]])
    homogeneous = np.column_stack([points, np.ones(len(points))])
    first, last = (homogeneous @ end.T for end in ends)
    moved = np.linalg.norm(first[:, :2] / first[:, 2:] - last[:, :2] / last[:, 2:], axis=1)
    return int(np.clip(np.ceil(moved.max() / _STEP_PX) + 1, 2, _MAX_STEPS))


def _unit(x: float, y: float, z: float) -> NDArray[np.float64]:
    vector = np.array([x, y, z])
    return np.asarray(vector / np.linalg.norm(vector))


def _scaled(direction: NDArray[np.float64], length: float) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in direction * length)
    return x, y, z
