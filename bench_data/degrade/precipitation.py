"""What rain and snow share: the depth they fall before, the light they show, and how they are laid over the scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .airborne import Particles, Shutter, SizeLaw, coverage, veil_optical_depth
from .luminance import mean_luminance
from .registry import LightEffect, SceneLight
from .scene_depth import filled_depth_m, ground_plane_relative_depth
from .viewpoint import Viewpoint

__all__ = ["ASSUMED_FAR_M", "SLIGHTEST_MM_H", "fall_velocity_m_s", "laid_over", "scene_depth_m", "sky_lit_radiance"]

ASSUMED_FAR_M = 40.0
"""Depth of the far end of the floor that is assumed where no depth is given: outdoors, where rain and snow fall."""

SLIGHTEST_MM_H = 1e-4
"""Less than this is no rain and no snow; the laws of sizes have no meaning there."""

_BRIGHTEST_VEIL = np.float32(0.85)
"""Linear light of the veil at most: a camera is exposed so that a sky that fills half of its picture is not clipped."""


def scene_depth_m(light: SceneLight) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """(H, W) depth in metres without holes, and what was assumed for it."""
    height, width = light.image_linear.shape[:2]
    if light.depth_m is None:
        depth_m = ground_plane_relative_depth(height, width) * np.float32(ASSUMED_FAR_M)
        return depth_m, (f"no depth given: a floor seen by a level camera, {ASSUMED_FAR_M:g} m deep, was assumed",)
    if np.isnan(light.depth_m).any():
        return filled_depth_m(light.depth_m), ("pixels without depth took that of the nearest pixel that has one",)
    return light.depth_m, ()


def sky_lit_radiance(light: SceneLight, times_the_scene: float, tint: float) -> NDArray[np.float32]:
    """(3,) linear light of a drop or flake, which shows the whole surroundings, sky included.

    Under an overcast sky things of 20 % reflectance are a fifth as bright as the sky above them. The surroundings are
    taken to be as bright as the mean of the picture.

    Args:
        times_the_scene: brightness of a particle over the mean luminance of the picture.
        tint: added to blue and taken from red, as a share: positive is cool.
    """
    brightness = np.float32(mean_luminance(light.image_linear) * times_the_scene)
    return brightness * np.array([1 - tint, 1.0, 1 + tint], dtype=np.float32)


def fall_velocity_m_s(
    fall_speed_m_s: NDArray[np.float64], wind_m_s: tuple[float, float], view: Viewpoint
) -> NDArray[np.float64]:
    """(N, 3) velocities in camera axes of particles that fall at a speed (N,) and drift with a horizontal wind."""
    rightward, forward, upward = view.camera_from_world.T
    drift = wind_m_s[0] * rightward + wind_m_s[1] * forward
    return np.asarray(drift - fall_speed_m_s[:, None] * upward)


def laid_over(
    light: SceneLight,
    law: SizeLaw,
    particles: Particles,
    view: Viewpoint,
    shutter: Shutter,
    radiance_linear: NDArray[np.float32],
    depth_m: NDArray[np.float32],
) -> NDArray[np.float32]:
    """(H, W, 3) light: the scene through the veil of small particles, and the large ones before it."""
    import cv2

    veil_over_particle = min(np.float32(1), _BRIGHTEST_VEIL / max(radiance_linear.max(), _BRIGHTEST_VEIL))
    beside = 1 - coverage(particles, view, shutter, depth_m)
    beside_through_veil = beside * np.exp(-veil_optical_depth(law, view, depth_m))
    particles_share = 1 - beside + veil_over_particle * (beside - beside_through_veil)
    # Planes are laid side by side first: NumPy is slow where it repeats values over three channels.
    result = light.image_linear * cv2.merge([beside_through_veil] * 3)
    result += cv2.merge([particles_share * radiance for radiance in radiance_linear])
    return np.asarray(result, dtype=np.float32)


def stated(image_linear: NDArray[np.float32], *assumed: tuple[str, ...]) -> LightEffect:
    """The light with all that was assumed."""
    return LightEffect(image_linear, tuple(sentence for sentences in assumed for sentence in sentences))
