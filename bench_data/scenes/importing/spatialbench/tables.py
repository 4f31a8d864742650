"""What SpatialBench decides for each of the data sets that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from ....errors import BenchDataError

__all__ = ["DATASETS", "DatasetRules", "Resolution", "WidthAligned", "size_for"]

_PUBLISHED_CONFIDENCE = 0.3


@dataclass(frozen=True)
class WidthAligned:
    """A fixed width, and the height that keeps the first picture's shape, as a multiple of ``align``."""

    width: int
    align: int = 16

    def __post_init__(self) -> None:
        if self.width < 1 or self.align < 1:
            raise BenchDataError(f"width and align must be at least 1, got {self.width} and {self.align}")


Resolution: TypeAlias = tuple[int, int] | WidthAligned
"""(width, height) in pixels, or a width."""


@dataclass(frozen=True, kw_only=True)
class DatasetRules:
    """How the frames of one data set are read.

    Args:
        resolution: that pictures and depth are brought to.
        far_m: depth beyond is unknown.
        least_confidence: below it, depth is unknown, where there are confidence masks. The published loader's value;
            its command line asks for 0.5 with ropedia.
        uses_masks: whether any masks are looked at.
        uses_aliasing_masks: whether these are.
        straightens: pictures that still have the lens's distortion are straightened; the scene has one calibration.
        drops_farthest_fifth: depth above its frame's 80th percentile is unknown.
        has_true_cloud: a cloud is scored, for dense and medium.
    """

    resolution: Resolution
    far_m: float
    least_confidence: float = _PUBLISHED_CONFIDENCE
    uses_masks: bool = True
    uses_aliasing_masks: bool = True
    straightens: bool = False
    drops_farthest_fifth: bool = False
    has_true_cloud: bool = False


DATASETS = MappingProxyType(
    {
        "droid": DatasetRules(resolution=(518, 294), far_m=1.0),
        "robotwin": DatasetRules(resolution=(518, 294), far_m=3.0),
        "rlbench": DatasetRules(resolution=(518, 294), far_m=3.0),
        "robolab": DatasetRules(resolution=(518, 294), far_m=3.0),
        "dtu": DatasetRules(resolution=(518, 378), far_m=3.0, has_true_cloud=True),
        "tum": DatasetRules(resolution=(518, 392), far_m=5.0),
        "ropedia": DatasetRules(resolution=(518, 518), far_m=8.0, drops_farthest_fifth=True),
        "nrgbd": DatasetRules(resolution=(518, 392), far_m=10.0, has_true_cloud=True),
        "7scenes": DatasetRules(resolution=(518, 392), far_m=10.0, has_true_cloud=True),
        "adt": DatasetRules(resolution=(518, 518), far_m=10.0),
        "hiroom": DatasetRules(resolution=(518, 518), far_m=10.0, uses_aliasing_masks=False, has_true_cloud=True),
        "scannetpp": DatasetRules(
            resolution=(518, 378), far_m=10.0, uses_masks=False, straightens=True, has_true_cloud=True
        ),
        "lingbot": DatasetRules(resolution=WidthAligned(518, 14), far_m=20.0),
        "eth3d": DatasetRules(resolution=(518, 350), far_m=30.0),
        "tanks_and_temples": DatasetRules(resolution=(518, 378), far_m=30.0),
        "omniworld": DatasetRules(resolution=WidthAligned(518, 14), far_m=50.0),
        "waymo": DatasetRules(resolution=(518, 350), far_m=50.0),
        "vkitti": DatasetRules(resolution=(518, 154), far_m=80.0),
        "kitti_odometry": DatasetRules(resolution=(518, 154), far_m=80.0),
    }
)
"""By the index's ``source_dataset``."""


def size_for(resolution: Resolution, width: int, height: int) -> tuple[int, int]:
    """(width, height) that a picture of a size is brought to; halves are rounded to even, as Python does.

    >>> size_for(WidthAligned(518, 14), 1280, 720), size_for((28, 20), 48, 36)
    ((518, 294), (28, 20))
    """
    if isinstance(resolution, WidthAligned):
        high = max(round(height / width * resolution.width / resolution.align), 1)
        return resolution.width, high * resolution.align
    return resolution
