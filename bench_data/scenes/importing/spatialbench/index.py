"""SpatialBench's index of scenes, and where a scene's files are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from ....errors import BenchDataError
from ..files import files_in, inside, read_json, validated
from .tables import DATASETS

__all__ = ["TAG_AXES", "IndexEntry", "has_true_cloud", "prioritised", "read_index", "scene_folder", "true_cloud_file"]

TAG_AXES = MappingProxyType(
    {
        "environment": ("indoor", "outdoor"),
        "dynamics": ("dynamic", "static"),
        "view_type": ("egoview", "normal", "wrist"),
        "data_type": ("real", "simulation"),
        "view_density": ("dense", "medium", "single", "sparse"),
    }
)
"""Tags of the published index."""

_INDEX = "index.json"


class IndexEntry(BaseModel):
    """One scene at one density.

    Args:
        scene_id: unique in the index.
        source_dataset: a name in `DATASETS`.
        scene_path: its folder, below the density's and the data set's.
        tags: by axis; ``view_density`` names the folder.
        frame_indices: numbers in the original recording; the tree holds these frames only, in this order.
        num_frames_total: of the original recording.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scene_id: Annotated[str, Field(min_length=1)]
    source_dataset: Annotated[str, Field(min_length=1)]
    scene_path: Annotated[str, Field(min_length=1)]
    tags: dict[str, str]
    frame_indices: tuple[Annotated[int, Field(ge=0)], ...]
    num_frames_total: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _sound(self) -> IndexEntry:
        if "view_density" not in self.tags:
            raise ValueError(f"{self.scene_id}: tags have no view_density, which selects the folder")
        if not self.frame_indices or list(self.frame_indices) != sorted(set(self.frame_indices)):
            raise ValueError(f"{self.scene_id}: frame_indices must be increasing and not empty")
        return self

    @property
    def density(self) -> str:
        """Single, sparse, medium or dense."""
        return self.tags["view_density"]


class _Index(RootModel[list[IndexEntry]]):
    pass


def read_index(root: Path, file: Path | None = None) -> tuple[IndexEntry, ...]:
    """The scenes of an index, ``index.json`` of the tree unless given.

    Raises:
        BenchDataError: missing, not such an index, or an id twice; the message names the entry and field.
    """
    path = file or root / _INDEX
    entries = tuple(validated(_Index, read_json(path), str(path)).root)
    ids = [one.scene_id for one in entries]
    twice = next((name for name in ids if ids.count(name) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise BenchDataError(f"cannot read {path}: scene_id {twice!r} occurs twice")
    return entries


def prioritised(entries: Sequence[IndexEntry], datasets: Sequence[str]) -> tuple[IndexEntry, ...]:
    """The scenes of these data sets first, in the order of the data sets, then the others; order is kept otherwise."""
    place = {name: number for number, name in enumerate(datasets)}
    return tuple(sorted(entries, key=lambda one: place.get(one.source_dataset, len(place))))


def scene_folder(root: Path, entry: IndexEntry) -> Path:
    """Where a scene's frames are.

    Raises:
        BenchDataError: the index points out of the tree, or there is no such folder.
    """
    folder = inside(root, f"{entry.density}/{entry.source_dataset}/{entry.scene_path}")
    if not folder.is_dir():
        raise BenchDataError(f"{entry.scene_id}: there is no folder {folder}")
    return folder


def has_true_cloud(dataset: str, density: str) -> bool:
    """Whether clouds are scored: for some data sets, and only where frames cover the place."""
    rules = DATASETS.get(dataset)
    return rules is not None and rules.has_true_cloud and density in ("medium", "dense")


def true_cloud_file(root: Path, entry: IndexEntry) -> Path | None:
    """The true cloud or mesh of a scene, whatever its density; None where there is none.

    The folder is the scene's path, or what is left of it when parts are dropped from its end; in it the first file by
    name, but rather one whose name contains a dropped part that is not a number.
    """
    parts = [part for part in entry.scene_path.split("/") if part]
    for kept in range(len(parts), 0, -1):
        base = inside(root, "/".join(("pointcloud", entry.source_dataset, *parts[:kept])))
        found = files_in(base, (".ply",))
        wanted = [part for part in parts[kept:] if not part.isdecimal()]
        named = [file for file in found if any(part in file.name for part in wanted)]
        if found:
            return (named or found)[0]
    return None
