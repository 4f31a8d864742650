"""Takes the distortion of an ordinary lens (Brown's, as COLMAP and OpenCV have it) out of pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...camera_formats.colmap_records import ColmapCamera
from ...cameras import Camera

__all__ = ["Undistorter", "without_distortion"]

_FOCAL_LENGTHS = {"SIMPLE_RADIAL": 1, "RADIAL": 1, "OPENCV": 2, "FULL_OPENCV": 2}


def without_distortion(camera: ColmapCamera) -> tuple[ColmapCamera, tuple[float, ...] | None]:
    """A camera record without lens distortion, and OpenCV's coefficients (k1, k2, p1, p2, k3 to k6) of what it had.

    Other models, and those whose distortion is zero, come back as they are, with None.
    """
    count = _FOCAL_LENGTHS.get(camera.model)
    if count is None:
        return camera, None
    fx, fy = camera.params[0], camera.params[count - 1]
    cx, cy, *bend = camera.params[count:]
    if not any(bend):
        return camera, None
    coefficients = tuple([*bend, *[0.0] * 8][:8])
    return replace(camera, model="PINHOLE", params=(fx, fy, cx, cy)), coefficients


class Undistorter:
    """Straightens the pictures of one lens; its maps are computed once a picture size.

    Args:
        coefficients: (8,) of OpenCV's rational model.
    """

    def __init__(self, coefficients: tuple[float, ...]) -> None:
        self._coefficients = np.array(coefficients)
        self._maps: dict[tuple[float, ...], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]] = {}

    def __call__(self, image_srgb_u8: NDArray[np.uint8], camera: Camera) -> tuple[NDArray[np.uint8], Camera]:
        """A picture (H, W, 3) without distortion and without empty borders, and the pinhole that took it."""
        import cv2

        key = (camera.width, camera.height, camera.fx, camera.fy, camera.cx, camera.cy)
        if key not in self._maps:
            # OpenCV counts pixel centres as whole numbers.
            K = camera.K - np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
            size = (camera.width, camera.height)
            new_K = cv2.getOptimalNewCameraMatrix(K, self._coefficients, size, 0)[0]
            first, second = cv2.initUndistortRectifyMap(K, self._coefficients, np.eye(3), new_K, size, cv2.CV_32FC1)
            self._maps[key] = (
                np.asarray(first, np.float32),
                np.asarray(second, np.float32),
                np.asarray(new_K, np.float64),
            )
        across, down, matrix = self._maps[key]
        straight = cv2.remap(image_srgb_u8, across, down, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        pinhole = replace(
            camera, fx=matrix[0, 0], fy=matrix[1, 1], cx=float(matrix[0, 2]) + 0.5, cy=float(matrix[1, 2]) + 0.5
        )
        return np.asarray(straight, np.uint8), pinhole
