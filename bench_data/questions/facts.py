"""SceneFacts: what is true of a scene and of the pictures that a question shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..scenes import OrientedBox
from .query import (
    CameraFrame,
    CameraRef,
    Candidate,
    CompassFrame,
    FacingFrame,
    Frame,
    LevelFrame,
    ObjectRef,
    OwnFrame,
    Place,
    Placed,
)

__all__ = ["Axes", "SceneFacts"]

_UP = np.array([0.0, 0.0, 1.0])
_NO_DIRECTION = 1e-6

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Axes:
    """Unit vectors (3,) of a frame, in the world."""

    right: Vector
    up: Vector
    forward: Vector

    def of(self, vector: Vector) -> tuple[float, float, float]:
        """(right, up, forward) components of a world vector (3,)."""
        return float(self.right @ vector), float(self.up @ vector), float(self.forward @ vector)


@dataclass(frozen=True, kw_only=True)
class SceneFacts:
    """The truth that queries are evaluated on. World: metres, z up.

    Args:
        boxes: object number -> its box.
        labels: object number -> its category.
        cameras: of the question's pictures, in order.
        visible: for each picture, the numbers of the objects that can be seen in it.
        image_boxes: for each picture, object number -> box (x0, y0, x1, y1) of its visible pixels.
        image_points: for each picture, object number -> a point (x, y) that lies on it.
        attributes: object number -> words that describe it, by what they speak of: colour, material.
    """

    boxes: Mapping[int, OrientedBox]
    labels: Mapping[int, str]
    cameras: tuple[Camera, ...]
    visible: tuple[frozenset[int], ...] = ()
    image_boxes: tuple[Mapping[int, tuple[float, float, float, float]], ...] = field(default=(), repr=False)
    image_points: tuple[Mapping[int, tuple[float, float]], ...] = field(default=(), repr=False)
    attributes: Mapping[int, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def box(self, object_id: int) -> OrientedBox:
        """The box of an object.

        Raises:
            BenchDataError: there is no such object.
        """
        try:
            return self.boxes[object_id]
        except KeyError:
            raise BenchDataError(f"the scene has no object {object_id}") from None

    def camera(self, view: int) -> Camera:
        """The camera of a picture.

        Raises:
            BenchDataError: the question does not show that many.
        """
        if not 0 <= view < len(self.cameras):
            raise BenchDataError(f"there is no view {view}; the question shows {len(self.cameras)}")
        return self.cameras[view]

    def point(self, place: Place, candidate: int | None = None) -> Vector:
        """(3,) where a place is, in the world; ``candidate`` is the object that a count is at."""
        match place:
            case ObjectRef(id=object_id):
                return self.box(object_id).centre_m
            case CameraRef(view=view):
                return self.camera(view).centre_m
            case Candidate():
                return self.box(self.candidate_id(place, candidate)).centre_m
            case Placed(anchor=anchor, frame=frame, axis=axis, distance_m=distance_m):
                return np.asarray(self.point(anchor) + distance_m * getattr(self.axes(frame), axis))

    def candidate_id(self, place: ObjectRef | Candidate, candidate: int | None) -> int:
        """The object that a reference means."""
        if isinstance(place, ObjectRef):
            return place.id
        if candidate is None:
            raise BenchDataError("a query speaks of a candidate outside of a count")
        return candidate

    def axes(self, frame: Frame, candidate: int | None = None) -> Axes:
        """The axes of a frame.

        Raises:
            BenchDataError: the frame has no direction (a camera that looks straight down has no level forward; a person
                cannot face a place straight above).
        """
        match frame:
            case CameraFrame(view=view):
                R = self.camera(view).world_from_camera[:3, :3]
                return Axes(R[:, 0], -R[:, 1], R[:, 2])
            case LevelFrame(view=view):
                return _level(self.camera(view).world_from_camera[:3, 2], "the camera looks straight up or down")
            case FacingFrame(at=at, towards=towards, tilted=tilted, camera_plane=camera_plane):
                gaze = self.point(towards, candidate) - self.point(at, candidate)
                up = -self.camera(0).world_from_camera[:3, 1] if camera_plane else _UP
                level = _level(gaze, "the place to face is straight above or below", up)
                if not tilted:
                    return level
                forward = gaze / np.linalg.norm(gaze)
                return Axes(level.right, np.cross(level.right, forward), forward)
            case CompassFrame():
                return self._compass(frame, candidate)
            case OwnFrame(object=object_id):
                return _level(self.box(object_id).forward, f"object {object_id} faces straight up or down")

    def _compass(self, frame: CompassFrame, candidate: int | None) -> Axes:
        gaze = self.point(frame.reference, candidate) - self.point(frame.at, candidate)
        up = _UP
        if frame.camera_plane:
            if not isinstance(frame.at, CameraRef):
                raise BenchDataError("a compass in the camera's plane must stand at a camera")
            up = -self.camera(frame.at.view).world_from_camera[:3, 1]
        towards = _level(gaze, "the reference of the compass is straight above or below", up)
        # North lies bearing_deg to the left of the reference.
        angle = np.deg2rad(frame.bearing_deg)
        north = np.cos(angle) * towards.forward - np.sin(angle) * towards.right
        return Axes(np.cross(north, up), up, north)


def _level(direction: Vector, why_not: str, up: Vector = _UP) -> Axes:
    flat = direction - (direction @ up) * up
    length = float(np.linalg.norm(flat))
    if length < _NO_DIRECTION:
        raise BenchDataError(f"the frame has no direction: {why_not}")
    forward = flat / length
    return Axes(np.cross(forward, up), up, forward)
