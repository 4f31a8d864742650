"""Pictures after one of the solver's own tools, which leave traces that a model shall not take for things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ...tools.registry import RECTIFIERS, RectifyHint, apply_rectifier

__all__ = ["repaired"]

_ANYWHERE: Final = ("dehaze", "dehaze", "dehaze", "stretch_contrast", "lift_and_denoise", "sharpen_mild", "denoise")
"""On a picture with nothing wrong in it these do too much of just what they do well elsewhere. What dehazing leaves
behind is the strongest."""
_OPTIONS: Final = {"lift_and_denoise": ("gain", 1.0, 2.0), "denoise": ("noise_std", 0.02, 0.08)}
"""Tools that see nothing to do are told how much, from and to."""
_TOOLS: Final[Mapping[Stress, tuple[str, ...]]] = {
    Stress.DEFOCUS: ("deblur", "sharpen_mild"),
    Stress.HAZE: ("dehaze", "dehaze_mild"),
    Stress.JPEG_COMPRESSION: ("deblock",),
    Stress.LOW_LIGHT: ("lift_and_denoise", "lift_exposure"),
    Stress.LOW_RES: ("sharpen_mild", "super_resolve"),
    Stress.MOTION_BLUR: ("deblur", "sharpen_mild"),
    Stress.OVER_EXPOSURE: ("recover_highlights",),
}
"""Those on board that treat a degradation; a plug-in's would give other weights to the same plan."""
_SEVERITY: Final = (1.0, 4.0)


def repaired(image_u8: NDArray[np.uint8], condition: str, rng: np.random.Generator) -> NDArray[np.uint8]:
    """(H, W, 3) a picture after a tool that treats its degradation, or, if it has none, after any.

    Args:
        image_u8: (H, W, 3) display-encoded.
        condition: the degradation and its level, as in ``haze-3``; empty for a clean picture.
        rng: draws tool and strength.
    """
    tools = _TOOLS.get(Stress(condition.rpartition("-")[0]), _ANYWHERE) if condition else _ANYWHERE
    name = tools[int(rng.integers(len(tools)))]
    options = {}
    if tools is _ANYWHERE and name in _OPTIONS:
        option, low, high = _OPTIONS[name]
        options[option] = float(rng.uniform(low, high))
    hint = RectifyHint(severity=float(rng.uniform(*_SEVERITY)), options=options)
    made = apply_rectifier(RECTIFIERS.get(name), image_u8.astype(np.float32) / np.float32(255), hint)
    return np.rint(made.image_srgb * 255).astype(np.uint8)
