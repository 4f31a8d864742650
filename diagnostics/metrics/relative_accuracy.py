"""Mean relative accuracy (MRA): how many of ten tolerances, from 50 % down to 5 %, an estimate meets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ..errors import DiagnosticsError
from .truth import EDGE_TOLERANCE, finite_truth

__all__ = ["PublishedRelativeAccuracy", "list_mean_relative_accuracy", "mean_relative_accuracy"]

PublishedRelativeAccuracy = Literal["crisp", "crisp_consistency", "spacedg"]

_TOLERATED_ERRORS = tuple(percent / 100 for percent in range(50, 0, -5))
# The grid as the public scorers build it; its ninth threshold is 0.8999999999999999.
_PUBLISHED_THRESHOLDS = np.linspace(0.5, 0.95, 10)


def mean_relative_accuracy(
    prediction: float | None, truth: float | None, *, published: PublishedRelativeAccuracy | None = None
) -> float:
    """Share of the thresholds θ = 0.50, 0.55, ..., 0.95 with ``|prediction - truth| / |truth| <= 1 - θ``.

    Range: [0, 1]; higher is better.

    An error that lies on a threshold meets it: 8 against 10 (20 %) scores 0.7, 1.35 against 1 (35 %) scores 0.4.
    A truth of zero is met by exactly zero and by nothing else. A missing or non-finite prediction scores 0; its reply
    status (``invalid``, ``no_answer``) is what gets counted.

    Source: Yang et al. 2024, "Thinking in Space".

    Args:
        prediction: in the unit of the truth; None when the reply held no number.
        truth: may be zero or negative.
        published: score as a public scorer does, faults included. ``"crisp"`` divides by the signed truth and raises
            ZeroDivisionError at 0 and TypeError for None; ``"crisp_consistency"`` takes |truth| and scores None as 0;
            ``"spacedg"`` takes the absolute error where the truth is 0. All of them lose some exact edges to rounding.

    >>> mean_relative_accuracy(8, 10)
    0.7
    >>> mean_relative_accuracy(8, 10, published="crisp")
    0.6

    Raises:
        DiagnosticsError: the truth is missing, NaN or infinite.
    """
    if published is not None:
        return _published_relative_accuracy(prediction, truth, published)
    target = finite_truth(truth, metric="mean_relative_accuracy")
    if prediction is None or not math.isfinite(prediction):
        return 0.0
    error = abs(float(prediction) - target)
    if target == 0:
        return 1.0 if error == 0 else 0.0
    relative = error / abs(target)
    met = sum(relative <= tolerated * (1 + EDGE_TOLERANCE) for tolerated in _TOLERATED_ERRORS)
    return met / len(_TOLERATED_ERRORS)


def list_mean_relative_accuracy(
    predictions: Sequence[float | None] | None,
    truths: Sequence[float],
    *,
    published: Literal["spacedg"] | None = None,
) -> float:
    """Mean over the elements of the relative accuracy of a list, both lists sorted ascending first.

    Range: [0, 1]; higher is better.

    The lists are extents of a box, whose order says nothing. A missing list, a wrong length or a non-finite element
    makes the whole list invalid and scores 0.

    Args:
        predictions: as many numbers as ``truths``, in the same unit.
        truths: at least one number.
        published: ``"spacedg"`` compares element by element, without sorting.

    >>> list_mean_relative_accuracy([0.3, 0.2, 0.1], [0.1, 0.2, 0.3])
    1.0
    >>> round(list_mean_relative_accuracy([0.3, 0.2, 0.1], [0.1, 0.2, 0.3], published="spacedg"), 4)
    0.3333

    Raises:
        DiagnosticsError: a truth is missing, NaN or infinite, or there is none.
    """
    targets = [finite_truth(truth, metric="list_mean_relative_accuracy") for truth in truths]
    if not targets:
        raise DiagnosticsError("list_mean_relative_accuracy: the true list is empty; an item needs at least one number")
    if predictions is None or len(predictions) != len(targets):
        return 0.0
    values = [float(value) for value in predictions if value is not None and math.isfinite(value)]
    if len(values) != len(targets):
        return 0.0
    if published is None:
        values, targets = sorted(values), sorted(targets)
    scores = [
        mean_relative_accuracy(value, target, published=published)
        for value, target in zip(values, targets, strict=True)
    ]
    return math.fsum(scores) / len(scores)


def _published_relative_accuracy(
    prediction: float | None, truth: float | None, variant: PublishedRelativeAccuracy
) -> float:
    if variant == "crisp_consistency" and (prediction is None or truth is None):
        return 0.0
    if prediction is None or truth is None:
        raise TypeError(f"the published {variant} score takes no None: prediction {prediction}, truth {truth}")
    value, target = float(prediction), float(truth)
    if variant == "crisp":
        error = abs(value - target) / target
    elif target != 0:
        error = abs(value - target) / abs(target)
    elif variant == "spacedg":
        error = abs(value - target)
    else:
        return 1.0 if value == 0 else 0.0
    return float((error <= 1 - _PUBLISHED_THRESHOLDS).mean())
