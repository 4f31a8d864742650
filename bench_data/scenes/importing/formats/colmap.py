"""COLMAP: ``sparse/0`` (or the model itself), a splat file, perhaps ``images`` and ``boxes.json``.

Poses are world-to-camera with OpenCV axes; the world is the first camera's or an aligned one, has no unit unless it was
geo-registered, and no up. The original 3DGS code keeps its Gaussians in the same world, at
``point_cloud/iteration_N/point_cloud.ply``. Without a splat file the sparse points become Gaussians.
"""

from __future__ import annotations

from pathlib import Path

from ....camera_formats import read_colmap, read_colmap_points
from ....errors import BenchDataError
from ....splats import GaussianCloud
from ...scene import SceneKind
from ..boxes_file import boxes_in, instances_of, read_boxes
from ..files import inside
from ..importing import finished, spread_over
from ..options import ImportedScene, ImportOptions
from ..registry import scene_importer
from ..splat_files import cloud_of_file, points_as_gaussians, splat_file_in
from ..views import named_views, upright_without_unit

__all__ = ["load_colmap"]


def _model_folder(path: Path) -> Path | None:
    for folder in (path, path / "sparse" / "0", path / "sparse"):
        if any((folder / f"images{suffix}").is_file() for suffix in (".bin", ".txt")) and any(
            (folder / f"cameras{suffix}").is_file() for suffix in (".bin", ".txt")
        ):
            return folder
    return None


def _detect(path: Path) -> bool:
    # nerfstudio keeps the COLMAP model that it converted, in a world that it turned since.
    return _model_folder(path) is not None and not (path / "transforms.json").is_file()


@scene_importer(
    "colmap",
    convention="world-to-camera, OpenCV camera axes, pixel centres +0.5; no unit; up as the cameras are held",
    detect=_detect,
)
def load_colmap(path: Path, options: ImportOptions) -> ImportedScene:
    """A COLMAP model with a splat file, or with its own sparse points."""
    options.allow("colmap", "splats", "boxes", "up", "metres_per_unit")
    folder = _model_folder(path)
    if folder is None:
        raise BenchDataError(f"{path} holds no COLMAP model: cameras and images, in it or in sparse/0")
    named = read_colmap(folder)
    if not named:
        raise BenchDataError(f"the model in {folder} has no registered picture")
    notes: list[str] = []
    cloud, what = _cloud(path, folder, options, notes)
    change, world = upright_without_unit(named, options, notes)
    boxes = options.boxes or boxes_in(path)
    chosen = [named[k] for k in spread_over(len(named), options.max_views)]
    images = path / "images"
    return finished(
        path,
        options,
        kind=SceneKind.ROOM,
        cloud=change.cloud(cloud),
        instances=() if boxes is None else instances_of(read_boxes(boxes), change, str(boxes)),
        views=named_views(chosen, change),
        source=f"COLMAP model {path.name} (world-to-camera, OpenCV axes), Gaussians of {what}; {world}",
        pictures={one.name: inside(images, one.name) for one in chosen if inside(images, one.name).is_file()},
        notes=notes,
    )


def _cloud(path: Path, folder: Path, options: ImportOptions, notes: list[str]) -> tuple[GaussianCloud, str]:
    """The Gaussians in the model's world, and what they are from."""
    splats = options.splats or splat_file_in(path)
    if splats is not None:
        return cloud_of_file(splats, options, notes), splats.name
    if not any((folder / f"points3D{suffix}").is_file() for suffix in (".bin", ".txt")):
        raise BenchDataError(f"{path} holds neither a splat file nor points3D; give a splat file (splats=)")
    sparse = read_colmap_points(folder)
    notes.append(f"no splat file: the {len(sparse.points):,} sparse points of the model became round Gaussians")
    return points_as_gaussians(sparse.points, sparse.colours_u8 / 255.0, options, notes), "its sparse points"
