"""EXIF orientation: which way up a photograph is meant to be seen.

Only the one tag is read, by a parser of its own: the general ones warn, repair and guess on damaged blocks, and a
guess here swaps left and right.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..errors import BenchDataError

__all__ = ["UPRIGHT", "exif_orientation", "upright"]

UPRIGHT: Final = 1
_ORIENTATION_TAG: Final = 0x0112
_SHORT: Final = 3


def exif_orientation(exif: bytes) -> int:
    """The orientation, 1 to 8, that an EXIF block states; 1 when it has no such tag.

    Args:
        exif: the block, with or without its "Exif" prefix.

    Raises:
        BenchDataError: the block is damaged, or the value is not 1 to 8.
    """
    block = exif.removeprefix(b"Exif\x00\x00")
    if not block:
        return UPRIGHT
    order = {b"II*\x00": "<", b"MM\x00*": ">"}.get(block[:4])
    if order is None:
        raise BenchDataError("the EXIF block has no TIFF header")
    try:
        (start,) = struct.unpack_from(order + "I", block, 4)
        (count,) = struct.unpack_from(order + "H", block, start)
        for entry in range(start + 2, start + 2 + 12 * count, 12):
            tag, kind, values, value = struct.unpack_from(order + "HHIH", block, entry)
            if tag == _ORIENTATION_TAG:
                if kind != _SHORT or values != 1 or not 1 <= value <= 8:
                    raise BenchDataError(f"the EXIF orientation {value} is unknown; 1 to 8 are defined")
                return int(value)
    except struct.error as error:
        raise BenchDataError("the EXIF block is cut off") from error
    return UPRIGHT


def upright(image: NDArray[np.generic], orientation: int) -> NDArray[np.generic]:
    """(H, W, ...) image turned and mirrored so that it is seen as meant (EXIF 2.32, tag 0x0112).

    >>> upright(np.array([[1, 2]]), 6).tolist()
    [[1], [2]]
    >>> upright(np.array([[1, 2]]), 2).tolist()
    [[2, 1]]
    """
    # 5 to 8 store columns as rows: swap the axes first, then undo the remaining mirrors.
    turned = np.swapaxes(image, 0, 1) if orientation >= 5 else image
    if orientation in (2, 3, 6, 7):
        turned = turned[:, ::-1]
    if orientation in (3, 4, 7, 8):
        turned = turned[::-1]
    return np.ascontiguousarray(turned)
