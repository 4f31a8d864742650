"""Pictures of which a part is blank: a model that has learned what it cannot see is not sure of it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...tools.enhance.filtering.spatial import resize_cubic

__all__ = ["erased"]

_FIELD: Final = (4, 5)
"""Rows and columns of the random field whose high parts become blank: blots as large as things and walls."""
_SHARE: Final = (0.2, 0.9)
_BORDER: Final = 0.35
"""Of the field's standard deviation: how soft the borders are."""
_GREY, _TINT = (0.1, 0.95), 0.03
_LEFT: Final = 0.05
"""At most so much of the contrast is left in what is blank."""


def erased(image_u8: NDArray[np.uint8], kept: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.uint8]:
    """(H, W, 3) the picture with blots of one plain colour, after random erasing (Zhong et al., arXiv 1708.04896).

    Args:
        image_u8: (H, W, 3) display-encoded.
        kept: (H, W) what stays whole: numbers are drawn on top of whatever happened to a picture.
        rng: draws share, shape and colour.
    """
    height, width = image_u8.shape[:2]
    field = resize_cubic(rng.standard_normal(_FIELD).astype(np.float32), (width, height))
    field = (field - np.quantile(field, 1 - rng.uniform(*_SHARE))) / max(float(field.std()), 1e-6)
    blank = np.clip(field / _BORDER + 0.5, 0, 1) * (1 - rng.uniform(0, _LEFT))
    blank[kept] = 0
    colour = 255 * np.clip(rng.uniform(*_GREY) + rng.uniform(-_TINT, _TINT, 3), 0, 1)
    made = image_u8 + blank[..., None] * (colour - image_u8)
    return np.asarray(np.rint(np.clip(made, 0, 255)), dtype=np.uint8)
