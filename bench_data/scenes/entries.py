"""Objects and cameras as plain values: what files of scenes and of their truth hold, without loss."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from ..cameras import Camera
from .box import OrientedBox
from .scene import Instance, SceneView

__all__ = ["InstanceEntry", "StrictEntry", "ViewEntry"]

_CAMERA_VALUES = ("width", "height", "fx", "fy", "cx", "cy", "model", "distortion", "max_theta_rad", "near_m", "far_m")


class StrictEntry(BaseModel):
    """An entry that takes no unknown field and no number that is not finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class InstanceEntry(StrictEntry):
    """One `Instance`."""

    id: int
    label: str
    description: str = ""
    attributes: dict[str, str] = {}
    is_structure: bool = False
    has_front: bool = False
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    world_from_box: tuple[tuple[float, float, float], ...]

    @classmethod
    def of(cls, one: Instance) -> InstanceEntry:
        """The entry of an object."""
        return cls.model_validate(
            {
                "id": one.id,
                "label": one.label,
                "description": one.description,
                "attributes": dict(one.attributes),
                "is_structure": one.is_structure,
                "has_front": one.has_front,
                "centre_m": one.box.centre_m.tolist(),
                "size_m": one.box.size_m.tolist(),
                "world_from_box": one.box.world_from_box.tolist(),
            }
        )

    def instance(self) -> Instance:
        """The object of this entry."""
        box = OrientedBox(np.array(self.centre_m), np.array(self.size_m), np.array(self.world_from_box))
        return Instance(
            id=self.id,
            label=self.label,
            description=self.description,
            attributes=self.attributes,
            is_structure=self.is_structure,
            has_front=self.has_front,
            box=box,
        )


class ViewEntry(StrictEntry):
    """One named `Camera`."""

    name: str
    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    world_from_camera: tuple[tuple[float, float, float, float], ...]
    model: Literal["pinhole", "fisheye"] = "pinhole"
    distortion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    max_theta_rad: float
    near_m: float
    far_m: float

    @classmethod
    def of(cls, name: str, camera: Camera) -> ViewEntry:
        """The entry of a camera."""
        values = {key: getattr(camera, key) for key in _CAMERA_VALUES}
        return cls.model_validate({"name": name, "world_from_camera": camera.world_from_camera.tolist(), **values})

    def camera(self) -> Camera:
        """The camera of this entry."""
        values = {key: getattr(self, key) for key in _CAMERA_VALUES}
        return Camera(world_from_camera=np.array(self.world_from_camera), **values)

    def view(self) -> SceneView:
        """The view of this entry."""
        return SceneView(self.name, self.camera())
