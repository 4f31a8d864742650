"""What the sampler was asked for, and what it chose, in a form that can be stored and checked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["SAMPLER_VERSION", "DensityParameters", "DensitySelection", "DroppedFrame", "Pick"]

SAMPLER_VERSION = "voxel-coverage-1"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class DensityParameters(_Frozen):
    """All numbers of the sampler.

    Args:
        stride_px: grid on which depth is read.
        voxel_share, least_voxel_m: the side of a voxel is this share of the median depth, at least so many metres.
        least_known_share: frames with depth in fewer pixels are dropped.
        weights: "seen_twice": voxels that one frame alone sees count nothing, as nothing can be matched there and much
            of it is noise; "equal": all count the same.
        overlap_floors_percent: how much of a further sparse frame must be covered already; each holds until no frame
            reaches it.
        sparse_least, sparse_most, sparse_stop_percent: sizes of the sparse set, and the share of the weight that is
            enough. It has at most a quarter of the frames, if that is more than ``sparse_least``.
        medium_least, medium_most, medium_stop_percent: of the medium set, on voxels of twice the side. It is filled up
            to 0.3 of the frames.
        medium_overlap, medium_repaired_most: neighbours in time shall share this much; frames are inserted between them
            until the set has so many.
        dense_least_frames: recordings shorter than this have no dense set.
        dense_move_share, dense_turn_deg, dense_longest_gap: a frame is kept when the camera has moved by this share of
            the median depth, turned by so much, or passed so many frames, since the last kept one.
        dense_most: longer dense sets are thinned evenly.
        pose_distance_per_metre: metres against half turns when the next frame is the farthest pose.
    """

    stride_px: int = Field(4, ge=1)
    voxel_share: float = Field(0.05, gt=0)
    least_voxel_m: float = Field(0.01, gt=0)
    least_known_share: float = Field(0.05, ge=0, le=1)
    weights: Literal["seen_twice", "equal"] = "seen_twice"
    overlap_floors_percent: tuple[int, ...] = (10, 5, 1, 0)
    sparse_least: int = Field(4, ge=1)
    sparse_most: int = Field(15, ge=1)
    sparse_stop_percent: int = Field(90, ge=0, le=100)
    medium_least: int = Field(10, ge=1)
    medium_most: int = Field(100, ge=1)
    medium_stop_percent: int = Field(98, ge=0, le=100)
    medium_overlap: float = Field(0.3, ge=0, le=1)
    medium_repaired_most: int = Field(200, ge=1)
    dense_least_frames: int = Field(100, ge=1)
    dense_move_share: float = Field(0.005, ge=0)
    dense_turn_deg: float = Field(0.25, ge=0)
    dense_longest_gap: int = Field(10, ge=1)
    dense_most: int = Field(1800, ge=1)
    pose_distance_per_metre: float = Field(1.0, ge=0)


class Pick(_Frozen):
    """One step of the choice.

    Args:
        frame: which was taken.
        gain: weight of the voxels that it added.
        covered: weight of all that are covered since.
        reason: "coverage" (largest gain), "farthest_pose" (nothing gains), "overlap" (put between two neighbours that
            share too little), or "time" (put into the longest gap of a set that is too small).
    """

    frame: int
    gain: int
    covered: int
    reason: Literal["coverage", "farthest_pose", "overlap", "time"]


class DroppedFrame(_Frozen):
    """A frame that was not used, and why."""

    frame: int
    reason: str


class DensitySelection(_Frozen):
    """Sets of frames by density, each within the next, with all that is needed to choose them again.

    Args:
        version: of the sampler.
        parameters: as given.
        inputs_sha256: of all depths, lenses and poses.
        frames: how many the recording has.
        dropped: those that could not be used; the others are the candidates.
        median_depth_m: median over the candidates of their median depth.
        voxel_m: side of a voxel; those of the medium set have twice this side.
        total_weight, medium_total_weight: of all voxels of either size.
        overlap_floor_percent: the overlap that the sparse frames had to have at the end.
        sparse_log, medium_log: steps in order; ``covered`` counts small voxels in the first, large ones in the second.
        single, sparse, medium: frame numbers, ascending.
        dense: the same; None when the recording is too short.
    """

    version: str = SAMPLER_VERSION
    parameters: DensityParameters
    inputs_sha256: str
    frames: int
    dropped: tuple[DroppedFrame, ...]
    median_depth_m: float
    voxel_m: float
    total_weight: int
    medium_total_weight: int
    overlap_floor_percent: int
    sparse_log: tuple[Pick, ...]
    medium_log: tuple[Pick, ...]
    single: tuple[int, ...]
    sparse: tuple[int, ...]
    medium: tuple[int, ...]
    dense: tuple[int, ...] | None

    @property
    def levels(self) -> dict[str, tuple[int, ...]]:
        """The sets by name, from the smallest to the largest."""
        sets = {"single": self.single, "sparse": self.sparse, "medium": self.medium}
        return sets if self.dense is None else {**sets, "dense": self.dense}
