"""What a drawn picture is compared with its photograph by: L1, SSIM, PSNR and depth. All in torch, on any device."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .rasteriser import Drawn

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SSIM_WINDOW_PX", "depth_loss", "photometric_loss", "psnr_db", "ssim"]

# Wang et al., "Image quality assessment: from error visibility to structural similarity", IEEE TIP 2004, section III.B.
SSIM_WINDOW_PX = 11
_SIGMA_PX = 1.5
_C1, _C2 = 0.01**2, 0.03**2

_SURE_ALPHA = 0.5
"""Where less of a pixel is covered its depth says nothing."""


def photometric_loss(image: Tensor, target: Tensor, dssim_weight: float) -> Tensor:
    """(1 - w) L1 + w (1 - SSIM) of pictures (H, W, 3), as Kerbl et al. 2023, eq. 7."""
    l1 = (image - target).abs().mean()
    if dssim_weight == 0:
        return l1
    return (1 - dssim_weight) * l1 + dssim_weight * (1 - ssim(image, target))


def ssim(image: Tensor, target: Tensor) -> Tensor:
    """Structural similarity (Wang et al. 2004) of pictures (H, W, 3) in [0, 1], mean over channels and whole windows.

    Range: [-1, 1]; higher is better. Both sides must be at least 11 pixels long.
    """
    import torch

    x, y = image.permute(2, 0, 1), target.permute(2, 0, 1)
    mean_x, mean_y, xx, yy, xy = _blurred(torch.cat([x, y, x * x, y * y, x * y])).chunk(5)
    var_x, var_y, covariance = xx - mean_x**2, yy - mean_y**2, xy - mean_x * mean_y
    likeness = (2 * mean_x * mean_y + _C1) * (2 * covariance + _C2)
    return (likeness / ((mean_x**2 + mean_y**2 + _C1) * (var_x + var_y + _C2))).mean()


def _blurred(maps: Tensor) -> Tensor:
    """(C, H, W) under a Gaussian window, where the whole window fits: (C, H - 10, W - 10)."""
    import torch

    count = len(maps)
    offsets = torch.arange(SSIM_WINDOW_PX, dtype=maps.dtype, device=maps.device) - SSIM_WINDOW_PX // 2
    window = torch.exp(-(offsets**2) / (2 * _SIGMA_PX**2))
    window = window / window.sum()
    across = window.view(1, 1, 1, -1).expand(count, 1, 1, -1)
    down = window.view(1, 1, -1, 1).expand(count, 1, -1, 1)
    # One group a map: oneDNN's kernel for this is twenty times faster than that for a batch of single maps.
    conv = torch.nn.functional.conv2d
    return conv(conv(maps[None], across, groups=count), down, groups=count)[0]


def psnr_db(image: Tensor, target: Tensor) -> float:
    """Peak signal-to-noise ratio in decibels of pictures in [0, 1]; infinite for equal ones."""
    error = float(((image.clamp(0, 1) - target).double() ** 2).mean())
    return math.inf if error == 0 else -10 * math.log10(error)


def depth_loss(drawn: Drawn, depth_m: Tensor) -> Tensor:
    """Mean relative error of the expected depth, over pixels whose depth (H, W) is known and that are mostly covered.

    Relative, so that its weight does not depend on the scene's size. A measured depth is NaN where unknown.
    """
    import torch

    known = torch.isfinite(depth_m) & (drawn.alpha.detach() > _SURE_ALPHA)
    true = torch.where(known, depth_m, torch.ones_like(depth_m))
    expected = drawn.depth_sum / drawn.alpha.clamp(min=_SURE_ALPHA)
    error = (expected - true).abs() / true
    return torch.where(known, error, torch.zeros_like(error)).sum() / known.sum().clamp(min=1)
