"""COLMAP models (``cameras``, ``images`` and ``points3D``, as ``.txt`` or ``.bin``), without pycolmap.

Poses are world-to-camera (quaternion w, x, y, z and translation), camera axes as OpenCV, pixel centres at +0.5. The
scale is arbitrary unless the model was aligned.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..fisheye import Coefficients
from ..rotations import matrix_from_quat, quat_from_matrix
from .axes import pose_as, pose_from
from .colmap_binary import cameras_from_bytes, images_from_bytes, points_from_bytes
from .colmap_records import ColmapCamera, ColmapImage, ColmapPoints
from .colmap_text import cameras_from_text, images_from_text, points_from_text
from .named import NamedCamera

__all__ = ["named_camera", "read_colmap", "read_colmap_points", "read_colmap_records", "write_colmap"]

_PINHOLES = {"SIMPLE_PINHOLE": 1, "PINHOLE": 2, "SIMPLE_RADIAL": 1, "RADIAL": 1, "OPENCV": 2, "FULL_OPENCV": 2}
_FISHEYES = {
    "SIMPLE_FISHEYE": 1,
    "FISHEYE": 2,
    "SIMPLE_RADIAL_FISHEYE": 1,
    "RADIAL_FISHEYE": 1,
    "OPENCV_FISHEYE": 2,
}
"""Number of focal lengths; two of the principal point and the distortion follow."""


def read_colmap(folder: str | os.PathLike[str]) -> tuple[NamedCamera, ...]:
    """All registered pictures of a model, sorted by name. Binary files are taken before text.

    Raises:
        BenchDataError: a missing, damaged or cut-off file, an unknown camera id, or a camera model that has lens
            distortion other than the equidistant fisheye's.
    """
    cameras, images = read_colmap_records(folder)
    return tuple(named_camera(image, cameras) for image in sorted(images, key=lambda image: image.name))


def read_colmap_records(folder: str | os.PathLike[str]) -> tuple[dict[int, ColmapCamera], list[ColmapImage]]:
    """Cameras by id, and pictures, as a model's files hold them: with whatever lens distortion they have.

    Raises:
        BenchDataError: a missing, damaged or cut-off file.
    """
    place = Path(folder)
    if _kind(place, "cameras") == ".bin":
        cameras = cameras_from_bytes(_bytes(place / "cameras.bin"), "cameras.bin")
        images = images_from_bytes(_bytes(place / "images.bin"), "images.bin")
    else:
        cameras = cameras_from_text(_text(place / "cameras.txt"), "cameras.txt")
        images = images_from_text(_text(place / "images.txt"), "images.txt")
    return {camera.camera_id: camera for camera in cameras}, images


def read_colmap_points(folder: str | os.PathLike[str]) -> ColmapPoints:
    """The sparse points of a model, in the order of the file.

    Raises:
        BenchDataError: a missing, damaged or cut-off file.
    """
    place = Path(folder)
    if _kind(place, "points3D") == ".bin":
        return points_from_bytes(_bytes(place / "points3D.bin"), "points3D.bin")
    return points_from_text(_text(place / "points3D.txt"), "points3D.txt")


def write_colmap(cameras: Sequence[NamedCamera], folder: str | os.PathLike[str]) -> None:
    """Writes a text model without points: ``PINHOLE`` and ``OPENCV_FISHEYE`` cameras, each distinct one once.

    Raises:
        BenchDataError: the folder does not exist, or a name with a space, which COLMAP's text files cannot hold.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BenchDataError(f"cannot write a COLMAP model: there is no folder {place}")
    ids: dict[str, int] = {}
    image_lines = ["# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, then a line of points"]
    for number, named in enumerate(cameras, start=1):
        if named.name.split() != [named.name]:
            raise BenchDataError(
                f"cannot write a COLMAP model: {named.name!r} is empty or has spaces; rename the picture"
            )
        camera_id = ids.setdefault(_camera_line(named.camera), len(ids) + 1)
        pose = pose_as(named.camera.world_from_camera, axes="opencv", maps="camera_from_world")
        numbers = (*quat_from_matrix(pose[:3, :3]), *pose[:3, 3])
        words = [str(number), *(repr(float(value)) for value in numbers), str(camera_id), named.name]
        image_lines += [" ".join(words), ""]
    camera_lines = ["# CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]", *(f"{i} {line}" for line, i in ids.items())]
    (place / "cameras.txt").write_text("\n".join(camera_lines) + "\n", encoding="utf-8")
    (place / "images.txt").write_text("\n".join(image_lines) + "\n", encoding="utf-8")
    (place / "points3D.txt").write_text("# POINT3D_ID X Y Z R G B ERROR TRACK[]\n", encoding="utf-8")


def _camera_line(camera: Camera) -> str:
    model = "PINHOLE" if camera.model == "pinhole" else "OPENCV_FISHEYE"
    numbers = (camera.fx, camera.fy, camera.cx, camera.cy, *(camera.distortion if camera.model == "fisheye" else ()))
    return f"{model} {camera.width} {camera.height} " + " ".join(map(repr, numbers))


def named_camera(image: ColmapImage, cameras: dict[int, ColmapCamera]) -> NamedCamera:
    """A picture's record in this project's conventions.

    Raises:
        BenchDataError: an unknown camera id, a pose that is not rigid, or lens distortion that `Camera` does not have.
    """
    where = f"the picture {image.name!r} of the COLMAP model"
    if image.camera_id not in cameras:
        raise BenchDataError(f"{where} names the camera {image.camera_id}, which cameras does not hold")
    stored = cameras[image.camera_id]
    try:
        camera_from_world = np.eye(4)
        camera_from_world[:3, :3] = matrix_from_quat(image.quat_wxyz)
        camera_from_world[:3, 3] = image.translation
        pose = pose_from(camera_from_world, axes="opencv", maps="camera_from_world")
        return NamedCamera(image.name, _camera(stored, pose))
    except BenchDataError as error:
        raise BenchDataError(f"{where}: {error}") from error


def _camera(stored: ColmapCamera, world_from_camera: NDArray[np.float64]) -> Camera:
    model: Literal["pinhole", "fisheye"]
    if stored.model in _PINHOLES:
        model, focal_lengths = "pinhole", _PINHOLES[stored.model]
    elif stored.model in _FISHEYES:
        model, focal_lengths = "fisheye", _FISHEYES[stored.model]
    else:
        raise BenchDataError(f"the camera model {stored.model} is not supported; undistort with COLMAP first")
    fx, fy = stored.params[0], stored.params[focal_lengths - 1]
    cx, cy, *bend = stored.params[focal_lengths:]
    if model == "pinhole" and any(bend):
        raise BenchDataError(
            f"the camera model {stored.model} has lens distortion {bend}; run `colmap image_undistorter` first"
        )
    k1, k2, k3, k4 = (*bend, 0.0, 0.0, 0.0, 0.0)[:4] if model == "fisheye" else (0.0, 0.0, 0.0, 0.0)
    distortion: Coefficients = (k1, k2, k3, k4)
    return Camera(
        width=stored.width,
        height=stored.height,
        fx=fx,
        fy=fy,
        cx=cx,
        cy=cy,
        world_from_camera=world_from_camera,
        model=model,
        distortion=distortion,
    )


def _kind(folder: Path, stem: str) -> str:
    for suffix in (".bin", ".txt"):
        if (folder / f"{stem}{suffix}").is_file():
            return suffix
    raise BenchDataError(f"cannot read {folder}: it holds neither {stem}.bin nor {stem}.txt (COLMAP's sparse/0 does)")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BenchDataError(f"cannot read {path}: it is no text file") from error
