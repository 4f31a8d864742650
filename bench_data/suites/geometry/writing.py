"""Writing posed frames with depth as a SpatialBench tree."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...cameras import Camera
from ...errors import BenchDataError
from ...scenes.importing.spatialbench import DATASETS, GeometryFrame
from ..paths import relative_path
from ..writing import new_text_file
from .sample import AXES, INDEX

__all__ = ["GeometryScene", "write_geometry"]


@dataclass(frozen=True, kw_only=True)
class GeometryScene:
    """A scene to be written.

    Args:
        scene_id: unique.
        source_dataset, scene_path: its folders below the density.
        tags: one value for each of `AXES`.
        frames: in order; pinhole cameras.
        frame_indices: numbers of the frames in the recording.
        num_frames_total: frames of the recording.
    """

    scene_id: str
    source_dataset: str
    scene_path: str
    tags: Mapping[str, str]
    frames: Iterable[GeometryFrame]
    frame_indices: tuple[int, ...]
    num_frames_total: int


def write_geometry(scenes: Iterable[GeometryScene], folder: str | Path) -> int:
    """Writes scenes one after the other, and the index last; gives the number of scenes.

    Depth is stored as float32 metres with 0 where invalid, poses as (4, 4) camera-to-world, one calibration a frame.
    Sky is part of what is invalid and stored as a mask too.

    Args:
        scenes: to be written.
        folder: new or empty.

    Raises:
        BenchDataError: the folder is in use, a tag or camera cannot be stored, or frames and their numbers differ.
    """
    root = Path(folder)
    if root.is_dir() and any(root.iterdir()):
        raise BenchDataError(f"{root} is not empty; choose another folder")
    records = []
    for scene in scenes:
        wrong = [axis for axis, values in AXES.items() if scene.tags.get(axis) not in values]
        if wrong:
            raise BenchDataError(f"scene {scene.scene_id}: the tag {wrong[0]} must be one of {AXES[wrong[0]]}")
        place = relative_path(f"{scene.tags['view_density']}/{scene.source_dataset}/{scene.scene_path}")
        _write_scene(root / place, scene)
        records.append(
            {
                "scene_id": scene.scene_id,
                "source_dataset": scene.source_dataset,
                "scene_path": scene.scene_path,
                "tags": dict(scene.tags),
                "frame_indices": list(scene.frame_indices),
                "num_frames_total": scene.num_frames_total,
            }
        )
    with new_text_file(root / INDEX) as stream:
        stream.write(json.dumps(records, ensure_ascii=False, indent=1) + "\n")
    return len(records)


def _write_scene(folder: Path, scene: GeometryScene) -> None:
    if folder.exists():
        raise BenchDataError(f"scene {scene.scene_id}: another scene has its folder {folder}")
    rules = DATASETS.get(scene.source_dataset)
    one_calibration = rules is not None and rules.straightens
    with_depth = with_pose = None
    shared_K = None
    count = 0
    for number, frame in enumerate(scene.frames):
        count += 1
        traits = frame.depth_m is not None, frame.has_pose
        if with_depth is None:
            with_depth, with_pose = traits
        if traits != (with_depth, with_pose):
            raise BenchDataError(f"scene {scene.scene_id}: frame {number} has depth or a pose where others have not")
        _write_frame(folder, f"{number:06d}", frame)
        K = _stored_K(frame.camera)
        shared_K = K if shared_K is None else shared_K
        if one_calibration and not np.array_equal(K, shared_K):
            raise BenchDataError(
                f"scene {scene.scene_id}: {scene.source_dataset} has one calibration a scene, that of frame {number} "
                "is another; name another source_dataset"
            )
    if count != len(scene.frame_indices):
        raise BenchDataError(f"scene {scene.scene_id}: {count} frames, but {len(scene.frame_indices)} numbers")
    if one_calibration and shared_K is not None:
        np.save(folder / "intrinsics" / "intrinsic.npy", shared_K)
    meta: dict[str, str] = {
        "depth_format": "npy_float32_meters" if with_depth else "none",
        "intrinsic_mode": "per_frame",
    }
    if not with_pose:
        meta["pose"] = "none"
    with new_text_file(folder / "meta.json") as stream:
        stream.write(json.dumps(meta, indent=1) + "\n")


def _write_frame(folder: Path, name: str, frame: GeometryFrame) -> None:
    camera = frame.camera
    if camera.model != "pinhole":
        raise BenchDataError("the tree holds pinhole cameras only; undistort fisheye pictures first")
    for part in ("images", "depths", "poses", "intrinsics"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "images" / f"{name}.png").write_bytes(frame.picture.png())
    np.save(folder / "intrinsics" / f"{name}.npy", _stored_K(camera))
    if frame.has_pose:
        np.save(folder / "poses" / f"{name}.npy", camera.world_from_camera)
    if frame.depth_m is not None:
        np.save(folder / "depths" / f"{name}.npy", np.nan_to_num(frame.depth_m, nan=0.0).astype(np.float32))
    if frame.sky is not None:
        from PIL import Image

        (folder / "sky_masks").mkdir(exist_ok=True)
        Image.fromarray(frame.sky.astype(np.uint8) * 255).save(folder / "sky_masks" / f"{name}.png")


def _stored_K(camera: Camera) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:  # noqa: N802 - K, as the field says
    """The calibration with pixel centres at whole numbers, as the tree has it."""
    K = np.array(camera.K, dtype=np.float64)
    K[:2, 2] -= 0.5
    return K
