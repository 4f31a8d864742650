"""Copies of a picture that are moved by a little: what a model says of all is no accident of where the pixels fell."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..bench_data.images import Picture

__all__ = ["MOST_MOVED", "moved_copy"]

_SHARE: Final = 0.02
"""Of the longer side: more than a patch's border needs to fall elsewhere, less than would change an answer."""
_WAYS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
MOST_MOVED: Final = len(_WAYS)


def moved_copy(picture: Picture, copy: int) -> Picture:
    """A copy of the picture's size, moved to the right, down, left or up, with the border repeated where it left.

    Args:
        copy: which, from 1 to `MOST_MOVED`.
    """
    across, down = _WAYS[copy - 1]
    height, width = picture.height, picture.width
    step = max(1, round(_SHARE * max(height, width)))
    rows = np.clip(np.arange(height) - down * step, 0, height - 1)
    columns = np.clip(np.arange(width) - across * step, 0, width - 1)
    image_u8 = picture.image_srgb_u8[np.ix_(rows, columns)]
    return Picture(image_u8, source=picture.source, notes=(*picture.notes, "moved by a little"))
