"""What `lift_masks` goes by."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ....errors import BenchDataError

__all__ = ["LiftSettings"]


@dataclass(frozen=True, kw_only=True)
class LiftSettings:
    """Lengths in metres; shares in [0, 1].

    Args:
        voxel_m: points of an object that share a voxel of this side count once.
        edge_px: the rim of each mask that is not trusted.
        least_px: smaller masks are left out.
        tolerance_m, tolerance_share: a point is what a view sees where its depth agrees with the view's to this length
            plus this share of the depth.
        least_visible: a view sees a mask's object when at least this share of its points agree.
        contained: it lies in a mask of that view when at least this share of those points do.
        most_split: a mask that other views split among several masks in more than this share of them covers several
            things, and is left out.
        consensus: two masks are one object when at least this share of the views that see both have them in one mask.
        merge_iou: so are two objects that no view sees apart, whose boxes overlap by this.
        least_confirmed: an object of which fewer of the views that see it have a mask is noise.
        neighbours, deviations: a point is an outlier when its mean distance to so many neighbours is above the mean of
            all by more than so many standard deviations.
        trim: share of the points that may stick out of the box on each side.
    """

    voxel_m: float = 0.02
    edge_px: int = 1
    least_px: int = 100
    tolerance_m: float = 0.03
    tolerance_share: float = 0.01
    least_visible: float = 0.2
    contained: float = 0.6
    most_split: float = 0.5
    consensus: float = 0.5
    merge_iou: float = 0.25
    least_confirmed: float = 0.3
    neighbours: int = 20
    deviations: float = 2.0
    trim: float = 0.002

    def __post_init__(self) -> None:
        for name in ("voxel_m", "tolerance_m", "deviations"):
            if not 0 < getattr(self, name) < float("inf"):
                raise BenchDataError(f"LiftSettings.{name} must be above 0, got {getattr(self, name)!r}")
        for name in ("edge_px", "least_px", "neighbours"):
            if getattr(self, name) < (0 if name == "edge_px" else 1):
                raise BenchDataError(f"LiftSettings.{name} is too small: {getattr(self, name)!r}")
        shares = {field.name for field in fields(self)} - {"voxel_m", "tolerance_m", "deviations"}
        for name in sorted(shares - {"edge_px", "least_px", "neighbours"}):
            if not 0 <= getattr(self, name) <= 1:
                raise BenchDataError(f"LiftSettings.{name} must lie in [0, 1], got {getattr(self, name)!r}")
        if self.trim >= 0.25:
            raise BenchDataError(f"LiftSettings.trim must be below 0.25, got {self.trim!r}")
