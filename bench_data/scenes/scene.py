"""Scene: what is where, as Gaussians to draw and as objects to ask about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from ..cameras import Camera
from ..errors import BenchDataError
from ..splats import GaussianCloud
from .box import OrientedBox

__all__ = ["Instance", "Scene", "SceneKind", "SceneView"]

_MOST_WORDS = 15


class SceneKind(StrEnum):
    """What sort of place it is; questions scale their margins by it."""

    ROOM = "room"
    STREET = "street"


@dataclass(frozen=True, eq=False, kw_only=True)
class Instance:
    """One object.

    Args:
        id: its number in ``GaussianCloud.instance_ids``, >= 0.
        label: its category, in the singular and in small letters ("office chair").
        box: its oriented box.
        description: what tells it from all others of the scene, from any view, without its place, in at most 15 words
            ("the red office chair"); "" when nobody could describe it, and no question names it then.
        attributes: what the description may be made of: colour, material, pattern, size.
        is_structure: part of the place itself (floor, wall, ceiling, road): hides things, is never asked about.
        has_front: its heading means something (a chair, a car; not a vase).
    """

    id: int
    label: str
    box: OrientedBox
    description: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    is_structure: bool = False
    has_front: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.id, bool) or not isinstance(self.id, int) or self.id < 0:
            raise BenchDataError(f"Instance.id must be a whole number of at least 0, got {self.id!r}")
        if not self.label.strip():
            raise BenchDataError(f"instance {self.id} has no label; give its category")
        if len(self.description.split()) > _MOST_WORDS:
            raise BenchDataError(
                f"instance {self.id}: the description has more than {_MOST_WORDS} words: {self.description!r}"
            )
        object.__setattr__(self, "attributes", MappingProxyType(dict(self.attributes)))

    def described(self, description: str) -> Instance:
        """The same object under another description."""
        return replace(self, description=description)


@dataclass(frozen=True, eq=False)
class SceneView:
    """A named camera of a scene."""

    name: str
    camera: Camera


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """A place: metres, z up.

    Args:
        id: unique among the scenes of a data set; part of every question's id.
        kind: what sort of place.
        cloud: the Gaussians; ``instance_ids`` say which object each belongs to (-1: to none).
        instances: all objects, structure included.
        views: cameras to look from.
        source: how it came to be ("procedural room, seed 3, version 1"; a path and its conventions).

    Raises:
        BenchDataError: ids or view names twice, objects without Gaussians' ids, or a description given twice.
    """

    id: str
    kind: SceneKind
    cloud: GaussianCloud = field(repr=False)
    instances: tuple[Instance, ...] = field(repr=False)
    views: tuple[SceneView, ...] = field(default=(), repr=False)
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "instances", tuple(self.instances))
        object.__setattr__(self, "views", tuple(self.views))
        if not self.id or "/" in self.id or "\\" in self.id or self.id.startswith("."):
            raise BenchDataError(f"a scene's id is also a folder's name; {self.id!r} cannot be one")
        _refuse_twice((one.id for one in self.instances), f"scene {self.id}: instance id")
        _refuse_twice((view.name for view in self.views), f"scene {self.id}: view name")
        _refuse_twice((one.description for one in self.instances if one.description), f"scene {self.id}: description")

    @cached_property
    def objects(self) -> tuple[Instance, ...]:
        """What questions may be about: all instances that are not structure."""
        return tuple(one for one in self.instances if not one.is_structure)

    @cached_property
    def _by_id(self) -> dict[int, Instance]:
        return {one.id: one for one in self.instances}

    def instance(self, instance_id: int) -> Instance:
        """The object of that number.

        Raises:
            BenchDataError: there is none.
        """
        try:
            return self._by_id[instance_id]
        except KeyError:
            raise BenchDataError(f"scene {self.id} has no instance {instance_id}") from None

    def view(self, name: str) -> SceneView:
        """The view of that name.

        Raises:
            BenchDataError: there is none.
        """
        for view in self.views:
            if view.name == name:
                return view
        raise BenchDataError(f"scene {self.id} has no view {name!r}; it has {len(self.views)} views")

    def with_views(self, views: tuple[SceneView, ...]) -> Scene:
        """The same place seen from elsewhere."""
        return replace(self, views=tuple(views))


def _refuse_twice(values: object, what: str) -> None:
    twice = [value for value, count in Counter(values).items() if count > 1]  # type: ignore[call-overload]
    if twice:
        raise BenchDataError(f"{what} {twice[0]!r} occurs twice; each must be unique")
