"""What views of a scene show: visibility of objects, co-visibility, pairs of views, and sets of views by density."""

from .baselines import angles_rad, distances_m, largest_euler_rad, pose_distances, poses_of
from .co_visibility import PUBLISHED_RULE, MatchRule, co_visibility, matched_pixels, symmetric
from .observation import InstanceView, Observation, Observer, observe
from .pairs import PairLimits, ViewPair, eligible_pairs, sample_pairs
from .posed_depth import PosedDepth

__all__ = [
    "PUBLISHED_RULE",
    "InstanceView",
    "MatchRule",
    "Observation",
    "Observer",
    "PairLimits",
    "PosedDepth",
    "ViewPair",
    "angles_rad",
    "co_visibility",
    "distances_m",
    "eligible_pairs",
    "largest_euler_rad",
    "matched_pixels",
    "observe",
    "pose_distances",
    "poses_of",
    "sample_pairs",
    "symmetric",
]
