"""Repairs go on under number marks: these were drawn when the picture was dark, hazy or blurred already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..bench_data.images import srgb_from_u8
from ..bench_data.marks import PaintedOver, paint_over_marks, painted_over

__all__ = ["UnderMarks", "both_under_marks"]

_SAME = 0.02
"""Mean difference of marks that were left as they were, 0 to 1: five of 255 levels."""


@dataclass(frozen=True, eq=False)
class UnderMarks:
    """A picture to repair, and what is laid over it again.

    Attributes:
        image_srgb: (H, W, 3) float32 in [0, 1], what a tool works on: the picture with its marks painted over.
        original_srgb: (H, W, 3) the picture with its marks.
        painted: where they are; None in a picture without, which is worked on as it is.
    """

    image_srgb: NDArray[np.float32]
    original_srgb: NDArray[np.float32]
    painted: PaintedOver | None

    @classmethod
    def of(cls, image_srgb: NDArray[np.float32]) -> Self:
        """Looks for marks in a picture (H, W, 3) in [0, 1]; a picture out of range is left to its tool."""
        painted = paint_over_marks(_rounded(image_srgb))
        if painted is None:
            return cls(image_srgb, image_srgb, None)
        under = np.where(painted.covered[..., None], srgb_from_u8(painted.image_srgb_u8), image_srgb)
        return cls(under, image_srgb, painted)

    def laid_over(self, repaired_srgb: NDArray[np.float32]) -> NDArray[np.float32]:
        """A repair (H, W, 3), whose pixels stand where they stood, with the marks on it again.

        What a tool left as it was stays the original, bit for bit.
        """
        if self.painted is None:
            return repaired_srgb
        if np.array_equal(repaired_srgb, self.image_srgb):
            return self.original_srgb.copy()
        return np.where(self.painted.drawn[..., None], self.original_srgb, repaired_srgb)


def both_under_marks(
    original_srgb: NDArray[np.float32], edited_srgb: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A picture and an edit of it, both (H, W, 3) in [0, 1], with the marks that they share painted over in both.

    An edit that changed the marks, or moved them, comes back with them as it is, and is judged by them too.
    """
    if original_srgb.shape != edited_srgb.shape:
        return original_srgb, edited_srgb
    marks = UnderMarks.of(original_srgb)
    if marks.painted is None:
        return original_srgb, edited_srgb
    drawn, covered = marks.painted.drawn, marks.painted.covered
    if float(np.abs(edited_srgb - original_srgb)[drawn].mean()) > _SAME:
        return original_srgb, edited_srgb
    under = srgb_from_u8(painted_over(_rounded(edited_srgb), covered))
    return marks.image_srgb, np.where(covered[..., None], under, edited_srgb)


def _rounded(image_srgb: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.rint(np.clip(np.nan_to_num(image_srgb), 0, 1) * 255).astype(np.uint8)
