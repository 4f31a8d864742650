"""Copies of a picture that are moved by a little: what a model says of all is no accident of where the pixels fell."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..bench_data.images import Picture

__all__ = ["MOST_MOVED", "moved_copies"]

_SHARE: Final = 0.02
"""Of the longer side: more than a patch's border needs to fall elsewhere, less than would change an answer."""
_WAYS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
MOST_MOVED: Final = len(_WAYS)


def moved_copies(picture: Picture, count: int) -> list[Picture]:
    """Copies of the picture's size, each moved another way, with the border repeated where nothing moved in.

    Args:
        count: at most `MOST_MOVED`.
    """
    height, width = picture.height, picture.width
    step = max(1, round(_SHARE * max(height, width)))
    copies = []
    for right, down in _WAYS[:count]:
        rows = np.clip(np.arange(height) - down * step, 0, height - 1)
        columns = np.clip(np.arange(width) - right * step, 0, width - 1)
        image_u8 = picture.image_srgb_u8[np.ix_(rows, columns)]
        copies.append(Picture(image_u8, source=picture.source, notes=(*picture.notes, "moved by a little")))
    return copies
