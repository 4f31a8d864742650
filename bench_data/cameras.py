"""Camera: one calibrated view, pinhole or fisheye, in the conventions of this project.

Camera axes are OpenCV's (x right, y down, z forward), the pose maps camera to world, pixel centres lie at +0.5
(``u = fx x / z + cx``), and depth is z. Data in other conventions is converted where it enters, by `camera_formats`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BenchDataError
from .fisheye import Coefficients, distorted_angle, monotone_limit_rad, undistorted_angle
from .rotations import nearest_rotation

__all__ = ["Camera", "CameraModel", "Projection", "rigid_transform", "why_nothing_is_seen"]

CameraModel = Literal["pinhole", "fisheye"]


class Projection(NamedTuple):
    """Where world points appear in a picture."""

    points_px: NDArray[np.float64]
    """(N, 2) continuous pixel coordinates, also outside the picture; NaN where ``imaged`` is false."""
    depth_m: NDArray[np.float64]
    """(N,) z along the optical axis; negative behind the camera."""
    imaged: NDArray[np.bool_]
    """(N,) depth between near and far, and for a fisheye inside its image circle."""
    in_picture: NDArray[np.bool_]
    """(N,) imaged, and within [0, width) x [0, height)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Camera:
    """A calibrated camera with a pose.

    Args:
        width, height: picture size in pixels.
        fx, fy: focal lengths in pixels.
        cx, cy: principal point in pixels, with pixel centres at +0.5 (the middle of a picture is width / 2).
        world_from_camera: (4, 4) rigid camera-to-world transform; camera axes x right, y down, z forward.
        model: "pinhole", or "fisheye" for the equidistant polynomial of `fisheye`.
        distortion: k1 to k4 of the polynomial; zeros for a pinhole.
        max_theta_rad: a fisheye images nothing beyond this angle from its axis, nor beyond the angle where its
            polynomial stops growing.
        near_m, far_m: depth outside this range is not imaged.

    Raises:
        BenchDataError: a size that is not positive, values that are not finite, a pose that is not rigid or is
            left-handed, or distortion on a pinhole.

    >>> camera = Camera(width=100, height=100, fx=100, fy=100, cx=50, cy=50, world_from_camera=np.eye(4))
    >>> camera.project([[0.5, 0.0, 5.0]]).points_px.tolist()
    [[60.0, 50.0]]
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    world_from_camera: NDArray[np.float64] = field(repr=False)
    model: CameraModel = "pinhole"
    distortion: Coefficients = (0.0, 0.0, 0.0, 0.0)
    max_theta_rad: float = math.pi
    near_m: float = 0.01
    far_m: float = 1e10

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            object.__setattr__(self, name, _size(getattr(self, name), name))
        for name in ("fx", "fy", "near_m", "max_theta_rad"):
            object.__setattr__(self, name, _number(getattr(self, name), name, positive=True))
        for name in ("cx", "cy", "far_m"):
            object.__setattr__(self, name, _number(getattr(self, name), name))
        if self.far_m <= self.near_m:
            raise BenchDataError(f"Camera.far_m ({self.far_m:g}) must be greater than near_m ({self.near_m:g})")
        if self.model not in ("pinhole", "fisheye"):
            raise BenchDataError(f'Camera.model must be "pinhole" or "fisheye", got {self.model!r}')
        object.__setattr__(self, "distortion", _coefficients(self.distortion))
        if self.model == "pinhole" and any(self.distortion):
            raise BenchDataError('a pinhole has no distortion; use model="fisheye", or undistort the pictures first')
        object.__setattr__(self, "world_from_camera", rigid_transform(self.world_from_camera, "world_from_camera"))

    @classmethod
    def from_K(  # noqa: N802 - K is what the field calls it
        cls, K: ArrayLike, *, width: int, height: int, world_from_camera: ArrayLike, pixel_centre: float = 0.5
    ) -> Camera:
        """A pinhole from an intrinsic matrix.

        Args:
            K: (3, 3) without skew.
            width, height: picture size in pixels.
            world_from_camera: (4, 4), see `Camera`.
            pixel_centre: where the matrix puts the centre of the first pixel: 0.5 as here (COLMAP, nerfstudio, gsplat),
                or 0 (OpenCV and most calibrations, whose whole numbers are pixel centres).

        Raises:
            BenchDataError: no such matrix, or see `Camera`.
        """
        if pixel_centre not in (0, 0.5):
            raise BenchDataError(f"pixel_centre must be 0 or 0.5, got {pixel_centre!r}")
        matrix = np.asarray(K, dtype=np.float64)
        if matrix.shape != (3, 3):
            raise BenchDataError(f"K must have shape (3, 3), got {matrix.shape}")
        if matrix[0, 1] != 0 or matrix[1, 0] != 0 or not np.array_equal(matrix[2], [0, 0, 1]):
            raise BenchDataError(f"K must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] without skew, got {matrix.tolist()}")
        return cls(
            width=width,
            height=height,
            fx=matrix[0, 0],
            fy=matrix[1, 1],
            cx=matrix[0, 2] + (0.5 - pixel_centre),
            cy=matrix[1, 2] + (0.5 - pixel_centre),
            world_from_camera=np.asarray(world_from_camera, dtype=np.float64),
        )

    @cached_property
    def K(self) -> NDArray[np.float64]:  # noqa: N802 - K is what the field calls it
        """(3, 3) intrinsic matrix, pixel centres at +0.5."""
        return _frozen(np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1]], dtype=np.float64))

    @cached_property
    def camera_from_world(self) -> NDArray[np.float64]:
        """(4, 4) world-to-camera transform."""
        R, centre = self.world_from_camera[:3, :3], self.world_from_camera[:3, 3]
        inverse = np.eye(4)
        inverse[:3, :3] = R.T
        inverse[:3, 3] = -R.T @ centre
        return _frozen(inverse)

    @property
    def centre_m(self) -> NDArray[np.float64]:
        """(3,) where the camera is, in the world."""
        return self.world_from_camera[:3, 3]

    @cached_property
    def theta_limit_rad(self) -> float:
        """The largest angle from the axis that is imaged: under pi/2 for a pinhole."""
        if self.model == "pinhole":
            return math.pi / 2
        return min(self.max_theta_rad, monotone_limit_rad(self.distortion), math.pi)

    def with_pose(self, world_from_camera: ArrayLike) -> Camera:
        """The same camera elsewhere."""
        return replace(self, world_from_camera=np.asarray(world_from_camera, dtype=np.float64))

    def resized(self, width: int, height: int) -> Camera:
        """The same view in a picture of another size: focal lengths and principal point scale along."""
        x, y = _size(width, "width") / self.width, _size(height, "height") / self.height
        return replace(self, width=width, height=height, fx=self.fx * x, fy=self.fy * y, cx=self.cx * x, cy=self.cy * y)

    def cropped(self, x0_px: int, y0_px: int, width: int, height: int) -> Camera:
        """The part of the picture whose top left corner is (x0, y0)."""
        return replace(self, width=width, height=height, cx=self.cx - x0_px, cy=self.cy - y0_px)

    def project(self, points_world: ArrayLike) -> Projection:
        """Where points (N, 3) of the world appear; see `Projection`."""
        R, t = self.camera_from_world[:3, :3], self.camera_from_world[:3, 3]
        with np.errstate(invalid="ignore"):
            in_camera = _points(points_world, 3, "points_world") @ R.T + t
        x, y, z = in_camera.T
        imaged = (z >= self.near_m) & (z <= self.far_m)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.model == "pinhole":
                image = in_camera[:, :2] / z[:, None]
            else:
                radius = np.hypot(x, y)
                theta = np.arctan2(radius, z)
                imaged &= theta <= self.theta_limit_rad
                # Close to the axis theta_d / radius tends to 1 / z.
                scale = np.where(radius > 1e-12 * z, distorted_angle(theta, self.distortion) / radius, 1 / z)
                image = in_camera[:, :2] * scale[:, None]
            points_px = image * [self.fx, self.fy] + [self.cx, self.cy]
        imaged &= np.isfinite(points_px).all(axis=1)
        points_px[~imaged] = np.nan
        u, v = points_px.T
        return Projection(points_px, z, imaged, imaged & (u >= 0) & (u < self.width) & (v >= 0) & (v < self.height))

    def directions_in_camera(self, points_px: ArrayLike) -> NDArray[np.float64]:
        """Unit vectors (N, 3) in camera axes along which pixels (N, 2) look; NaN outside a fisheye's image circle."""
        image = (_points(points_px, 2, "points_px") - [self.cx, self.cy]) / [self.fx, self.fy]
        if self.model == "pinhole":
            rays = np.concatenate([image, np.ones((len(image), 1))], axis=1)
            return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))
        radius = np.hypot(image[:, 0], image[:, 1])
        theta = undistorted_angle(radius, self.distortion, limit_rad=self.theta_limit_rad)
        with np.errstate(divide="ignore", invalid="ignore"):
            sideways = np.where(radius[:, None] > 0, image / radius[:, None] * np.sin(theta)[:, None], 0.0)
        return np.concatenate([sideways, np.cos(theta)[:, None]], axis=1)

    def unproject(self, points_px: ArrayLike, depth_m: ArrayLike) -> NDArray[np.float64]:
        """World points (N, 3) of pixels (N, 2) at depth z (N,) or a single depth.

        NaN where the depth is not known or not positive, or the pixel looks at nothing in front of the camera.
        """
        rays = self.directions_in_camera(points_px)
        try:
            depth = np.broadcast_to(np.asarray(depth_m, dtype=np.float64), len(rays))
        except ValueError:
            raise BenchDataError(
                f"depth_m must be one number or ({len(rays)},), got shape {np.shape(depth_m)}"
            ) from None
        in_front = (rays[:, 2] > 0) & (depth > 0) & np.isfinite(depth)
        scale = np.divide(depth, rays[:, 2], out=np.full(len(rays), np.nan), where=in_front)
        return np.asarray((rays * scale[:, None]) @ self.world_from_camera[:3, :3].T + self.centre_m)

    def unproject_depth(self, depth_m: ArrayLike) -> NDArray[np.float64]:
        """World points (H, W, 3) of a depth map (H, W), NaN where unknown."""
        depth = np.asarray(depth_m, dtype=np.float64)
        if depth.shape != (self.height, self.width):
            raise BenchDataError(f"depth_m must have shape {(self.height, self.width)}, got {depth.shape}")
        return self.unproject(self.pixel_centres(), depth.ravel()).reshape(self.height, self.width, 3)

    def pixel_centres(self) -> NDArray[np.float64]:
        """(H W, 2) centres of all pixels, row by row."""
        v, u = np.mgrid[: self.height, : self.width]
        return np.stack([u.ravel(), v.ravel()], axis=1) + 0.5

    def frustum_corners(self, depth_m: float) -> NDArray[np.float64]:
        """(4, 3) world points at one depth behind the picture's corners, clockwise from the top left.

        NaN for a corner that a fisheye does not image.
        """
        corners = [[0, 0], [self.width, 0], [self.width, self.height], [0, self.height]]
        return self.unproject(corners, depth_m)

    def sees(self, points_world: ArrayLike) -> NDArray[np.bool_]:
        """(N,) whether points (N, 3) fall into the picture, disregarding what hides them."""
        return self.project(points_world).in_picture

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Camera) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[object, ...]:
        scalars = (self.width, self.height, self.fx, self.fy, self.cx, self.cy, self.model, self.distortion)
        pose = tuple(self.world_from_camera.ravel().tolist())
        return (*scalars, self.max_theta_rad, self.near_m, self.far_m, pose)


def why_nothing_is_seen(cameras: Iterable[Camera], points_world: ArrayLike) -> str | None:
    """What is wrong when no camera sees any of the points (N, 3); None when one does.

    The sign of a pose in another convention is a plausible file and an empty picture.
    """
    views = [camera.project(points_world) for camera in cameras]
    if not views or len(views[0].depth_m) == 0 or any(view.in_picture.any() for view in views):
        return None
    if all((view.depth_m < 0).all() for view in views):
        return (
            "all points are behind all cameras: convention wrong? Check OpenCV against OpenGL axes, "
            "and camera-to-world against world-to-camera"
        )
    return "no camera sees any of the points: convention, units, or the wrong scene?"


def rigid_transform(matrix: ArrayLike, name: str) -> NDArray[np.float64]:
    """(4, 4) float64, read-only, checked to be a rotation and a shift; rounding in the rotation is removed."""
    try:
        pose = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError(f"{name} must be a (4, 4) array of numbers") from None
    if pose.shape != (4, 4):
        hint = "; append the row 0 0 0 1" if pose.shape == (3, 4) else ""
        raise BenchDataError(f"{name} must have shape (4, 4), got {pose.shape}{hint}")
    if not np.isfinite(pose).all():
        raise BenchDataError(f"{name} is not finite: {pose.tolist()}")
    if np.abs(pose[3] - [0, 0, 0, 1]).max() > 1e-6:
        hint = "; it looks transposed" if np.abs(pose[:, 3] - [0, 0, 0, 1]).max() < 1e-6 else ""
        raise BenchDataError(f"the last row of {name} must be 0 0 0 1, got {pose[3].tolist()}{hint}")
    pose[3] = (0, 0, 0, 1)
    pose[:3, :3] = nearest_rotation(pose[:3, :3], name=f"the rotation of {name}")
    return _frozen(pose)


def _frozen(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.setflags(write=False)
    return array


def _size(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise BenchDataError(f"Camera.{name} must be a whole number of at least 1, got {value!r}")
    return int(value)


def _number(value: object, name: str, *, positive: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise BenchDataError(f"Camera.{name} must be a number, got {value!r}")
    if not math.isfinite(value) or (positive and value <= 0):
        raise BenchDataError(f"Camera.{name} must be finite{' and positive' if positive else ''}, got {value!r}")
    return float(value)


def _coefficients(values: object) -> Coefficients:
    try:
        numbers = [float(value) for value in values]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or not all(math.isfinite(value) for value in numbers):
        raise BenchDataError(f"Camera.distortion must be four finite numbers k1, k2, k3, k4, got {values!r}")
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _points(values: ArrayLike, columns: int, name: str) -> NDArray[np.float64]:
    try:
        points = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BenchDataError(f"{name} must be numbers of shape (N, {columns})") from None
    if points.ndim != 2 or points.shape[1] != columns:
        raise BenchDataError(f"{name} must have shape (N, {columns}), got {points.shape}")
    return points
