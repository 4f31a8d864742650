"""Co-visibility: how much of what one view sees another sees too, found by moving depth from one to the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BenchDataError
from .posed_depth import PosedDepth

__all__ = ["PUBLISHED_RULE", "MatchRule", "co_visibility", "matched_pixels", "symmetric"]

Symmetry = Literal["smaller", "mean", "larger"]


@dataclass(frozen=True, kw_only=True)
class MatchRule:
    """When a point of one view counts as seen by another.

    The point is expected in the other view at the depth d. It is seen when it falls into the picture, d exceeds
    ``nearest_m``, and the depth which the other view has in that pixel differs from d by less than
    ``absolute_m + relative d + ln(2) temperature_m`` (MapAnything's rule, which SpaceDG uses).

    Args:
        absolute_m, relative: the tolerance; its defaults are MapAnything's.
        temperature_m: a further tolerance of 0.69 times this. MapAnything has 0.1; here 0, so that the tolerance is
            what its name says.
        nearest_m: points closer than this are not seen.
        share_of: what the number of seen points is divided by. "source": the points that the first view has, which
            makes a share in [0, 1]. "target": the pixels with a depth in the second view, as published, which can
            exceed 1 when the first view is closer. "picture": all pixels of the first view.
    """

    absolute_m: float = 0.1
    relative: float = 0.005
    temperature_m: float = 0.0
    nearest_m: float = 0.04
    share_of: Literal["source", "target", "picture"] = "source"

    def __post_init__(self) -> None:
        for name in ("absolute_m", "relative", "temperature_m", "nearest_m"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise BenchDataError(f"MatchRule.{name} must be finite and at least 0, got {value!r}")
        if self.share_of not in ("source", "target", "picture"):
            raise BenchDataError(f'MatchRule.share_of must be "source", "target" or "picture", got {self.share_of!r}')

    def tolerance_m(self, expected_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N,) differences in depth below which points expected at (N,) are seen."""
        return self.absolute_m + self.relative * expected_m + math.log(2) * self.temperature_m


PUBLISHED_RULE = MatchRule(temperature_m=0.1, share_of="target")
"""As MapAnything's script has it."""


def co_visibility(
    views: Sequence[PosedDepth], *, rule: MatchRule | None = None, longest_px: int | None = 128
) -> NDArray[np.float64]:
    """The shares of what each view sees that each other sees too.

    Args:
        views: N views.
        rule: see `MatchRule`.
        longest_px: of each view only a grid of points is moved, of this length along the picture's longer side; None
            moves all. They are always looked up at full size: on a floor that recedes, depths of neighbouring pixels of
            a small map differ by more than the tolerance. In a furnished room the grid moved shares by 0.0002 on
            average and by 0.0014 at most.

    Returns:
        (N, N) float64; row i, column j: the share of view i's points that view j sees. 0 where a view has no depth. The
        matrix is directed (a close-up lies within an overview, not the reverse); see `symmetric`.
    """
    rule = rule or MatchRule()
    known = [int(np.count_nonzero(~np.isnan(view.depth_m))) for view in views]
    shares = np.zeros((len(views), len(views)))
    for i, source in enumerate(views):
        grid = source if longest_px is None else source.reduced(longest_px)
        points = grid.points_world()
        pixels_per_point = source.depth_m.size / grid.depth_m.size
        for j, target in enumerate(views):
            matched = pixels_per_point * int(np.count_nonzero(_seen(points, target, rule)))
            totals = {
                "source": pixels_per_point * len(points),
                "target": float(known[j]),
                "picture": float(source.depth_m.size),
            }
            total = totals[rule.share_of]
            shares[i, j] = matched / total if total else 0.0
    return shares


def matched_pixels(source: PosedDepth, target: PosedDepth, *, rule: MatchRule | None = None) -> NDArray[np.bool_]:
    """(H, W) pixels of the source whose points the target sees."""
    points = source.camera.unproject_depth(source.depth_m)
    known = np.isfinite(points).all(axis=2)
    seen = np.zeros(known.shape, np.bool_)
    seen[known] = _seen(points[known], target, rule or MatchRule())
    return seen


def symmetric(shares: ArrayLike, how: Symmetry = "smaller") -> NDArray[np.float64]:
    """(N, N) one share for each pair of views, from the two directed ones.

    Args:
        shares: (N, N), of `co_visibility`.
        how: "smaller": at least so much of either view is seen by the other; "mean"; "larger".
    """
    directed = np.asarray(shares, dtype=np.float64)
    if directed.ndim != 2 or directed.shape[0] != directed.shape[1]:
        raise BenchDataError(f"shares must have shape (N, N), got {directed.shape}")
    if how == "smaller":
        return np.minimum(directed, directed.T)
    if how == "larger":
        return np.maximum(directed, directed.T)
    if how == "mean":
        return (directed + directed.T) / 2
    raise BenchDataError(f'how must be "smaller", "mean" or "larger", got {how!r}')


def _seen(points_world: NDArray[np.float64], target: PosedDepth, rule: MatchRule) -> NDArray[np.bool_]:
    """(N,) whether the target sees points (N, 3)."""
    seen = np.zeros(len(points_world), np.bool_)
    projection = target.camera.project(points_world)
    candidates = np.flatnonzero(projection.in_picture & (projection.depth_m > rule.nearest_m))
    columns, rows = projection.points_px[candidates].astype(np.intp).T
    expected = projection.depth_m[candidates]
    difference = np.abs(target.depth_m[rows, columns] - expected)  # NaN compares false
    seen[candidates] = difference < rule.tolerance_m(expected)
    return seen
