"""What is true of the pixels of a degraded view: where they came from, how far they look, and what they show."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...render.frame import Frame
from ...render.result import Render, render_of
from ..pixel_map import Box, PixelMap, box_of_mask
from .drawing import Drawing

__all__ = ["ViewTruth", "true_of_drawing", "true_of_render"]


@dataclass(frozen=True, eq=False)
class ViewTruth:
    """Truth of the degraded picture: at the middle of the exposure, row by row where rows are read in turn, and sharp.

    What is known in three dimensions is the same as without the degradation.
    """

    pixel_map: PixelMap
    """Between the pixels of the view as it should be and those of the degraded one."""
    depth_m: NDArray[np.float32]
    """(H, W) depth along the axis of the camera as it was at that row; NaN where less than half is covered."""
    alpha: NDArray[np.float32]
    """(H, W) coverage."""
    instance_ids: NDArray[np.int32] | None
    """(H, W) the instance in each pixel, -1 for none; None for a cloud without instances.

    It is drawn, so that what hides what is right.
    """

    def mask(self, instance_id: int) -> NDArray[np.bool_]:
        """(H, W) the pixels of one instance; none for a cloud without instances."""
        if self.instance_ids is None:
            return np.zeros(self.depth_m.shape, dtype=np.bool_)
        return np.asarray(self.instance_ids == instance_id)

    def box(self, instance_id: int) -> Box | None:
        """The box around the visible pixels of one instance; None when there are none."""
        return box_of_mask(self.mask(instance_id))


def true_of_render(clean: Render, pixel_map: PixelMap) -> ViewTruth:
    """Truth of a view whose pixels stayed where they were."""
    return ViewTruth(pixel_map, clean.depth_m, clean.alpha, clean.instance_ids)


def true_of_drawing(drawing: Drawing, pixel_map: PixelMap) -> ViewTruth:
    """Truth of a view whose pixels moved, drawn along the same path through the same lens, without blur."""
    still = replace(drawing, plan=replace(drawing.plan, exposure=None, defocus=None))
    camera = still.plan.camera
    depth = np.empty((camera.height, camera.width), np.float32)
    alpha = np.empty_like(depth)
    ids = np.empty(depth.shape, np.int32) if still.settings.instances else None

    def finish(frame: Frame) -> Render:
        return render_of(frame, engine=still.engine, max_alpha=still.settings.max_alpha)

    cameras, _ = still.cameras()
    for (first, end), part in zip(still.bands, still.frames(cameras, finish), strict=True):
        depth[first:end], alpha[first:end] = part.depth_m, part.alpha
        if ids is not None and part.instance_ids is not None:
            ids[first:end] = part.instance_ids
    return ViewTruth(pixel_map, depth, alpha, ids)
