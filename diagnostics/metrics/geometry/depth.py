"""Depth maps: relative and logarithmic errors, inlier ratios, and how much of the truth the prediction covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError
from .depth_alignment import DepthAlignment, DepthFit, fit_depth

__all__ = ["DEPTH_METRICS", "DepthAlignment", "depth_errors", "measured_depth_metrics"]

DELTAS = {"delta_1.25": 1.25, "delta_1.25^2": 1.25**2, "delta_1.25^3": 1.25**3}
INLIERS = {"inlier_1.03": 1.03, "inlier_1.05": 1.05, "inlier_1.10": 1.10}
DEPTH_METRICS = ("abs_rel", "sq_rel", "rmse", "log_rmse", *DELTAS, *INLIERS)


@dataclass(frozen=True, eq=False)
class _Frame:
    """One frame: ``truth`` and ``predicted`` (n,) at its valid true pixels; the prediction may hold anything."""

    predicted: NDArray[np.float64]
    truth: NDArray[np.float64]

    @property
    def usable(self) -> NDArray[np.bool_]:
        return np.isfinite(self.predicted) & (self.predicted > 0)


def depth_errors(
    predicted: ArrayLike,
    truth: ArrayLike,
    valid: ArrayLike | None = None,
    align: DepthAlignment = "scene_median",
    *,
    average: Literal["pooled", "per_frame"] = "pooled",
) -> dict[str, float]:
    """Depth errors of one scene over the true pixels that the prediction covers.

    Range: ``abs_rel``, ``sq_rel``, ``rmse``, ``log_rmse`` [0, ∞), lower is better; ``delta_*``, ``inlier_*`` and
    ``coverage`` [0, 1], higher is better.

    A true pixel is valid when finite, positive and in ``valid``. A predicted one is usable when finite and positive,
    before and after alignment. Errors are taken over usable pixels only, so a model can hide behind holes: always
    report ``coverage``, or multiply a ratio with it to count every hole as wrong. With no usable pixel the errors are
    NaN and ``coverage`` is 0.

    Args:
        predicted: z-depth (N, H, W), or one frame as (H, W) or as a list of pixels (n,).
        truth: the same shape, metres; 0 or NaN is invalid.
        valid: bool of the same shape, or None.
        align: ``"none"`` for metric depth; one scale (median) or scale and shift (least squares in depth) for the
            scene or for every frame. A scene-wide scale leaves flicker in the errors, one for each frame hides it.
        average: ``"pooled"`` weighs every pixel alike (two frames with 1 and 99 pixels and errors 1 and 0 give 0.01);
            ``"per_frame"`` weighs every frame alike (0.5). A frame that cannot be measured is skipped and counted.

    Returns:
        The metrics named above, ``coverage`` (usable / valid true pixels), ``n_valid`` and ``n_used`` (pixels),
        ``n_frames``, ``n_frames_skipped``, and ``scale_min``, ``scale_max``, ``shift_min_m``, ``shift_max_m`` of the
        alignment. A least-squares scale of 0 or below means that the fit ignores or inverts the prediction.

    >>> errors = depth_errors([[1.0, 2.2, 3.0, 1.0, np.inf]], [[0.0, 2.0, 4.0, np.nan, 5.0]], align="none")
    >>> round(errors["abs_rel"], 6), errors["n_valid"], round(errors["coverage"], 6)
    (0.175, 3.0, 0.666667)

    Raises:
        DiagnosticsError: shapes differ, the alignment or average is unknown, or no true pixel is valid.
    """
    if average not in ("pooled", "per_frame"):
        raise DiagnosticsError(f'depth_errors: unknown average {average!r}; use "pooled" or "per_frame"')
    frames = _checked_frames(predicted, truth, valid)
    fits = fit_depth([(frame.predicted[frame.usable], frame.truth[frame.usable]) for frame in frames], align)
    measured: list[_Frame] = []
    used_fits: list[DepthFit] = []
    for frame, fit in zip(frames, fits, strict=True):
        if fit is None:
            continue
        aligned = fit.apply(frame.predicted[frame.usable])
        keep = aligned > 0
        if keep.any():
            measured.append(_Frame(aligned[keep], frame.truth[frame.usable][keep]))
            used_fits.append(fit)
    n_valid = sum(frame.truth.size for frame in frames)
    n_used = sum(frame.truth.size for frame in measured)
    return {
        **_averaged(measured, average),
        "coverage": n_used / n_valid,
        "n_valid": float(n_valid),
        "n_used": float(n_used),
        "n_frames": float(len(frames)),
        "n_frames_skipped": float(len(frames) - len(measured)),
        **_fit_range(used_fits),
    }


def _checked_frames(predicted: ArrayLike, truth: ArrayLike, valid: ArrayLike | None) -> list[_Frame]:
    depth, target = np.asarray(predicted, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    mask = np.ones(target.shape, dtype=np.bool_) if valid is None else np.asarray(valid)
    if not depth.shape == target.shape == mask.shape or target.ndim not in (1, 2, 3):
        raise DiagnosticsError(
            f"depth_errors: predicted {depth.shape}, truth {target.shape} and valid {mask.shape} must have one shape, "
            "(H, W) or (N, H, W); resize the prediction with its own sampling rule first"
        )
    if mask.dtype != np.bool_:
        raise DiagnosticsError(f"depth_errors: valid must be bool, got {mask.dtype}; compare it with a threshold first")
    mask = mask & np.isfinite(target) & (target > 0)
    if not mask.any():
        raise DiagnosticsError("depth_errors: no true pixel is valid (finite, positive, in the mask); check the units")
    if target.ndim < 3:
        depth, target, mask = depth[None], target[None], mask[None]
    return [_Frame(depth[index][mask[index]], target[index][mask[index]]) for index in range(len(target))]


def _averaged(frames: list[_Frame], average: Literal["pooled", "per_frame"]) -> dict[str, float]:
    if not frames:
        return dict.fromkeys(DEPTH_METRICS, np.nan)
    if average == "pooled":
        predicted = np.concatenate([frame.predicted for frame in frames])
        return measured_depth_metrics(predicted, np.concatenate([frame.truth for frame in frames]))
    rows = [measured_depth_metrics(frame.predicted, frame.truth) for frame in frames]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def measured_depth_metrics(predicted: NDArray[np.floating], truth: NDArray[np.floating]) -> dict[str, float]:
    """The metrics of positive finite pixels (n,), n at least 1."""
    error = predicted - truth
    # float32 is what depth maps hold: a ratio that lies on a threshold in it is outside, as the comparison is strict.
    ratio = np.maximum(predicted / truth, truth / predicted).astype(np.float32)
    shares = {name: float(np.mean(ratio < np.float32(threshold))) for name, threshold in {**DELTAS, **INLIERS}.items()}
    return {
        "abs_rel": float(np.mean(np.abs(error) / truth)),
        "sq_rel": float(np.mean(error**2 / truth)),
        "rmse": float(np.sqrt(np.mean(error**2))),
        "log_rmse": float(np.sqrt(np.mean(np.log(predicted / truth) ** 2))),
        **shares,
    }


def _fit_range(fits: list[DepthFit]) -> dict[str, float]:
    scales = [fit.scale for fit in fits] or [np.nan]
    shifts = [fit.shift_m for fit in fits] or [np.nan]
    return {
        "scale_min": min(scales),
        "scale_max": max(scales),
        "shift_min_m": min(shifts),
        "shift_max_m": max(shifts),
    }
