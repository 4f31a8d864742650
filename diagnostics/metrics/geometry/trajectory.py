"""Trajectories: absolute and relative pose error after none, rigid or similarity alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError
from .alignment import Similarity, fit_similarity, point_spread, spans_a_line_only
from .poses import PoseArray, checked_poses, rotation_angle_deg

__all__ = ["TrajectoryAlignment", "TrajectoryErrors", "TrajectoryStatus", "trajectory_errors"]

TrajectoryAlignment = Literal["none", "se3", "sim3"]
TrajectoryStatus = Literal["ok", "collinear", "prediction_static", "truth_static", "too_few_poses", "no_valid_pose"]

# A camera that moves less than this, against the size of its coordinates, stands still (float32 noise is 6e-8).
_STATIC_RATIO = 1e-7
_STATIC_FLOOR_M = 1e-9


@dataclass(frozen=True, eq=False)
class TrajectoryErrors:
    """Errors of a trajectory, in the truth's metres.

    Args:
        ate_m: absolute trajectory error, RMSE of the distances between camera centres after alignment. None where it
            says nothing (see ``status``).
        ate_median_m: their median, which a few lost frames do not move.
        rpe_translation_m, rpe_translation_rmse_m: relative pose error of neighbouring frames: mean (as SpatialBench
            reports it) and RMSE of the translation part.
        rpe_rotation_deg, rpe_rotation_rmse_deg: the same of the rotation angle; no alignment changes it.
        scale: that the alignment multiplied the prediction with; None where it is undefined.
        status: ``ok``; ``collinear``: the centres lie on one line, the numbers hold but the rotation about the line is
            arbitrary; ``prediction_static``: the prediction does not move, so ``ate_m`` is the spread of the truth;
            ``truth_static``: the truth does not move, so a scale would shrink any prediction onto it;
            ``too_few_poses``: the alignment fits any prediction; ``no_valid_pose``.
        n_poses, n_valid: frames, and frames with a finite predicted pose. Only those are measured, so report both.
        alignment: the map from predicted to true world coordinates; None when nothing could be aligned.
    """

    ate_m: float | None
    ate_median_m: float | None
    rpe_translation_m: float | None
    rpe_translation_rmse_m: float | None
    rpe_rotation_deg: float | None
    rpe_rotation_rmse_deg: float | None
    scale: float | None
    status: TrajectoryStatus
    n_poses: int
    n_valid: int
    alignment: Similarity | None


def trajectory_errors(predicted: ArrayLike, truth: ArrayLike, align: TrajectoryAlignment = "sim3") -> TrajectoryErrors:
    """ATE and RPE of a predicted trajectory.

    Range: [0, ∞) metres and [0, 180] degrees; lower is better. A degenerate case is named in ``status`` and its
    meaningless numbers are None; they are never 0.

    Source: Sturm et al. 2012 (ATE, RPE); Umeyama 1991 (alignment).

    Args:
        predicted: (N, 3, 4) or (N, 4, 4) camera-to-world; frames that failed hold NaN or infinity.
        truth: the same shape rules and number, all finite.
        align: ``"none"`` for metric predictions in the true frame, ``"se3"`` for metric ones in their own frame,
            ``"sim3"`` for those without scale.

    >>> truth = np.tile(np.eye(4), (4, 1, 1))
    >>> truth[:, :3, 3] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> doubled = truth.copy()
    >>> doubled[:, :3, 3] *= 2
    >>> errors = trajectory_errors(doubled, truth)
    >>> round(errors.ate_m, 9), round(errors.scale, 9), errors.status
    (0.0, 0.5, 'ok')

    Raises:
        DiagnosticsError: wrong shapes or numbers of poses, a true pose that is not finite, a pose that is no rotation,
            or an unknown alignment.
    """
    if align not in ("none", "se3", "sim3"):
        raise DiagnosticsError(f'trajectory_errors: unknown alignment {align!r}; use "none", "se3" or "sim3"')
    true_poses = checked_poses(truth, name="true", may_fail=False)
    poses = checked_poses(predicted, name="predicted", may_fail=True)
    if len(poses) != len(true_poses):
        raise DiagnosticsError(
            f"trajectory_errors: {len(poses)} predicted poses for {len(true_poses)} true ones; "
            "give one a frame, NaN for frames that failed"
        )
    good_poses, good_truth = poses.subset(poses.valid), true_poses.subset(poses.valid)
    status = _status(good_poses, good_truth, align)
    alignment, distances = None, None
    if not _fits_anything(status, align):
        alignment = _fit(good_poses, good_truth, align, status)
        distances = np.linalg.norm(alignment.apply(good_poses.centre_m) - good_truth.centre_m, axis=1)
    step_m, step_deg = _neighbour_errors(poses, true_poses, 1.0 if alignment is None else alignment.scale)
    if alignment is None and align == "sim3":
        step_m = step_m[:0]
    return TrajectoryErrors(
        ate_m=_rmse(distances),
        ate_median_m=None if distances is None else float(np.median(distances)),
        rpe_translation_m=_mean(step_m),
        rpe_translation_rmse_m=_rmse(step_m),
        rpe_rotation_deg=_mean(step_deg),
        rpe_rotation_rmse_deg=_rmse(step_deg),
        scale=None if alignment is None or _scale_is_undefined(status, align) else alignment.scale,
        status=status,
        n_poses=len(poses),
        n_valid=len(good_poses),
        alignment=alignment,
    )


def _status(poses: PoseArray, truth: PoseArray, align: TrajectoryAlignment) -> TrajectoryStatus:
    if len(poses) == 0:
        return "no_valid_pose"
    if align == "none":
        return "ok"
    if len(poses) < (3 if align == "sim3" else 2):
        return "too_few_poses"
    if _is_static(truth.centre_m):
        return "truth_static"
    if _is_static(poses.centre_m):
        return "prediction_static"
    if spans_a_line_only(truth.centre_m) or spans_a_line_only(poses.centre_m):
        return "collinear"
    return "ok"


def _fits_anything(status: TrajectoryStatus, align: TrajectoryAlignment) -> bool:
    """Whether the alignment would bring any prediction onto the truth, so that an error of 0 would say nothing."""
    return status in ("no_valid_pose", "too_few_poses") or (status == "truth_static" and align == "sim3")


def _scale_is_undefined(status: TrajectoryStatus, align: TrajectoryAlignment) -> bool:
    return status == "prediction_static" and align == "sim3"


def _fit(poses: PoseArray, truth: PoseArray, align: TrajectoryAlignment, status: TrajectoryStatus) -> Similarity:
    if align == "none":
        return Similarity.identity()
    with_scale = align == "sim3" and not _scale_is_undefined(status, align)
    return fit_similarity(poses.centre_m, truth.centre_m, with_scale=with_scale)


def _is_static(centre_m: NDArray[np.float64]) -> bool:
    return point_spread(centre_m) <= max(_STATIC_FLOOR_M, _STATIC_RATIO * float(np.abs(centre_m).max()))


def _neighbour_errors(
    poses: PoseArray, truth: PoseArray, scale: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Translation (m) and rotation (deg) error of every pair of neighbouring frames that are both valid."""
    both = poses.valid[:-1] & poses.valid[1:]
    motion, motion_m = _motions(poses, both)
    true_motion, true_motion_m = _motions(truth, both)
    translation = np.linalg.norm(scale * motion_m - true_motion_m, axis=1)
    return translation, rotation_angle_deg(true_motion.transpose(0, 2, 1) @ motion)


def _motions(poses: PoseArray, keep: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation (M, 3, 3) and translation (M, 3) from each kept frame to the next, in the axes of the earlier camera."""
    camera_from_world = poses.rotation[:-1][keep].transpose(0, 2, 1)
    step = (poses.centre_m[1:] - poses.centre_m[:-1])[keep]
    return camera_from_world @ poses.rotation[1:][keep], np.einsum("nij,nj->ni", camera_from_world, step)


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if values.size else None


def _rmse(values: NDArray[np.float64] | None) -> float | None:
    return None if values is None or values.size == 0 else float(np.sqrt(np.mean(values**2)))
