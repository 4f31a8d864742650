"""Where a photographer would stand: in free space, at eye height, with several things in the picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...camera_paths import look_at
from ...cameras import Camera
from ...errors import BenchDataError
from ..box import OrientedBox
from ..scene import Instance, SceneView
from .surfels import Array

__all__ = ["NEAREST_M", "Lens", "Sights", "sampled_views"]

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


class Sights:
    """What is worth seeing, and what hides it: boxes as arrays, for many quick questions.

    Args:
        objects: what is worth seeing.
        hiding_m3: boxes of at least this volume hide what is behind them.
    """

    def __init__(self, objects: Sequence[Instance], *, hiding_m3: float = 0.02) -> None:
        self.centres_m = np.array([one.box.centre_m for one in objects]).reshape(-1, 3)
        self._sizes_m = np.array([np.median(one.box.size_m) for one in objects])
        hiders = [k for k, one in enumerate(objects) if one.box.volume_m3 > hiding_m3]
        boxes = [objects[k].box for k in hiders]
        self._own = np.array(hiders, dtype=np.intp)
        self._box_centres = np.array([box.centre_m for box in boxes]).reshape(-1, 3)
        self._box_halves = np.array([box.size_m / 2 for box in boxes]).reshape(-1, 3)
        self._box_axes = np.array([box.world_from_box for box in boxes]).reshape(-1, 3, 3)

    def seen_by(self, camera: Camera) -> int:
        """About how many a camera sees: the middle in the picture, large enough, and no other box before it."""
        view = camera.project(self.centres_m)
        large = self._sizes_m * camera.fx / np.maximum(view.depth_m, 0.1) > 0.025 * camera.width
        seen = np.flatnonzero(view.in_picture & large)
        return int((~self._hidden(camera.centre_m, seen)).sum())

    def _hidden(self, eye_m: Array, targets: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(T,) whether the straight way to a target enters another box before its end (slab test)."""
        start = np.einsum("bi,bij->bj", eye_m - self._box_centres, self._box_axes)
        ends = np.einsum("tbi,bij->tbj", self.centres_m[targets, None] - self._box_centres, self._box_axes)
        way = ends - start
        way = np.where(np.abs(way) < 1e-9, 1e-9, way)
        first, second = (-self._box_halves - start) / way, (self._box_halves - start) / way
        near = np.minimum(first, second).max(axis=2, initial=0.0)
        far = np.maximum(first, second).min(axis=2, initial=0.97)
        return np.asarray(((near < far) & (targets[:, None] != self._own)).any(axis=1))


def sampled_views(
    rng: np.random.Generator,
    count: int,
    lens: Lens,
    objects: Sequence[Instance],
    obstacles: Sequence[OrientedBox],
    place: Callable[[int], tuple[Array, Array]],
) -> tuple[SceneView, ...]:
    """Views "view-00", "view-01", ... Each is the best of some candidates: it sees much, and not what others see.

    Args:
        rng: for choices.
        count: how many.
        lens: of all of them.
        objects: what is worth seeing.
        obstacles: what a camera must keep `NEAREST_M` away from.
        place: gives a candidate for a view of that number: its position (3,) and what it looks at (3,).

    Raises:
        BenchDataError: no place for a camera was found.
    """
    sights = Sights(objects)
    poses: list[Array] = []
    views = []
    for number in range(count):
        best, best_score = None, -math.inf
        for attempt in range(20 * _CANDIDATES):
            centre, target = place(number)
            if any(box.distance_to(centre) < NEAREST_M for box in obstacles):
                continue
            camera = lens.camera(_rolled(look_at(centre, target), float(rng.normal(0, math.radians(1.2)))))
            seen = sights.seen_by(camera)
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
