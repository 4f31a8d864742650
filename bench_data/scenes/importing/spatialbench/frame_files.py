"""One frame as a scene stores it: its files, and what they hold before it is brought to the benchmark's resolution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from ....cameras import Camera, rigid_transform
from ....errors import BenchDataError
from ....images import ImageLimits, Picture, load_image
from ..files import inside, read_array
from .depth_files import check_depth_format, read_depth_map, read_grey

__all__ = ["Flip", "FrameFiles", "GeometryFrame", "SceneMeta"]

_LARGEST_SKEW_PX = 1e-6


class Flip(BaseModel):
    """A picture, by its name without ending, that is stored mirrored."""

    model_config = ConfigDict(frozen=True)

    basename: str
    flip_lr: bool = False
    flip_ud: bool = False


class SceneMeta(BaseModel):
    """A scene's meta.json.

    Args:
        depth_format: how depth is stored; "none" without depth.
        intrinsic_mode: "shared" for one calibration for all frames.
        pose: "none" where poses are not known.
        metric_scale: of the inverse depth encoding.
        pyrep_flip: pictures that are to be mirrored.
        image_state: "distorted_original" for pictures that still have the lens's distortion.
    """

    model_config = ConfigDict(frozen=True)

    depth_format: str = "none"
    intrinsic_mode: str = "shared"
    pose: str | None = None
    metric_scale: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    pyrep_flip: tuple[Flip, ...] = ()
    image_state: str | None = None

    @property
    def has_depth(self) -> bool:
        """Whether there is depth."""
        return self.depth_format != "none"

    @property
    def has_poses(self) -> bool:
        """Whether poses are known."""
        return self.pose != "none"

    @property
    def distorted(self) -> bool:
        """The pictures still have the lens's distortion; depth and intrinsics do not."""
        return self.image_state == "distorted_original"

    def check(self) -> None:
        """Raises BenchDataError for a depth format that is not known."""
        check_depth_format(self.depth_format, "meta.json")


@dataclass(frozen=True, slots=True, eq=False)
class GeometryFrame:
    """What one frame holds.

    Args:
        picture: as stored; mirrored, or straightened, where the scene says so.
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
    """The files of a frame; None for those that a scene lacks or its data set ignores.

    Args:
        lens: the folder with the lens's distortion, where the picture is to be straightened.
        meta: of the scene.
    """

    image: Path
    depth: Path | None
    pose: Path | None
    intrinsics: Path
    depth_mask: Path | None
    aliasing_mask: Path | None
    sky_mask: Path | None
    confidence: Path | None
    lens: Path | None
    meta: SceneMeta

    def load(
        self,
        *,
        least_confidence: float = 0.3,
        limits: ImageLimits | None = None,
        notes: list[str] | None = None,
    ) -> GeometryFrame:
        """Reads the frame as the published loader does before it limits and resizes: decoding, masks, mirroring.

        Args:
            least_confidence: depth below is invalid, where confidences are given.
            limits: on files.
            notes: takes what is said of masks of another size, which are left out then, as the published loader does
                in silence; without it they are an error.

        Raises:
            BenchDataError: a file is missing, damaged, or does not fit the others.
        """
        limits = limits or ImageLimits()
        picture = load_image(self.image, limits=limits)
        camera = self._camera(picture.size, limits)
        depth, sky = self._depth(picture.size, least_confidence, limits, notes)
        if self.lens is not None:
            picture = Picture(_straightened(picture.image_srgb_u8, camera, self.lens), source=picture.source)
        frame = GeometryFrame(picture, depth, sky, camera, self.pose is not None)
        flip = next((one for one in self.meta.pyrep_flip if one.basename == self.image.stem), None)
        return frame if flip is None else _mirrored(frame, left_right=flip.flip_lr, up_down=flip.flip_ud)

    def world_from_camera(self, limits: ImageLimits | None = None) -> NDArray[np.float64]:
        """(4, 4) the pose, OpenCV axes; the identity where none is known.

        Raises:
            BenchDataError: it is missing, damaged, or no rigid motion.
        """
        if self.pose is None:
            return np.eye(4)
        stored = read_array(self.pose, most_bytes=(limits or ImageLimits()).max_file_bytes)
        if stored.shape not in ((3, 4), (4, 4)):
            raise BenchDataError(f"{_name(self.pose)}: a pose must be (3, 4) or (4, 4), got {stored.shape}")
        return rigid_transform(np.vstack([stored[:3], [0, 0, 0, 1]]), _name(self.pose))

    def _depth(
        self, size: tuple[int, int], least_confidence: float, limits: ImageLimits, notes: list[str] | None
    ) -> tuple[NDArray[np.float32] | None, NDArray[np.bool_] | None]:
        shape = (size[1], size[0])
        mask = self._mask(self.sky_mask, shape, limits, notes)
        sky = None if mask is None else np.asarray(mask != 0)
        if self.depth is None:
            return None, sky
        depth, decoded = read_depth_map(
            self.depth, self.meta.depth_format, metric_scale=self.meta.metric_scale, limits=limits
        )
        if depth.shape != shape:
            raise BenchDataError(
                f"{_name(self.depth)}: its size is {depth.shape[1]}x{depth.shape[0]}, that of {self.image.name} "
                f"{shape[1]}x{shape[0]}"
            )
        known = depth > 0
        for file in (self.depth_mask, self.aliasing_mask):
            kept = self._mask(file, shape, limits, notes)
            if kept is not None:
                known &= kept != 0
        confidence = self._mask(self.confidence, shape, limits, notes)
        if confidence is not None:
            full = np.float32(255 if confidence.dtype == np.uint8 else 65535)
            known &= confidence.astype(np.float32) / full >= np.float32(least_confidence)
        sky = decoded if sky is None else sky
        if sky is not None:
            known &= ~sky
        return np.where(known, depth, np.float32(np.nan)), sky

    def _mask(
        self, file: Path | None, shape: tuple[int, int], limits: ImageLimits, notes: list[str] | None
    ) -> NDArray[np.generic] | None:
        """The stored values; None without a mask, or where it does not fit."""
        if file is None:
            return None
        mask = read_grey(file, limits)
        if mask.shape == shape:
            return mask
        height, width = mask.shape
        misfit = f"{file.parent.name} are {width}x{height}, pictures are {shape[1]}x{shape[0]}"
        if notes is None:
            raise BenchDataError(f"{_name(file)}: {misfit}")
        notes.append(f"{misfit}: left out")
        return None

    def _camera(self, size: tuple[int, int], limits: ImageLimits) -> Camera:
        K = read_array(self.intrinsics, most_bytes=limits.max_file_bytes)
        if K.shape != (3, 3) or not np.isfinite(K).all() or not (K[0, 0] > 0 and K[1, 1] > 0):
            raise BenchDataError(
                f"{_name(self.intrinsics)}: an intrinsic matrix is (3, 3), finite, with focal lengths above 0"
            )
        if abs(K[0, 1]) > _LARGEST_SKEW_PX:
            raise BenchDataError(f"{_name(self.intrinsics)}: has skew {K[0, 1]:g}, which cameras here have not")
        pose = self.world_from_camera(limits)
        return Camera.from_K(K, width=size[0], height=size[1], world_from_camera=pose, pixel_centre=0)


def _mirrored(frame: GeometryFrame, *, left_right: bool, up_down: bool) -> GeometryFrame:
    turned = slice(None, None, -1 if up_down else 1), slice(None, None, -1 if left_right else 1)
    camera = frame.camera
    return replace(
        frame,
        picture=Picture(np.ascontiguousarray(frame.picture.image_srgb_u8[turned]), source=frame.picture.source),
        depth_m=None if frame.depth_m is None else np.ascontiguousarray(frame.depth_m[turned]),
        sky=None if frame.sky is None else np.ascontiguousarray(frame.sky[turned]),
        camera=replace(
            camera,
            cx=camera.width - camera.cx if left_right else camera.cx,
            cy=camera.height - camera.cy if up_down else camera.cy,
        ),
    )


def _straightened(image_srgb_u8: NDArray[np.uint8], camera: Camera, lens: Path) -> NDArray[np.uint8]:
    """(H, W, 3) the picture that the calibration speaks of, out of one with the lens's distortion."""
    import cv2

    before, bend = (read_array(inside(lens, name)) for name in ("K_distorted.npy", "distortion_coeffs.npy"))
    if before.shape != (3, 3) or bend.size not in (4, 5, 8) or not np.isfinite(bend).all():
        raise BenchDataError(f"{lens}: K_distorted must be (3, 3), distortion_coeffs 4, 5 or 8 finite numbers")
    size = (camera.width, camera.height)
    after = camera.K - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]
    maps = cv2.initUndistortRectifyMap(before, bend.ravel(), np.eye(3), after, size, cv2.CV_16SC2)
    return np.asarray(cv2.remap(image_srgb_u8, *maps, cv2.INTER_LINEAR), dtype=np.uint8)


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
