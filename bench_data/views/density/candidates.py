"""Candidate frames of a recorded sequence: which can be used, and what of them the sampler looks at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...cameras import Camera
from ...errors import BenchDataError
from ..posed_depth import PosedDepth, known_depth

__all__ = ["Candidate", "CandidateFrame", "Candidates", "read_candidates"]

_MM_PER_M = 1000
_FARTHEST_MM = 1e15
"""Whatever is farther is refused later, as being outside of all voxels."""


@dataclass(frozen=True, eq=False)
class CandidateFrame:
    """A frame as it was recorded; its pose is checked by the sampler, not here, as recordings have broken ones.

    Args:
        depth_m: (H, W) cleaned depth; what is not finite and positive is unknown.
        lens: a camera of the depth map's size; its own pose plays no role.
        world_from_camera: (4, 4) camera-to-world, possibly not finite.
    """

    depth_m: NDArray[np.float32] = field(repr=False)
    lens: Camera
    world_from_camera: NDArray[np.float64] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth_m", known_depth(self.depth_m, (self.lens.height, self.lens.width)))
        pose = np.array(self.world_from_camera, dtype=np.float64)
        if pose.shape != (4, 4):
            raise BenchDataError(f"world_from_camera must have shape (4, 4), got {pose.shape}")
        pose.setflags(write=False)
        object.__setattr__(self, "world_from_camera", pose)

    @classmethod
    def of(cls, view: PosedDepth) -> Self:
        """The frame of a view whose pose is sound."""
        return cls(view.depth_m, view.camera, view.camera.world_from_camera)

    @classmethod
    def from_K(  # noqa: N802 - K is what the field calls it
        cls, depth_m: ArrayLike, K: ArrayLike, world_from_camera: ArrayLike, *, pixel_centre: float = 0.5
    ) -> Self:
        """The frame of a pinhole with intrinsics K (3, 3).

        Args:
            depth_m, world_from_camera: as above.
            K, pixel_centre: as for `Camera.from_K`: 0 when whole numbers are pixel centres.
        """
        depth = known_depth(depth_m)
        lens = Camera.from_K(
            K, width=depth.shape[1], height=depth.shape[0], world_from_camera=np.eye(4), pixel_centre=pixel_centre
        )
        return cls(depth, lens, np.asarray(world_from_camera, dtype=np.float64))


class Candidate(NamedTuple):
    """What the sampler keeps of a frame."""

    frame: int
    """Its number in the recording."""
    world_from_camera: NDArray[np.float64]
    """(4, 4)."""
    lens: Camera
    """Of the whole picture."""
    points_px: NDArray[np.float64]
    """(M, 2) pixel centres on the grid that have a depth."""
    depth_mm: NDArray[np.int64]
    """(M,) their depth in whole millimetres."""
    median_depth_m: float
    """Of all pixels that have a depth."""


class Candidates(NamedTuple):
    """The frames that can be used, and what became of the others."""

    kept: tuple[Candidate, ...]
    dropped: tuple[tuple[int, str], ...]
    """(frame, reason) in the order of the recording."""
    total: int
    """Frames in the recording."""
    inputs_sha256: str
    """Of all depths, lenses and poses."""


def read_candidates(frames: Iterable[CandidateFrame], *, stride_px: int, least_known_share: float) -> Candidates:
    """Goes once over a recording; of each frame only the grid is kept.

    The grid has every ``stride_px``-th pixel from ``stride_px // 2`` on, along both axes. Frames are dropped when the
    pose is not finite, its rotation is none or mirrors (tolerance 1e-3), or fewer than ``least_known_share`` of the
    pixels have a depth.
    """
    kept, dropped, sha, total = [], [], hashlib.sha256(), 0
    for number, frame in enumerate(frames):
        total += 1
        _add_to_hash(sha, frame)
        reason = _why_unusable(frame, least_known_share)
        if reason is None:
            kept.append(_on_grid(number, frame, stride_px))
        else:
            dropped.append((number, reason))
    return Candidates(tuple(kept), tuple(dropped), total, sha.hexdigest())


def _add_to_hash(sha: hashlib._Hash, frame: CandidateFrame) -> None:
    lens = frame.lens
    numbers = [lens.width, lens.height, lens.fx, lens.fy, lens.cx, lens.cy, *lens.distortion, lens.theta_limit_rad]
    sha.update(lens.model.encode())
    sha.update(np.array(numbers, "<f8").tobytes())
    sha.update(frame.world_from_camera.astype("<f8").tobytes())
    # All unknown depths have the same bytes, whatever they were.
    sha.update(np.nan_to_num(frame.depth_m, nan=-1.0).astype("<f4").tobytes())


def _why_unusable(frame: CandidateFrame, least_known_share: float) -> str | None:
    pose = frame.world_from_camera
    if not np.isfinite(pose).all():
        return "the pose is not finite"
    R = pose[:3, :3]
    if abs(np.linalg.det(R) - 1) > 1e-3 or np.abs(R @ R.T - np.eye(3)).max() > 1e-3:
        return "the rotation of the pose is none"
    known = float(np.count_nonzero(~np.isnan(frame.depth_m)) / frame.depth_m.size)
    if known == 0 or known < least_known_share:
        return f"{known:.1%} of the pixels have a depth"
    return None


def _on_grid(number: int, frame: CandidateFrame, stride_px: int) -> Candidate:
    start = stride_px // 2
    grid = frame.depth_m[start::stride_px, start::stride_px].astype(np.float64)
    rows, columns = np.nonzero(~np.isnan(grid))
    points = np.stack([columns, rows], axis=1).astype(np.float64) * stride_px + (start + 0.5)
    millimetres = np.rint(np.minimum(grid[rows, columns] * _MM_PER_M, _FARTHEST_MM)).astype(np.int64)
    return Candidate(
        number, frame.world_from_camera, frame.lens, points, millimetres, float(np.nanmedian(frame.depth_m))
    )
