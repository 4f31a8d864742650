"""Poses for pictures that have none, found by COLMAP through pycolmap (an extra)."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from ...errors import BenchDataError

__all__ = ["find_poses"]

_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")


def find_poses(images: Path, workspace: Path) -> Path:
    """Runs COLMAP's structure from motion over a folder of pictures; a result that is already there is taken.

    One camera is assumed for pictures of one size. The scale of the result is arbitrary.

    Args:
        images: the folder, searched with its sub-folders.
        workspace: a folder that COLMAP's database and model are kept in.

    Returns:
        The folder of the model with the most pictures.

    Raises:
        BenchDataError: pycolmap is not installed, fewer than three pictures, or pictures that do not fit together.
    """
    model = workspace / "model"
    if model.is_dir():
        return model
    names = [path for path in sorted(images.rglob("*")) if path.suffix.lower() in _SUFFIXES] if images.is_dir() else []
    if len(names) < 3:
        raise BenchDataError(f"{images}: poses can be found for at least three pictures, found {len(names)}")
    if importlib.util.find_spec("pycolmap") is None:
        raise BenchDataError(
            f"{images} has no poses: give a model (--colmap), or let COLMAP find them: "
            'pip install "seeworthy[geometry]"'
        )
    import pycolmap  # type: ignore[import-untyped, import-not-found, unused-ignore]

    if workspace.is_dir():
        shutil.rmtree(workspace)  # left by a run that did not end
    workspace.mkdir(parents=True)
    database = workspace / "database.db"
    pycolmap.set_random_seed(0)
    pycolmap.extract_features(database, images, camera_mode=pycolmap.CameraMode.AUTO)
    pycolmap.match_exhaustive(database)
    found = pycolmap.incremental_mapping(database, images, workspace / "tries")
    if not found:
        raise BenchDataError(
            f"{images}: COLMAP could not place the pictures; they need texture, overlap and a camera that moves"
        )
    best = max(found.values(), key=lambda one: one.num_reg_images())
    unfinished = workspace / "model.unfinished"
    unfinished.mkdir()
    best.write(unfinished)
    unfinished.rename(model)
    return model
