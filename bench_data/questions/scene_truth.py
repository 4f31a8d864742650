"""SceneTruth: all that questions may rest on, without Gaussians or pixels; made once a scene, small, and storable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..scenes import Instance, SceneKind
from .facts import SceneFacts

__all__ = ["SceneTruth", "Sight", "ViewTruth"]


@dataclass(frozen=True, slots=True)
class Sight:
    """How one object appears in one picture, depth-tested.

    Args:
        pixels: visible ones.
        occlusion: the share of its silhouette within the picture that something else hides, 0 to 1.
        truncation: the share of its silhouette that lies outside the picture, 0 to 1.
        box_px: (x0, y0, x1, y1) around the visible pixels, continuous coordinates.
        point_px: (x, y) of a visible pixel's centre, well inside.
    """

    pixels: int
    occlusion: float
    truncation: float
    box_px: tuple[float, float, float, float]
    point_px: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ViewTruth:
    """A picture: who took it and what can be seen. ``seen`` holds every object with at least one visible pixel."""

    name: str
    camera: Camera
    seen: Mapping[int, Sight]


@dataclass(frozen=True, kw_only=True)
class SceneTruth:
    """The truth of a scene and its pictures.

    Args:
        scene: the scene's id.
        kind: room or street.
        instances: all objects, structure included.
        views: its pictures.
        co_visibility: (V, V), share of view i's pixels that view j sees too; None when not computed.
    """

    scene: str
    kind: SceneKind
    instances: tuple[Instance, ...]
    views: tuple[ViewTruth, ...]
    co_visibility: NDArray[np.float64] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        count = len(self.views)
        if self.co_visibility is not None and self.co_visibility.shape != (count, count):
            raise BenchDataError(
                f"scene {self.scene}: co_visibility must be ({count}, {count}), got {self.co_visibility.shape}"
            )

    @cached_property
    def objects(self) -> Mapping[int, Instance]:
        """Number -> object, without structure."""
        return {one.id: one for one in self.instances if not one.is_structure}

    def view_index(self, name: str) -> int:
        """The place of a view by its name.

        Raises:
            BenchDataError: there is none.
        """
        for index, view in enumerate(self.views):
            if view.name == name:
                return index
        raise BenchDataError(f"scene {self.scene} has no view {name!r}")

    def facts(self, views: Sequence[int]) -> SceneFacts:
        """What is true of a question that shows these views (places in ``self.views``), in this order."""
        shown = [self.views[index] for index in views]
        return SceneFacts(
            boxes={object_id: one.box for object_id, one in self.objects.items()},
            labels={object_id: one.label for object_id, one in self.objects.items()},
            cameras=tuple(view.camera for view in shown),
            visible=tuple(frozenset(view.seen) for view in shown),
            image_boxes=tuple({object_id: sight.box_px for object_id, sight in view.seen.items()} for view in shown),
            image_points=tuple({object_id: sight.point_px for object_id, sight in view.seen.items()} for view in shown),
            attributes={object_id: one.attributes for object_id, one in self.objects.items()},
        )
