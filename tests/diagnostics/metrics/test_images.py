import math

import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import mean_psnr_db, psnr_db, ssim


def noisy_pair(shape: tuple[int, ...], dtype: type, seed: int) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    rng = np.random.default_rng(seed)
    clean = rng.random(shape)
    noisy = np.clip(clean + rng.normal(0, 0.1, shape), 0, 1)
    if dtype is np.uint8:
        return (clean * 255).astype(np.uint8), (noisy * 255).astype(np.uint8)
    return clean.astype(dtype), noisy.astype(dtype)


@pytest.mark.parametrize("shape", [(11, 11), (24, 31), (16, 20, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_agrees_with_scikit_image(shape: tuple[int, ...], dtype: type) -> None:
    left, right = noisy_pair(shape, dtype, seed=len(shape))
    peak = 255.0 if dtype is np.uint8 else 1.0
    settings = {"data_range": peak, "channel_axis": 2 if len(shape) == 3 else None}
    expected = structural_similarity(
        left.astype(float), right.astype(float), gaussian_weights=True, use_sample_covariance=False, **settings
    )
    assert ssim(left, right, data_range=peak) == pytest.approx(expected, abs=1e-9)
    expected_db = peak_signal_noise_ratio(left, right, data_range=peak)
    assert psnr_db(left, right, data_range=peak) == pytest.approx(expected_db, abs=1e-4)


def test_identical_images_are_infinitely_good_but_do_not_win_the_table() -> None:
    image = np.full((12, 12), 7, np.uint8)
    assert psnr_db(image, image) == math.inf
    assert mean_psnr_db([math.inf, 20.0]) == pytest.approx(23.0103, abs=1e-4)
    assert mean_psnr_db([math.inf, math.inf]) == math.inf
    assert mean_psnr_db([20.0, 20.0]) == pytest.approx(20.0)
    assert mean_psnr_db([30.0, 10.0]) < 20.0


def test_constant_images_have_a_similarity() -> None:
    half = np.full((20, 20), 0.5)
    assert ssim(half, half, data_range=1.0) == 1.0
    assert 0 <= ssim(np.zeros((20, 20)), np.ones((20, 20)), data_range=1.0) < 1e-3


@pytest.mark.parametrize("metric", [psnr_db, ssim])
def test_what_cannot_be_compared_is_refused(metric: object) -> None:
    assert callable(metric)
    u8, floats = np.zeros((12, 12), np.uint8), np.zeros((12, 12))
    cases = [
        (floats, floats, None, "data_range"),
        (u8, floats, 1.0, "shape or type"),
        (u8, u8[:-1], None, "shape or type"),
        (floats, np.full((12, 12), np.nan), 1.0, "NaN"),
        (floats, floats, -1.0, "positive"),
        (u8[:0], u8[:0], None, "empty"),
    ]
    for left, right, data_range, message in cases:
        with pytest.raises(DiagnosticsError, match=message):
            metric(left, right, data_range=data_range)


def test_an_image_smaller_than_the_window_is_refused_with_the_minimum() -> None:
    with pytest.raises(DiagnosticsError, match="11x11"):
        ssim(np.zeros((10, 40), np.uint8), np.zeros((10, 40), np.uint8))


@pytest.mark.parametrize("values", [[], [math.nan, 20.0]])
def test_a_mean_of_nothing_is_refused(values: list[float]) -> None:
    with pytest.raises(DiagnosticsError):
        mean_psnr_db(values)
