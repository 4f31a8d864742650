"""nerfstudio's (and instant-ngp's, and Blender NeRF's) ``transforms.json``.

Poses are camera-to-world with OpenGL camera axes. The principal point counts pixel centres at +0.5. nerfstudio may have
turned the world by an ``applied_transform`` (and scaled it by an ``applied_scale``) when it made the file.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..cameras import Camera
from ..errors import BenchDataError
from .axes import pose_as, pose_from
from .named import NamedCamera

__all__ = ["NerfstudioWorld", "nerfstudio_json", "read_nerfstudio", "write_nerfstudio"]

NerfstudioWorld: TypeAlias = Literal["as_stored", "before_applied_transform"]

_Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
_Row: TypeAlias = tuple[_Finite, _Finite, _Finite, _Finite]
_PINHOLES = ("PINHOLE", "SIMPLE_PINHOLE", "OPENCV", "PERSPECTIVE")


class _Intrinsics(BaseModel):
    """Given for the file, or for a frame, which then counts."""

    model_config = ConfigDict(frozen=True)

    camera_model: str | None = None
    w: _Finite | None = None
    h: _Finite | None = None
    fl_x: _Finite | None = None
    fl_y: _Finite | None = None
    cx: _Finite | None = None
    cy: _Finite | None = None
    camera_angle_x: _Finite | None = None
    camera_angle_y: _Finite | None = None
    k1: _Finite = 0.0
    k2: _Finite = 0.0
    k3: _Finite = 0.0
    k4: _Finite = 0.0
    p1: _Finite = 0.0
    p2: _Finite = 0.0


class _Frame(_Intrinsics):
    file_path: str
    transform_matrix: tuple[_Row, _Row, _Row, _Row] | tuple[_Row, _Row, _Row]


class _Transforms(_Intrinsics):
    frames: tuple[_Frame, ...]
    applied_transform: tuple[_Row, _Row, _Row, _Row] | tuple[_Row, _Row, _Row] | None = None
    applied_scale: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0


def read_nerfstudio(
    path: str | os.PathLike[str],
    *,
    world: NerfstudioWorld = "as_stored",
    image_size: tuple[int, int] | None = None,
) -> tuple[NamedCamera, ...]:
    """The cameras of a ``transforms.json``.

    Args:
        path: the file.
        world: "as_stored", or "before_applied_transform": the world of the data that nerfstudio converted (COLMAP's,
            say). The same where the file has neither ``applied_transform`` nor ``applied_scale``.
        image_size: (width, height), for files that do not give them.

    Raises:
        BenchDataError: no such file, no such JSON, missing intrinsics, lens distortion of the pinhole kind, or a pose
            that is not rigid.
    """
    if world not in ("as_stored", "before_applied_transform"):
        raise BenchDataError(f"world must be as_stored or before_applied_transform, got {world!r}")
    try:
        table = _Transforms.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the text"
        raise BenchDataError(f"cannot read {path}: {where}: {first['msg']}") from error
    undo, scale = (_undo(table, path), table.applied_scale) if world == "before_applied_transform" else (np.eye(4), 1.0)
    return tuple(_named(table, frame, undo, scale, image_size, path) for frame in table.frames)


def write_nerfstudio(cameras: Sequence[NamedCamera], path: str | os.PathLike[str]) -> None:
    """Writes a ``transforms.json`` with intrinsics for each frame and without an ``applied_transform``."""
    Path(path).write_text(nerfstudio_json(cameras), encoding="utf-8")


def nerfstudio_json(cameras: Sequence[NamedCamera]) -> str:
    """The text of a ``transforms.json``; see `write_nerfstudio`."""
    frames = []
    for named in cameras:
        camera = named.camera
        frame: dict[str, object] = {
            "file_path": named.name,
            "camera_model": "OPENCV_FISHEYE" if camera.model == "fisheye" else "OPENCV",
            "w": camera.width,
            "h": camera.height,
            "fl_x": camera.fx,
            "fl_y": camera.fy,
            "cx": camera.cx,
            "cy": camera.cy,
        }
        frame |= {f"k{i}": k for i, k in enumerate(camera.distortion, start=1)}
        frame["transform_matrix"] = pose_as(camera.world_from_camera, axes="opengl", maps="world_from_camera").tolist()
        frames.append(frame)
    return json.dumps({"frames": frames}, indent=1) + "\n"


def _undo(table: _Transforms, path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """(4, 4): the world before from the world as stored."""
    if table.applied_transform is None:
        return np.eye(4)
    applied = np.eye(4)
    applied[: len(table.applied_transform)] = table.applied_transform
    if abs(np.linalg.det(applied)) < 1e-12:
        raise BenchDataError(f"cannot read {path}: its applied_transform cannot be undone (determinant 0)")
    return np.asarray(np.linalg.inv(applied), dtype=np.float64)


def _named(
    table: _Transforms,
    frame: _Frame,
    undo: NDArray[np.float64],
    scale: float,
    image_size: tuple[int, int] | None,
    path: str | os.PathLike[str],
) -> NamedCamera:
    where = f"cannot read {path}: frame {frame.file_path!r}"
    given = _Intrinsics.model_validate(
        {name: getattr(frame if name in frame.model_fields_set else table, name) for name in _Intrinsics.model_fields}
    )
    width, height = _size(given, image_size, where)
    fx, fy = _focal_lengths(given, width, height, where)
    stored = np.eye(4)
    stored[: len(frame.transform_matrix)] = frame.transform_matrix
    stored[:3, 3] /= scale
    fisheye = _is_fisheye(given, where)
    try:
        camera = Camera(
            width=width,
            height=height,
            fx=fx,
            fy=fy,
            cx=width / 2 if given.cx is None else given.cx,
            cy=height / 2 if given.cy is None else given.cy,
            world_from_camera=pose_from(undo @ stored, axes="opengl", maps="world_from_camera"),
            model="fisheye" if fisheye else "pinhole",
            distortion=(given.k1, given.k2, given.k3, given.k4) if fisheye else (0.0, 0.0, 0.0, 0.0),
        )
    except BenchDataError as error:
        raise BenchDataError(f"{where}: {error}") from error
    return NamedCamera(frame.file_path, camera)


def _size(given: _Intrinsics, image_size: tuple[int, int] | None, where: str) -> tuple[int, int]:
    if given.w is None or given.h is None:
        if image_size is None:
            raise BenchDataError(f"{where} has no picture size (w, h); pass image_size=(width, height)")
        return image_size
    if given.w != int(given.w) or given.h != int(given.h) or min(given.w, given.h) < 1:
        raise BenchDataError(f"{where} has the picture size {given.w} x {given.h}; whole positive numbers are needed")
    return int(given.w), int(given.h)


def _focal_lengths(given: _Intrinsics, width: int, height: int, where: str) -> tuple[float, float]:
    """fl_x, or from the horizontal angle of view; fl_y is fl_x where it is not given."""
    fx, fy = given.fl_x, given.fl_y
    if fx is None and given.camera_angle_x is not None and 0 < given.camera_angle_x < math.pi:
        fx = width / 2 / math.tan(given.camera_angle_x / 2)
    if fy is None and given.camera_angle_y is not None and 0 < given.camera_angle_y < math.pi:
        fy = height / 2 / math.tan(given.camera_angle_y / 2)
    if fx is None:
        raise BenchDataError(f"{where} has no focal length (fl_x or camera_angle_x)")
    return fx, fx if fy is None else fy


def _is_fisheye(given: _Intrinsics, where: str) -> bool:
    bent = any((given.k1, given.k2, given.k3, given.k4))
    if given.p1 or given.p2 or (bent and given.camera_model != "OPENCV_FISHEYE"):
        raise BenchDataError(f"{where} has lens distortion that is not of a fisheye; undistort the pictures first")
    if given.camera_model not in (None, "OPENCV_FISHEYE", *_PINHOLES):
        raise BenchDataError(
            f"{where} has the camera model {given.camera_model!r}; pinholes and OPENCV_FISHEYE are read"
        )
    return given.camera_model == "OPENCV_FISHEYE"
