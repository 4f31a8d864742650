"""Voxel-coverage density sampling: nested sets of the frames of a recording, chosen without chance."""

from .candidates import CandidateFrame
from .greedy import Coverage, SetPick, greedy_coverage
from .sampling import differences, sample_densities
from .selection import SAMPLER_VERSION, DensityParameters, DensitySelection, DroppedFrame, Pick

__all__ = [
    "SAMPLER_VERSION",
    "CandidateFrame",
    "Coverage",
    "DensityParameters",
    "DensitySelection",
    "DroppedFrame",
    "Pick",
    "SetPick",
    "differences",
    "greedy_coverage",
    "sample_densities",
]
