"""What a cloud holds, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cloud import NO_INSTANCE, GaussianCloud

__all__ = ["SplatSummary", "summarise"]

_INVISIBLE = 1 / 255
"""Renderers skip Gaussians fainter than this."""

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class SplatSummary:
    """Numbers that show whether a scene was read as its maker meant it.

    Args:
        gaussians: how many.
        sh_degree: 0 to 3.
        low_m, high_m: the box of all means; None for an empty cloud.
        core_low_m, core_high_m: the box from the 5th to the 95th percentile of each axis, which strays do not stretch.
        median_scale_m, largest_scale_m: of the Gaussians' largest standard deviation.
        mean_opacity: in [0, 1].
        invisible: Gaussians whose opacity is below 1/255.
        instances: distinct instance ids other than none; None without ids.
    """

    gaussians: int
    sh_degree: int
    low_m: Vector | None
    high_m: Vector | None
    core_low_m: Vector | None
    core_high_m: Vector | None
    median_scale_m: float | None
    largest_scale_m: float | None
    mean_opacity: float | None
    invisible: int
    instances: int | None


def summarise(cloud: GaussianCloud) -> SplatSummary:
    """The summary of a cloud."""
    instances = None
    if cloud.instance_ids is not None:
        instances = len(np.setdiff1d(cloud.instance_ids, [NO_INSTANCE]))
    if len(cloud) == 0:
        return SplatSummary(0, cloud.sh_degree, None, None, None, None, None, None, None, 0, instances)
    low, high = cloud.bounds_m
    core_low, core_high = np.percentile(cloud.means, [5, 95], axis=0)
    largest = cloud.scales.max(axis=1)
    return SplatSummary(
        gaussians=len(cloud),
        sh_degree=cloud.sh_degree,
        low_m=_vector(low),
        high_m=_vector(high),
        core_low_m=_vector(core_low),
        core_high_m=_vector(core_high),
        median_scale_m=float(np.median(largest)),
        largest_scale_m=float(largest.max()),
        mean_opacity=float(cloud.opacities.mean(dtype=np.float64)),
        invisible=int((cloud.opacities < _INVISIBLE).sum()),
        instances=instances,
    )


def _vector(values: NDArray[np.floating]) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z
