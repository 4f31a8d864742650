"""Where a photographer would stand: in free space, at eye height, with several things in the picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...camera_paths import look_at
from ...cameras import Camera
from ...errors import BenchDataError
from ..box import OrientedBox
from ..scene import Instance, SceneView
from .surfels import Array

__all__ = ["NEAREST_M", "Lens", "sampled_views", "seen_objects"]

NEAREST_M = 0.4
"""Nothing is nearer to a camera than this."""

_CANDIDATES = 28
_SEVERAL = 3


@dataclass(frozen=True)
class Lens:
    """Size of the pictures in pixels and their horizontal field of view in degrees."""

    width: int = 640
    height: int = 480
    fov_deg: float = 75.0

    def __post_init__(self) -> None:
        if not 10 <= self.fov_deg <= 130:
            raise BenchDataError(f"the field of view must be 10 to 130 degrees, got {self.fov_deg!r}")
        if min(self.width, self.height) < 16:
            raise BenchDataError(f"pictures must be at least 16 pixels wide and high, got {self.width} x {self.height}")

    def camera(self, world_from_camera: Array) -> Camera:
        """One with this lens."""
        focal = self.width / 2 / math.tan(math.radians(self.fov_deg) / 2)
        return Camera(
            width=self.width,
            height=self.height,
            fx=focal,
            fy=focal,
            cx=self.width / 2,
            cy=self.height / 2,
            world_from_camera=world_from_camera,
        )


def seen_objects(camera: Camera, objects: Sequence[Instance], blocking: Sequence[OrientedBox]) -> int:
    """About how many objects a camera sees: middle in the picture, large enough, and no other box before it."""
    if not objects:
        return 0
    centres = np.stack([one.box.centre_m for one in objects])
    view = camera.project(centres)
    sizes = np.array([np.median(one.box.size_m) for one in objects])
    large = sizes * camera.fx / np.maximum(view.depth_m, 0.1) > 0.025 * camera.width
    count = 0
    for k in np.flatnonzero(view.in_picture & large):
        own = objects[int(k)].box
        count += not any(_crosses(camera.centre_m, centres[k], box) for box in blocking if box is not own)
    return count


def sampled_views(
    rng: np.random.Generator,
    count: int,
    lens: Lens,
    objects: Sequence[Instance],
    obstacles: Sequence[OrientedBox],
    place: Callable[[], tuple[Array, Array]],
) -> tuple[SceneView, ...]:
    """Views "view-00", "view-01", ... Each is the best of some candidates: it sees much, and not what others see.

    Args:
        rng: for choices.
        count: how many.
        lens: of all of them.
        objects: what is worth seeing.
        obstacles: what a camera must keep `NEAREST_M` away from.
        place: gives a candidate's position (3,) and what it looks at (3,).

    Raises:
        BenchDataError: no place for a camera was found.
    """
    blocking = [one.box for one in objects if one.box.volume_m3 > 0.02]
    poses: list[Array] = []
    views = []
    for number in range(count):
        best, best_score = None, -math.inf
        for attempt in range(20 * _CANDIDATES):
            centre, target = place()
            if any(box.distance_to(centre) < NEAREST_M for box in obstacles):
                continue
            camera = lens.camera(_rolled(look_at(centre, target), float(rng.normal(0, math.radians(1.2)))))
            seen = seen_objects(camera, objects, blocking)
            apart = min((_apart(camera.world_from_camera, pose) for pose in poses), default=1.0)
            score = min(seen, 8) + 3 * min(apart, 1.0) + float(rng.uniform(0, 1.5)) - 4 * (seen < _SEVERAL)
            if score > best_score:
                best, best_score = camera, score
            if attempt >= _CANDIDATES and best is not None:
                break
        if best is None:
            raise BenchDataError(
                f"no place for a camera was found that is {NEAREST_M} m away from everything; "
                "ask for fewer objects or a larger place"
            )
        poses.append(best.world_from_camera)
        views.append(SceneView(f"view-{number:02d}", best))
    return tuple(views)


def _rolled(pose: Array, roll_rad: float) -> Array:
    c, s = math.cos(roll_rad), math.sin(roll_rad)
    turned = pose.copy()
    turned[:3, :3] = pose[:3, :3] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return turned


def _apart(a: Array, b: Array) -> float:
    """How different two poses are: 1 for a metre and a half, or for ninety degrees."""
    angle = math.acos(float(np.clip(a[:3, 2] @ b[:3, 2], -1, 1)))
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3])) / 1.5 + angle / (math.pi / 2)


def _crosses(start: Array, end: Array, box: OrientedBox) -> bool:
    """Whether the straight way enters a box before its end (slab test)."""
    a, b = box.to_box(np.stack([start, end]))
    way = b - a
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (-box.size_m / 2 - a) / way, (box.size_m / 2 - a) / way
    near, far = np.minimum(first, second), np.maximum(first, second)
    near, far = np.nan_to_num(near, nan=-np.inf), np.nan_to_num(far, nan=np.inf)
    return bool(max(near.max(), 0.0) < min(far.min(), 0.97))
