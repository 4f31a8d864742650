"""All numbers of depth cleaning, and the names of its stages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from ..errors import BenchDataError

__all__ = ["CleaningSettings", "CleaningStage"]


class CleaningStage(IntEnum):
    """What became of a pixel: kept, or removed by a stage. The values of the stage map."""

    KEPT = 0
    OUT_OF_RANGE = 1
    FLYING = 2
    SMOOTHING = 3
    """Never in a map: smoothing removes nothing."""
    SMALL_COMPONENT = 4
    SKY = 5
    UNKNOWN_BEFORE = 6


@dataclass(frozen=True, kw_only=True)
class CleaningSettings:
    """Limits of the five stages; ratios compare two depths as ``|a - b| / min(a, b)``.

    Args:
        near_m, far_m: depth outside is removed; 0.05 m suits hand-held cameras, 0.02 m wrist cameras.
        flying_ratio, flying_slopes: two neighbours are torn apart when their ratio exceeds the first, and the second
            times the median ratio of neighbours within 5x5 pixels (so slanted surfaces are not).
        smooth_space_px, smooth_luma, smooth_ratio: standard deviations of the bilateral weights, over distance in the
            picture, luma (0 to 255) and relative depth.
        smooth_most_ratio: smoothing changes no depth by more.
        link_ratio: neighbours up to this ratio belong to one component.
        component_least_px, component_least_share: components with fewer pixels than the first, and than this share of
            the picture, are removed.
    """

    near_m: float = 0.05
    far_m: float = math.inf
    flying_ratio: float = 0.03
    flying_slopes: float = 3.0
    smooth_space_px: float = 1.5
    smooth_luma: float = 12.0
    smooth_ratio: float = 0.02
    smooth_most_ratio: float = 0.01
    link_ratio: float = 0.05
    component_least_px: int = 16
    component_least_share: float = 0.0005

    def __post_init__(self) -> None:
        if not 0 <= self.near_m < self.far_m:
            raise BenchDataError(f"CleaningSettings: 0 <= near_m < far_m must hold, got {self.near_m} and {self.far_m}")
        for name in ("smooth_space_px", "smooth_luma", "smooth_ratio"):
            if not getattr(self, name) > 0:
                raise BenchDataError(f"CleaningSettings.{name} must be above 0, got {getattr(self, name)!r}")
        for name in ("flying_ratio", "flying_slopes", "smooth_most_ratio", "link_ratio", "component_least_px"):
            if not getattr(self, name) >= 0:
                raise BenchDataError(f"CleaningSettings.{name} must be at least 0, got {getattr(self, name)!r}")
        if not 0 <= self.component_least_share <= 1:
            raise BenchDataError(
                f"CleaningSettings.component_least_share must lie in [0, 1], got {self.component_least_share!r}"
            )

    def smallest_component_px(self, height: int, width: int) -> int:
        """Pixels that a component of a picture of this size must have."""
        return max(self.component_least_px, round(self.component_least_share * height * width))
