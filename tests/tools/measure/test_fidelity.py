"""PSNR and SSIM against scikit-image and against values that can be computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from seeworthy.tools.errors import ToolError
from seeworthy.tools.measure.fidelity import mean_psnr_db, psnr_db, ssim


def textured(seed: int, shape: tuple[int, ...] = (40, 56, 3)) -> np.ndarray:
    rng = np.random.default_rng(seed)
    waves = np.sin(np.arange(shape[0])[:, None] / 5) * np.cos(np.arange(shape[1])[None] / 7)
    base = 0.5 + 0.3 * (waves if len(shape) == 2 else waves[..., None])
    return np.clip(base + rng.normal(0, 0.08, shape), 0, 1)


def degraded(image: np.ndarray, seed: int) -> np.ndarray:
    return np.clip(image**1.3 + np.random.default_rng(seed).normal(0, 0.05, image.shape), 0, 1)


@pytest.mark.parametrize("shape", [(40, 56, 3), (40, 56), (11, 11), (64, 12, 3)])
@pytest.mark.parametrize("seed", [0, 1])
def test_ssim_is_that_of_scikit_image(shape: tuple[int, ...], seed: int) -> None:
    reference = textured(seed, shape)
    image = degraded(reference, seed + 10)
    expected = structural_similarity(
        reference,
        image,
        data_range=1.0,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        channel_axis=2 if len(shape) == 3 else None,
    )
    assert ssim(reference, image, data_range=1.0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_psnr_is_that_of_scikit_image(dtype: type) -> None:
    reference = textured(3).astype(dtype)
    image = degraded(reference, 4).astype(dtype)
    expected = peak_signal_noise_ratio(reference.astype(np.float64), image.astype(np.float64), data_range=1.0)
    assert psnr_db(reference, image, data_range=1.0) == pytest.approx(expected, abs=1e-9)


def test_eight_bit_pictures_have_their_range_and_do_not_wrap_around() -> None:
    reference = np.zeros((16, 16, 3), dtype=np.uint8)
    image = np.full_like(reference, 255)
    assert psnr_db(reference, image) == 0.0
    assert psnr_db(image, reference) == 0.0
    assert ssim(reference, image) == pytest.approx(1e-4, abs=1e-4)


def test_constant_pictures_have_a_finite_ssim() -> None:
    half, zero, one = (np.full((20, 20), value) for value in (0.5, 0.0, 1.0))
    assert ssim(half, half, data_range=1.0) == 1.0
    assert ssim(zero, one, data_range=1.0) == pytest.approx(1e-4 / (1 + 1e-4), rel=1e-6)


def test_identical_pictures_are_infinite_alone_and_do_not_decide_the_mean() -> None:
    zero = np.zeros((12, 12))
    tenth = np.full((12, 12), 0.1)
    assert psnr_db(zero, zero, data_range=1.0) == math.inf
    # Errors 0 and 0.01 pool to 0.005.
    pooled = mean_psnr_db([(zero, zero), (zero, tenth)], data_range=1.0)
    assert pooled == pytest.approx(10 * math.log10(1 / 0.005))
    assert mean_psnr_db([(zero, zero)], data_range=1.0) == math.inf


def test_the_mean_weighs_pictures_alike_whatever_their_size() -> None:
    small, large = np.zeros((4, 4)), np.zeros((40, 40))
    pooled = mean_psnr_db([(small, small + 0.2), (large, large)], data_range=1.0)
    assert pooled == pytest.approx(10 * math.log10(1 / 0.02))


@pytest.mark.parametrize("metric", [psnr_db, ssim])
def test_ugly_input_is_refused_with_what_to_do(metric) -> None:  # type: ignore[no-untyped-def]
    good = np.zeros((16, 16, 3))
    with pytest.raises(ToolError, match="data_range="):
        metric(good, good)
    with pytest.raises(ToolError, match="equal shape"):
        metric(good, good[:8], data_range=1.0)
    with pytest.raises(ToolError, match="NaN"):
        metric(good, np.full_like(good, np.nan), data_range=1.0)
    with pytest.raises(ToolError, match="data_range must be"):
        metric(good, good, data_range=0.0)
    with pytest.raises(ToolError, match="equal shape"):
        metric(np.zeros((0, 4)), np.zeros((0, 4)), data_range=1.0)


def test_a_picture_below_the_window_names_the_minimum() -> None:
    small = np.zeros((10, 40, 3))
    with pytest.raises(ToolError, match="11x11 pixels, got 40x10"):
        ssim(small, small, data_range=1.0)


def test_no_pictures_have_no_mean() -> None:
    with pytest.raises(ToolError, match="at least one"):
        mean_psnr_db([], data_range=1.0)
    first, second = np.zeros((4, 4), np.uint8), np.zeros((4, 4))
    with pytest.raises(ToolError, match="need data_range"):
        mean_psnr_db([(first, first), (second, second)])


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.3))
def test_ssim_is_symmetric_and_at_most_one(seed: int, strength: float) -> None:
    reference = textured(seed, (24, 24))
    image = np.clip(reference + np.random.default_rng(seed).normal(0, strength, reference.shape), 0, 1)
    forward, backward = ssim(reference, image, data_range=1.0), ssim(image, reference, data_range=1.0)
    assert forward == pytest.approx(backward, abs=1e-12)
    assert -1 <= forward <= 1
    assert psnr_db(reference, image, data_range=1.0) == psnr_db(image, reference, data_range=1.0)
