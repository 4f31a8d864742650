"""Pictures with a COLMAP model, or with nerfstudio's ``transforms.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...camera_formats import NamedCamera, read_colmap_points, read_nerfstudio
from ...camera_formats.colmap import named_camera, read_colmap_records
from ...cameras import Camera
from ...errors import BenchDataError
from ...images import load_image
from ..views import FitData, FitPoints, FitView, downscaled
from .undistortion import Undistorter, without_distortion

__all__ = ["TRANSFORMS", "load_images", "picture_files"]

TRANSFORMS = "transforms.json"

_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")

_ASPECT_TOLERANCE = 0.01
"""A picture may be a smaller copy of the one that its model is for; its shape then agrees to this."""


def load_images(images: Path, model: Path | None = None, *, downscale: int = 1) -> FitData:
    """The pictures of a folder that a model has poses for.

    Distortion of pinholes (SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV) is taken out of the pictures; the equidistant
    fisheye is fitted as it is. Pictures that are smaller copies of those of the model are taken as such.

    Args:
        images: the folder that the model's names are relative to.
        model: a COLMAP model (its folder, or one that has it at ``sparse/0``), or a ``transforms.json``; None for the
            one of nerfstudio in the folder.
        downscale: make pictures smaller by this whole factor.

    Raises:
        BenchDataError: no model, pictures that are missing, or a camera model that cannot be used; it is named.
    """
    if model is None:
        model = images / TRANSFORMS
    if model.suffix == ".json":
        named = read_nerfstudio(model)
        undistorters: dict[str, Undistorter] = {}
        points = None
        root = images if model.parent == images else model.parent
        named = tuple(replace(one, name=_as_found(root, one.name)) for one in named)
    else:
        root, folder = images, _model_folder(model)
        named, undistorters = _colmap_cameras(folder)
        points = _colmap_points(folder)
    _check_files(root, named)
    notes: list[str] = []
    views = [downscaled(_view(root, one, undistorters.get(one.name), notes), downscale) for one in named]
    present = len(picture_files(root))
    if model.suffix != ".json" and len(named) < present:
        notes.append(f"the model has poses for {len(named)} of the {present} pictures in {root.name}")
    if undistorters:
        notes.append(f"took the lens distortion out of {len(undistorters)} pictures")
    return FitData(
        views=tuple(sorted(views, key=lambda view: view.name)), points=points, notes=tuple(dict.fromkeys(notes))
    )


def picture_files(folder: Path) -> list[Path]:
    """The pictures in a folder and its sub-folders, sorted; none where there is no such folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES) if folder.is_dir() else []


def _model_folder(model: Path) -> Path:
    for folder in (model, model / "sparse" / "0", model / "sparse", model / "0"):
        if any((folder / f"cameras{suffix}").is_file() for suffix in (".bin", ".txt")):
            return folder
    raise BenchDataError(f"cannot read {model}: no COLMAP model (cameras.bin or cameras.txt) in it or in its sparse/0")


def _colmap_cameras(folder: Path) -> tuple[tuple[NamedCamera, ...], dict[str, Undistorter]]:
    """The cameras as pinholes or fisheyes, and by picture what takes out its distortion."""
    stored, records = read_colmap_records(folder)
    straight, undistorters = {}, {}
    for camera_id, camera in stored.items():
        straight[camera_id], coefficients = without_distortion(camera)
        if coefficients is not None:
            undistorters[camera_id] = Undistorter(coefficients)
    named = tuple(named_camera(record, straight) for record in sorted(records, key=lambda record: record.name))
    of_picture = {r.name: undistorters[r.camera_id] for r in records if r.camera_id in undistorters}
    return named, of_picture


def _colmap_points(folder: Path) -> FitPoints | None:
    if not any((folder / f"points3D{suffix}").is_file() for suffix in (".bin", ".txt")):
        return None
    found = read_colmap_points(folder)
    if len(found.points) < 2:
        return None
    return FitPoints(points_m=found.points, colours_srgb=found.colours_u8 / 255)


def _as_found(root: Path, name: str) -> str:
    """nerfstudio's names may lack their ending."""
    if (root / name).is_file():
        return name
    for suffix in (".png", ".jpg", ".jpeg"):
        if (root / (name + suffix)).is_file():
            return name + suffix
    return name


def _check_files(root: Path, named: Sequence[NamedCamera]) -> None:
    if not named:
        raise BenchDataError("the model has no registered picture")
    missing = [one.name for one in named if not (root / one.name).is_file()]
    if missing:
        raise BenchDataError(
            f"{root} lacks {len(missing)} of the {len(named)} pictures of the model, {missing[0]} first; "
            "is this the folder that the model was made from?"
        )


def _view(root: Path, one: NamedCamera, undistorter: Undistorter | None, notes: list[str]) -> FitView:
    picture = load_image(root / one.name)
    notes += [f"{note} (some pictures)" for note in picture.notes]
    image, camera = (
        picture.image_srgb_u8,
        _of_size(one.camera, picture.image_srgb_u8.shape[1], picture.image_srgb_u8.shape[0], notes),
    )
    if undistorter is not None and image.shape[:2] == (camera.height, camera.width):
        image, camera = undistorter(image, camera)
    return FitView(name=one.name, camera=camera, image_srgb_u8=np.ascontiguousarray(image))


def _of_size(camera: Camera, width: int, height: int, notes: list[str]) -> Camera:
    """The camera for a smaller copy of its picture; the same one where the shapes do not agree."""
    if (width, height) == (camera.width, camera.height):
        return camera
    if abs(width * camera.height / (height * camera.width) - 1) > _ASPECT_TOLERANCE:
        return camera
    notes.append(f"the model is for {camera.width}x{camera.height}, the pictures are {width}x{height}: cameras scaled")
    return camera.resized(width, height)
