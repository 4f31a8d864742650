"""import_scene: a scene out of another program's or data set's files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...cameras import why_nothing_is_seen
from ...errors import BenchDataError
from ...splats import GaussianCloud
from ..scene import Instance, Scene, SceneKind, SceneView
from .objects import ids_in_boxes
from .options import ImportedScene, ImportOptions
from .registry import SCENE_IMPORTERS, format_of

__all__ = ["finished", "import_scene", "spread_over"]

_MOST_TESTED = 20_000


def import_scene(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - what a caller would look for
    options: ImportOptions | None = None,
) -> ImportedScene:
    """A scene out of another program's or data set's files; ``docs/importing.md`` lists them with their conventions.

    Args:
        path: a folder, as its makers publish it.
        format: a name in `SCENE_IMPORTERS`; None to tell by the files.
        options: see `ImportOptions`.

    Returns:
        The scene in metres, z up, cameras as OpenCV's; its ``source`` says what it was converted from.

    Raises:
        BenchDataError: no such folder or format, files that are missing or wrong (the message names file and field), or
            an option that the format has no use for.
        RegistryError: an unknown format.
    """
    place = Path(path)
    if not place.is_dir():
        raise BenchDataError(f"cannot import {place}: there is no such folder")
    spec = format_of(place) if format is None else SCENE_IMPORTERS.get(format)
    imported = spec.load(place, options or ImportOptions())
    return replace(imported, notes=(*imported.notes, *_doubts(imported.scene)))


def finished(
    place: Path,
    options: ImportOptions,
    *,
    kind: SceneKind,
    cloud: GaussianCloud,
    instances: Sequence[Instance],
    views: Sequence[SceneView],
    source: str,
    pictures: Mapping[str, Path] | None = None,
    notes: Sequence[str] = (),
) -> ImportedScene:
    """What an importer returns: Gaussians without instance ids get them by the boxes."""
    if cloud.instance_ids is None:
        cloud = cloud.with_instance_ids(ids_in_boxes(cloud.means, instances))
    scene = Scene(
        id=options.scene_id or scene_id_of(options.scene or place.resolve().name),
        kind=options.kind or kind,
        cloud=cloud,
        instances=tuple(instances),
        views=tuple(views),
        source=source,
    )
    held = set(np.unique(cloud.instance_ids).tolist()) if cloud.instance_ids is not None else set()
    empty = sum(one.id not in held for one in scene.objects)
    said = [f"{empty} of {len(scene.objects)} objects hold no Gaussian: no view will show them"] if empty else []
    return ImportedScene(scene=scene, pictures=pictures or {}, notes=(*notes, *cloud.notes, *said))


def scene_id_of(name: str) -> str:
    """A name that can be a folder's.

    >>> scene_id_of("room a/0")
    'room_a_0'
    """
    return re.sub(r"[^\w\-]+", "_", name).strip("_") or "scene"


def spread_over(count: int, most: int) -> list[int]:
    """At most so many numbers out of 0 .. count - 1, evenly, the first and the last among them.

    >>> spread_over(10, 4), spread_over(2, 4)
    ([0, 3, 6, 9], [0, 1])
    """
    if count <= most:
        return list(range(count))
    return [round(k) for k in np.linspace(0, count - 1, most)] if most > 1 else [0]


def _doubts(scene: Scene) -> list[str]:
    """What looks like a wrong convention."""
    step = max(1, len(scene.cloud) // _MOST_TESTED)
    problem = why_nothing_is_seen([view.camera for view in scene.views], scene.cloud.means[::step])
    return [] if problem is None else [problem]
