"""Boxes in the image: intersection over union and the accuracies made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import DiagnosticsError
from .truth import EDGE_TOLERANCE

__all__ = ["box_accuracy", "box_iou", "box_mean_accuracy"]

_MEAN_ACCURACY_THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))


def box_iou(
    predicted: Sequence[float] | None, truth: Sequence[float], *, published: Literal["robostress"] | None = None
) -> float:
    """Intersection over union of two boxes ``(x0, y0, x1, y1)``.

    Range: [0, 1]; higher is better.

    Coordinates are continuous (no +1), in any unit that both share. A predicted box that is missing, not finite,
    reversed or empty scores 0: reordering its corners is the parser's business, with a flag.

    Args:
        predicted: four numbers, or None when the reply held no box.
        truth: four numbers, ``x0 < x1`` and ``y0 < y1``.
        published: ``"robostress"`` takes both boxes in permille, clamps them to [0, 1000] and orders the corners, so
            that reversed and overflowing boxes still score.

    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    >>> box_iou((600, 800, 100, 200), (100, 200, 600, 800), published="robostress")
    1.0

    Raises:
        DiagnosticsError: the true box is not finite, reversed or empty.
    """
    if published is not None:
        return 0.0 if predicted is None else _iou(_clamped(predicted), _clamped(truth))
    target = _corners(truth)
    if target is None:
        raise DiagnosticsError(
            f"box_iou: the true box {tuple(truth)} needs four finite numbers with x0 < x1 and y0 < y1; "
            "this is an error of the data"
        )
    box = None if predicted is None else _corners(predicted)
    return 0.0 if box is None else _iou(box, target)


def box_accuracy(ious: Sequence[float], threshold: float) -> float:
    """Share of boxes whose IoU is at least ``threshold``, the edge included.

    Range: [0, 1]; higher is better. Usual thresholds are 0.50, 0.75 and 0.95.

    Args:
        ious: one value a question in [0, 1]; an unparsed reply counts with 0.

    >>> box_accuracy([0.5, 0.4], 0.50)
    0.5

    Raises:
        DiagnosticsError: there is no box, or a value is no IoU.
    """
    return float((_checked_ious(ious) >= threshold * (1 - EDGE_TOLERANCE)).mean())


def box_mean_accuracy(ious: Sequence[float]) -> float:
    """mAcc: the share of boxes with IoU >= t, averaged over t = 0.50, 0.55, ..., 0.95.

    Range: [0, 1]; higher is better.

    Source: RoboStressBench (arXiv 2606.00828), after COCO's average over IoU thresholds.

    >>> box_mean_accuracy([0.6, 0.8, 0.96, 0.949])
    0.725

    Raises:
        DiagnosticsError: there is no box, or a value is no IoU.
    """
    values = _checked_ious(ious)
    edges = np.array(_MEAN_ACCURACY_THRESHOLDS) * (1 - EDGE_TOLERANCE)
    return float((values[:, None] >= edges).mean())


def _corners(box: Sequence[float]) -> tuple[float, float, float, float] | None:
    if len(box) != 4 or not np.isfinite(np.asarray(box, dtype=np.float64)).all():
        return None
    x0, y0, x1, y1 = (float(value) for value in box)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _clamped(box_permille: Sequence[float]) -> tuple[float, float, float, float]:
    xa, ya, xb, yb = (min(max(float(value), 0.0), 1000.0) / 1000.0 for value in box_permille)
    return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)


def _iou(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    intersection = width * height
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - intersection
    return intersection / union if union > 0 else 0.0


def _checked_ious(ious: Sequence[float]) -> NDArray[np.float64]:
    values = np.asarray(ious, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise DiagnosticsError(f"box accuracy needs a list of at least one IoU, got shape {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise DiagnosticsError("box accuracy: an IoU lies outside [0, 1] or is NaN; an unparsed box counts as 0")
    return values
