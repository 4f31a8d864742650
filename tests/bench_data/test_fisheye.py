"""The fisheye polynomial against OpenCV, its inverse, and where it stops."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.fisheye import (
    distorted_angle,
    distorted_angle_slope,
    monotone_limit_rad,
    undistorted_angle,
)

coefficient = st.floats(-0.3, 0.3)
coefficients = st.tuples(coefficient, coefficient, coefficient, coefficient)


@given(coefficients)
def test_the_slope_is_positive_up_to_the_limit(k: tuple[float, float, float, float]) -> None:
    limit = min(monotone_limit_rad(k), math.pi)
    theta = np.linspace(0, limit * (1 - 1e-6), 500)
    assert (distorted_angle_slope(theta, k) > 0).all()
    assert (np.diff(distorted_angle(theta, k)) > 0).all()


@given(coefficients)
def test_the_slope_is_the_derivative(k: tuple[float, float, float, float]) -> None:
    theta, step = np.linspace(0.1, 1.5, 7), 1e-5
    numeric = (distorted_angle(theta + step, k) - distorted_angle(theta - step, k)) / (2 * step)
    assert distorted_angle_slope(theta, k) == pytest.approx(numeric, abs=1e-7)


@pytest.mark.parametrize(
    ("k", "limit"),
    [
        ((0.0, 0.0, 0.0, 0.0), math.inf),
        ((0.1, 0.0, 0.0, 0.0), math.inf),
        ((-1 / 3, 0.0, 0.0, 0.0), 1.0),  # slope 1 - theta^2
        ((0.0, -1 / 5, 0.0, 0.0), 1.0),
        ((0.0, 0.0, 0.0, -1 / 9), 1.0),
        ((-5 / 12, 1 / 20, 0.0, 0.0), 1.0),  # slope (1 - u)(1 - u / 4): the smaller root counts
        ((-1 / 6, 1 / 80, 0.0, 0.0), 2.0),  # slope (1 - u / 4)^2 only touches zero
    ],
)
def test_the_limit(k: tuple[float, float, float, float], limit: float) -> None:
    assert monotone_limit_rad(k) == pytest.approx(limit, rel=1e-6)


@settings(max_examples=200)
@given(coefficients, st.floats(0, 1))
def test_the_inverse_is_exact(k: tuple[float, float, float, float], where: float) -> None:
    limit = min(monotone_limit_rad(k), math.pi)
    target = where * float(distorted_angle(limit, k))
    theta = float(undistorted_angle(target, k, limit_rad=limit))
    assert 0 <= theta <= limit
    assert float(distorted_angle(theta, k)) == pytest.approx(target, rel=1e-14, abs=1e-300)


def test_beyond_the_image_circle_is_unknown() -> None:
    k = (-0.235, 0.0, 0.0, 0.0)
    limit = monotone_limit_rad(k)
    edge = float(distorted_angle(limit, k))
    angles = undistorted_angle([0, edge, edge * 1.001, -0.1, math.nan, math.inf], k, limit_rad=limit)
    assert angles[:2] == pytest.approx([0, limit])
    assert np.isnan(angles[2:]).all()


@settings(max_examples=50, deadline=None)
@given(coefficients, st.integers(0, 2**32 - 1))
def test_projection_agrees_with_opencv(k: tuple[float, float, float, float], seed: int) -> None:
    """OpenCV counts pixel centres as whole numbers: its principal point is half a pixel less than ours."""
    camera = fisheye(k)
    points = np.random.default_rng(seed).normal(size=(50, 3)) + np.array([0, 0, 2])
    ours = camera.project(points)
    theirs, _ = cv2.fisheye.projectPoints(
        points[:, None], np.zeros(3), np.zeros(3), camera.K - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]], np.array(k)
    )
    assert ours.points_px[ours.imaged] == pytest.approx(theirs[ours.imaged, 0] + 0.5, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(coefficients, st.integers(0, 2**32 - 1))
def test_unprojection_undoes_projection(k: tuple[float, float, float, float], seed: int) -> None:
    camera = fisheye(k)
    points = np.random.default_rng(seed).normal(size=(100, 3)) * [2, 2, 1] + [0, 0, 2]
    view = camera.project(points)
    # At the rim of the circle the slope is zero, and with it all knowledge of the angle.
    inside = view.imaged.copy()
    inside &= np.arctan2(np.hypot(*points[:, :2].T), points[:, 2]) < 0.99 * camera.theta_limit_rad
    back = camera.unproject(view.points_px[inside], view.depth_m[inside])
    assert back == pytest.approx(points[inside], abs=1e-7)


def test_nothing_folds_back_into_the_picture() -> None:
    camera = fisheye((-0.235, 0.0, 0.0, 0.0))
    theta = np.array([1.0, 1.19, 1.192, 1.4])
    view = camera.project(np.stack([np.sin(theta), np.zeros(4), np.cos(theta)], axis=1) * 3)
    assert view.imaged.tolist() == [True, True, False, False]
    assert np.isnan(view.points_px[2:]).all()


def test_the_given_limit_counts_when_it_is_smaller() -> None:
    camera = fisheye((-0.235, 0.0, 0.0, 0.0), max_theta_rad=0.5)
    assert camera.theta_limit_rad == 0.5
    assert camera.project([[math.sin(0.51), 0, math.cos(0.51)]]).imaged.tolist() == [False]


def test_straight_ahead() -> None:
    camera = fisheye((0.1, 0.2, 0.0, 0.0))
    view = camera.project([[0, 0, 2], [1e-15, 0, 2], [0, 0, -2]])
    assert view.points_px[:2] == pytest.approx(np.array([[320, 240], [320, 240]]))
    assert view.imaged.tolist() == [True, True, False]
    assert camera.directions_in_camera([[320, 240]]).tolist() == [[0, 0, 1]]


def fisheye(k: tuple[float, float, float, float], max_theta_rad: float = math.pi) -> Camera:
    return Camera(
        width=640,
        height=480,
        fx=300,
        fy=310,
        cx=320,
        cy=240,
        world_from_camera=np.eye(4),
        model="fisheye",
        distortion=k,
        max_theta_rad=max_theta_rad,
    )
