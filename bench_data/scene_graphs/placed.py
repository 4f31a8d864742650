"""Objects as one camera has them: where they are in its frame, how large, and how high in the world."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..questions.scene_truth import SceneTruth
from .graph import GraphFrame

__all__ = ["PlacedObject", "PlacedScene", "Sides"]

Sides = Literal["ground", "heading"]
"""What length and width mean: the longer and the shorter level side, or along and across the object's heading."""

_NO_DIRECTION = 1e-6


class PlacedObject(NamedTuple):
    """One object seen from a camera, in metres.

    Args:
        id: its number.
        label: its category.
        right_m, up_m, forward_m: the centre of its box from the camera, in the frame of the graph.
        bottom_m, top_m: heights of its lowest and highest point in the world.
        length_m, width_m, height_m: of its box; 0 where unknown.
    """

    id: int
    label: str
    right_m: float
    up_m: float
    forward_m: float
    bottom_m: float
    top_m: float
    length_m: float
    width_m: float
    height_m: float

    @property
    def position_m(self) -> tuple[float, float, float]:
        """(right, up, forward) of its centre from the camera."""
        return self.right_m, self.up_m, self.forward_m

    @property
    def distance_m(self) -> float:
        """From the camera to its centre."""
        return math.sqrt(self.right_m * self.right_m + self.up_m * self.up_m + self.forward_m * self.forward_m)

    @property
    def volume_m3(self) -> float:
        """Of its box."""
        return self.length_m * self.width_m * self.height_m

    @property
    def longer_side_m(self) -> float:
        """The longer of its level sides."""
        return self.length_m if self.length_m > self.width_m else self.width_m

    def distance_to_m(self, other: PlacedObject) -> float:
        """From centre to centre."""
        right, up, forward = self.right_m - other.right_m, self.up_m - other.up_m, self.forward_m - other.forward_m
        return math.sqrt(right * right + up * up + forward * forward)

    def ground_distance_to_m(self, other: PlacedObject) -> float:
        """From centre to centre in the plane of the frame's right and forward axes."""
        return math.hypot(self.right_m - other.right_m, self.forward_m - other.forward_m)


class PlacedScene:
    """The objects of a scene, ready to be seen from many cameras."""

    def __init__(self, truth: SceneTruth) -> None:
        objects = truth.objects
        self._row = {object_id: row for row, object_id in enumerate(objects)}
        self._centres = np.array([one.box.centre_m for one in objects.values()], dtype=np.float64).reshape(-1, 3)
        self._fixed = [
            (one.id, one.label, one.box.bottom_m, one.box.top_m, one.box.size_m.tolist()) for one in objects.values()
        ]

    @classmethod
    def of(cls, truth: SceneTruth) -> Self:
        """The same as the constructor; reads well in a chain."""
        return cls(truth)

    def seen_from(
        self, camera: Camera, ids: Iterable[int], *, frame: GraphFrame = "level", sides: Sides = "ground"
    ) -> tuple[PlacedObject, ...]:
        """The objects of these numbers, in this order.

        Args:
            camera: where from.
            ids: numbers of objects of the scene.
            frame: "level" for a person at the camera (up is up), "camera" for the camera's own axes.
            sides: what length and width mean.

        Raises:
            BenchDataError: no such object, or the camera looks straight up or down and has no level frame.
        """
        wanted = list(ids)
        rows = [self._row.get(object_id, -1) for object_id in wanted]
        if -1 in rows:
            raise BenchDataError(f"the scene has no object {wanted[rows.index(-1)]}")
        places = (self._centres[rows] - camera.centre_m) @ frame_axes(camera, frame).T
        return tuple(_placed(self._fixed[row], place, sides) for row, place in zip(rows, places.tolist(), strict=True))


def _placed(fixed: tuple[int, str, float, float, list[float]], place: list[float], sides: Sides) -> PlacedObject:
    object_id, label, bottom, top, (length, width, height) = fixed
    if sides == "ground" and width > length:
        length, width = width, length
    return PlacedObject(object_id, label, place[0], place[1], place[2], bottom, top, length, width, height)


def frame_axes(camera: Camera, frame: GraphFrame) -> NDArray[np.float64]:
    """(3, 3) rows right, up and forward of a frame, in the world.

    Raises:
        BenchDataError: the camera looks straight up or down and has no level frame.
    """
    R = camera.world_from_camera[:3, :3]
    if frame == "camera":
        return np.array([R[:, 0], -R[:, 1], R[:, 2]])
    x, y = float(R[0, 2]), float(R[1, 2])
    length = math.hypot(x, y)
    if length < _NO_DIRECTION:
        raise BenchDataError("a camera that looks straight up or down has no level frame")
    return np.array([[y / length, -x / length, 0.0], [0.0, 0.0, 1.0], [x / length, y / length, 0.0]])
