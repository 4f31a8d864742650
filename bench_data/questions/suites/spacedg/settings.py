"""What the SpaceDG suite can be told; each number with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from ...registry import SuiteSettings

__all__ = ["SpaceDGSettings"]


class SpaceDGSettings(SuiteSettings):
    """Settings of the SpaceDG suite. Values without a word on their origin are the published ones (appendix C).

    Args:
        least_pixels, least_picture_share: an object is seen well with at least so many pixels, and this share of the
            picture's (ours; 0.1 % is 31 x 31 pixels of a picture of 1280 x 720).
        most_occlusion: and at most this share hidden (ours).
        most_truncation: and at most this share outside of the picture (ours).
        most_truncation_for_size: the same where its size is asked for (ours).
        least_co_visibility: of two pictures shown together, the smaller of the two directions. Where the truth of a
            scene has no co-visibility, two pictures must share an object that is seen well in both.
        direction_co_visibility: least and most for an object that only the first picture shows.
        least_translation_m: camera movement that is asked about.
        least_baseline_m: between two pictures of a question about objects.
        least_rotation_deg: about the main axis.
        axis_guard: refuse directions where an axis is this near to the share 0.5774 from which it counts (ours).
        border_guard_deg: refuse bearings as near as this to the border of their sector (published: 3, and only the
            neighbouring option is left out).
        steepest: refuse directions whose height is this many times their length on the ground.
        least_ground_distance_m: refuse directions to what is nearer than this on the ground (ours; published: 1e-6).
        rotation_guard_deg: refuse double rotations whose third part is as near as this to the second (ours).
        threshold_factors: the threshold is true distance times a factor within (least, below one), (above one, most).
        least_length_ratio: of two compared longest sides, the longer one is at least so many times the other (ours).
        most_length_ratio: and at most so many, or the names alone would tell: a wardrobe, not a stool (ours).
        least_height_gap_m, most_height_gap_m: between two compared tops, for the same reason (ours).
        same_within_m: two sizes or heights are called the same within this (the paper's; its code has 0.001).
        least_options: a group of options with fewer is left out; 2, 3 or 4 (ours).
        most_count: of objects to be counted (ours).
        view_pairs: pairs of pictures tried for each kind, at most.
        objects_per_view_pair: objects, or pairs of objects, asked about for two pictures.
        triplets_per_view_pair: triplets of objects asked about for two pictures.
        views_per_label: pictures with, and as many without, in which an object of a category is looked for (ours).
        label_shares: category -> share of the data set's scenes that hold it. With it, existence is asked about
            categories of other scenes too; without it, about those of the same scene that the picture does not show.
    """

    least_pixels: int = Field(default=60, ge=1)
    least_picture_share: float = Field(default=0.001, ge=0, lt=1)
    most_occlusion: float = Field(default=0.6, ge=0, le=1)
    most_truncation: float = Field(default=0.5, ge=0, le=1)
    most_truncation_for_size: float = Field(default=0.1, ge=0, le=1)
    least_co_visibility: float = Field(default=0.25, ge=0, le=1)
    direction_co_visibility: tuple[float, float] = (0.05, 0.25)
    least_translation_m: float = Field(default=0.35, gt=0)
    least_baseline_m: float = Field(default=0.2, ge=0)
    least_rotation_deg: float = Field(default=15.0, ge=5)
    axis_guard: float = Field(default=0.1, ge=0, lt=0.42)
    border_guard_deg: float = Field(default=5.0, ge=0, lt=22.5)
    steepest: float = Field(default=1.2, gt=0)
    least_ground_distance_m: float = Field(default=0.3, gt=0)
    rotation_guard_deg: float = Field(default=5.0, ge=0)
    threshold_factors: tuple[float, float, float, float] = (0.6, 0.85, 1.15, 1.4)
    least_length_ratio: float = Field(default=1.15, gt=1)
    most_length_ratio: float = Field(default=1.6, gt=1)
    least_height_gap_m: float = Field(default=0.1, gt=0)
    most_height_gap_m: float = Field(default=0.4, gt=0)
    same_within_m: float = Field(default=0.01, gt=0)
    least_options: int = Field(default=2, ge=2, le=4)
    most_count: int = Field(default=10, ge=1)
    view_pairs: int = Field(default=150, ge=1)
    objects_per_view_pair: int = Field(default=3, ge=1)
    triplets_per_view_pair: int = Field(default=10, ge=1)
    views_per_label: int = Field(default=3, ge=1)
    label_shares: Mapping[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        least, below_one, above_one, most = self.threshold_factors
        if not 0 < least < below_one < 1 < above_one < most:
            raise ValueError(f"threshold_factors must be 0 < a < b < 1 < c < d, got {self.threshold_factors}")
        ranges = {
            "direction_co_visibility": self.direction_co_visibility,
            "least_length_ratio and most_length_ratio": (self.least_length_ratio, self.most_length_ratio),
            "least_height_gap_m and most_height_gap_m": (self.least_height_gap_m, self.most_height_gap_m),
        }
        for name, (low, high) in ranges.items():
            if low > high:
                raise ValueError(f"{name} must be in order, got {low:g} and {high:g}")
        wrong = {label: share for label, share in self.label_shares.items() if not 0 <= share <= 1}
        if wrong:
            raise ValueError(f"label_shares must lie in 0 to 1, got {wrong}")
        return self
