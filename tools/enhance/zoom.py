"""Zoom: the part of the picture that matters, enlarged, with the exact way back for every coordinate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...bench_data.stress import Stress
from ..coordinates import PixelMap
from ..errors import ToolError
from ..findings import Region
from ..registry import Alignment, Cost, Rectified, RectifyHint, Stage, rectifier
from .filtering.hints import option

__all__ = ["zoom"]

_MARGIN = 0.25
"""Of the region's size, kept around it on each side: what a thing is shows in what it touches."""
_FACTOR, _MOST = 2.0, 4.0


@rectifier(
    "zoom",
    summary="Crops to a region and enlarges it; coordinates map back exactly",
    treats=(Stress.SMALL_SCALE,),
    stage=Stage.SCENE,
    alignment=Alignment.MAPPED,
    cost=Cost.MILLISECONDS,
    options={
        "factor": f"enlargement, 1 to {_MOST:g} (default {_FACTOR:g})",
        "margin": f"kept around the region, as a share of its size (default {_MARGIN:g})",
    },
)
def zoom(image_srgb: NDArray[np.float32], hint: RectifyHint) -> Rectified:
    """Crop to ``hint.region`` with a margin, then cubic enlargement. Without a region the middle half is taken.

    Sampling aligns the outer edges of crop and result, so a point at continuous ``u`` in the result lies at
    ``x0 + u * crop_width / width`` in the original.
    """
    import cv2

    height, width = image_srgb.shape[:2]
    factor = option(hint, "factor", _FACTOR, low=1.0, high=_MOST)
    margin = option(hint, "margin", _MARGIN, low=0.0, high=2.0)
    region = hint.region or Region(x0=width / 4, y0=height / 4, x1=3 * width / 4, y1=3 * height / 4)
    x0, x1 = _bounds(region.x0, region.x1, margin, width)
    y0, y1 = _bounds(region.y0, region.y1, margin, height)
    if x1 <= x0 or y1 <= y0:
        raise ToolError(f"zoom: region {region.model_dump()} lies outside the picture of {width}x{height}")
    crop = np.ascontiguousarray(image_srgb[y0:y1, x0:x1])
    size = (max(1, round((x1 - x0) * factor)), max(1, round((y1 - y0) * factor)))
    enlarged = np.clip(cv2.resize(crop, size, interpolation=cv2.INTER_CUBIC), 0, 1).reshape(size[1], size[0], 3)
    scale_x, scale_y = (x1 - x0) / size[0], (y1 - y0) / size[1]
    pixel_map = PixelMap.from_matrix(
        np.array([[scale_x, 0, x0], [0, scale_y, y0], [0, 0, 1]], dtype=np.float64),
        original_size=(width, height),
        rectified_size=size,
    )
    return Rectified(
        enlarged.astype(np.float32),
        pixel_map=pixel_map,
        parameters={"x0": x0, "y0": y0, "x1": x1, "y1": y1, "factor": factor},
        note=f"{x1 - x0}x{y1 - y0} pixels at ({x0}, {y0}), enlarged {factor:g} times",
    )


def _bounds(low: float, high: float, margin: float, limit: int) -> tuple[int, int]:
    grow = margin * (high - low)
    return max(0, math.floor(low - grow)), min(limit, math.ceil(high + grow))
