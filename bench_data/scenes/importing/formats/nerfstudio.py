"""nerfstudio: ``transforms.json``, a splat file beside it, perhaps ``dataparser_transforms.json`` and ``boxes.json``.

Cameras are camera-to-world with OpenGL axes; a point of the world has no unit and, in general, no up. A splat file that
nerfstudio exported lies in the world that its data parser made of the cameras' (turned and scaled); where
``dataparser_transforms.json`` stands beside it, cameras follow into that world, and boxes are taken to be there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import BaseModel, Field

from ....camera_formats import NamedCamera, read_nerfstudio
from ....errors import BenchDataError
from ...scene import SceneKind
from ..boxes_file import boxes_in, instances_of, read_boxes
from ..files import inside, read_json, validated
from ..importing import finished, spread_over
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer
from ..splat_files import cloud_of_file, splat_file_in
from ..views import named_views, upright_without_unit
from ..world import WorldChange

__all__ = ["load_nerfstudio"]

_TRANSFORMS, _PARSER = "transforms.json", "dataparser_transforms.json"
_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Row: TypeAlias = tuple[_Finite, _Finite, _Finite, _Finite]


class _ParserTransform(BaseModel):
    transform: tuple[_Row, _Row, _Row]
    scale: Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _detect(path: Path) -> bool:
    return (path / _TRANSFORMS).is_file()


@scene_importer(
    "nerfstudio",
    convention="camera-to-world, OpenGL camera axes, pixel centres +0.5; no unit; up as the cameras are held",
    detect=_detect,
)
def load_nerfstudio(path: Path, options: ImportOptions) -> ImportedScene:
    """A folder with ``transforms.json`` and a splat file."""
    options.allow("nerfstudio", "splats", "boxes", "up", "metres_per_unit")
    named = read_nerfstudio(path / _TRANSFORMS)
    notes: list[str] = []
    if (path / _PARSER).is_file():
        named = _as_parsed(path / _PARSER, named)
        notes.append(f"cameras were moved into the world of the splat file by {_PARSER}")
    splats = options.splats or splat_file_in(path)
    if splats is None:
        raise BenchDataError(f"{path} holds no splat file; give one (splats=), or make one with seeworthy fit")
    change, world = upright_without_unit(named, options, notes)
    boxes = options.boxes or boxes_in(path)
    chosen = [named[k] for k in spread_over(len(named), options.max_views)]
    return finished(
        path,
        options,
        kind=SceneKind.ROOM,
        cloud=change.cloud(cloud_of_file(splats, options, notes)),
        instances=() if boxes is None else instances_of(read_boxes(boxes), change, str(boxes)),
        views=named_views(chosen, change),
        source=f"nerfstudio {path.name}/{_TRANSFORMS} (camera-to-world, OpenGL axes), Gaussians of {splats.name}; "
        f"{world}",
        pictures={one.name: inside(path, one.name) for one in chosen if inside(path, one.name).is_file()},
        notes=notes,
    )


def _as_parsed(path: Path, named: tuple[NamedCamera, ...]) -> tuple[NamedCamera, ...]:
    """Cameras in the world that the data parser made: ``scale * transform @ pose``."""
    parsed = validated(_ParserTransform, read_json(path), str(path))
    transform = np.array(parsed.transform)
    try:
        change = WorldChange(transform[:, :3], parsed.scale, parsed.scale * transform[:, 3])
    except BenchDataError as error:
        raise BenchDataError(f"cannot read {path}: transform: {error}") from error
    return tuple(NamedCamera(one.name, change.camera(one.camera)) for one in named)
