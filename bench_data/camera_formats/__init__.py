"""Cameras and trajectories as other programs store them; each reader states the convention that it converts from."""

from .axes import Z_UP_FROM_Y_DOWN, Z_UP_FROM_Y_UP, CameraAxes, PoseMaps, pose_as, pose_from
from .colmap import read_colmap, read_colmap_points, write_colmap
from .colmap_records import ColmapPoints
from .named import NamedCamera
from .nerfstudio import read_nerfstudio, write_nerfstudio
from .trajectories import Trajectory, read_open3d_log, read_tum, write_open3d_log, write_tum

__all__ = [
    "Z_UP_FROM_Y_DOWN",
    "Z_UP_FROM_Y_UP",
    "CameraAxes",
    "ColmapPoints",
    "NamedCamera",
    "PoseMaps",
    "Trajectory",
    "pose_as",
    "pose_from",
    "read_colmap",
    "read_colmap_points",
    "read_nerfstudio",
    "read_open3d_log",
    "read_tum",
    "write_colmap",
    "write_nerfstudio",
    "write_open3d_log",
    "write_tum",
]
