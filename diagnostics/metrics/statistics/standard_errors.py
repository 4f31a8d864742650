"""Standard errors of a mean, for independent items and for items in clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .samples import checked_sample, cluster_index

__all__ = ["standard_error"]


def standard_error(values: ArrayLike, clusters: Sequence[str] | Sequence[int] | None = None) -> float | None:
    """Standard error of the mean of ``values``; with ``clusters``, robust to any dependence inside a cluster.

    Source: Liang and Zeger 1986 with the usual factor G / (G - 1) for G clusters; Miller 2024, "Adding error bars to
    evals". Without clusters it is the familiar ``s / sqrt(n)``.

    Args:
        values: (n,) one finite score an item.
        clusters: (n,) label of the scene or image of each item; None when the items are independent.

    Returns:
        None with fewer than two clusters: one cluster tells nothing about the spread between clusters.

    >>> standard_error([0.0, 1.0, 0.0, 1.0])
    0.28867513459481287
    >>> standard_error([0.0, 0.0, 1.0, 1.0], clusters=["a", "a", "b", "b"])
    0.5

    Raises:
        DiagnosticsError: no value, a value that is not finite, or labels that do not match.
    """
    sample = checked_sample(values, name="values")
    index, n_clusters = cluster_index(clusters, sample.size)
    if n_clusters < 2:
        return None
    residual_sums = np.bincount(index, weights=sample - sample.mean(), minlength=n_clusters)
    return math.sqrt(float(np.sum(residual_sums**2)) * n_clusters / (n_clusters - 1)) / sample.size
