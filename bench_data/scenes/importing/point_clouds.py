"""Points of PLY files that hold no Gaussians: laser scans, and the vertices of meshes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import BenchDataError
from ...splats.ply_body import vertex_blocks
from ...splats.ply_header import read_ply_header

__all__ = ["PlyPoints", "read_ply_points"]

_MOST_POINTS = 50_000_000
_GREY = 0.6


@dataclass(frozen=True, eq=False)
class PlyPoints:
    """Points in the file's own world and unit, (N, 3), and their colours, (N, 3) display-encoded in [0, 1]."""

    points: NDArray[np.float64]
    colours_srgb: NDArray[np.float64]


def read_ply_points(path: Path) -> PlyPoints:
    """The vertices of a PLY file, text or binary; grey where it has no red, green and blue. Faces are not read.

    Raises:
        BenchDataError: missing, damaged, cut off, without x, y, z, above 50 million points, or a point that is not
            finite.
    """
    try:
        with path.open("rb") as file:
            header = read_ply_header(file, os.fstat(file.fileno()).st_size, path.name)
            vertex = header.element("vertex")
            names = {} if vertex is None else dict(vertex.columns)
            if vertex is None or vertex.has_lists or not {"x", "y", "z"} <= names.keys():
                raise BenchDataError(f"cannot read {path}: it has no element 'vertex' with plain x, y, z")
            if vertex.count > _MOST_POINTS:
                raise BenchDataError(f"cannot read {path}: {vertex.count:,} points, at most {_MOST_POINTS:,} are read")
            coloured = {"red", "green", "blue"} <= names.keys()
            blocks = list(vertex_blocks(file, header, vertex, path.name))
    except OSError as error:
        raise BenchDataError(f"cannot read {path}: {error.strerror or error}") from error
    if not blocks:
        raise BenchDataError(f"cannot read {path}: it holds no points")

    def columns(wanted: tuple[str, str, str]) -> NDArray[np.float64]:
        return np.concatenate([np.stack([np.asarray(b[name], np.float64) for name in wanted], axis=1) for b in blocks])

    points = columns(("x", "y", "z"))
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        raise BenchDataError(f"cannot read {path}: point {int(np.argmax(bad))} is not finite")
    colours = np.full_like(points, _GREY)
    if coloured:
        kind = names["red"]
        colours = columns(("red", "green", "blue")) / (1.0 if kind[0] == "f" else float(np.iinfo(kind).max))
        if not ((colours >= 0) & (colours <= 1)).all():
            raise BenchDataError(f"cannot read {path}: its colours are not in the range of their type; 0 .. 1 or uchar")
    return PlyPoints(points, colours)
