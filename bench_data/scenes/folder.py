"""A scene on disk: ``scene.json`` for what it means, ``cloud.npz`` for the Gaussians, both without loss."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from ..errors import BenchDataError
from ..splats import GaussianCloud
from .entries import InstanceEntry, StrictEntry, ViewEntry
from .scene import Scene, SceneKind

__all__ = ["FORMAT", "cloud_as_npz", "read_scene", "scene_as_json", "write_scene"]

FORMAT = "seeworthy-scene-1"
_ARRAYS = ("means", "quats_wxyz", "scales", "opacities", "sh")
_LARGEST_JSON_BYTES = 256 * 2**20


class _SceneEntry(StrictEntry):
    format: str
    id: str
    kind: SceneKind
    source: str = ""
    instances: list[InstanceEntry]
    views: list[ViewEntry]


def scene_as_json(scene: Scene) -> str:
    """All of a scene but its Gaussians, as ``scene.json`` holds it."""
    entry = _SceneEntry(
        format=FORMAT,
        id=scene.id,
        kind=scene.kind,
        source=scene.source,
        instances=[InstanceEntry.of(one) for one in scene.instances],
        views=[ViewEntry.of(view.name, view.camera) for view in scene.views],
    )
    return entry.model_dump_json(indent=1) + "\n"


def cloud_as_npz(cloud: GaussianCloud) -> bytes:
    """Gaussians as ``cloud.npz`` holds them; the same cloud gives the same bytes."""
    arrays = {name: getattr(cloud, name) for name in _ARRAYS}
    if cloud.instance_ids is not None:
        arrays["instance_ids"] = cloud.instance_ids
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def write_scene(scene: Scene, folder: str | os.PathLike[str]) -> Path:
    """Writes a scene; the folder is made when missing. The same scene gives the same bytes.

    Raises:
        BenchDataError: the folder cannot be written.
    """
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / "cloud.npz").write_bytes(cloud_as_npz(scene.cloud))
        (path / "scene.json").write_text(scene_as_json(scene), encoding="utf-8")
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
        instances=tuple(one.instance() for one in entry.instances),
        views=tuple(one.view() for one in entry.views),
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
