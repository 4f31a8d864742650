"""Variation of pictures in training: light and tint always; contrast, colour and noise where questions are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import torch

__all__ = ["lit", "worn"]

_LIGHT, _TINT = 0.1, 0.05
"""Every picture is made lighter or darker, and tinted, by up to these shares: cameras differ by as much."""

_WORN_SHARE: Final = 0.6
"""Of the pictures, these are varied further."""
_CONTRAST, _SATURATION, _GAMMA = (0.7, 1.2), (0.6, 1.4), (0.75, 1.35)
_MOST_NOISE: Final = 0.06
"""Standard deviation where white less black is 2."""
_LUMA: Final = (0.299, 0.587, 0.114)


def lit(pixels: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """(B, 3, H, W) pictures from -1 to 1 in another light, each in its own."""
    light = rng.uniform(1 - _LIGHT, 1 + _LIGHT, (len(pixels), 1, 1, 1))
    tint = rng.uniform(1 - _TINT, 1 + _TINT, (len(pixels), 3, 1, 1))
    return ((pixels + 1) * _tensor(light * tint)).clamp(0, 2) - 1


def worn(pixels: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """(B, 3, H, W) pictures from -1 to 1, most of them with other contrast, colours, tone curve and some noise.

    It is what cameras, files and repairs leave behind in pictures with nothing wrong in them: a model that saw only
    perfect ones takes every trace of that for a thing.
    """
    import torch

    size = len(pixels)

    def drawn(low: float, high: float) -> torch.Tensor:
        kept = rng.random((size, 1, 1, 1)) < _WORN_SHARE
        return _tensor(np.where(kept, rng.uniform(low, high, (size, 1, 1, 1)), 1.0))

    light = ((pixels + 1) / 2) ** drawn(*_GAMMA)
    middle = light.mean(dim=(1, 2, 3), keepdim=True)
    light = middle + (light - middle) * drawn(*_CONTRAST)
    grey = (light * torch.tensor(_LUMA).reshape(1, 3, 1, 1)).sum(1, keepdim=True)
    light = grey + (light - grey) * drawn(*_SATURATION)
    noise = _tensor(rng.uniform(0, _MOST_NOISE, (size, 1, 1, 1)) * (rng.random((size, 1, 1, 1)) < _WORN_SHARE))
    grain = torch.from_numpy(rng.standard_normal(tuple(pixels.shape), dtype=np.float32))
    return (light.clamp(0, 1) * 2 - 1 + noise * grain).clamp(-1, 1)


def _tensor(values: np.ndarray) -> torch.Tensor:
    import torch

    return torch.from_numpy(values).float()
