"""Importers: how each is registered, and how a source is told to be its."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...errors import BenchDataError
from ...registry import Registry
from .options import ImportedScene, ImportOptions

__all__ = ["SCENE_IMPORTERS", "SceneImporter", "format_of", "scene_importer"]

Detect = Callable[[Path], bool]
"""Whether a path looks like a source of a format, by its files; never raises for what is there."""

Load = Callable[[Path, ImportOptions], ImportedScene]


@dataclass(frozen=True)
class SceneImporter:
    """One format.

    Args:
        name: what a caller writes.
        convention: axes, units, direction of poses, and where up is, in one line.
        detect: see `Detect`.
        load: reads a source.
    """

    name: str
    convention: str
    detect: Detect
    load: Load


SCENE_IMPORTERS: Registry[SceneImporter] = Registry(
    "scene format",
    package="seeworthy.bench_data.scenes.importing.formats",
    entry_point_group="seeworthy.scene_importers",
)


def scene_importer(name: str, *, convention: str, detect: Detect) -> Callable[[Load], Load]:
    """Registers an importer."""

    def register(load: Load) -> Load:
        SCENE_IMPORTERS.add(name, SceneImporter(name, convention, detect, load))
        return load

    return register


def format_of(path: Path) -> SceneImporter:
    """The one format that a path looks like.

    Raises:
        BenchDataError: none, or several.
    """
    found = [spec for _, spec in SCENE_IMPORTERS.specs() if spec.detect(path)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(SCENE_IMPORTERS.names())
    if not found:
        raise BenchDataError(
            f"cannot tell what {path} is: it looks like none of {known}; docs/importing.md has their files"
        )
    names = " and ".join(spec.name for spec in found)
    raise BenchDataError(f"{path} looks like {names}; say which it is (format=, --format)")
