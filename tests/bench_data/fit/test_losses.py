"""Losses against scikit-image and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from seeworthy.bench_data.fit.losses import depth_loss, photometric_loss, psnr_db, ssim
from seeworthy.bench_data.fit.rasteriser import Drawn


def pictures(height: int = 40, width: int = 53, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random((height, width, 3))
    return np.clip(truth + rng.normal(scale=0.1, size=truth.shape), 0, 1), truth


@pytest.mark.parametrize("size", [(11, 11), (40, 53), (12, 90)])
def test_ssim_is_that_of_scikit_image(size: tuple[int, int]) -> None:
    image, truth = pictures(*size)
    wanted = structural_similarity(
        image,
        truth,
        channel_axis=2,
        data_range=1,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        win_size=11,
    )
    assert float(ssim(torch.tensor(image), torch.tensor(truth))) == pytest.approx(wanted, abs=1e-9)


def test_ssim_of_equal_pictures_is_one_and_has_no_slope() -> None:
    image = torch.tensor(pictures()[0], requires_grad=True)
    likeness = ssim(image, image.detach().clone())
    likeness.backward()
    assert float(likeness.detach()) == pytest.approx(1, abs=1e-12)
    assert float(image.grad.abs().max()) < 1e-9


def test_gradients_of_the_loss() -> None:
    image, truth = (torch.tensor(a) for a in pictures(13, 14))
    assert torch.autograd.gradcheck(lambda x: photometric_loss(x, truth, 0.2), image.requires_grad_())


def test_the_weights_of_l1_and_ssim() -> None:
    image, truth = (torch.tensor(a) for a in pictures())
    l1, likeness = float((image - truth).abs().mean()), float(ssim(image, truth))
    assert float(photometric_loss(image, truth, 0)) == pytest.approx(l1)
    assert float(photometric_loss(image, truth, 1)) == pytest.approx(1 - likeness)
    assert float(photometric_loss(image, truth, 0.2)) == pytest.approx(0.8 * l1 + 0.2 * (1 - likeness))


def test_psnr_is_that_of_scikit_image_after_clipping() -> None:
    image, truth = pictures()
    over = torch.tensor(image * 1.3)
    wanted = peak_signal_noise_ratio(truth, np.clip(image * 1.3, 0, 1), data_range=1)
    assert psnr_db(over, torch.tensor(truth)) == pytest.approx(wanted, abs=1e-9)
    assert psnr_db(torch.tensor(truth), torch.tensor(truth)) == math.inf


class TestDepth:
    def drawn(self, depth: list[float], alpha: list[float]) -> Drawn:
        coverage = torch.tensor([alpha])
        return Drawn(torch.zeros(1, len(alpha), 3), torch.tensor([depth]) * coverage, coverage)

    def test_it_is_the_mean_relative_error_where_depth_is_known_and_covered(self) -> None:
        drawn = self.drawn([2.2, 3.0, 9.0, 9.0], [0.9, 0.8, 0.3, 0.9])
        measured = torch.tensor([[2.0, 4.0, 4.0, math.nan]])
        assert float(depth_loss(drawn, measured)) == pytest.approx((0.2 / 2 + 1.0 / 4) / 2)

    def test_its_gradient_is_finite_where_depth_is_unknown(self) -> None:
        depth_sum = torch.tensor([[1.0, 1.0, 0.0]], requires_grad=True)
        alpha = torch.tensor([[0.9, 0.9, 0.0]], requires_grad=True)
        depth_loss(Drawn(torch.zeros(1, 3, 3), depth_sum, alpha), torch.tensor([[2.0, math.nan, 1.0]])).backward()
        assert bool(torch.isfinite(depth_sum.grad).all() and torch.isfinite(alpha.grad).all())
        assert depth_sum.grad[0, 1:].abs().sum() == 0

    def test_nothing_known_is_no_loss(self) -> None:
        assert float(depth_loss(self.drawn([1.0], [0.9]), torch.tensor([[math.nan]]))) == 0
