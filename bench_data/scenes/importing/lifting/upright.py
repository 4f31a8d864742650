"""Boxes about points: outliers, the smallest upright box, and how much two of them overlap."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from ...box import OrientedBox

__all__ = ["box_iou", "inliers", "upright_box"]

_Points = NDArray[np.float64]
_THINNEST_M = 1e-3


def inliers(points_m: _Points, *, neighbours: int = 20, deviations: float = 2.0) -> NDArray[np.bool_]:
    """(N,) which points have neighbours about as near as most: statistical outlier removal (Rusu 2008).

    A point goes when its mean distance to its nearest neighbours is above the mean of all points by more than so many
    standard deviations. Of three points or fewer all stay.
    """
    from scipy.spatial import cKDTree

    if len(points_m) <= 3:
        return np.ones(len(points_m), dtype=np.bool_)
    count = min(neighbours, len(points_m) - 1)
    distances, _ = cKDTree(points_m).query(points_m, k=count + 1)
    mean = np.asarray(distances)[:, 1:].mean(axis=1)
    return np.asarray(mean <= mean.mean() + deviations * mean.std() + 1e-12)


def upright_box(points_m: _Points, *, trim: float = 0.0) -> OrientedBox:
    """The upright box of the smallest footprint around points (N, 3): x along its longer side, z up.

    One side of the smallest rectangle around points lies on a side of their convex hull (Freeman and Shapira 1975), so
    all of these are tried. Boxes of flat things are 1 mm thick.

    Args:
        points_m: at least one.
        trim: share of the points that may stick out on each side.

    Raises:
        BenchDataError: no points, or some that are not finite.
    """
    points = np.asarray(points_m, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise BenchDataError(f"a box needs finite points (N, 3), N at least 1, got {points.shape}")
    plan = points[:, :2]

    def area(angle_rad: float) -> float:
        low, high = _extent(plan @ _turn(angle_rad), trim)
        return float(np.prod(np.maximum(high - low, _THINNEST_M)))

    angle = min(_hull_directions(plan), key=area)
    low, high = _extent(plan @ _turn(angle), trim)
    bottom, top = _extent(points[:, 2:], trim)
    size = np.maximum([*(high - low), top[0] - bottom[0]], _THINNEST_M)
    centre = _turn(angle) @ ((low + high) / 2)
    if size[1] > size[0]:
        size, angle = size[[1, 0, 2]], angle + math.pi / 2
    return OrientedBox.upright([*centre, (bottom[0] + top[0]) / 2], size, heading_rad=math.remainder(angle, math.pi))


def box_iou(a: OrientedBox, b: OrientedBox) -> float:
    """Volume that two upright boxes share, by the volume that either has; in [0, 1].

    Raises:
        BenchDataError: a box that does not stand upright.

    >>> one = OrientedBox.upright((0, 0, 0), (2, 2, 2))
    >>> round(box_iou(one, OrientedBox.upright((1, 0, 0), (2, 2, 2))), 6)
    0.333333
    """
    for box in (a, b):
        if abs(box.world_from_box[2, 2]) < 1 - 1e-6:
            raise BenchDataError(f"only upright boxes can be compared, got {box}")
    height = min(a.top_m, b.top_m) - max(a.bottom_m, b.bottom_m)
    if height <= 0:
        return 0.0
    shared = _area(_clipped(_footprint(a), _footprint(b))) * height
    return float(shared / (a.volume_m3 + b.volume_m3 - shared))


def _turn(angle_rad: float) -> _Points:
    """(2, 2) columns: the axes at this angle."""
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, -s], [s, c]])


def _hull_directions(plan_m: _Points) -> list[float]:
    """Angles of the sides of the convex hull, within a quarter turn."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = plan_m[ConvexHull(plan_m).vertices]
    except (QhullError, ValueError):
        # All on one line, or fewer than three: along the line.
        spread = plan_m - plan_m.mean(axis=0)
        axis = np.linalg.svd(spread, full_matrices=False)[2][0]
        return [math.atan2(float(axis[1]), float(axis[0])) % (math.pi / 2)]
    sides = np.roll(hull, -1, axis=0) - hull
    angles = np.mod(np.arctan2(sides[:, 1], sides[:, 0]), math.pi / 2)
    return [float(angle) for angle in np.unique(np.round(angles, 9))]


def _extent(values: _Points, trim: float) -> tuple[_Points, _Points]:
    if trim <= 0:
        return values.min(axis=0), values.max(axis=0)
    low, high = np.quantile(values, [trim, 1 - trim], axis=0)
    return low, high


def _footprint(box: OrientedBox) -> _Points:
    """(4, 2) corners on the ground, anticlockwise."""
    half = box.size_m[:2] / 2
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half
    return np.asarray(corners @ box.world_from_box[:2, :2].T + box.centre_m[:2])


def _clipped(subject: _Points, clip: _Points) -> _Points:
    """The part of a convex polygon within another (Sutherland and Hodgman 1974); anticlockwise."""
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        if not len(subject):
            break
        side = end - start
        height = side[0] * (subject[:, 1] - start[1]) - side[1] * (subject[:, 0] - start[0])
        kept = []
        for k in range(len(subject)):
            following = (k + 1) % len(subject)
            if height[k] >= 0:
                kept.append(subject[k])
            if (height[k] > 0 > height[following]) or (height[k] < 0 < height[following]):
                share = height[k] / (height[k] - height[following])
                kept.append(subject[k] + share * (subject[following] - subject[k]))
        subject = np.array(kept).reshape(-1, 2)
    return subject


def _area(polygon: _Points) -> float:
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
