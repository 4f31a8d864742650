"""The basis against SciPy and gsplat, and its rotation against the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import lebedev_rule
from scipy.spatial.transform import Rotation
from scipy.special import sph_harm_y

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.splats import SH_C0, sh_basis, sh_colours
from seeworthy.bench_data.splats.harmonics import band_rotation, degree_of, rotated_sh

seeds = st.integers(0, 2**32 - 1)


def directions(seed: int, count: int = 64) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rotation(seed: int) -> np.ndarray:
    return np.asarray(Rotation.random(rng=np.random.default_rng(seed)).as_matrix())


def test_the_basis_is_the_real_one_of_scipy() -> None:
    """Real harmonics from complex ones; the sign (-1)^m of the Condon-Shortley phase is in both."""
    d = directions(1)
    polar, azimuth = np.arccos(d[:, 2]), np.arctan2(d[:, 1], d[:, 0])
    basis = sh_basis(d, 3)
    for degree in range(4):
        for order in range(-degree, degree + 1):
            value = sph_harm_y(degree, abs(order), polar, azimuth)
            expected = value.real if order >= 0 else value.imag
            expected = expected * (math.sqrt(2) if order else 1)
            assert basis[:, degree * degree + degree + order] == pytest.approx(expected, abs=1e-14)


def test_the_basis_is_that_of_gsplat() -> None:
    torch = pytest.importorskip("torch")
    reference = pytest.importorskip("gsplat.cuda._torch_impl")
    d = directions(2)
    coefficients = np.random.default_rng(0).normal(size=(64, 16, 3))
    theirs = reference._spherical_harmonics(3, torch.tensor(d), torch.tensor(coefficients)).numpy()
    assert sh_colours(coefficients, d) == pytest.approx(np.maximum(theirs + 0.5, 0), abs=1e-12)


def test_the_basis_is_orthonormal() -> None:
    points, weights = lebedev_rule(7)
    basis = sh_basis(points.T, 3)
    assert basis.T @ (basis * weights[:, None]) == pytest.approx(np.eye(16), abs=1e-12)


def test_a_grey_of_one_half_has_no_coefficients() -> None:
    assert sh_colours(np.zeros((1, 16, 3)), [[0, 0, 1]]).tolist() == [[0.5, 0.5, 0.5]]
    assert sh_colours([[[0.5 / SH_C0, -0.5 / SH_C0, -9]]], [[0, 0, 1]])[0] == pytest.approx([1, 0, 0])


class TestRotation:
    @settings(max_examples=40, deadline=None)
    @given(seeds, st.integers(0, 3))
    def test_turning_cloud_and_view_changes_no_colour(self, seed: int, degree: int) -> None:
        sh = np.random.default_rng(seed).normal(size=(64, (degree + 1) ** 2, 3)).astype(np.float32)
        d, R = directions(seed), rotation(seed + 1)
        assert sh_colours(rotated_sh(sh, R), d @ R.T) == pytest.approx(sh_colours(sh, d), abs=3e-6)

    @pytest.mark.parametrize("band", [1, 2, 3])
    def test_it_is_exact_in_double_precision(self, band: int) -> None:
        R, d = rotation(3), directions(4)
        columns = slice(band * band, (band + 1) ** 2)
        turned = sh_basis(d @ R.T, band)[:, columns] @ band_rotation(R, band)
        assert turned == pytest.approx(sh_basis(d, band)[:, columns], abs=1e-14)

    @settings(max_examples=30, deadline=None)
    @given(seeds, seeds, st.integers(1, 3))
    def test_it_is_a_group(self, seed_a: int, seed_b: int, band: int) -> None:
        a, b = rotation(seed_a), rotation(seed_b)
        assert band_rotation(a, band) @ band_rotation(b, band) == pytest.approx(band_rotation(a @ b, band), abs=1e-13)
        wigner = band_rotation(a, band)
        assert wigner @ wigner.T == pytest.approx(np.eye(2 * band + 1), abs=1e-13)

    def test_the_first_band_turns_as_a_vector(self) -> None:
        """Its functions are -y, z, -x."""
        R = rotation(8)
        to_basis = np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]])
        assert band_rotation(R, 1) == pytest.approx(to_basis @ R @ to_basis.T, abs=1e-14)

    def test_the_constant_is_untouched(self) -> None:
        sh = np.random.default_rng(0).normal(size=(5, 16, 3)).astype(np.float32)
        assert np.array_equal(rotated_sh(sh, rotation(1))[:, 0], sh[:, 0])
        assert not np.allclose(rotated_sh(sh, rotation(1))[:, 1:], sh[:, 1:])

    def test_a_mirror_is_refused(self) -> None:
        with pytest.raises(BenchDataError, match="left-handed"):
            rotated_sh(np.zeros((1, 4, 3), np.float32), np.diag([1, 1, -1]))


def test_degrees() -> None:
    assert [degree_of(k) for k in (1, 4, 9, 16)] == [0, 1, 2, 3]
    for wrong in (0, 2, 15, 25):
        with pytest.raises(BenchDataError, match="1, 4, 9 or 16"):
            degree_of(wrong)
    with pytest.raises(BenchDataError, match="0, 1, 2 or 3"):
        sh_basis([[0, 0, 1]], 4)
