"""Upright boxes, their overlap, and outliers."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.scenes.importing.lifting import box_iou, inliers, upright_box

Seed = st.integers(0, 2**31)


def a_box(rng: np.random.Generator) -> OrientedBox:
    return OrientedBox.upright(rng.uniform(-1, 1, 3), rng.uniform(0.3, 2, 3), heading_rad=rng.uniform(-3, 3))


@given(seed=Seed, count=st.integers(3, 60))
@settings(deadline=None, max_examples=50)
def test_the_footprint_is_the_smallest_rectangle(seed: int, count: int) -> None:
    """As OpenCV finds it."""
    points = np.random.default_rng(seed).normal(size=(count, 3)) * [2, 1, 0.5]
    box = upright_box(points)
    _, (wide, high), _ = cv2.minAreaRect(points[:, :2].astype(np.float32))
    assert box.size_m[0] * box.size_m[1] == pytest.approx(wide * high, rel=1e-3)
    assert box.size_m[0] >= box.size_m[1]
    assert box.size_m[2] == pytest.approx(np.ptp(points[:, 2]))
    assert box.contains(points, margin_m=1e-6).all()


@given(seed=Seed)
@settings(deadline=None, max_examples=50)
def test_the_box_of_a_boxs_corners_is_that_box(seed: int) -> None:
    box = a_box(np.random.default_rng(seed))
    found = upright_box(box.corners_m)
    assert box_iou(found, box) == pytest.approx(1, abs=1e-6)


@given(seed=Seed, angle=st.floats(-3, 3))
@settings(deadline=None, max_examples=50)
def test_a_box_turns_with_its_points(seed: int, angle: float) -> None:
    points = np.random.default_rng(seed).normal(size=(30, 3)) * [3, 1, 1]
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    before, after = upright_box(points), upright_box(points @ turn.T + [1, 2, 3])
    np.testing.assert_allclose(after.size_m, before.size_m, atol=1e-6)
    np.testing.assert_allclose(after.centre_m, turn @ before.centre_m + [1, 2, 3], atol=1e-6)


@given(seed=Seed)
@settings(deadline=None, max_examples=20)
def test_the_overlap_is_the_share_of_points_in_both(seed: int) -> None:
    """Against points drawn at random in a space around both."""
    rng = np.random.default_rng(seed)
    a, b = a_box(rng), a_box(rng)
    corners = np.concatenate([a.corners_m, b.corners_m])
    points = rng.uniform(corners.min(axis=0), corners.max(axis=0), (60_000, 3))
    in_a, in_b = a.contains(points), b.contains(points)
    assert box_iou(a, b) == pytest.approx((in_a & in_b).sum() / (in_a | in_b).sum(), abs=0.02)
    assert box_iou(a, b) == pytest.approx(box_iou(b, a), abs=1e-9)
    assert box_iou(a, a) == pytest.approx(1)


def test_boxes_apart_and_boxes_that_touch() -> None:
    a = OrientedBox.upright((0, 0, 0), (1, 1, 1))
    assert box_iou(a, OrientedBox.upright((0, 0, 5), (1, 1, 1))) == 0
    assert box_iou(a, OrientedBox.upright((5, 0, 0), (1, 1, 1), heading_rad=0.4)) == 0
    assert box_iou(a, OrientedBox.upright((1, 0, 0), (1, 1, 1))) == pytest.approx(0, abs=1e-12)
    tilted = OrientedBox(a.centre_m, a.size_m, np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
    with pytest.raises(BenchDataError, match="upright"):
        box_iou(a, tilted)


@pytest.mark.parametrize(
    "points",
    [
        [[1.0, 2, 3]],
        [[0.0, 0, 0], [1, 1, 0]],
        [[0.0, 0, 0], [1, 1, 0], [2, 2, 5]],
        [[1.0, 1, 1]] * 5,
    ],
)
def test_points_on_a_line_have_a_thin_box(points: list[list[float]]) -> None:
    box = upright_box(np.array(points))
    assert box.contains(np.array(points), margin_m=1e-6).all()
    assert box.size_m[1] == pytest.approx(1e-3)


def test_a_few_points_may_stick_out() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.uniform(-1, 1, (2000, 3)), [[30.0, 0, 0]]])
    assert upright_box(points, trim=0.01).size_m.max() < 2.1
    assert upright_box(points).size_m.max() > 30


def test_no_points() -> None:
    for bad in (np.zeros((0, 3)), np.zeros((3, 2)), np.full((2, 3), np.inf)):
        with pytest.raises(BenchDataError, match="finite points"):
            upright_box(bad)


@given(seed=Seed)
@settings(deadline=None, max_examples=50)
def test_outliers_go_and_the_crowd_stays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    crowd = rng.uniform(-0.5, 0.5, (300, 3))
    away = rng.normal(size=(5, 3))
    away *= (4 + 3 * np.arange(5))[:, None] / np.linalg.norm(away, axis=1, keepdims=True)
    kept = inliers(np.concatenate([crowd, away]))
    assert kept[:300].mean() > 0.97
    assert not kept[300:].any()
    assert inliers(crowd[:3]).all()
