"""One frame of a geometry sample: its files, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...cameras import Camera, rigid_transform
from ...errors import BenchDataError
from ...images import Picture, load_image
from ...images.limits import ImageLimits
from .arrays import read_array, read_grey, read_mask
from .depth_formats import read_depth

__all__ = ["FrameFiles", "GeometryFrame", "SceneMeta"]


@dataclass(frozen=True, slots=True)
class SceneMeta:
    """A scene's meta.json.

    Args:
        depth_format: how depth is stored; "none" without depth.
        shared_intrinsics: one calibration for all frames.
        has_poses: whether poses are known.
        metric_scale: of the inverse depth encoding.
        flips: picture's name without ending -> (left-right, up-down) mirroring to be done.
        distorted: the pictures still have the lens's distortion.
    """

    depth_format: str = "none"
    shared_intrinsics: bool = True
    has_poses: bool = True
    metric_scale: float = 1.0
    flips: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    distorted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class GeometryFrame:
    """What one frame holds.

    Args:
        picture: as stored, mirrored where the scene says so.
        depth_m: (H, W) along the optical axis, NaN where invalid or masked; None without depth.
        sky: (H, W), where it is known.
        camera: with pixel centres at +0.5; its pose is the identity where none is known.
        has_pose: whether it is.
    """

    picture: Picture
    depth_m: NDArray[np.float32] | None
    sky: NDArray[np.bool_] | None
    camera: Camera
    has_pose: bool


@dataclass(frozen=True, slots=True)
class FrameFiles:
    """The files of a frame; None for those that a scene lacks."""

    image: Path
    depth: Path | None
    pose: Path | None
    intrinsics: Path
    depth_mask: Path | None
    aliasing_mask: Path | None
    sky_mask: Path | None
    confidence: Path | None
    meta: SceneMeta

    def load(self, *, least_confidence: float = 0.3, limits: ImageLimits | None = None) -> GeometryFrame:
        """Reads the frame as the published loader does, before it resizes: decoding, masks, mirroring.

        Args:
            least_confidence: depth below is invalid, where confidences are given.
            limits: on files.

        Raises:
            BenchDataError: a file is missing, damaged, or does not fit the others. (The published loader passes over
                masks of another size; here they are an error.)
        """
        limits = limits or ImageLimits()
        picture = load_image(self.image, limits=limits)
        depth, sky = self._depth(picture.size, least_confidence, limits)
        camera = self._camera(picture.size, limits)
        left_right, up_down = self.meta.flips.get(self.image.stem, (False, False))
        if left_right or up_down:
            turned = slice(None, None, -1 if up_down else 1), slice(None, None, -1 if left_right else 1)
            picture = Picture(np.ascontiguousarray(picture.image_srgb_u8[turned]), source=picture.source)
            depth = None if depth is None else np.ascontiguousarray(depth[turned])
            sky = None if sky is None else np.ascontiguousarray(sky[turned])
            camera = _mirrored(camera, left_right=left_right, up_down=up_down)
        return GeometryFrame(picture, depth, sky, camera, self.pose is not None)

    def _depth(
        self, size: tuple[int, int], least_confidence: float, limits: ImageLimits
    ) -> tuple[NDArray[np.float32] | None, NDArray[np.bool_] | None]:
        sky = None if self.sky_mask is None else read_mask(self.sky_mask, limits)
        if self.depth is None:
            return None, sky
        scale = self.meta.metric_scale
        depth, decoded = read_depth(self.depth, self.meta.depth_format, metric_scale=scale, limits=limits)
        sky = decoded if sky is None else sky
        _same_shape(self.depth, depth.shape, (size[1], size[0]))
        for file in (self.depth_mask, self.aliasing_mask):
            if file is not None:
                kept = read_mask(file, limits)
                _same_shape(file, kept.shape, depth.shape)
                depth = np.where(kept, depth, np.float32(np.nan))
        if self.confidence is not None:
            raw = read_grey(self.confidence, limits)
            _same_shape(self.confidence, raw.shape, depth.shape)
            share = raw.astype(np.float64) / (65535 if raw.dtype == np.uint16 else 255)
            depth = np.where(share >= least_confidence, depth, np.float32(np.nan))
        if sky is not None:
            _same_shape(self.sky_mask or self.depth, sky.shape, depth.shape)
            depth = np.where(sky, np.float32(np.nan), depth)
        return depth, sky

    def _camera(self, size: tuple[int, int], limits: ImageLimits) -> Camera:
        K = read_array(self.intrinsics, limits)
        if K.shape != (3, 3) or abs(K[0, 1]) > 1e-6 or not np.isfinite(K).all():
            raise BenchDataError(f"{self.intrinsics.name}: a (3, 3) matrix without skew is expected, got {K.tolist()}")
        pose = np.eye(4)
        if self.pose is not None:
            rows = read_array(self.pose, limits)
            if rows.shape not in ((3, 4), (4, 4)):
                raise BenchDataError(f"{self.pose.name}: a (3, 4) or (4, 4) pose is expected, got shape {rows.shape}")
            pose[:3] = rows[:3]
            pose = rigid_transform(pose, self.pose.name)
        # Stored principal points count pixel centres as whole numbers, ours at +0.5.
        return Camera(
            width=size[0],
            height=size[1],
            fx=float(K[0, 0]),
            fy=float(K[1, 1]),
            cx=float(K[0, 2]) + 0.5,
            cy=float(K[1, 2]) + 0.5,
            world_from_camera=pose,
        )


def _mirrored(camera: Camera, *, left_right: bool, up_down: bool) -> Camera:
    from dataclasses import replace

    cx = camera.width - camera.cx if left_right else camera.cx
    cy = camera.height - camera.cy if up_down else camera.cy
    return replace(camera, cx=cx, cy=cy)


def _same_shape(path: Path, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if shape != wanted:
        raise BenchDataError(f"{path.parent.name}/{path.name}: {shape} pixels (rows, columns), {wanted} expected")
