"""Checks that all statistics share: finite one-dimensional samples, and clusters given as labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import DiagnosticsError

__all__ = ["checked_pair", "checked_sample", "cluster_index"]


def checked_sample(values: ArrayLike, *, name: str) -> NDArray[np.float64]:
    """(n,) float64, n at least 1, all finite.

    Raises:
        DiagnosticsError: empty, not one-dimensional, or a value is NaN or infinite.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise DiagnosticsError(f"{name} must be a list of at least one number, got shape {sample.shape}")
    bad = np.flatnonzero(~np.isfinite(sample))
    if bad.size:
        raise DiagnosticsError(
            f"{name}[{bad[0]}] is {sample[bad[0]]} ({bad.size} such values); leave those items out and count them"
        )
    return sample


def checked_pair(
    before: ArrayLike, after: ArrayLike, *, names: tuple[str, str] = ("before", "after")
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two checked samples of one length.

    Raises:
        DiagnosticsError: as ``checked_sample``, or the lengths differ.
    """
    first, second = checked_sample(before, name=names[0]), checked_sample(after, name=names[1])
    if first.size != second.size:
        raise DiagnosticsError(
            f"{names[0]} has {first.size} values and {names[1]} has {second.size}; both must list the same items in "
            "the same order"
        )
    return first, second


def cluster_index(clusters: Sequence[str] | Sequence[int] | None, n_items: int) -> tuple[NDArray[np.intp], int]:
    """Cluster number of every item and the number of clusters; without labels every item is its own cluster.

    Raises:
        DiagnosticsError: the labels do not match the items in number.
    """
    if clusters is None:
        return np.arange(n_items, dtype=np.intp), n_items
    if len(clusters) != n_items:
        raise DiagnosticsError(f"there are {len(clusters)} cluster labels for {n_items} items; give one label an item")
    labels, index = np.unique(np.asarray(clusters), return_inverse=True)
    return index.astype(np.intp).reshape(-1), int(labels.size)
