"""Quaternions and matrices against SciPy, group axioms, and every input that must be refused."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning
from seeworthy.bench_data.rotations import (
    angle_between_rad,
    matrix_from_quat,
    multiply_quats,
    nearest_rotation,
    quat_from_matrix,
    slerp,
    unit_quats,
    wxyz_from_xyzw,
    xyzw_from_wxyz,
)

HALF = math.sqrt(0.5)

finite = st.floats(-1, 1, allow_nan=False)
quats = (
    st.tuples(finite, finite, finite, finite)
    .filter(lambda q: sum(x * x for x in q) > 1e-4)
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)


def scipy_of(quat_wxyz: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(quat_wxyz, -1))


class TestOrder:
    def test_the_same_numbers_mean_different_turns(self) -> None:
        numbers = (HALF, 0, 0, HALF)
        assert matrix_from_quat(numbers) @ [1, 0, 0] == pytest.approx([0, 1, 0])
        assert matrix_from_quat(wxyz_from_xyzw(numbers)) @ [0, 1, 0] == pytest.approx([0, 0, 1])

    def test_identity_of_one_order_is_half_a_turn_in_the_other(self) -> None:
        assert matrix_from_quat(wxyz_from_xyzw((1, 0, 0, 0))) == pytest.approx(np.diag([1, -1, -1]))

    @given(quats)
    def test_conversion_is_undone(self, quat: np.ndarray) -> None:
        assert np.array_equal(wxyz_from_xyzw(xyzw_from_wxyz(quat)), quat)


class TestNorm:
    def test_a_long_quaternion_is_normalised_and_questioned(self) -> None:
        with pytest.warns(BenchDataWarning, match="not of length 1"):
            assert unit_quats((2, 0, 0, 0)).tolist() == [1, 0, 0, 0]

    @pytest.mark.parametrize(("norm", "questioned"), [(1.0009, False), (1.0011, True), (0.9989, True), (1e-30, True)])
    def test_the_limit_is_a_thousandth(self, norm: float, questioned: bool) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert np.linalg.norm(unit_quats(np.array([0, 0.6, 0.8, 0]) * norm)) == pytest.approx(1)
        assert bool(caught) == questioned

    @pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e300])
    def test_sizes_that_overflow_when_squared(self, size: float) -> None:
        assert unit_quats(np.array([3, 0, 0, 4]) * size, warn=False) == pytest.approx([0.6, 0, 0, 0.8])

    def test_float32_unit_quaternions_stay_as_they_are(self) -> None:
        rows = np.random.default_rng(0).normal(size=(1000, 4)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        assert np.array_equal(unit_quats(rows).astype(np.float32), rows)


@pytest.mark.parametrize(
    ("quat", "message"),
    [
        ((0, 0, 0, 0), "is zero"),
        ((math.nan, 0, 0, 1), "not finite"),
        ((0, math.inf, 0, 1), "not finite"),
        ([[1, 0, 0, 0], [0, 0, 0, 0]], "row 1 is zero"),
        ([[[1, 0, 0, 0]], [[0, 0, 0, 0]]], r"row \(1, 0\) is zero"),
        ((1, 0, 0), "shape"),
        (1.0, "shape"),
        ("wxyz", "numbers"),
        ([[1, 0, 0, 0], [1, 0, 0]], "numbers"),
    ],
)
def test_what_is_no_quaternion(quat: object, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        matrix_from_quat(quat)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.diag([1, 1, -1]), r"left-handed \(det −1\)"),
        (np.eye(3) * 2, "scales by 2"),
        (np.diag([1, 1, 1.1]), "not orthonormal"),
        (np.ones((3, 3)), "not orthonormal"),
        (np.zeros((3, 3)), "not orthonormal"),
        (np.full((3, 3), math.nan), "not finite"),
        (np.full((3, 3), 1e200), "no rotation"),
        (np.stack([np.eye(3), np.diag([-1, 1, 1])]), "row 1 is left-handed"),
        (np.eye(4), "shape"),
        ([["a"]], "numbers"),
    ],
)
def test_what_is_no_rotation(matrix: object, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        quat_from_matrix(matrix)  # type: ignore[arg-type]


def test_rounding_of_a_text_file_is_removed() -> None:
    exact = Rotation.from_euler("xyz", [0.3, -1.2, 2.0]).as_matrix()
    cleaned = nearest_rotation(exact.round(5))
    assert np.abs(cleaned @ cleaned.T - np.eye(3)).max() < 1e-14
    assert np.abs(cleaned - exact).max() < 1e-5
    assert np.array_equal(nearest_rotation(exact), exact)


class TestAgainstScipy:
    @given(quats)
    def test_matrix(self, quat: np.ndarray) -> None:
        assert np.abs(matrix_from_quat(quat) - scipy_of(quat).as_matrix()).max() < 1e-14

    @given(quats)
    def test_matrix_and_back(self, quat: np.ndarray) -> None:
        back = quat_from_matrix(matrix_from_quat(quat))
        assert back[0] >= 0
        assert min(np.abs(back - quat).max(), np.abs(back + quat).max()) < 1e-14

    @given(quats, quats)
    def test_product(self, a: np.ndarray, b: np.ndarray) -> None:
        product = matrix_from_quat(multiply_quats(a, b))
        assert np.abs(product - matrix_from_quat(a) @ matrix_from_quat(b)).max() < 1e-14

    @given(quats, quats)
    def test_angle(self, a: np.ndarray, b: np.ndarray) -> None:
        assert float(angle_between_rad(a, b)) == pytest.approx((scipy_of(a).inv() * scipy_of(b)).magnitude(), abs=1e-7)

    @settings(max_examples=60)
    @given(quats, quats, st.floats(0, 1))
    def test_slerp(self, a: np.ndarray, b: np.ndarray, t: float) -> None:
        if abs(a @ b) < 1e-3:  # half a turn apart: both ways are equally short
            return
        reference = Slerp([0, 1], Rotation.concatenate([scipy_of(a), scipy_of(b)]))(t)
        assert np.abs(matrix_from_quat(slerp(a, b, t)) - reference.as_matrix()).max() < 1e-7


@pytest.mark.parametrize("trace_below_zero", [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, HALF, HALF, 0)])
def test_half_turns_keep_their_axis(trace_below_zero: tuple[float, ...]) -> None:
    assert quat_from_matrix(matrix_from_quat(trace_below_zero)) == pytest.approx(trace_below_zero)


class TestSigns:
    @given(quats)
    def test_q_and_minus_q_are_one_pose(self, quat: np.ndarray) -> None:
        assert float(angle_between_rad(quat, -quat)) < 1e-7
        assert np.array_equal(matrix_from_quat(quat), matrix_from_quat(-quat))

    def test_slerp_takes_the_shorter_way(self) -> None:
        small_turn = np.array([math.cos(0.05), 0, 0, math.sin(0.05)])
        middle = slerp((1, 0, 0, 0), -small_turn, 0.5)
        assert float(angle_between_rad(middle, (1, 0, 0, 0))) == pytest.approx(0.05)

    def test_slerp_of_equal_ends(self) -> None:
        assert slerp((1, 0, 0, 0), (-1, 0, 0, 0), [0, 0.3, 1]).tolist() == [[1, 0, 0, 0]] * 3

    def test_tiny_angles_are_exact(self) -> None:
        turned = np.array([math.cos(5e-11), 0, 0, math.sin(5e-11)])
        assert float(angle_between_rad((1, 0, 0, 0), turned)) == pytest.approx(1e-10)
