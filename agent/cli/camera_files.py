"""Camera files of every kind that the commands take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .common import UsageError

if TYPE_CHECKING:
    from ...bench_data.camera_formats import NamedCamera

__all__ = ["camera_of_name", "named_cameras"]


def named_cameras(path: str) -> tuple[NamedCamera, ...]:
    """The cameras of a COLMAP folder, of nerfstudio's transforms.json, or the one of a camera's JSON file.

    Raises:
        BenchDataError: the file cannot be used.
        UsageError: it holds no camera.
    """
    from ...bench_data.camera_formats import NamedCamera, read_colmap, read_nerfstudio
    from ...bench_data.render.camera_file import read_camera

    place = Path(path)
    if place.is_dir():
        found = read_colmap(path)
    elif _has_frames(place):
        found = read_nerfstudio(path)
    else:
        found = (NamedCamera(place.name, read_camera(path)),)
    if not found:
        raise UsageError(f"{path} holds no cameras")
    return tuple(found)


def camera_of_name(named: Sequence[NamedCamera], view: str, path: str) -> NamedCamera:
    """The camera with this picture's name, with or without its folder, or with this number from 0.

    Raises:
        UsageError: there is none.
    """
    for number, one in enumerate(named):
        if view in (one.name, Path(one.name).name, str(number)):
            return one
    raise UsageError(f"--view {view}: {path} has no such camera; it has 0 to {len(named) - 1}, {named[0].name} first")


def _has_frames(place: Path) -> bool:
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # the reader of a single camera says what is wrong
    return isinstance(content, dict) and "frames" in content
