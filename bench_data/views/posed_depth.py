"""PosedDepth: a depth map with the camera that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cameras import Camera
from ..errors import BenchDataError

__all__ = ["PosedDepth"]


@dataclass(frozen=True, eq=False)
class PosedDepth:
    """What one view knows of the space in front of it.

    Args:
        camera: pinhole or fisheye, of the map's size.
        depth_m: (H, W) z along the optical axis in metres, kept as float32; zero, negative and not finite mean unknown
            and become NaN.

    Raises:
        BenchDataError: not numbers, or not of the camera's size.
    """

    camera: Camera
    depth_m: NDArray[np.float32] = field(repr=False)

    def __post_init__(self) -> None:
        wanted = (self.camera.height, self.camera.width)
        object.__setattr__(self, "depth_m", known_depth(self.depth_m, wanted))

    @property
    def known_share(self) -> float:
        """How much of the picture has a depth, in [0, 1]."""
        return float(np.count_nonzero(~np.isnan(self.depth_m)) / self.depth_m.size)

    def points_world(self) -> NDArray[np.float64]:
        """(M, 3) world points of all pixels with a depth, row by row."""
        rows, columns = np.nonzero(~np.isnan(self.depth_m))
        centres = np.stack([columns + 0.5, rows + 0.5], axis=1)
        points = self.camera.unproject(centres, self.depth_m[rows, columns])
        return points[np.isfinite(points).all(axis=1)]

    def reduced(self, longest_px: int) -> PosedDepth:
        """The same view with at most so many pixels along its longer side.

        Each pixel takes the depth of one pixel near its middle: a mean would invent surfaces between near and far ones.
        """
        if longest_px < 1:
            raise BenchDataError(f"longest_px must be at least 1, got {longest_px}")
        height, width = self.depth_m.shape
        factor = longest_px / max(height, width)
        if factor >= 1:
            return self
        small_width, small_height = (max(1, round(side * factor)) for side in (width, height))
        rows = ((np.arange(small_height) + 0.5) * height / small_height).astype(np.intp)
        columns = ((np.arange(small_width) + 0.5) * width / small_width).astype(np.intp)
        return PosedDepth(self.camera.resized(small_width, small_height), self.depth_m[np.ix_(rows, columns)])


def known_depth(depth_m: ArrayLike, shape: tuple[int, int] | None = None) -> NDArray[np.float32]:
    """(H, W) read-only float32 in which everything that is no depth is NaN; ``shape`` is checked when given."""
    try:
        depth = np.array(depth_m, dtype=np.float32)
    except (TypeError, ValueError):
        raise BenchDataError("depth_m must be an (H, W) array of metres") from None
    if depth.ndim != 2 or depth.size == 0 or (shape is not None and depth.shape != shape):
        wanted = "(H, W)" if shape is None else f"{shape}, as the camera has"
        raise BenchDataError(f"depth_m must have shape {wanted}, got {depth.shape}")
    depth[~(np.isfinite(depth) & (depth > 0))] = np.nan
    depth.setflags(write=False)
    return depth
