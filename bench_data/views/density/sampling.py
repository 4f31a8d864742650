"""sample_densities: single, sparse, medium and dense sets of the frames of a recording, each within the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...errors import BenchDataError
from .candidates import CandidateFrame, Candidates, read_candidates
from .levels import choose_dense, choose_medium, choose_sparse
from .selection import SAMPLER_VERSION, DensityParameters, DensitySelection, DroppedFrame, Pick
from .voxels import points_in_first_camera, voxel_sets

__all__ = ["differences", "sample_densities"]


def sample_densities(frames: Iterable[CandidateFrame], parameters: DensityParameters | None = None) -> DensitySelection:
    """Chooses frames by which voxels of the scene they see; nothing is random.

    * single: the frame that sees most of what any two frames see.
    * sparse (4 to 15 frames): greedily those that add most, each overlapping with what is covered.
    * medium (10 to 200): further ones on larger voxels, and such as join neighbours that share too little.
    * dense: the recording without the frames of a camera that stands still.

    The published benchmark asks for this but holds no such code, and its sets are not nested.

    Args:
        frames: in the order of time; read once, so they may come from a generator.
        parameters: all numbers; None for the defaults.

    Raises:
        BenchDataError: no frame can be used, or a point is too far away for the size of the voxels.
    """
    parameters = parameters or DensityParameters()
    candidates = read_candidates(frames, stride_px=parameters.stride_px, least_known_share=parameters.least_known_share)
    if not candidates.kept:
        raise BenchDataError(f"none of {candidates.total} frames can be used{_first_reasons(candidates)}")
    median_depth_m = float(np.median([one.median_depth_m for one in candidates.kept]))
    voxel_m = max(parameters.least_voxel_m, round(parameters.voxel_share * median_depth_m, 3))
    points = points_in_first_camera(candidates.kept)
    poses = np.stack([one.world_from_camera for one in candidates.kept])
    sparse = choose_sparse(voxel_sets(points, voxel_m), poses, parameters)
    medium = choose_medium(voxel_sets(points, 2 * voxel_m), sparse.chosen, parameters)
    all_medium = [*sparse.chosen, *medium.chosen]
    dense = choose_dense(poses, all_medium, median_depth_m, parameters)

    def numbers(places: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(candidates.kept[place].frame for place in places))

    def numbered(log: Sequence[Pick]) -> tuple[Pick, ...]:
        return tuple(pick.model_copy(update={"frame": candidates.kept[pick.frame].frame}) for pick in log)

    return DensitySelection(
        version=SAMPLER_VERSION,
        parameters=parameters,
        inputs_sha256=candidates.inputs_sha256,
        frames=candidates.total,
        dropped=tuple(DroppedFrame(frame=frame, reason=reason) for frame, reason in candidates.dropped),
        median_depth_m=median_depth_m,
        voxel_m=voxel_m,
        total_weight=sparse.total_weight,
        medium_total_weight=medium.total_weight,
        overlap_floor_percent=sparse.overlap_floor_percent,
        sparse_log=numbered(sparse.log),
        medium_log=numbered(medium.log),
        single=numbers(sparse.chosen[:1]),
        sparse=numbers(sparse.chosen),
        medium=numbers(all_medium),
        dense=None if dense is None else numbers(dense),
    )


def differences(selection: DensitySelection, frames: Iterable[CandidateFrame]) -> list[str]:
    """Chooses again from the frames and says in which fields a stored selection differs; nothing when it holds.

    Raises:
        BenchDataError: another version of the sampler made it, or see `sample_densities`.
    """
    if selection.version != SAMPLER_VERSION:
        raise BenchDataError(
            f"the selection was made by sampler {selection.version}, this is {SAMPLER_VERSION}; choose again with it"
        )
    again = sample_densities(frames, selection.parameters)
    return [
        f"{name}: stored {_short(getattr(selection, name))}, chosen again {_short(getattr(again, name))}"
        for name in DensitySelection.model_fields
        if getattr(selection, name) != getattr(again, name)
    ]


def _first_reasons(candidates: Candidates) -> str:
    return "".join(f"; frame {frame}: {reason}" for frame, reason in candidates.dropped[:3])


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
