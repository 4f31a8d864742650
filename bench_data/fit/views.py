"""The pictures that a fit works from: values that are checked once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..errors import BenchDataError
from ..images import linear_from_srgb, srgb_from_linear, srgb_from_u8, u8_from_srgb
from .losses import SSIM_WINDOW_PX

__all__ = ["FitData", "FitPoints", "FitView", "downscaled"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FitView:
    """A posed picture.

    Args:
        name: of its file, for messages and reports.
        camera: of the picture's size.
        image_srgb_u8: (H, W, 3) uint8, display-encoded.
        depth_m: (H, W) float32 z along the axis, NaN where unknown; None without depth.
    """

    name: str
    camera: Camera
    image_srgb_u8: NDArray[np.uint8]
    depth_m: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        size = (self.camera.height, self.camera.width)
        if self.image_srgb_u8.dtype != np.uint8 or self.image_srgb_u8.shape != (*size, 3):
            raise BenchDataError(
                f"{self.name}: the camera is for uint8 pictures of {size[1]}x{size[0]}, this one is "
                f"{self.image_srgb_u8.dtype} {self.image_srgb_u8.shape}; are these the pictures of this model?"
            )
        if self.depth_m is not None and self.depth_m.shape != size:
            raise BenchDataError(f"{self.name}: its depth is {self.depth_m.shape}, not {size}")
        if min(size) < SSIM_WINDOW_PX:
            raise BenchDataError(f"{self.name}: {size[1]}x{size[0]} is too small, both sides need {SSIM_WINDOW_PX} px")


@dataclass(frozen=True, eq=False, kw_only=True)
class FitPoints:
    """Points of known colour to start from: (N, 3) in the world, and (N, 3) display-encoded in [0, 1]."""

    points_m: NDArray[np.float64]
    colours_srgb: NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class FitData:
    """What a fit is made from.

    Args:
        views: at least one, in the order of their names.
        points: of structure from motion, or None.
        notes: what a loader had to do or to guess.
    """

    views: tuple[FitView, ...]
    points: FitPoints | None = None
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.views:
            raise BenchDataError("a fit needs at least one picture")

    def split(self, hold_out: int) -> tuple[tuple[FitView, ...], tuple[FitView, ...]]:
        """(views to fit, views held out): every ``hold_out``-th from the first, as is usual; 0 holds out none.

        None either when there are fewer than that, as every one is needed then.
        """
        if hold_out < 0 or hold_out == 1:
            raise BenchDataError(f"hold_out must be 0 (none) or at least 2, got {hold_out}")
        if hold_out == 0 or len(self.views) < hold_out:
            return self.views, ()
        fitted = tuple(view for i, view in enumerate(self.views) if i % hold_out)
        return fitted, self.views[::hold_out]

    def fingerprint(self) -> str:
        """SHA-256 of all pictures, depths, cameras and points: whether a checkpoint belongs to this data."""
        sha = hashlib.sha256()
        for view in self.views:
            sha.update(repr((view.name, view.camera, view.camera.world_from_camera.tolist())).encode())
            sha.update(view.image_srgb_u8.tobytes())
            sha.update(b"" if view.depth_m is None else view.depth_m.tobytes())
        if self.points is not None:
            sha.update(self.points.points_m.tobytes() + self.points.colours_srgb.tobytes())
        return sha.hexdigest()


def downscaled(view: FitView, factor: int) -> FitView:
    """A view of 1 / factor the size: colours averaged as light, depth taken from the middle of each block."""
    import cv2

    if factor < 1:
        raise BenchDataError(f"a picture can be made smaller by a whole factor from 1, got {factor}")
    if factor == 1:
        return view
    camera = view.camera.resized(max(view.camera.width // factor, 1), max(view.camera.height // factor, 1))
    size = (camera.width, camera.height)
    light = linear_from_srgb(srgb_from_u8(view.image_srgb_u8))
    small = np.asarray(cv2.resize(light, size, interpolation=cv2.INTER_AREA), np.float32)
    depth_m = view.depth_m
    if depth_m is not None:
        depth_m = np.asarray(cv2.resize(depth_m, size, interpolation=cv2.INTER_NEAREST_EXACT), np.float32)
    return replace(view, camera=camera, image_srgb_u8=u8_from_srgb(srgb_from_linear(small)), depth_m=depth_m)
