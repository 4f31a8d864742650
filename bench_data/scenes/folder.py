"""A scene on disk: ``scene.json`` for what it means, ``cloud.npz`` for the Gaussians, both without loss."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from ..cameras import Camera
from ..errors import BenchDataError
from ..splats import GaussianCloud
from .box import OrientedBox
from .scene import Instance, Scene, SceneKind, SceneView

__all__ = ["FORMAT", "read_scene", "write_scene"]

FORMAT = "seeworthy-scene-1"
_ARRAYS = ("means", "quats_wxyz", "scales", "opacities", "sh")
_LARGEST_JSON_BYTES = 256 * 2**20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _InstanceEntry(_Strict):
    id: int
    label: str
    description: str = ""
    attributes: dict[str, str] = {}
    is_structure: bool = False
    has_front: bool = False
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    world_from_box: tuple[tuple[float, float, float], ...]


class _ViewEntry(_Strict):
    name: str
    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    world_from_camera: tuple[tuple[float, float, float, float], ...]
    model: str = "pinhole"
    distortion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    max_theta_rad: float
    near_m: float
    far_m: float


class _SceneEntry(_Strict):
    format: str
    id: str
    kind: SceneKind
    source: str = ""
    instances: list[_InstanceEntry]
    views: list[_ViewEntry]


def write_scene(scene: Scene, folder: str | os.PathLike[str]) -> Path:
    """Writes a scene; the folder is made when missing. The same scene gives the same bytes.

    Raises:
        BenchDataError: the folder cannot be written.
    """
    path = Path(folder)
    entry = _SceneEntry(
        format=FORMAT,
        id=scene.id,
        kind=scene.kind,
        source=scene.source,
        instances=[_instance_entry(one) for one in scene.instances],
        views=[_view_entry(view) for view in scene.views],
    )
    arrays = {name: getattr(scene.cloud, name) for name in _ARRAYS}
    if scene.cloud.instance_ids is not None:
        arrays["instance_ids"] = scene.cloud.instance_ids
    try:
        path.mkdir(parents=True, exist_ok=True)
        np.savez(path / "cloud.npz", allow_pickle=False, **arrays)
        (path / "scene.json").write_text(entry.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchDataError(f"cannot write scene {scene.id} to {path}: {error}") from error
    return path


def read_scene(folder: str | os.PathLike[str]) -> Scene:
    """Reads what :func:`write_scene` wrote.

    Raises:
        BenchDataError: files that are missing, damaged, of another format, or do not describe a scene.
    """
    path = Path(folder)
    try:
        if (path / "scene.json").stat().st_size > _LARGEST_JSON_BYTES:
            raise BenchDataError(f"cannot read {path / 'scene.json'}: larger than {_LARGEST_JSON_BYTES >> 20} MiB")
        raw: Any = json.loads((path / "scene.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchDataError(f"cannot read a scene from {path}: {error}") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise BenchDataError(f'cannot read {path / "scene.json"}: it is not of the format "{FORMAT}"')
    try:
        entry = _SceneEntry.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BenchDataError(f"cannot read {path / 'scene.json'}: {place}: {first['msg']}") from error
    return Scene(
        id=entry.id,
        kind=entry.kind,
        source=entry.source,
        cloud=_read_cloud(path / "cloud.npz"),
        instances=tuple(_instance(one) for one in entry.instances),
        views=tuple(_view(one) for one in entry.views),
    )


def _read_cloud(path: Path) -> GaussianCloud:
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in (*_ARRAYS, "instance_ids") if name in stored}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BenchDataError(f"cannot read {path}: {error}") from error
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise BenchDataError(f"cannot read {path}: it lacks {', '.join(missing)}")
    return GaussianCloud(**arrays)


def _instance_entry(one: Instance) -> _InstanceEntry:
    return _InstanceEntry.model_validate(
        {
            "id": one.id,
            "label": one.label,
            "description": one.description,
            "attributes": dict(one.attributes),
            "is_structure": one.is_structure,
            "has_front": one.has_front,
            "centre_m": one.box.centre_m.tolist(),
            "size_m": one.box.size_m.tolist(),
            "world_from_box": one.box.world_from_box.tolist(),
        }
    )


def _instance(entry: _InstanceEntry) -> Instance:
    box = OrientedBox(np.array(entry.centre_m), np.array(entry.size_m), np.array(entry.world_from_box))
    return Instance(
        id=entry.id,
        label=entry.label,
        description=entry.description,
        attributes=entry.attributes,
        is_structure=entry.is_structure,
        has_front=entry.has_front,
        box=box,
    )


def _view_entry(view: SceneView) -> _ViewEntry:
    camera = view.camera
    names = ("width", "height", "fx", "fy", "cx", "cy", "model", "distortion", "max_theta_rad", "near_m", "far_m")
    values = {name: getattr(camera, name) for name in names}
    return _ViewEntry.model_validate(
        {"name": view.name, "world_from_camera": camera.world_from_camera.tolist(), **values}
    )


def _view(entry: _ViewEntry) -> SceneView:
    values = entry.model_dump(exclude={"name", "world_from_camera"})
    return SceneView(entry.name, Camera(world_from_camera=np.array(entry.world_from_camera), **values))
