"""What an object would show of itself if nothing hid it and the picture did not end.

An object is drawn alone: once at full size in a cut-out of the picture, and, when it may reach over the border, once
more in a small fisheye picture that looks straight at it from the same place. The second one is as wide as the object,
so that it needs no border, and it stays finite where a pinhole's picture plane would not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..fisheye import distorted_angle, distorted_angle_slope
from ..render import render
from ..render.result import SURE_ALPHA
from ..render.settings import TANGENT_MARGIN
from ..scenes import Instance
from ..splats import GaussianCloud

__all__ = ["Box", "Overhang", "Part", "alone_mask", "overhang_of"]

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in continuous pixel coordinates."""

_REACH = math.sqrt(2 * math.log(255))
"""Standard deviations after which an opaque Gaussian falls below the renderer's threshold of 1/255."""

_FAINT = 1 / 255
_STEPS = 9
_MARGIN_PX = 2
_OVERHANG_PX = 160
_WIDEST_RAD = math.radians(89)


@dataclass(frozen=True, eq=False)
class Part:
    """One object's own Gaussians, and points around them.

    Args:
        instance: the object.
        cloud: its Gaussians, without view-dependent colour.
        outline_world: (M, 3) points on the edges of a box in the object's axes that holds all that it may draw; none
            when it draws nothing.
    """

    instance: Instance
    cloud: GaussianCloud = field(repr=False)
    outline_world: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(cls, instance: Instance, cloud: GaussianCloud) -> Part:
        """The part of an object, from its Gaussians."""
        drawn = cloud.opacities > _FAINT
        if not drawn.any():
            return cls(instance, cloud, np.zeros((0, 3)))
        box = instance.box
        own = box.to_box(cloud.means[drawn])
        reach = _REACH * cloud.scales[drawn].max(axis=1, keepdims=True)
        low, high = (own - reach).min(axis=0), (own + reach).max(axis=0)
        edges = low + _box_edges() * (high - low)
        return cls(instance, cloud.with_sh_degree(0), edges @ box.world_from_box.T + box.centre_m)


class Overhang(NamedTuple):
    """How an object goes on beyond the border of a picture."""

    outside_share: float
    """Share of the solid angle of its silhouette that the picture does not show."""
    outside_px: float
    """Pixels that this would take if the picture went on."""
    box_px: Box | None
    """Box of all of its silhouette that is in front of the camera, up to one picture's size beyond each border; None
    when nothing is there, or all of it is within the picture."""


def alone_mask(part: Part, camera: Camera, *, engine: str) -> NDArray[np.bool_]:
    """(H, W) pixels that the object covers by half or more when it is drawn alone."""
    mask = np.zeros((camera.height, camera.width), np.bool_)
    window = _window(part, camera)
    if window is None:
        return mask
    x0, y0, x1, y1 = window
    cut = camera.cropped(x0, y0, x1 - x0, y1 - y0)
    alone = render(part.cloud, cut, engine=engine, threads=1).alpha >= SURE_ALPHA
    left, top = max(x0, 0), max(y0, 0)
    mask[top:y1, left:x1] = alone[top - y0 : camera.height - y0, left - x0 : camera.width - x0]
    return mask


def overhang_of(part: Part, camera: Camera, *, engine: str) -> Overhang | None:
    """What a picture leaves out of an object; None when the object covers nothing by half, wherever one looks.

    What lies more than 89 degrees beside the direction to the object's middle is not counted. Only an object that
    surrounds the camera has such parts; one looks along the camera's axis then.
    """
    if not len(part.outline_world):
        return None
    if camera.project(part.outline_world).in_picture.all():
        return Overhang(0.0, 0.0, None)
    towards = _towards(part, camera)
    drawn = render(part.cloud, towards, engine=engine, threads=1)
    covered = drawn.alpha >= SURE_ALPHA
    if not covered.any():
        return None
    centres = towards.pixel_centres()[covered.ravel()]
    weights = 1 / _pixels_per_steradian(towards, centres)
    seen = camera.project(towards.unproject(centres, drawn.depth_m[covered]))
    box = _clipped_box(seen.points_px[seen.imaged], camera)
    beyond = seen.imaged & ~seen.in_picture
    outside_px = float((weights[beyond] * _pixels_per_steradian(camera, seen.points_px[beyond])).sum())
    return Overhang(float(weights[~seen.in_picture].sum() / weights.sum()), outside_px, box)


def _clipped_box(points_px: NDArray[np.float64], camera: Camera) -> Box | None:
    """The box of points (N, 2), up to one picture's size beyond each border; None when it lies outside of that."""
    if not len(points_px):
        return None
    size = np.array([camera.width, camera.height])
    low, high = np.clip([points_px.min(axis=0), points_px.max(axis=0)], -size, 2 * size).tolist()
    return (low[0], low[1], high[0], high[1]) if low[0] < high[0] and low[1] < high[1] else None


def _window(part: Part, camera: Camera) -> tuple[int, int, int, int] | None:
    """x0, y0, x1, y1 of the pixels that the outline may reach; None when it reaches none.

    It goes as far beyond the picture as the renderer looks without flattening what is there, so that the edge of the
    window changes nothing within the picture.
    """
    outline = camera.project(part.outline_world)
    if not (outline.depth_m >= camera.near_m).any():
        return None
    if not outline.imaged.all():  # it goes on behind the camera, and may show anywhere
        return 0, 0, camera.width, camera.height
    low = outline.points_px.min(axis=0)
    high = outline.points_px.max(axis=0)
    # The outline is known at a few points of each edge only; a fisheye bends what lies between.
    margin = _MARGIN_PX + 0.02 * float((high - low).max())
    size = np.array([camera.width, camera.height])
    beyond = np.ceil(TANGENT_MARGIN * size)
    x0, y0 = np.clip(np.floor(low - margin), -beyond, size).astype(int).tolist()
    x1, y1 = np.clip(np.ceil(high + margin), 0, size + beyond).astype(int).tolist()
    shows = max(x0, 0) < min(x1, camera.width) and max(y0, 0) < min(y1, camera.height)
    return (x0, y0, x1, y1) if shows else None


def _towards(part: Part, camera: Camera) -> Camera:
    """An equidistant fisheye at the same place that has the whole outline in its picture."""
    rays = part.outline_world - camera.centre_m
    middle = (part.outline_world.min(axis=0) + part.outline_world.max(axis=0)) / 2 - camera.centre_m
    own = part.instance.box.to_box(part.outline_world)
    here = part.instance.box.to_box(camera.centre_m[None])[0]
    surrounded = bool(((own.min(axis=0) <= here) & (here <= own.max(axis=0))).all())
    forward = camera.world_from_camera[:3, 2] if surrounded else middle / np.linalg.norm(middle)
    lengths = np.maximum(np.linalg.norm(rays, axis=1), 1e-12)
    widest = float(np.arccos(np.clip(rays @ forward / lengths, -1, 1)).max())
    radius_rad = min(1.05 * widest + 1e-4, _WIDEST_RAD)
    return Camera(
        width=_OVERHANG_PX,
        height=_OVERHANG_PX,
        fx=_OVERHANG_PX / 2 / radius_rad,
        fy=_OVERHANG_PX / 2 / radius_rad,
        cx=_OVERHANG_PX / 2,
        cy=_OVERHANG_PX / 2,
        world_from_camera=_facing(camera.centre_m, forward),
        model="fisheye",
        max_theta_rad=_WIDEST_RAD,
        near_m=camera.near_m,
        far_m=camera.far_m,
    )


def _facing(centre_m: NDArray[np.float64], forward: NDArray[np.float64]) -> NDArray[np.float64]:
    """(4, 4) a pose with this optical axis, level with whichever world axis is least along it."""
    right = np.cross(forward, np.eye(3)[np.argmin(np.abs(forward))])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = centre_m
    return pose


def _pixels_per_steradian(camera: Camera, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N,) how many pixels a picture has for each steradian, around points (N, 2) of it, inside or not.

    ``fx fy / cos(theta)^3`` for a pinhole, and ``fx fy theta_d theta_d' / sin(theta)`` for a fisheye.
    """
    theta = np.arccos(np.clip(camera.directions_in_camera(points_px)[:, 2], -1, 1))
    if camera.model == "pinhole":
        return np.asarray(camera.fx * camera.fy / np.cos(theta) ** 3)
    stretch = distorted_angle(theta, camera.distortion) * distorted_angle_slope(theta, camera.distortion)
    sine = np.sin(theta)
    ratio = np.divide(stretch, sine, out=np.ones_like(theta), where=sine > 1e-9)
    return np.asarray(camera.fx * camera.fy * ratio)


def _box_edges() -> NDArray[np.float64]:
    """(M, 3) points along the twelve edges of the unit cube."""
    along = np.linspace(0, 1, _STEPS)
    points = [
        np.insert(np.array([[a, b]] * _STEPS, dtype=np.float64), axis, along, axis=1)
        for axis in range(3)
        for a in (0, 1)
        for b in (0, 1)
    ]
    return np.concatenate(points)
