"""The sets of frames, level by level. Frames are numbered by their place among the candidates here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..baselines import pose_distances
from .greedy import Coverage, greedy_coverage
from .selection import DensityParameters, Pick
from .voxels import VoxelSets

__all__ = ["Level", "choose_dense", "choose_medium", "choose_sparse", "voxel_weights"]

_DIGITS = 9
"""Distances and overlaps are rounded to so many digits before they are compared."""


class Level(NamedTuple):
    """A set of frames and how it came about."""

    log: tuple[Pick, ...]
    total_weight: int
    overlap_floor_percent: int

    @property
    def chosen(self) -> list[int]:
        """In the order in which they were chosen."""
        return [pick.frame for pick in self.log]


def voxel_weights(voxels: VoxelSets, parameters: DensityParameters) -> NDArray[np.int64]:
    """(voxels,) whole numbers. Where no voxel is seen twice, all count, as there would be nothing to choose by."""
    equal = np.ones(len(voxels.seen_by), np.int64)
    if parameters.weights == "equal" or len(voxels.sets) < 2:
        return equal
    twice = (voxels.seen_by >= 2).astype(np.int64)
    return twice if twice.any() else equal


def choose_sparse(voxels: VoxelSets, poses: NDArray[np.float64], parameters: DensityParameters) -> Level:
    """Greedy coverage with overlap; the first pick is the single frame.

    Args:
        voxels: of N frames.
        poses: (N, 4, 4) camera-to-world.
        parameters: the sampler's.
    """
    count = len(poses)
    least = min(parameters.sparse_least, count)
    most = min(parameters.sparse_most, max(parameters.sparse_least, count // 4))
    weights = voxel_weights(voxels, parameters)
    coverage = greedy_coverage(
        voxels.sets,
        weights,
        most=most,
        least=least,
        stop_percent=parameters.sparse_stop_percent,
        overlap_floors_percent=parameters.overlap_floors_percent,
    )
    log = _picks(coverage)
    if not log:  # no frame has a voxel on the grid
        log = [Pick(frame=0, gain=0, covered=0, reason="farthest_pose")]
    if len(log) < least:
        apart = pose_distances(poses, per_metre=parameters.pose_distance_per_metre).round(_DIGITS)
        while len(log) < least:
            nearest = apart[:, [pick.frame for pick in log]].min(axis=1)
            nearest[[pick.frame for pick in log]] = -1
            farthest = int(np.argmax(nearest))  # the lowest number of equals
            log.append(Pick(frame=farthest, gain=0, covered=log[-1].covered, reason="farthest_pose"))
    return Level(tuple(log), coverage.total, coverage.overlap_floor_percent)


def choose_medium(voxels: VoxelSets, sparse: Sequence[int], parameters: DensityParameters) -> Level:
    """Coverage of large voxels from the sparse frames on; then neighbours are joined, and gaps halved.

    Args:
        voxels: large ones, of N frames.
        sparse: frames to begin with.
        parameters: the sampler's.
    """
    count = len(voxels.sets)
    weights = voxel_weights(voxels, parameters)
    coverage = greedy_coverage(
        voxels.sets,
        weights,
        most=min(parameters.medium_most, max(parameters.medium_least, 3 * count // 10)),
        least=parameters.medium_least,
        stop_percent=parameters.medium_stop_percent,
        seeds=sparse,
    )
    log = _picks(coverage)
    chosen = sorted([*sparse, *(pick.frame for pick in log)])
    joining = _joining_frames(voxels, chosen, parameters)
    chosen = sorted([*chosen, *joining])
    filling = _filling_frames(chosen, count, parameters.medium_least)
    for frames, reason in ((joining, "overlap"), (filling, "time")):
        log += [Pick.model_validate({"frame": frame, "gain": 0, "covered": 0, "reason": reason}) for frame in frames]
    return Level(_with_gains(log, voxels, weights, sparse), coverage.total, 0)


def choose_dense(
    poses: NDArray[np.float64], medium: Sequence[int], median_depth_m: float, parameters: DensityParameters
) -> list[int] | None:
    """All frames but those of a camera that stands still; None for a short recording.

    Args:
        poses: (N, 4, 4) camera-to-world, in the order of time.
        medium: frames that stay in any case.
        median_depth_m: what movement is measured by.
        parameters: the sampler's.
    """
    count = len(poses)
    if count < parameters.dense_least_frames:
        return None
    always = {0, count - 1, *medium}
    kept: list[int] = []
    for frame in range(count):
        if frame in always or _has_moved(poses, kept[-1], frame, median_depth_m, parameters):
            kept.append(frame)
    if len(kept) > parameters.dense_most:
        kept = sorted({*kept[:: math.ceil(len(kept) / parameters.dense_most)], *medium})
    return kept


def _has_moved(
    poses: NDArray[np.float64], last: int, frame: int, median_depth_m: float, parameters: DensityParameters
) -> bool:
    if frame - last >= parameters.dense_longest_gap:
        return True
    moved_m = float(np.linalg.norm(poses[frame, :3, 3] - poses[last, :3, 3]))
    if moved_m > parameters.dense_move_share * median_depth_m:
        return True
    chord = float(np.linalg.norm(poses[frame, :3, :3] - poses[last, :3, :3])) / (2 * math.sqrt(2))
    return math.degrees(2 * math.asin(min(chord, 1.0))) > parameters.dense_turn_deg


def _joining_frames(voxels: VoxelSets, chosen: Sequence[int], parameters: DensityParameters) -> list[int]:
    """Frames between neighbours that share too little, in the order in which they are inserted, from left to right.

    After an insertion its left pair is looked at again, so that a wide gap is filled by several.
    """
    overlaps = _Overlaps(voxels)
    line, inserted, place = list(chosen), list[int](), 0
    while place + 1 < len(line) and len(line) < parameters.medium_repaired_most:
        left, right = line[place], line[place + 1]
        now = overlaps.of(left, right)
        best = overlaps.best_between(left, right) if now < parameters.medium_overlap else None
        if best is None or best[0] <= now:
            place += 1
        else:
            line.insert(place + 1, best[1])
            inserted.append(best[1])
    return inserted


def _filling_frames(chosen: Sequence[int], count: int, least: int) -> list[int]:
    """Frames that halve the longest gap in time, until there are enough; then those before and after all."""
    line, inserted = list(chosen), list[int]()
    while len(line) < min(least, count):
        gaps = np.diff(line)
        longest = int(np.argmax(gaps)) if gaps.size else 0
        if gaps.size and gaps[longest] > 1:
            frame = (line[longest] + line[longest + 1]) // 2
        else:  # they are all neighbours: go as far away as there is room, to the front first
            frame = 0 if line[0] >= count - 1 - line[-1] else count - 1
        inserted.append(frame)
        line = sorted([*line, frame])
    return inserted


class _Overlaps:
    """Shares of voxels that two frames have in common, by the smaller of the two."""

    def __init__(self, voxels: VoxelSets) -> None:
        self._sets = voxels.sets
        self._mark = np.zeros(len(voxels.seen_by), np.bool_)

    def of(self, one: int, other: int) -> float:
        return float(self._with(one, [other])[0])

    def best_between(self, left: int, right: int) -> tuple[float, int] | None:
        """(overlap, frame) of the frame in between that shares most with both; None when there is none."""
        between = range(left + 1, right)
        if not between:
            return None
        smaller = np.minimum(self._with(left, between), self._with(right, between))
        middle = (left + right) / 2
        key = min((-share, abs(frame - middle), frame) for share, frame in zip(smaller.tolist(), between, strict=True))
        return -key[0], key[2]

    def _with(self, one: int, others: Sequence[int]) -> NDArray[np.float64]:
        """(N,) overlaps of one frame with others."""
        own = self._sets[one]
        self._mark[own] = True
        shares = []
        for other in others:
            theirs = self._sets[other]
            smaller = min(len(own), len(theirs))
            shares.append(np.count_nonzero(self._mark[theirs]) / smaller if smaller else 0.0)
        self._mark[own] = False
        return np.array(shares).round(_DIGITS)


def _picks(coverage: Coverage) -> list[Pick]:
    return [Pick(frame=p.number, gain=p.gain, covered=p.covered, reason="coverage") for p in coverage.picks]


def _with_gains(
    log: Sequence[Pick], voxels: VoxelSets, weights: NDArray[np.int64], seeds: Sequence[int]
) -> tuple[Pick, ...]:
    """The steps with what each adds after the seeds and the steps before it."""
    covered = np.zeros(len(weights), np.bool_)
    for seed in seeds:
        covered[voxels.sets[seed]] = True
    weight, counted = int(weights[covered].sum()), []
    for pick in log:
        own = voxels.sets[pick.frame]
        gain = int(weights[own[~covered[own]]].sum())
        covered[own] = True
        weight += gain
        counted.append(pick.model_copy(update={"gain": gain, "covered": weight}))
    return tuple(counted)
