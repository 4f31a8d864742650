"""Frames of a SpatialBench scene, step by step as the published loader reads them.

Poses are camera-to-world with OpenCV axes; intrinsics count pixel centres as whole numbers; depth is z along the axis
in metres. Nothing says which way is up.

Where the published loader goes on in silence, this one stops or says so: fewer files than frames are an error (it gave
all frames the identity as pose), a mask of another size is left out with a note, and a sky mask follows the crops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ....cameras import Camera, rigid_transform
from ....errors import BenchDataError
from ....images import load_image
from ..files import files_in, picture_suffixes, read_array, read_json, validated
from .depth_files import DepthMap, read_depth_map, read_grey
from .index import IndexEntry, scene_folder
from .resizing import Frame, resized
from .tables import DATASETS, DatasetRules, Resolution, size_for

__all__ = ["BenchFrames", "load_frames"]

_NOT_FRAMES = frozenset({"K_rect.npy", "K_distorted.npy", "distortion_coeffs.npy", "intrinsic.npy"})
_MOST_FRAMES = 10_000
_SCANNETPP = "scannetpp"


class _Flip(BaseModel):
    basename: str
    flip_lr: bool = False
    flip_ud: bool = False


class _Meta(BaseModel):
    depth_format: str = "none"
    intrinsic_mode: str = "shared"
    pose: str | None = None
    metric_scale: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    pyrep_flip: list[_Flip] = []
    image_state: str | None = None


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
    reader = _Reader(scene_folder(root, entry), entry, rules)
    wanted = list(range(len(entry.frame_indices)) if numbers is None else numbers)
    if not wanted or min(wanted) < 0 or max(wanted) >= len(entry.frame_indices) or len(wanted) > _MOST_FRAMES:
        raise BenchDataError(f"{entry.scene_id}: frames must be 1 to {_MOST_FRAMES} of its {len(entry.frame_indices)}")
    first = load_image(reader.pictures[0]).image_srgb_u8
    width, height = size_for(resolution or rules.resolution, first.shape[1], first.shape[0])
    frames = [resized(reader.frame(number), width, height) for number in wanted]
    skies = [frame.sky for frame in frames if frame.sky is not None]
    depth = np.stack([frame.depth_m for frame in frames])
    return BenchFrames(
        entry=entry,
        names=tuple(reader.pictures[number].name for number in wanted),
        image_srgb_u8=np.stack([frame.image_srgb_u8 for frame in frames]),
        depth_m=np.where(depth > 0, depth, np.float32(np.nan)),
        world_from_camera=np.stack([reader.pose(number) for number in wanted]),
        K=np.stack([frame.K for frame in frames]),
        sky=np.stack(skies) if len(skies) == len(frames) else None,
        has_poses=reader.has_poses,
        notes=tuple(dict.fromkeys(reader.notes)),
    )


class _Reader:
    """The files of one scene; pairs are made by position."""

    def __init__(self, folder: Path, entry: IndexEntry, rules: DatasetRules) -> None:
        self.notes: list[str] = []
        self._folder, self._rules, self._count = folder, rules, len(entry.frame_indices)
        self._plain = entry.source_dataset == _SCANNETPP
        meta = folder / "meta.json"
        self._meta = validated(_Meta, read_json(meta), str(meta)) if meta.is_file() else _Meta()
        self._flips = {flip.basename: flip for flip in self._meta.pyrep_flip}
        self.has_poses = self._meta.pose != "none"
        self.pictures = self._enough(files_in(folder / "images", picture_suffixes), "images")
        self._depths = self._enough(_any_files(folder / "depths"), "depths") if self._has_depth else []
        self._poses = self._enough(files_in(folder / "poses", (".npy",)), "poses") if self.has_poses else []
        shared = self._meta.intrinsic_mode == "shared" or self._plain
        own = [file for file in files_in(folder / "intrinsics", (".npy",)) if file.name not in _NOT_FRAMES]
        self._intrinsics = [] if shared else self._enough(own, "intrinsics")

    @property
    def _has_depth(self) -> bool:
        return self._meta.depth_format != "none"

    def _enough(self, files: list[Path], what: str) -> list[Path]:
        if len(files) < self._count:
            raise BenchDataError(f"{self._folder}: {len(files)} files in {what} for {self._count} frames of the index")
        if len(files) > self._count:
            self.notes.append(
                f"{what} holds {len(files)} files, the index has {self._count} frames: the first are taken"
            )
        return files

    def frame(self, number: int) -> Frame:
        """A frame of the files' own size."""
        image = np.ascontiguousarray(load_image(self.pictures[number]).image_srgb_u8)
        depth, sky = self._depth(number, image.shape[:2])
        if not self._plain:
            depth = self._masked(number, depth)
        depth = np.where(depth > self._rules.far_m, np.float32(0), depth)
        if not self._plain:
            sky = self._sky(number, depth, sky)
            if sky is not None:
                depth = np.where(sky, np.float32(0), depth)
        frame = Frame(image_srgb_u8=image, depth_m=depth, sky=None if self._plain else sky, K=self._matrix(number))
        return self._as_the_dataset_wants(self._flipped(frame, self.pictures[number].stem))

    def pose(self, number: int) -> NDArray[np.float64]:
        """(4, 4) camera-to-world."""
        if not self.has_poses:
            return np.eye(4)
        stored = read_array(self._poses[number])
        if stored.shape not in ((3, 4), (4, 4)):
            raise BenchDataError(f"{self._poses[number]}: a pose must be (3, 4) or (4, 4), got {stored.shape}")
        try:
            return rigid_transform(np.vstack([stored[:3], [0, 0, 0, 1]]), "the pose")
        except BenchDataError as error:
            raise BenchDataError(f"{self._poses[number]}: {error}") from error

    def _depth(self, number: int, size: tuple[int, ...]) -> DepthMap:
        if not self._has_depth:
            return DepthMap(np.zeros(size, dtype=np.float32), None)
        file = self._depths[number]
        depth, sky = read_depth_map(file, self._meta.depth_format, metric_scale=self._meta.metric_scale)
        if depth.shape != size:
            raise BenchDataError(f"{file}: its size is {depth.shape}, that of {self.pictures[number].name} {size}")
        return DepthMap(depth, sky)

    def _masked(self, number: int, depth: NDArray[np.float32]) -> NDArray[np.float32]:
        names = ["depth_masks", "aliasing_masks"] if self._rules.uses_aliasing_masks else ["depth_masks"]
        for name in names:
            mask = self._mask(name, number, depth.shape)
            if mask is not None:
                depth = np.where(mask == 0, np.float32(0), depth)
        confidence = self._mask("conf_masks", number, depth.shape)
        if confidence is not None:
            full = 255.0 if confidence.dtype == np.uint8 else 65535.0
            sure = confidence.astype(np.float32) / np.float32(full) >= np.float32(self._rules.least_confidence)
            depth = np.where(sure, depth, np.float32(0))
        return depth

    def _mask(self, name: str, number: int, size: tuple[int, ...]) -> NDArray[np.generic] | None:
        files = files_in(self._folder / name, (".png",))
        if not files:
            return None
        if len(files) < self._count:
            raise BenchDataError(f"{self._folder / name}: {len(files)} masks for {self._count} frames")
        mask = read_grey(files[number])
        if mask.shape != size:
            self.notes.append(f"{name} are {mask.shape[1]}x{mask.shape[0]}, depth is {size[1]}x{size[0]}: left out")
            return None
        return mask

    def _sky(
        self, number: int, depth: NDArray[np.float32], decoded: NDArray[np.bool_] | None
    ) -> NDArray[np.bool_] | None:
        mask = self._mask("sky_masks", number, depth.shape)
        return decoded if mask is None else np.asarray(mask != 0)

    def _matrix(self, number: int) -> NDArray[np.float64]:
        file = self._intrinsics[number] if self._intrinsics else self._folder / "intrinsics" / "intrinsic.npy"
        K = read_array(file)
        if K.shape != (3, 3) or not np.isfinite(K).all() or not (K[0, 0] > 0 and K[1, 1] > 0):
            raise BenchDataError(f"{file}: an intrinsic matrix is (3, 3), finite, with focal lengths above 0")
        return K

    def _flipped(self, frame: Frame, stem: str) -> Frame:
        """RLBench's mirrored frames, as ``pyrep_flip`` lists them."""
        flip = self._flips.get(stem)
        if flip is None:
            return frame
        height, width = frame.depth_m.shape
        K = frame.K.copy()
        turn = (slice(None, None, -1 if flip.flip_ud else 1), slice(None, None, -1 if flip.flip_lr else 1))
        if flip.flip_lr:
            K[0, 2] = width - 1 - K[0, 2]
        if flip.flip_ud:
            K[1, 2] = height - 1 - K[1, 2]
        return Frame(
            image_srgb_u8=frame.image_srgb_u8[turn],
            depth_m=frame.depth_m[turn],
            sky=None if frame.sky is None else frame.sky[turn],
            K=K,
        )

    def _as_the_dataset_wants(self, frame: Frame) -> Frame:
        if self._rules.drops_farthest_fifth:
            far = np.percentile(frame.depth_m, 80)
            frame = replace(frame, depth_m=np.where(frame.depth_m > far, np.float32(0), frame.depth_m))
        if self._plain and self._meta.image_state == "distorted_original":
            frame = replace(frame, image_srgb_u8=self._undistorted(frame))
        return frame

    def _undistorted(self, frame: Frame) -> NDArray[np.uint8]:
        import cv2

        folder = self._folder / "intrinsics"
        before, bend = read_array(folder / "K_distorted.npy"), read_array(folder / "distortion_coeffs.npy")
        if before.shape != (3, 3) or bend.size not in (4, 5, 8) or not np.isfinite(bend).all():
            raise BenchDataError(f"{folder}: K_distorted must be (3, 3), distortion_coeffs 4, 5 or 8 finite numbers")
        height, width = frame.depth_m.shape
        maps = cv2.initUndistortRectifyMap(before, bend.ravel(), np.eye(3), frame.K, (width, height), cv2.CV_16SC2)
        return np.asarray(cv2.remap(frame.image_srgb_u8, *maps, cv2.INTER_LINEAR), dtype=np.uint8)


def _any_files(folder: Path) -> list[Path]:
    """The files of a folder, whatever their ending, but no hidden ones."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
