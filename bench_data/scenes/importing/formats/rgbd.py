"""RGB-D with poses, as TUM and Open3D lay it out (`fit.loading.rgbd`), perhaps with ``boxes.json``.

Poses are camera-to-world with OpenCV axes, depth is z along the axis, lengths are metres. TUM's world has z up (its
motion capture's); others start at the first camera, and up is estimated from how the cameras are held.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ....fit.loading import load_rgbd
from ....fit.loading.rgbd import Intrinsics
from ....fit.views import FitView
from ...scene import SceneKind, SceneView
from ..back_projection import ColourDepth, back_projected
from ..boxes_file import boxes_in, instances_of, read_boxes
from ..files import inside
from ..importing import finished
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer
from ..views import up_in_words
from ..world import Up, WorldChange, direction_of

__all__ = ["load_rgbd_scene"]


def _is_tum(path: Path) -> bool:
    return (path / "rgb.txt").is_file() and (path / "depth.txt").is_file()


def _detect(path: Path) -> bool:
    if _is_tum(path):
        return True
    if (path / "state").is_dir() or (path / "index.json").is_file() or (path / "transforms.json").is_file():
        return False
    names = [one.name.lower() for one in path.iterdir()] if path.is_dir() else []
    colour = any(name.startswith(("color", "rgb")) or "_color" in name for name in names)
    return colour and any("depth" in name for name in names)


@scene_importer(
    "rgbd",
    convention="camera-to-world, OpenCV camera axes, depth along the axis, metres; TUM: z up, else as cameras are held",
    detect=_detect,
)
def load_rgbd_scene(path: Path, options: ImportOptions) -> ImportedScene:
    """An RGB-D recording as flat Gaussians, a pixel each, thinned by voxels."""
    options.allow("rgbd", "boxes", "up", "max_depth_m", "intrinsics", "depth_units_per_metre")
    data = load_rgbd(
        path,
        intrinsics=None if options.intrinsics is None else Intrinsics(*options.intrinsics),
        depth_units_per_metre=options.depth_units_per_metre,
        max_views=options.max_views,
    )
    chosen = data.views
    up: Up = options.up or ("z" if _is_tum(path) else "cameras")
    direction = direction_of(up, [view.camera for view in chosen])
    change = WorldChange.upright(direction)
    cloud = back_projected(
        [_colour_depth(view, change) for view in chosen if view.depth_m is not None],
        most=options.max_gaussians,
        max_depth_m=options.max_depth_m,
    )
    boxes = options.boxes or boxes_in(path)
    return finished(
        path,
        options,
        kind=SceneKind.ROOM,
        cloud=cloud,
        instances=() if boxes is None else instances_of(read_boxes(boxes), change, str(boxes)),
        views=[SceneView(view.name, change.camera(view.camera)) for view in chosen],
        source=f"RGB-D recording {path.resolve().name} (camera-to-world, OpenCV axes, metres); "
        f"{up_in_words(up, direction)} there",
        pictures={view.name: inside(path, view.name) for view in chosen},
        notes=data.notes,
    )


def _colour_depth(view: FitView, change: WorldChange) -> ColourDepth:
    depth_m = cast("NDArray[np.float32]", view.depth_m)
    return ColourDepth(
        name=view.name, camera=change.camera(view.camera), image_srgb_u8=view.image_srgb_u8, depth_m=depth_m
    )
