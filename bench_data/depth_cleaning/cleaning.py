"""clean_depth: sensor depth without what is no surface, with a map of what was removed and why."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from .components import component_sizes
from .flying import flying_points
from .settings import CleaningSettings, CleaningStage
from .smoothing import smoothed_depth

__all__ = ["CleanedDepth", "clean_depth"]


@dataclass(frozen=True, eq=False)
class CleanedDepth:
    """What `clean_depth` returns; both arrays have the map's size."""

    depth_m: NDArray[np.float32] = field(repr=False)
    """(H, W) NaN where removed or unknown."""
    stages: NDArray[np.uint8] = field(repr=False)
    """(H, W) values of `CleaningStage`."""

    @property
    def counts(self) -> dict[CleaningStage, int]:
        """Pixels by what became of them."""
        counted = np.bincount(self.stages.ravel(), minlength=len(CleaningStage)).tolist()
        return {stage: counted[stage] for stage in CleaningStage}


def clean_depth(
    depth_m: ArrayLike,
    *,
    image_srgb_u8: NDArray[np.uint8] | None = None,
    sky: NDArray[np.bool_] | None = None,
    settings: CleaningSettings | None = None,
) -> CleanedDepth:
    """Removes in five stages what is no surface: range, flying points, (smoothing,) small pieces, sky.

    The order is SpatialBench's; the published code holds none of it, so the numbers in `CleaningSettings` are ours.
    Each stage reads one array and writes another, so that the order of pixels plays no role: a mirrored map gives a
    mirrored result, and depth and limits in other units give the same stages. No depth changes by more than a
    hundredth, and none is invented.

    Args:
        depth_m: (H, W) z in metres; what is not finite and positive is unknown.
        image_srgb_u8: (H, W, 3) the picture of the same view, which keeps its edges; None to smooth by depth alone.
        sky: (H, W) where the sky is, for outdoor views; it and one pixel around it, corners included, is removed.
        settings: the limits; None for the defaults, which do not limit how far away things are.

    Raises:
        BenchDataError: sizes that do not match, or no depth map.
    """
    settings = settings or CleaningSettings()
    depth = _depth_map(depth_m)
    luma = None if image_srgb_u8 is None else _luma(image_srgb_u8, depth.shape)
    stages = np.zeros(depth.shape, np.uint8)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        known = np.isfinite(depth.astype(np.float32)) & (depth > 0)
        _remove(depth, stages, ~known, CleaningStage.UNKNOWN_BEFORE)
        _remove(depth, stages, (depth < settings.near_m) | (depth > settings.far_m), CleaningStage.OUT_OF_RANGE)
        flying = flying_points(depth, least_ratio=settings.flying_ratio, slopes=settings.flying_slopes)
        _remove(depth, stages, flying, CleaningStage.FLYING)
        depth = smoothed_depth(depth, luma, settings)
        sizes = component_sizes(depth, link_ratio=settings.link_ratio)
    small = (sizes > 0) & (sizes < settings.smallest_component_px(*depth.shape))
    _remove(depth, stages, small, CleaningStage.SMALL_COMPONENT)
    if sky is not None:
        _remove(depth, stages, _dilated(sky, depth.shape), CleaningStage.SKY)
    return CleanedDepth(depth.astype(np.float32), stages)


def _remove(
    depth_m: NDArray[np.float64], stages: NDArray[np.uint8], where: NDArray[np.bool_], stage: CleaningStage
) -> None:
    """Takes out pixels that are still there, and notes which stage did."""
    stages[where & (stages == CleaningStage.KEPT)] = stage
    depth_m[where] = np.nan


def _depth_map(depth_m: ArrayLike) -> NDArray[np.float64]:
    try:
        depth = np.array(depth_m, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError("depth_m must be an (H, W) array of metres") from None
    if depth.ndim != 2 or depth.size == 0:
        raise BenchDataError(f"depth_m must have shape (H, W), got {depth.shape}")
    return depth


def _luma(image_srgb_u8: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.float64]:
    image = np.asarray(image_srgb_u8)
    if image.dtype != np.uint8 or image.shape != (*shape, 3):
        raise BenchDataError(
            f"image_srgb_u8 must be uint8 of shape {(*shape, 3)} as the depth map, got {image.dtype} {image.shape}"
        )
    return np.asarray(image @ np.array([299.0, 587.0, 114.0]) / 1000)


def _dilated(sky: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The sky and all pixels that touch it, also by a corner."""
    mask = np.asarray(sky)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise BenchDataError(f"sky must be bool of shape {shape} as the depth map, got {mask.dtype} {mask.shape}")
    around = np.pad(mask, 1)
    rows = around[:-2] | around[1:-1] | around[2:]
    return np.asarray(rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:])
