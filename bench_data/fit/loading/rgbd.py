"""RGB-D recordings: colour, depth along the axis, and poses.

| layout | recognised by | poses | depth | intrinsics |
|---|---|---|---|---|
| TUM RGB-D | ``rgb.txt`` and ``depth.txt`` | ``groundtruth.txt``, by time | 5000 a metre | 525, 525, 319.5, 239.5 |
| Open3D | ``color*`` and ``depth*`` (files or folders), ``trajectory.log`` | in order | 1000 a metre | as above |
| one frame | one colour and one depth file | the camera is the world | must be given; 5000 for ``TUM_*`` | as above |

The intrinsics are those of the Kinect at 640x480, which both projects take where nothing else is said; those that are
given, or stand in an ``intrinsic.json`` in the folder (Open3D's), come first. All count pixel centres as whole numbers.
Poses are camera-to-world, with camera axes as OpenCV's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...camera_formats import Trajectory, read_open3d_log, read_tum
from ...cameras import Camera
from ...errors import BenchDataError
from ...images import load_depth, load_image
from ..views import FitData, FitView, downscaled

__all__ = ["Intrinsics", "load_rgbd"]

_KINECT = (525.0, 525.0, 319.5, 239.5)
_KINECT_SIZE = (640, 480)
_TUM_UNITS, _MILLIMETRES = 5000.0, 1000.0
_LONGEST_GAP_S = 0.02
"""Colour, depth and pose belong together when they are no farther apart; the value of TUM's own tool."""

_COLOUR_SUFFIXES = (".png", ".jpg", ".jpeg")
_DEPTH_SUFFIXES = (".png", ".tif", ".tiff", ".npy", ".pfm")
_INTRINSIC_FILES = ("intrinsic.json", "intrinsics.json", "camera_intrinsic.json")


class Intrinsics(NamedTuple):
    """fx, fy, cx, cy in pixels, with pixel centres at whole numbers, as OpenCV, Open3D and TUM give them."""

    fx: float
    fy: float
    cx: float
    cy: float


class _Frame(NamedTuple):
    colour: Path
    depth: Path
    world_from_camera: NDArray[np.float64]


def load_rgbd(
    folder: Path,
    *,
    downscale: int = 1,
    intrinsics: Intrinsics | None = None,
    depth_units_per_metre: float | None = None,
    max_views: int | None = None,
) -> FitData:
    """The frames of an RGB-D recording, in one of the layouts above.

    Args:
        folder: of the recording.
        downscale: make pictures smaller by this whole factor.
        intrinsics: of all frames; None for those of the folder, or the Kinect's.
        depth_units_per_metre: what a metre is in the depth files; None for that of the layout.
        max_views: at most so many frames, evenly over all; None for all.

    Raises:
        BenchDataError: no such layout, frames without poses, or intrinsics that are not known.
    """
    if not folder.is_dir():
        raise BenchDataError(f"cannot read {folder}: there is no such folder")
    notes: list[str] = []
    frames, units = _frames(folder, notes)
    if max_views is not None and len(frames) > max_views:
        notes.append(f"{max_views} of {len(frames)} frames are taken, evenly over all")
        frames = [frames[round(k)] for k in np.linspace(0, len(frames) - 1, max_views)]
    units = depth_units_per_metre if depth_units_per_metre is not None else units
    if units is None:
        raise BenchDataError(
            f"{folder}: what a metre is in {frames[0].depth.name} must be given (--depth-units): 1000 for millimetres, "
            "5000 for TUM RGB-D"
        )
    if intrinsics is None:
        intrinsics = _intrinsics_of(folder)
    if intrinsics is None:
        notes.append(f"no intrinsic.json: taking the Kinect's at 640x480, {', '.join(f'{v:g}' for v in _KINECT)}")
    views = [downscaled(_view(folder, frame, units, intrinsics), downscale) for frame in frames]
    return FitData(views=tuple(views), notes=tuple(notes))


def _frames(folder: Path, notes: list[str]) -> tuple[list[_Frame], float | None]:
    if (folder / "rgb.txt").is_file() and (folder / "depth.txt").is_file():
        return _tum_frames(folder, notes), _TUM_UNITS
    colours, depths = (
        _files(folder, ("color", "rgb", "image"), _COLOUR_SUFFIXES),
        _files(folder, ("depth",), _DEPTH_SUFFIXES),
    )
    if not colours or len(colours) != len(depths):
        raise BenchDataError(
            f"{folder}: expected rgb.txt and depth.txt (TUM), or as many colour as depth files (Open3D), found "
            f"{len(colours)} colour and {len(depths)} depth files"
        )
    log = next(
        (path for path in (folder / "trajectory.log", folder / "scene" / "trajectory.log") if path.is_file()), None
    )
    if log is not None:
        poses = read_open3d_log(log).world_from_camera
        if len(poses) != len(colours):
            raise BenchDataError(f"{log} has {len(poses)} poses for {len(colours)} frames; it must have one for each")
        return [_Frame(*frame) for frame in zip(colours, depths, poses, strict=True)], _MILLIMETRES
    if len(colours) > 1:
        raise BenchDataError(f"{folder}: {len(colours)} frames without poses; a trajectory.log must give one for each")
    notes.append("a single frame: its camera is the world")
    units = _TUM_UNITS if depths[0].name.startswith("TUM_") else None
    return [_Frame(colours[0], depths[0], np.eye(4))], units


def _files(folder: Path, stems: Sequence[str], suffixes: Sequence[str]) -> list[Path]:
    """Files whose name contains one of the stems, or all of the first sub-folder that is called so; sorted."""
    for stem in stems:
        if (folder / stem).is_dir():
            return sorted(path for path in (folder / stem).iterdir() if path.suffix.lower() in suffixes)
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in suffixes
        and any(stem in path.stem.lower() for stem in stems)
        and ("depth" in path.stem.lower()) == ("depth" in stems)
    )


def _tum_frames(folder: Path, notes: list[str]) -> list[_Frame]:
    """Colour pictures that have depth and a pose at about the same time."""
    truth = folder / "groundtruth.txt"
    if not truth.is_file():
        raise BenchDataError(f"{folder}: poses are missing, TUM RGB-D has them in groundtruth.txt")
    trajectory = read_tum(truth)
    colours, depths = _timed_files(folder / "rgb.txt"), _timed_files(folder / "depth.txt")
    depth_times = np.array([time for time, _ in depths])
    frames = []
    for time, name in colours:
        depth, pose = _nearest(depth_times, time), _nearest(trajectory.timestamps_s, time)
        if depth is not None and pose is not None:
            frames.append(_Frame(folder / name, folder / depths[depth][1], _pose_at(trajectory, time, pose)))
    if not frames:
        raise BenchDataError(f"{folder}: no colour picture has depth and a pose within {_LONGEST_GAP_S:g} s")
    if len(frames) < len(colours):
        notes.append(f"{len(colours) - len(frames)} of {len(colours)} pictures have no depth or no pose: left out")
    return frames


def _pose_at(trajectory: Trajectory, time_s: float, nearest: int) -> NDArray[np.float64]:
    """Between the two poses about a time; the nearest one at the ends."""
    from ...camera_paths import pose_path

    times = trajectory.timestamps_s
    after = int(np.searchsorted(times, time_s))
    if not 0 < after < len(times) or times[after] - times[after - 1] > 2 * _LONGEST_GAP_S:
        return np.asarray(trajectory.world_from_camera[nearest])
    share = (time_s - times[after - 1]) / (times[after] - times[after - 1])
    return np.asarray(pose_path(trajectory.world_from_camera[after - 1 : after + 1], times=[share])[0])


def _nearest(times: NDArray[np.float64], time_s: float) -> int | None:
    if not len(times):
        return None
    best = int(np.abs(times - time_s).argmin())
    return best if abs(times[best] - time_s) <= _LONGEST_GAP_S else None


def _timed_files(path: Path) -> list[tuple[float, str]]:
    """(time, file name) of the lines of ``rgb.txt`` and its like."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        time, _, name = line.strip().partition(" ")
        try:
            found.append((float(time), name.strip()))
        except ValueError:
            raise BenchDataError(
                f"cannot read {path}: line {number} ({line[:60]!r}) is not a time and a file"
            ) from None
    return sorted(found)


def _intrinsics_of(folder: Path) -> Intrinsics | None:
    """Open3D's JSON of a pinhole, whose matrix is stored column by column."""
    path = next((folder / name for name in _INTRINSIC_FILES if (folder / name).is_file()), None)
    if path is None:
        return None
    try:
        columns = [float(value) for value in json.loads(path.read_text(encoding="utf-8"))["intrinsic_matrix"]]
        fx, _, _, _, fy, _, cx, cy, _ = columns
    except (ValueError, KeyError, TypeError) as error:
        raise BenchDataError(
            f"cannot read {path}: expected Open3D's intrinsic_matrix of nine numbers ({error})"
        ) from error
    return Intrinsics(fx, fy, cx, cy)


def _view(folder: Path, frame: _Frame, units: float, intrinsics: Intrinsics | None) -> FitView:
    name = frame.colour.relative_to(folder).as_posix()
    image = load_image(frame.colour).image_srgb_u8
    depth_m = load_depth(frame.depth, metres_per_unit=1 / units)
    height, width = image.shape[:2]
    if intrinsics is None:
        if (width, height) != _KINECT_SIZE:
            raise BenchDataError(
                f"{name}: the intrinsics of {width}x{height} pictures are not known; give them (--intrinsics), or put "
                "Open3D's intrinsic.json into the folder"
            )
        intrinsics = Intrinsics(*_KINECT)
    K = np.array([[intrinsics.fx, 0, intrinsics.cx], [0, intrinsics.fy, intrinsics.cy], [0, 0, 1]])
    camera = Camera.from_K(K, width=width, height=height, world_from_camera=frame.world_from_camera, pixel_centre=0)
    return FitView(name=name, camera=camera, image_srgb_u8=np.ascontiguousarray(image), depth_m=depth_m)
