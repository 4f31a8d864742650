"""Render: a picture of a cloud with the truth that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..images import linear_from_srgb, u8_from_srgb
from ..splats import NO_INSTANCE
from .frame import Frame

__all__ = ["SURE_ALPHA", "Render", "render_of"]

SURE_ALPHA = 0.5
"""Where less of a pixel than this is covered, its depth and instance are not known."""


@dataclass(frozen=True, eq=False)
class Render:
    """What `render` returns; all arrays have the picture's size (H, W)."""

    image_srgb: NDArray[np.float32]
    """(H, W, 3) display-encoded, in [0, 1], over the background."""
    depth_m: NDArray[np.float32]
    """(H, W) expected depth: mean z of what covers the pixel, by weight; NaN where alpha < 0.5."""
    alpha: NDArray[np.float32]
    """(H, W) how much of the pixel is covered, in [0, 1)."""
    instance_ids: NDArray[np.int32] | None
    """(H, W) the instance that holds most of the pixel, -1 for none and where alpha < 0.5; None unless asked for.

    An instance with more than half of what covers the pixel is always found. The CPU engine keeps the three strongest
    candidates of a pixel, so where four or more overlap and none has half, it may name another of the strong ones.
    """
    median_depth_m: NDArray[np.float32] | None
    """(H, W) z of the Gaussian at which half of the light is used up; NaN where alpha < 0.5; None unless asked for.

    At the edge of things it is the depth of one of them, where the expected depth lies between the two.
    """
    engine: str
    """The engine that drew it."""
    max_alpha: float
    """The limit of one Gaussian's alpha that it was drawn with."""

    @cached_property
    def image_linear(self) -> NDArray[np.float32]:
        """(H, W, 3) in linear light."""
        return linear_from_srgb(self.image_srgb)

    @cached_property
    def image_srgb_u8(self) -> NDArray[np.uint8]:
        """(H, W, 3) as a file holds it."""
        return u8_from_srgb(self.image_srgb)


def render_of(frame: Frame, *, engine: str, max_alpha: float) -> Render:
    """A frame with its depth and instances taken out where too little covers a pixel."""
    unsure = frame.alpha < SURE_ALPHA
    unknown = np.float32(np.nan)
    median, ids = frame.median_depth_m, frame.instance_ids
    return Render(
        image_srgb=frame.image_srgb,
        depth_m=np.where(unsure, unknown, frame.mean_depth_m),
        alpha=frame.alpha,
        instance_ids=None if ids is None else np.where(unsure, np.int32(NO_INSTANCE), ids),
        median_depth_m=None if median is None else np.where(unsure, unknown, median),
        engine=engine,
        max_alpha=max_alpha,
    )
