"""Trajectories: poses without intrinsics.

* TUM (``timestamp tx ty tz qx qy qz qw``): camera-to-world, camera axes as OpenCV, quaternion with w last.
* Open3D / Redwood ``.log`` (a line of three numbers, then four of a matrix): camera-to-world, camera axes as OpenCV.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cameras import rigid_transform
from ..errors import BenchDataError
from ..rotations import matrix_from_quat, quat_from_matrix, wxyz_from_xyzw, xyzw_from_wxyz

__all__ = ["Trajectory", "read_open3d_log", "read_tum", "write_open3d_log", "write_tum"]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses over time.

    Args:
        timestamps_s: (N,) float64; frame numbers where a file holds no times.
        world_from_camera: (N, 4, 4) float64, camera axes x right, y down, z forward.
    """

    timestamps_s: NDArray[np.float64]
    world_from_camera: NDArray[np.float64]

    def __post_init__(self) -> None:
        times = np.array(self.timestamps_s, dtype=np.float64)
        poses = np.array(self.world_from_camera, dtype=np.float64)
        if times.ndim != 1 or poses.shape != (len(times), 4, 4):
            raise BenchDataError(f"a trajectory needs (N,) times and (N, 4, 4) poses, got {times.shape}, {poses.shape}")
        if not np.isfinite(times).all():
            raise BenchDataError("timestamps_s must be finite")
        for i, pose in enumerate(poses):
            poses[i] = rigid_transform(pose, f"pose {i}")
        for name, array in (("timestamps_s", times), ("world_from_camera", poses)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.timestamps_s)


def read_tum(path: str | os.PathLike[str]) -> Trajectory:
    """A TUM trajectory; lines that start with ``#`` are comments.

    Raises:
        BenchDataError: no such file, or a line that is not eight numbers with a non-zero quaternion.
    """
    rows = [_numbers(line, 8, path, number) for number, line in _lines(path) if not line.startswith("#")]
    table = np.array(rows, dtype=np.float64).reshape(-1, 8)
    poses = np.tile(np.eye(4), (len(table), 1, 1))
    if len(table):
        try:
            poses[:, :3, :3] = matrix_from_quat(wxyz_from_xyzw(table[:, 4:]))
        except BenchDataError as error:
            raise BenchDataError(f"cannot read {path}: {error}") from error
    poses[:, :3, 3] = table[:, 1:4]
    return Trajectory(table[:, 0], poses)


def write_tum(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Writes a TUM trajectory that reads back exactly."""
    lines = ["# timestamp tx ty tz qx qy qz qw (camera-to-world; camera x right, y down, z forward)"]
    quats = xyzw_from_wxyz(quat_from_matrix(trajectory.world_from_camera[:, :3, :3]))
    for time, pose, quat in zip(trajectory.timestamps_s, trajectory.world_from_camera, quats, strict=True):
        lines.append(" ".join(repr(float(value)) for value in (time, *pose[:3, 3], *quat)))
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_open3d_log(path: str | os.PathLike[str]) -> Trajectory:
    """An Open3D ``.log`` trajectory; the first number before each matrix becomes the time.

    Raises:
        BenchDataError: no such file, a line with too few numbers, or a matrix that is no pose.
    """
    lines = _lines(path)
    if len(lines) % 5:
        raise BenchDataError(
            f"cannot read {path}: {len(lines)} lines are no multiple of 5 (numbers, then a 4x4 matrix)"
        )
    times, poses = [], []
    for start in range(0, len(lines), 5):
        number, line = lines[start]
        times.append(_numbers(line, 3, path, number)[0])
        poses.append([_numbers(line, 4, path, number) for number, line in lines[start + 1 : start + 5]])
    try:
        return Trajectory(np.array(times, dtype=np.float64), np.array(poses, dtype=np.float64).reshape(-1, 4, 4))
    except BenchDataError as error:
        raise BenchDataError(f"cannot read {path}: {error}") from error


def write_open3d_log(trajectory: Trajectory, path: str | os.PathLike[str]) -> None:
    """Writes an Open3D ``.log`` trajectory; times are lost, its frames are numbered."""
    lines = []
    for i, pose in enumerate(trajectory.world_from_camera):
        lines.append(f"{i} {i} {i + 1}")
        lines.extend(" ".join(repr(float(value)) for value in row) for row in pose)
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(path: str | os.PathLike[str]) -> list[tuple[int, str]]:
    """(line number, text) of the lines that are not blank."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise BenchDataError(f"cannot read {path}: {reason}") from error
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]


def _numbers(line: str, count: int, path: str | os.PathLike[str], number: int) -> list[float]:
    words = line.replace(",", " ").split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) != count or not np.isfinite(values).all():
        raise BenchDataError(f"cannot read {path}: line {number} ({line[:60]!r}) must hold {count} finite numbers")
    return values
