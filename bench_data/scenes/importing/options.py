"""What a caller may decide about an import, and what comes out of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType

from ...errors import BenchDataError
from ..scene import Scene, SceneKind
from .world import Up

__all__ = ["ImportOptions", "ImportedScene"]


_FOR_ALL = ("scene_id", "max_views", "max_gaussians", "kind")


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How to import. What does not apply to a format is refused, not ignored.

    Args:
        scene: which scene of a source that holds several: an id of SpatialBench's index, a name or a sample token of
            nuScenes.
        scene_id: the imported scene's id; None for the folder's name.
        splats: the file of Gaussians or points, for sources of cameras only; None for the one in the folder.
        boxes: a ``boxes.json``; None for the one in the folder, if any.
        up: which way is up in the source's world; None for what the format says, or an estimate where it says nothing.
        metres_per_unit: None for what the format says, or 1 where it says nothing.
        max_views: at most so many views, evenly over all.
        max_gaussians: of what is made of points and pixels; files of Gaussians are taken whole.
        max_depth_m: leave out measured points that are farther; None for what the format says.
        intrinsics: fx, fy, cx, cy of an RGB-D camera, pixel centres at whole numbers; None for the recording's, or the
            Kinect's.
        depth_units_per_metre: of RGB-D files; None for what their layout says.
        kind: what sort of place; None for what the format says.
    """

    scene: str | None = None
    scene_id: str | None = None
    splats: Path | None = None
    boxes: Path | None = None
    up: Up | None = None
    metres_per_unit: float | None = None
    max_views: int = 100
    max_gaussians: int = 400_000
    max_depth_m: float | None = None
    intrinsics: tuple[float, float, float, float] | None = None
    depth_units_per_metre: float | None = None
    kind: SceneKind | None = None

    def __post_init__(self) -> None:
        if self.max_views < 1 or self.max_gaussians < 1:
            raise BenchDataError(
                f"max_views and max_gaussians must be at least 1, got {self.max_views} and {self.max_gaussians}"
            )
        for name in ("metres_per_unit", "max_depth_m", "depth_units_per_metre"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise BenchDataError(f"{name} must be a number above 0, got {value!r}")

    def allow(self, format_name: str, *names: str) -> None:
        """Raises when an option is given that a format has no use for, besides those that all have."""
        default = ImportOptions()
        known = {*names, *_FOR_ALL}
        given = [one.name for one in fields(self) if one.name not in known]
        useless = [name for name in given if getattr(self, name) != getattr(default, name)]
        if useless:
            raise BenchDataError(f"{', '.join(useless)} cannot be given for {format_name}, which has no use for it")


@dataclass(frozen=True, eq=False, kw_only=True)
class ImportedScene:
    """A scene, and what belongs to it but is no part of it.

    Args:
        scene: in metres, z up; its ``source`` states the convention that it was converted from.
        pictures: the source's own picture of each view, by the view's name, where there is one.
        notes: what was estimated, left out, or could not be known.
    """

    scene: Scene
    pictures: Mapping[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "pictures", MappingProxyType(dict(self.pictures)))
        object.__setattr__(self, "notes", tuple(dict.fromkeys(self.notes)))
