"""Relative poses of all pairs of frames: rotation and translation-direction error, and accuracies made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError
from .poses import PoseArray, checked_poses, relative_to_first

__all__ = ["PairFrame", "PairwisePoseErrors", "pairwise_pose_errors"]

PairFrame = Literal["camera", "world", "first_camera"]


@dataclass(frozen=True, eq=False)
class PairwisePoseErrors:
    """Errors of the P = N (N - 1) / 2 pairs i < j, in the order (0, 1), (0, 2), ..., (N - 2, N - 1).

    Args:
        rotation_deg: (P,) in [0, 180]; infinity where a predicted pose of the pair is missing.
        translation_deg: (P,) angle between the directions of translation; infinity likewise; NaN where the true
            cameras stand in one spot, so that there is no direction to hit.
        degenerate: (P,) bool, those pairs.
        n_poses, n_valid: frames, and frames with a finite predicted pose.
    """

    rotation_deg: NDArray[np.float64]
    translation_deg: NDArray[np.float64]
    degenerate: NDArray[np.bool_]
    n_poses: int
    n_valid: int

    @property
    def combined_deg(self) -> NDArray[np.float64]:
        """(P,) the larger of both errors, which ``pose_auc`` takes; a degenerate pair is judged by rotation alone."""
        return np.where(self.degenerate, self.rotation_deg, np.maximum(self.rotation_deg, self.translation_deg))

    def rotation_accuracy(self, threshold_deg: float) -> float:
        """RRA: share of pairs with a rotation error below the threshold. Range: [0, 1]; higher is better."""
        return float(np.mean(self.rotation_deg < threshold_deg))

    def translation_accuracy(self, threshold_deg: float) -> float | None:
        """RTA: the same of the translation over pairs with a direction; None if no pair has one.

        Range: [0, 1]; higher is better.
        """
        measured = self.translation_deg[~self.degenerate]
        return float(np.mean(measured < threshold_deg)) if measured.size else None


def pairwise_pose_errors(
    predicted: ArrayLike,
    truth: ArrayLike,
    *,
    frame: PairFrame = "camera",
    signed_translation: bool = False,
    min_baseline_m: float = 1e-4,
) -> PairwisePoseErrors:
    """Rotation and translation-direction errors of every pair of frames.

    Range: rotation [0, 180] degrees, translation [0, 90] ([0, 180] if signed); lower is better.

    With ``frame="camera"`` the motion from camera i to camera j is written in the axes of camera i, so neither the
    choice of world frame nor the scale of the prediction matters.

    Args:
        predicted: (N, 3, 4) or (N, 4, 4) camera-to-world; frames that failed hold NaN or infinity.
        truth: the same shape rules and number, N at least 2, all finite.
        frame: ``"world"`` writes the motion in world axes as SpatialBench's scorer does; an exact prediction in
            another world frame then fails. ``"first_camera"`` does so after moving both into their first camera.
        signed_translation: the usual rule counts a direction and its opposite as one; True tells them apart, and only
            then is a trajectory that runs backwards an error.
        min_baseline_m: true cameras nearer than this have no direction (``degenerate``).

    >>> truth = np.tile(np.eye(4), (3, 1, 1))
    >>> truth[:, :3, 3] = [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    >>> turn = np.array([[0.0, -1, 0, 7], [1, 0, 0, 8], [0, 0, 1, 9], [0, 0, 0, 1]])
    >>> errors = pairwise_pose_errors(turn @ truth, truth)
    >>> errors.combined_deg.tolist()
    [0.0, 0.0, 0.0]

    Raises:
        DiagnosticsError: wrong shapes or numbers of poses, fewer than two, a true pose that is not finite, or a pose
            that is no rotation.
    """
    true_poses, poses = _checked_trajectories(predicted, truth, frame)
    if frame == "camera":
        true_axes, axes = true_poses.rotation.transpose(0, 2, 1), poses.rotation.transpose(0, 2, 1)
        true_points, points = true_poses.centre_m, poses.centre_m
    else:
        true_axes, axes = true_poses.rotation, poses.rotation
        true_points, points = _world_axis_points(true_poses), _world_axis_points(poses)
    first, second = np.triu_indices(len(poses), k=1)
    failed = ~(poses.valid[first] & poses.valid[second])
    rotation_deg = _relative_rotation_deg(true_axes, axes, first, second)
    translation_deg, baseline = _direction_deg(true_axes, true_points, axes, points, signed=signed_translation)
    degenerate = baseline < min_baseline_m
    translation_deg[degenerate] = np.nan
    rotation_deg[failed] = np.inf
    translation_deg[failed & ~degenerate] = np.inf
    return PairwisePoseErrors(rotation_deg, translation_deg, degenerate, len(poses), int(poses.valid.sum()))


def _checked_trajectories(predicted: ArrayLike, truth: ArrayLike, frame: PairFrame) -> tuple[PoseArray, PoseArray]:
    """The true and the predicted poses, failed ones replaced by the identity so that no NaN spreads."""
    if frame not in ("camera", "world", "first_camera"):
        raise DiagnosticsError(
            f'pairwise_pose_errors: unknown frame {frame!r}; use "camera", "world" or "first_camera"'
        )
    true_poses = checked_poses(truth, name="true", may_fail=False)
    poses = checked_poses(predicted, name="predicted", may_fail=True)
    if len(poses) != len(true_poses) or len(poses) < 2:
        raise DiagnosticsError(
            f"pairwise_pose_errors: {len(poses)} predicted poses for {len(true_poses)} true ones; it needs one a "
            "frame (NaN for frames that failed) and at least two frames"
        )
    rotation = np.where(poses.valid[:, None, None], poses.rotation, np.eye(3))
    centre_m = np.where(poses.valid[:, None], poses.centre_m, 0.0)
    if frame == "first_camera":
        true_poses = checked_poses(relative_to_first(truth), name="true", may_fail=False)
        moved = checked_poses(
            relative_to_first(np.concatenate([rotation, centre_m[:, :, None]], axis=2)), name="predicted", may_fail=True
        )
        rotation, centre_m = moved.rotation, moved.centre_m
        if not poses.valid[0]:
            # Without its first camera the prediction has no frame to be compared in.
            return true_poses, PoseArray(rotation, centre_m, np.zeros_like(poses.valid))
    return true_poses, PoseArray(rotation, centre_m, poses.valid)


def _world_axis_points(poses: PoseArray) -> NDArray[np.float64]:
    """Points a with ``R_i (a_j - a_i)`` = the translation of ``C_i C_j^-1``, the motion in world axes."""
    points: NDArray[np.float64] = -np.einsum("nji,nj->ni", poses.rotation, poses.centre_m)
    return points


def _relative_rotation_deg(
    true_axes: NDArray[np.float64],
    axes: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Angle between the relative rotations of both trajectories, for all pairs.

    With A the axes (rotations, true T and predicted P), the error rotation of a pair is conjugate to ``D_i D_jᵀ`` for
    ``D_i = T_iᵀ P_i``. So one unit quaternion a frame is enough: the angle is four times the arcsine of half the chord
    between two of them, which keeps full precision for tiny angles.
    """
    from scipy.spatial.transform import Rotation

    quaternion = Rotation.from_matrix(true_axes.transpose(0, 2, 1) @ axes).as_quat()
    one, other = quaternion[first], quaternion[second]
    other *= np.where(np.einsum("pk,pk->p", one, other) < 0, -1.0, 1.0)[:, None]
    other -= one
    half_chord = np.sqrt(np.einsum("pk,pk->p", other, other)) / 2
    angle: NDArray[np.float64] = np.degrees(4 * np.arcsin(np.minimum(half_chord, 1.0)))
    return angle


def _direction_deg(
    true_axes: NDArray[np.float64],
    true_points: NDArray[np.float64],
    axes: NDArray[np.float64],
    points: NDArray[np.float64],
    *,
    signed: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angle (P,) between true and predicted translation, 90 degrees where the prediction has none; true baseline (P,).

    The true translation of the pair is turned into the axes of the predicted one by ``A_iᵀ T_i``.
    """
    x, y, z = _pair_steps(true_points, axes.transpose(0, 2, 1) @ true_axes)
    u, v, w = _pair_steps(points, None)
    sine = np.sqrt((y * w - z * v) ** 2 + (z * u - x * w) ** 2 + (x * v - y * u) ** 2)
    cosine = x * u + y * v + z * w
    angle = np.degrees(np.arctan2(sine, cosine if signed else np.abs(cosine)))
    angle[(u == 0) & (v == 0) & (w == 0)] = 90.0
    return angle, np.sqrt(x * x + y * y + z * z)


def _pair_steps(points: NDArray[np.float64], turn: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """(3, P) ``point_j - point_i``, turned by ``turn_i`` (N, 3, 3)."""
    n = len(points)
    columns = np.ascontiguousarray(points.T)
    steps = np.empty((3, n * (n - 1) // 2))
    end = 0
    for i in range(n - 1):
        start, end = end, end + n - 1 - i
        step = columns[:, i + 1 :] - columns[:, i : i + 1]
        steps[:, start:end] = step if turn is None else turn[i] @ step
    return steps
