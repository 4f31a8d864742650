"""Depth errors exactly as SpatialBench's public scorer takes them, for comparison with its tables."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...errors import DiagnosticsError
from .depth import DEPTH_METRICS, measured_depth_metrics

__all__ = ["spatialbench_depth_errors"]

_SMALLEST_DEPTH_M = 1e-6
_MEDIAN_FLOOR = 1e-8


def spatialbench_depth_errors(
    predicted: ArrayLike,
    truth: ArrayLike,
    valid: ArrayLike,
    align: Literal["scene_median", "scene_lstsq", "none"] = "scene_median",
) -> dict[str, float]:
    """The published depth errors: float32, and a prediction is looked at only after the alignment.

    Range: errors [0, ∞), lower is better; ``delta_*`` and ``inlier_*`` [0, 1], higher is better.

    Predicted zeros and negatives move the alignment and are then dropped without a count; one NaN makes every aligned
    number NaN, and raises under least squares. ``depth_errors`` does neither.

    Args:
        predicted, truth: one shape, metres.
        valid: bool of that shape, the valid true pixels.

    >>> spatialbench_depth_errors([1.0, 2.0, -3.0], [2.0, 4.0, 6.0], [True, True, True])["abs_rel"]
    1.0

    Raises:
        DiagnosticsError: the shapes differ, the alignment is unknown, or no pixel is valid.
        numpy.linalg.LinAlgError: a predicted NaN under least squares, as published.
    """
    mask = np.asarray(valid, dtype=np.bool_)
    depth, target = np.asarray(predicted, dtype=np.float32), np.asarray(truth, dtype=np.float32)
    if not depth.shape == target.shape == mask.shape or not mask.any():
        raise DiagnosticsError(
            f"spatialbench_depth_errors needs arrays of one shape and a valid pixel, got {depth.shape}, {target.shape} "
            f"and {mask.shape}"
        )
    depth, target = depth[mask], target[mask]
    if align == "scene_median":
        depth = depth * np.float32(np.median(target) / (np.median(depth) + np.float32(_MEDIAN_FLOOR)))
    elif align == "scene_lstsq":
        design = np.stack([depth, np.ones_like(depth)], axis=1)
        scale, shift = np.linalg.lstsq(design, target, rcond=None)[0]
        depth = depth * np.float32(scale) + np.float32(shift)
    elif align != "none":
        raise DiagnosticsError(f"spatialbench_depth_errors: {align!r} is no published alignment")
    keep = (depth > _SMALLEST_DEPTH_M) & (target > _SMALLEST_DEPTH_M)
    if not keep.any():
        return dict.fromkeys(DEPTH_METRICS, np.nan)
    return measured_depth_metrics(depth[keep], target[keep])
