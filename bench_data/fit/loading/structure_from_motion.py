"""Poses for pictures that have none, found by COLMAP through pycolmap (an extra)."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from ...errors import BenchDataError
from .images import picture_files

__all__ = ["find_poses"]

_FEWEST = 3


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
    count = len(picture_files(images))
    if count < _FEWEST:
        raise BenchDataError(f"{images}: poses can be found for at least three pictures, found {count}")
    if importlib.util.find_spec("pycolmap") is None:
        raise BenchDataError(
            f"{images} has no poses: give a model (--colmap), or let COLMAP find them: "
            'pip install "seeworthy[geometry]"'
        )
    import pycolmap  # type: ignore[import-untyped, import-not-found, unused-ignore]

    database, tries, unfinished = workspace / "database.db", workspace / "tries", workspace / "model.unfinished"
    workspace.mkdir(parents=True, exist_ok=True)
    # What a run that did not end has left; nothing else in the folder is touched.
    for path in workspace.glob(f"{database.name}*"):
        path.unlink()
    for folder in (tries, unfinished):
        shutil.rmtree(folder, ignore_errors=True)
    pycolmap.logging.minloglevel = pycolmap.logging.Level.ERROR.value
    pycolmap.set_random_seed(0)
    pycolmap.extract_features(database, images, camera_mode=pycolmap.CameraMode.AUTO)
    pycolmap.match_exhaustive(database)
    found = pycolmap.incremental_mapping(database, images, tries)
    if not found:
        raise BenchDataError(
            f"{images}: COLMAP could not place the pictures; they need texture, overlap and a camera that moves"
        )
    best = max(found.values(), key=lambda one: one.num_reg_images())
    unfinished.mkdir()
    best.write(unfinished)
    unfinished.rename(model)
    return model
