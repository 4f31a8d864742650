"""SpatialBench: one scene of its tree, by its id in ``index.json``; see `spatialbench.loading` for what is read.

Poses are camera-to-world with OpenCV axes, intrinsics count pixel centres as whole numbers, depth is z along the axis
in metres. The data sets that it is made of keep their own worlds: which way is up is estimated from how the cameras
are held unless it is given. Views are of the benchmark's resolution.
"""

from __future__ import annotations

from pathlib import Path

from ....errors import BenchDataError
from ...scene import SceneKind, SceneView
from ..back_projection import ColourDepth, back_projected
from ..boxes_file import instances_of, read_boxes
from ..importing import finished, spread_over
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer
from ..spatialbench.index import IndexEntry, read_index
from ..spatialbench.loading import load_frames
from ..views import up_in_words
from ..world import Up, WorldChange, direction_of

__all__ = ["load_spatialbench"]

_DENSITIES = ("single", "sparse", "medium", "dense")


def _detect(path: Path) -> bool:
    return (path / "index.json").is_file() and any((path / name).is_dir() for name in _DENSITIES)


@scene_importer(
    "spatialbench",
    convention="camera-to-world, OpenCV camera axes, whole-number pixel centres, metres; up as the cameras are held",
    detect=_detect,
)
def load_spatialbench(path: Path, options: ImportOptions) -> ImportedScene:
    """The scene ``options.scene`` of the index; the only one, if there is but one."""
    options.allow("spatialbench", "scene", "boxes", "up", "max_depth_m")
    entry = _entry(path, options.scene)
    numbers = spread_over(len(entry.frame_indices), options.max_views)
    frames = load_frames(path, entry, numbers=numbers)
    if not frames.has_poses:
        raise BenchDataError(f"{entry.scene_id} has no poses, so its frames are no one place; take another scene")
    cameras = [frames.camera(number) for number in range(len(frames))]
    up: Up = options.up or "cameras"
    direction = direction_of(up, cameras)
    change = WorldChange.upright(direction)
    views = [
        ColourDepth(
            name=name,
            camera=change.camera(camera),
            image_srgb_u8=frames.image_srgb_u8[number],
            depth_m=frames.depth_m[number],
        )
        for number, (name, camera) in enumerate(zip(frames.names, cameras, strict=True))
    ]
    cloud = back_projected(views, most=options.max_gaussians, max_depth_m=options.max_depth_m)
    boxes = () if options.boxes is None else instances_of(read_boxes(options.boxes), change, str(options.boxes))
    return finished(
        path,
        options,
        kind=SceneKind.STREET if entry.tags.get("environment") == "outdoor" else SceneKind.ROOM,
        cloud=cloud,
        instances=boxes,
        views=[SceneView(view.name, view.camera) for view in views],
        source=f"SpatialBench {entry.scene_id} (camera-to-world, OpenCV axes, whole-number pixel centres, metres); "
        f"{up_in_words(up, direction)} there",
        notes=frames.notes,
    )


def _entry(path: Path, wanted: str | None) -> IndexEntry:
    entries = read_index(path)
    found = [one for one in entries if wanted in (None, one.scene_id)]
    if len(found) != 1:
        known = ", ".join(one.scene_id for one in entries[:5])
        raise BenchDataError(f"{path} has no single scene {wanted!r}; say which (scene=): {known} ...")
    return found[0]
