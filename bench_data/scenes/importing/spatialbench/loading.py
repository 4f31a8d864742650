"""Frames of a SpatialBench scene, step by step as the published loader reads them: stored, limited, resized.

Poses are camera-to-world with OpenCV axes; intrinsics count pixel centres as whole numbers; depth is z along the axis
in metres. Nothing says which way is up.

Where the published loader goes on in silence, this one stops or says so: fewer files than frames are an error (it gave
all frames the identity as pose), a mask of another size is left out with a note, and a sky mask follows the crops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....cameras import Camera
from ....errors import BenchDataError
from ....images import load_image
from .frame_files import GeometryFrame
from .index import IndexEntry, scene_folder
from .resizing import Frame, resized
from .scene_files import scene_frames
from .tables import DATASETS, DatasetRules, Resolution, size_for

__all__ = ["BenchFrames", "load_frames"]

_MOST_FRAMES = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchFrames:
    """N frames of one size.

    Args:
        entry: of the index.
        names: (N,) of the pictures' files.
        image_srgb_u8: (N, H, W, 3).
        depth_m: (N, H, W) float32, NaN where unknown.
        world_from_camera: (N, 4, 4), OpenCV axes; identities where the scene has no poses.
        K: (N, 3, 3) with pixel centres at whole numbers.
        sky: (N, H, W) bool; None unless every frame tells.
        has_poses: whether the poses are known.
        notes: what was left out.
    """

    entry: IndexEntry
    names: tuple[str, ...]
    image_srgb_u8: NDArray[np.uint8] = field(repr=False)
    depth_m: NDArray[np.float32] = field(repr=False)
    world_from_camera: NDArray[np.float64] = field(repr=False)
    K: NDArray[np.float64] = field(repr=False)
    sky: NDArray[np.bool_] | None = field(default=None, repr=False)
    has_poses: bool = True
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def camera(self, number: int) -> Camera:
        """The pinhole of a frame."""
        height, width = self.depth_m.shape[1:]
        return Camera.from_K(
            self.K[number],
            width=width,
            height=height,
            world_from_camera=self.world_from_camera[number],
            pixel_centre=0,
        )


def load_frames(
    root: Path,
    entry: IndexEntry,
    *,
    resolution: Resolution | None = None,
    least_confidence: float | None = None,
    numbers: Sequence[int] | None = None,
) -> BenchFrames:
    """The frames of a scene.

    Args:
        root: of the tree.
        entry: see `read_index`.
        resolution: None for the data set's.
        least_confidence: None for the data set's.
        numbers: positions of the frames that are wanted; None for all.

    Raises:
        BenchDataError: an unknown data set, files that are missing or of the wrong size, or frames without positions.
    """
    rules = DATASETS.get(entry.source_dataset)
    if rules is None:
        raise BenchDataError(
            f"{entry.scene_id}: unknown source_dataset {entry.source_dataset!r}; known: {', '.join(DATASETS)}"
        )
    if least_confidence is not None:
        rules = replace(rules, least_confidence=least_confidence)
    count = len(entry.frame_indices)
    wanted = list(range(count) if numbers is None else numbers)
    if not wanted or min(wanted) < 0 or max(wanted) >= count or len(wanted) > _MOST_FRAMES:
        raise BenchDataError(f"{entry.scene_id}: frames must be 1 to {_MOST_FRAMES} of its {count}")
    notes: list[str] = []
    files = scene_frames(scene_folder(root, entry), count, entry.source_dataset, notes=notes)
    first = load_image(files[0].image)
    width, height = size_for(resolution or rules.resolution, *first.size)
    stored = (files[number].load(least_confidence=rules.least_confidence, notes=notes) for number in wanted)
    frames, poses = [], []
    for one in stored:
        frames.append(resized(_limited(one, rules), width, height))
        poses.append(one.camera.world_from_camera)
    skies = [frame.sky for frame in frames if frame.sky is not None]
    depth = np.stack([frame.depth_m for frame in frames])
    return BenchFrames(
        entry=entry,
        names=tuple(files[number].image.name for number in wanted),
        image_srgb_u8=np.stack([frame.image_srgb_u8 for frame in frames]),
        depth_m=np.where(depth > 0, depth, np.float32(np.nan)),
        world_from_camera=np.stack(poses),
        K=np.stack([frame.K for frame in frames]),
        sky=np.stack(skies) if len(skies) == len(frames) else None,
        has_poses=files[0].pose is not None,
        notes=tuple(dict.fromkeys(notes)),
    )


def _limited(stored: GeometryFrame, rules: DatasetRules) -> Frame:
    """A frame of the files' own size with the depth that its data set scores, 0 where unknown."""
    image = stored.picture.image_srgb_u8
    depth = np.zeros(image.shape[:2], np.float32) if stored.depth_m is None else np.nan_to_num(stored.depth_m, nan=0.0)
    depth = np.where(depth > rules.far_m, np.float32(0), depth)
    if rules.drops_farthest_fifth:
        depth = np.where(depth > np.percentile(depth, 80), np.float32(0), depth)
    K = stored.camera.K.copy()
    K[:2, 2] -= 0.5
    return Frame(image_srgb_u8=image, depth_m=depth, sky=stored.sky, K=K)
