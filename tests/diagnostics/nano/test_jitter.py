"""Pictures of the training are varied as cameras and files vary them, and stay pictures."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from seeworthy.diagnostics.nano.jitter import lit, worn

Varied = Callable[[torch.Tensor, np.random.Generator], torch.Tensor]


def pictures(size: int = 64) -> torch.Tensor:
    rng = np.random.default_rng(1)
    return torch.from_numpy(rng.uniform(-0.6, 0.6, (size, 3, 12, 12))).float()


@pytest.mark.parametrize("vary", [lit, worn])
def test_varied_pictures_stay_in_range_and_the_seed_decides(vary: Varied) -> None:
    shown = torch.cat([pictures(), torch.full((1, 3, 12, 12), 1.0), torch.full((1, 3, 12, 12), -1.0)])
    varied = vary(shown, np.random.default_rng(3))
    assert varied.shape == shown.shape and varied.dtype == torch.float32
    assert float(varied.min()) >= -1 and float(varied.max()) <= 1
    assert torch.equal(varied, vary(shown, np.random.default_rng(3)))
    assert not torch.equal(varied, vary(shown, np.random.default_rng(4)))


def test_light_changes_every_picture_a_little_and_no_order_of_tones() -> None:
    shown = pictures()
    varied = lit(shown, np.random.default_rng(0))
    ratio = (varied + 1) / (shown + 1)
    assert torch.allclose(ratio.amax((2, 3)), ratio.amin((2, 3)), rtol=1e-4)
    assert 0.84 < float(ratio.min()) < 0.95 < 1.05 < float(ratio.max()) < 1.16


def test_wear_changes_contrast_and_colour_of_most_and_adds_noise_to_some() -> None:
    shown = pictures(400)
    varied = worn(shown, np.random.default_rng(0))
    contrast = varied.std((1, 2, 3)) / shown.std((1, 2, 3))
    assert float(contrast.min()) < 0.75 and float(contrast.max()) > 1.1
    # Noise tears values apart that were equal.
    flat = worn(torch.zeros(400, 3, 12, 12), np.random.default_rng(0))
    noisy = (flat.std((1, 2, 3)) > 1e-3).float().mean()
    assert 0.4 < float(noisy) < 0.8


def test_grey_stays_grey_without_noise() -> None:
    flat = worn(torch.full((200, 3, 8, 8), 0.2), np.random.default_rng(2))
    quiet = flat[flat.std((2, 3)).amax(1) < 1e-5]
    assert len(quiet) > 40
    assert float(quiet.std(1).max()) < 1e-5
