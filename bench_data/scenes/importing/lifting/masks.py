"""Views with the masks that some model, or a person, drew in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ....errors import BenchDataError
from ....views.posed_depth import PosedDepth
from ..back_projection import ColourDepth

__all__ = ["NO_MASK", "InstanceMask", "MaskSource", "MaskedView", "masked_view"]

NO_MASK = -1


@dataclass(frozen=True, eq=False)
class InstanceMask:
    """One thing in one picture.

    Args:
        mask: (H, W) bool.
        label: its category; "" when the source names none.
    """

    mask: NDArray[np.bool_] = field(repr=False)
    label: str = ""

    def __post_init__(self) -> None:
        mask = np.asarray(self.mask)
        if mask.ndim != 2 or mask.dtype != np.bool_:
            raise BenchDataError(f"a mask must be (H, W) bool, got {mask.dtype} {mask.shape}; compare with a threshold")
        object.__setattr__(self, "mask", mask)


MaskSource = Callable[[NDArray[np.uint8]], Sequence[InstanceMask]]
"""A picture (H, W, 3) uint8, display-encoded -> the things in it. A model of SAM's kind is wrapped in one of these."""


@dataclass(frozen=True, eq=False)
class MaskedView:
    """What `lift_masks` takes: camera, depth and masks of one view, all of one size.

    Args:
        name: of the view, for messages.
        posed: its camera and depth along the axis.
        masks: of the things in it. Where they overlap, a pixel is the smallest one's.

    Raises:
        BenchDataError: a mask of another size.
    """

    name: str
    posed: PosedDepth
    masks: tuple[InstanceMask, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", tuple(self.masks))
        for number, one in enumerate(self.masks):
            if one.mask.shape != self.posed.depth_m.shape:
                raise BenchDataError(
                    f"view {self.name}: mask {number} is {one.mask.shape}, its depth {self.posed.depth_m.shape}"
                )

    @cached_property
    def painted(self) -> NDArray[np.int32]:
        """(H, W) the number of each pixel's mask, -1 for none."""
        owner = np.full(self.posed.depth_m.shape, NO_MASK, dtype=np.int32)
        areas = [int(one.mask.sum()) for one in self.masks]
        for number in sorted(range(len(self.masks)), key=lambda k: (-areas[k], -k)):
            owner[self.masks[number].mask] = number
        return owner


def masked_view(view: ColourDepth, source: MaskSource) -> MaskedView:
    """A picture with depth and the masks that a source finds in it.

    Raises:
        BenchDataError: the source gave something else than masks of the picture's size.
    """
    found = source(view.image_srgb_u8)
    if not all(isinstance(one, InstanceMask) for one in found):
        raise BenchDataError(f"view {view.name}: the source of masks must give InstanceMask objects")
    return MaskedView(view.name, PosedDepth(view.camera, view.depth_m), tuple(found))
