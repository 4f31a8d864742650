"""Geometry metrics as SpatialBench uses them: depth, relative poses, trajectories, point clouds.

Poses are ``world_from_camera`` with OpenCV axes (x right, y down, z forward), depth is z in metres, NaN or 0 invalid.
"""

from .alignment import Similarity, fit_similarity
from .auc import pose_auc
from .cloud import CloudScores, CloudStatus, cloud_scores, voxel_average
from .depth import depth_errors
from .depth_alignment import DepthAlignment
from .depth_published import spatialbench_depth_errors
from .pairwise import PairFrame, PairwisePoseErrors, pairwise_pose_errors
from .poses import relative_to_first, rotation_angle_deg
from .trajectory import TrajectoryAlignment, TrajectoryErrors, TrajectoryStatus, trajectory_errors
from .visibility import points_seen_by

__all__ = [
    "CloudScores",
    "CloudStatus",
    "DepthAlignment",
    "PairFrame",
    "PairwisePoseErrors",
    "Similarity",
    "TrajectoryAlignment",
    "TrajectoryErrors",
    "TrajectoryStatus",
    "cloud_scores",
    "depth_errors",
    "fit_similarity",
    "pairwise_pose_errors",
    "points_seen_by",
    "pose_auc",
    "relative_to_first",
    "rotation_angle_deg",
    "spatialbench_depth_errors",
    "trajectory_errors",
    "voxel_average",
]
