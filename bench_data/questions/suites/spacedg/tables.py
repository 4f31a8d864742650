"""What the suite reads of a scene, as plain Python numbers worked out once: no array is touched for a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....cameras import Camera
from ...query import CameraRef, ObjectRef
from ...scene_truth import SceneTruth, Sight
from .settings import SpaceDGSettings

__all__ = ["FIRST", "SECOND", "ObjectRow", "SceneTables", "Triple", "ViewRow", "subtract"]

Triple = tuple[float, float, float]

FIRST, SECOND = CameraRef(0), CameraRef(1)


def subtract(a: Triple, b: Triple) -> Triple:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@dataclass(frozen=True, slots=True, eq=False)
class ObjectRow:
    """An object.

    Args:
        name: its description; "" when it has none and only its category can be asked about.
        sides_m: of its box: shortest, middle, longest.
        third_corner_m: the third smallest of the different distances between its corners, as `Size` has it.
        low_m, high_m: corners of the axis-aligned box around it, in the world.
    """

    id: int
    label: str
    name: str
    centre_m: Triple
    top_m: float
    sides_m: Triple
    third_corner_m: float
    low_m: Triple
    high_m: Triple
    ref: ObjectRef

    def touches(self, other: ObjectRow) -> bool:
        """Whether the axis-aligned boxes around the two meet."""
        low, high, low2, high2 = self.low_m, self.high_m, other.low_m, other.high_m
        return (
            low[0] <= high2[0]
            and low2[0] <= high[0]
            and low[1] <= high2[1]
            and low2[1] <= high[1]
            and low[2] <= high2[2]
            and low2[2] <= high[2]
        )


@dataclass(frozen=True, slots=True, eq=False)
class ViewRow:
    """A picture.

    Args:
        index: its place in the truth.
        right, up, forward: the camera's axes in the world.
        level_forward: (x, y) of the level direction it looks in, of length 1; None when it looks straight up or down.
        named: objects seen well that have a name, in a fixed order.
        well: numbers of all objects seen well, named or not.
        whole: numbers of those that are hardly cut off by the border.
        seen: numbers of all objects with a pixel.
        counts: category -> (objects seen well, objects with a pixel).
    """

    index: int
    name: str
    centre_m: Triple
    right: Triple
    up: Triple
    forward: Triple
    level_forward: tuple[float, float] | None
    named: tuple[ObjectRow, ...]
    well: frozenset[int]
    whole: frozenset[int]
    seen: frozenset[int]
    counts: dict[str, tuple[int, int]]

    def along_axes(self, vector: Triple) -> Triple:
        """(right, up, forward) parts of a vector of the world, by the camera's own axes."""
        x, y, z = vector
        r, u, f = self.right, self.up, self.forward
        return r[0] * x + r[1] * y + r[2] * z, u[0] * x + u[1] * y + u[2] * z, f[0] * x + f[1] * y + f[2] * z


class SceneTables:
    """The tables of a scene."""

    def __init__(self, truth: SceneTruth, settings: SpaceDGSettings) -> None:
        self.truth = truth
        self.settings = settings
        self.objects = {object_id: _object_row(truth, object_id) for object_id in truth.objects}
        self.views = tuple(self._view_row(index) for index in range(len(truth.views)))
        shared = truth.co_visibility
        self.co_visibility: list[list[float]] | None = None
        if shared is not None:
            self.co_visibility = np.minimum(shared, shared.T).tolist()

    @cached_property
    def turns_deg(self) -> list[list[Triple]]:
        """[a][b] -> (yaw, pitch, roll) of the rotation from a to b, intrinsic Y-X-Z."""
        R = np.array([view.camera.world_from_camera[:3, :3] for view in self.truth.views]).reshape(-1, 3, 3)
        relative = np.einsum("aji,bjk->abik", R, R)
        yaw = np.arctan2(relative[..., 0, 2], relative[..., 2, 2])
        pitch = np.arcsin(np.clip(-relative[..., 1, 2], -1, 1))
        roll = np.arctan2(relative[..., 1, 0], relative[..., 1, 1])
        rows: list[list[list[float]]] = np.rad2deg(np.stack([yaw, pitch, roll], axis=-1)).tolist()
        return [[(one[0], one[1], one[2]) for one in row] for row in rows]

    def shared_views(self, a: ViewRow, b: ViewRow) -> float:
        """The smaller of the two co-visibilities; without any, 1 if an object is seen well in both, else 0."""
        if self.co_visibility is not None:
            return self.co_visibility[a.index][b.index]
        return 1.0 if a.well & b.well else 0.0

    def _view_row(self, index: int) -> ViewRow:
        view = self.truth.views[index]
        pose = view.camera.world_from_camera
        columns = pose[:3].T.tolist()
        right, down, forward, centre = (_triple(column) for column in columns)
        length = math.hypot(forward[0], forward[1])
        least = max(self.settings.least_pixels, self.settings.least_picture_share * _pixels(view.camera))
        seen = {object_id: sight for object_id, sight in view.seen.items() if object_id in self.objects}
        well = {object_id: sight for object_id, sight in seen.items() if self._seen_well(sight, least)}
        counts: dict[str, tuple[int, int]] = {}
        for object_id in seen:
            label = self.objects[object_id].label
            clear, any_pixel = counts.get(label, (0, 0))
            counts[label] = clear + (object_id in well), any_pixel + 1
        return ViewRow(
            index=index,
            name=view.name,
            centre_m=centre,
            right=right,
            up=(-down[0], -down[1], -down[2]),
            forward=forward,
            level_forward=(forward[0] / length, forward[1] / length) if length >= 1e-6 else None,
            named=tuple(self.objects[one] for one in sorted(well) if self.objects[one].name),
            well=frozenset(well),
            whole=frozenset(
                one for one, sight in well.items() if sight.truncation <= self.settings.most_truncation_for_size
            ),
            seen=frozenset(seen),
            counts=dict(sorted(counts.items())),
        )

    def _seen_well(self, sight: Sight, least_pixels: float) -> bool:
        return (
            sight.pixels >= least_pixels
            and sight.occlusion <= self.settings.most_occlusion
            and sight.truncation <= self.settings.most_truncation
        )


def _pixels(camera: Camera) -> int:
    return camera.width * camera.height


def _triple(values: list[float]) -> Triple:
    return values[0], values[1], values[2]


def _object_row(truth: SceneTruth, object_id: int) -> ObjectRow:
    one = truth.objects[object_id]
    corners = one.box.corners_m
    sides = _triple(sorted(one.box.size_m.tolist()))
    return ObjectRow(
        id=object_id,
        label=one.label,
        name=one.description,
        centre_m=_triple(one.box.centre_m.tolist()),
        top_m=one.box.top_m,
        sides_m=sides,
        third_corner_m=_third_corner_m(sides),
        low_m=_triple(corners.min(axis=0).tolist()),
        high_m=_triple(corners.max(axis=0).tolist()),
        ref=ObjectRef(object_id),
    )


def _third_corner_m(sides_m: Triple) -> float:
    a, b, c = sides_m
    # Of all distances between corners, only these can be among the three smallest.
    distances = (a, b, c, math.hypot(a, b), math.hypot(a, c), math.hypot(a, b, c))
    return sorted({round(distance, 6) for distance in distances})[2]
