"""The Gaussians beside a set of cameras: a splat file, or a point cloud to make them of."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

from ...errors import BenchDataError, BenchDataWarning
from ...splats import GaussianCloud, cloud_from_points, read_splats
from ...splats.ply_header import read_ply_header
from .options import ImportOptions
from .point_clouds import read_ply_points
from .voxels import fitting_side_m, voxel_owners

__all__ = ["cloud_of_file", "points_as_gaussians", "splat_file_in"]

_SUFFIXES = (".ply", ".splat", ".spz", ".sog")
_POINTS_ONLY = ("sparse_pc.ply", "points3d.ply", "input.ply")
"""What structure from motion leaves behind: taken only where there is nothing better."""


def splat_file_in(folder: Path) -> Path | None:
    """The file of Gaussians in a folder, or its SOG folder; of those of the original 3DGS code the one trained longest.

    Raises:
        BenchDataError: several.
    """
    trained = [path for path in folder.glob("point_cloud/iteration_*/point_cloud.ply") if path.is_file()]
    if trained:
        return max(trained, key=_iteration)
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and path.is_file())
    splats = [path for path in found if path.name.lower() not in _POINTS_ONLY]
    splats += sorted(path.parent for path in folder.glob("*/meta.json") if (path.parent / "means_l.webp").is_file())
    if len(splats) > 1:
        raise BenchDataError(f"{folder} holds {len(splats)} splat files, {splats[0].name} first; say which (splats=)")
    return next(iter(splats or found), None)


def cloud_of_file(path: Path, options: ImportOptions, notes: list[str]) -> GaussianCloud:
    """The Gaussians of a splat file as they are, or made of the points of a PLY file without Gaussians.

    Raises:
        BenchDataError: neither.
    """
    if _is_plain_ply(path):
        found = read_ply_points(path)
        notes.append(f"{path.name} holds points, not Gaussians: each of {len(found.points):,} became a round one")
        return points_as_gaussians(found.points, found.colours_srgb, options, notes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BenchDataWarning)  # the notes say the same
        return read_splats(path)


def points_as_gaussians(
    points: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    colours_srgb: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    options: ImportOptions,
    notes: list[str],
) -> GaussianCloud:
    """Round Gaussians at points (N, 3), as large as their neighbours are near; thinned to the most that are wanted.

    Raises:
        BenchDataError: fewer than two points.
    """
    side = fitting_side_m(points, options.max_gaussians)
    if side > 0:
        owners, count = voxel_owners(points, side)
        members = np.bincount(owners, minlength=count)
        points, colours_srgb = (
            np.stack([np.bincount(owners, values[:, k], minlength=count) / members for k in range(3)], axis=1)
            for values in (points, colours_srgb)
        )
        notes.append(f"thinned to {count:,} points, one a voxel of side {side:.3g}")
    return cloud_from_points(points, np.clip(colours_srgb, 0, 1))


def _iteration(path: Path) -> int:
    digits = path.parent.name.removeprefix("iteration_")
    return int(digits) if digits.isdecimal() and len(digits) < 12 else -1


def _is_plain_ply(path: Path) -> bool:
    """Whether a PLY file has points without the columns of Gaussians."""
    if path.suffix.lower() != ".ply":
        return False
    try:
        with path.open("rb") as file:
            header = read_ply_header(file, os.fstat(file.fileno()).st_size, path.name)
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
    vertex = header.element("vertex")
    names = set() if vertex is None else {name for name, _ in vertex.columns}
    return {"x", "y", "z"} <= names and not names & {"scale_0", "rot_0", "packed_position"}
