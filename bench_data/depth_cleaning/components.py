"""Connected pieces of a depth map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .neighbours import ratio

__all__ = ["component_sizes"]


def component_sizes(depth_m: NDArray[np.float64], *, link_ratio: float) -> NDArray[np.int64]:
    """(H, W) pixels in the component that each pixel belongs to; 0 where depth (H, W) is NaN.

    Pixels that touch along an edge are linked when the ratio of their depths is at most ``link_ratio``.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    known = ~np.isnan(depth_m)
    numbers = np.arange(depth_m.size, dtype=np.int32).reshape(depth_m.shape)
    across = ratio(depth_m[:, :-1], depth_m[:, 1:]) <= link_ratio
    downwards = ratio(depth_m[:-1], depth_m[1:]) <= link_ratio
    ones = np.concatenate([numbers[:, :-1][across], numbers[:-1][downwards]])
    others = np.concatenate([numbers[:, 1:][across], numbers[1:][downwards]])
    links = coo_array((np.ones(len(ones), np.int8), (ones, others)), shape=(depth_m.size, depth_m.size))
    count, labels = connected_components(links.tocsr(), directed=False)
    sizes = np.bincount(labels, minlength=count)
    return np.where(known, sizes[labels].reshape(depth_m.shape), 0).astype(np.int64)
