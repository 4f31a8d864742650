"""Finding where points of one structure picture lie in another: tracks, features and phase correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .inputs import luma, working_image
from .structure import blur, noise_std, normalised_structure
from .transforms import fit_affine_robustly, ransac_inliers

__all__ = ["FeatureMatcher", "Tracks", "phase_shift_px", "track"]

Image = NDArray[np.float32]

_MAX_POINTS = 350
_WINDOW_PX = 25
_FORWARD_BACKWARD_PX = 0.5
# Structure has about unit variance; 8 bits hold it at this gain around mid-grey.
_U8_GAIN = 42.0
_FEATURES = 600
_FEATURE_SIDE_PX = 320
# Affine distortion and the copies' size move matched features by a few pixels.
_MATCH_PX = 5.0
# Lowe 2004: a match counts when the second best is clearly worse.
_RATIO = 0.8
_FEWEST_MATCHES = 8


@dataclass(frozen=True)
class Tracks:
    """Points (N, 2) of the first picture and where the second shows them, continuous pixel coordinates."""

    start_px: NDArray[np.float64]
    end_px: NDArray[np.float64]


def track(first: Image, second: Image, mask: NDArray[np.bool_], *, levels: int) -> Tracks:
    """Follows corner points by pyramidal Lucas-Kanade, keeping those that come back to where they started.

    Args:
        first, second: structure pictures (H, W) of one size.
        mask: (H, W), where points may start.
        levels: pyramid levels above the full picture; each doubles the reach of about 12 px.
    """
    import cv2

    first_u8, second_u8 = _u8(first), _u8(second)
    corners = cv2.goodFeaturesToTrack(
        first_u8, _MAX_POINTS, qualityLevel=0.02, minDistance=7, mask=mask.astype(np.uint8), blockSize=9
    )
    if corners is None:
        return Tracks(np.zeros((0, 2)), np.zeros((0, 2)))
    start = np.asarray(corners, dtype=np.float32).reshape(-1, 2)
    end, found = _followed(first_u8, second_u8, start, levels)
    back, found_back = _followed(second_u8, first_u8, end, levels)
    keep = found & found_back & (np.linalg.norm(back - start, axis=1) < _FORWARD_BACKWARD_PX)
    return Tracks(start[keep].astype(np.float64) + 0.5, end[keep].astype(np.float64) + 0.5)


def _followed(
    first_u8: NDArray[np.uint8], second_u8: NDArray[np.uint8], points: NDArray[np.float32], levels: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Where the points (N, 2) went, by OpenCV's coordinates, and which of them were found."""
    import cv2

    moved, found, _ = cv2.calcOpticalFlowPyrLK(
        first_u8,
        second_u8,
        points,
        points.copy(),
        winSize=(_WINDOW_PX, _WINDOW_PX),
        maxLevel=levels,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 30, 0.005),
        minEigThreshold=1e-3,
    )
    return np.asarray(moved, dtype=np.float32), np.asarray(found).ravel() > 0


def phase_shift_px(first: Image, second: Image) -> NDArray[np.float64]:
    """The shift (x, y) that takes ``second`` onto ``first``, by the peak of their phase correlation (whole pixels)."""
    import cv2

    height, width = first.shape
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    spectrum = np.fft.rfft2(first * window) * np.conj(np.fft.rfft2(second * window))
    surface = np.fft.irfft2(spectrum / (np.abs(spectrum) + 1e-6), s=(height, width))
    smooth = blur(np.asarray(surface, dtype=np.float32), 1.0)
    row, column = np.unravel_index(int(np.argmax(smooth)), smooth.shape)
    x = int(column) - width if column > width // 2 else int(column)
    y = int(row) - height if row > height // 2 else int(row)
    return np.array([x, y], dtype=np.float64)


class FeatureMatcher:
    """SIFT features (Lowe 2004) of one picture, to be matched against several others.

    Works on copies of at most 320 pixels a side: features of this size survive noise and blur, and take a third of
    the time.
    """

    def __init__(self, image_srgb: Image) -> None:
        self._points_px, self._descriptors = _features(image_srgb)

    def matrix_from(self, other_srgb: Image, rng: np.random.Generator) -> NDArray[np.float64] | None:
        """The affine map from the other picture to this one, or None when too few features match."""
        points_px, descriptors = _features(other_srgb)
        if min(len(points_px), len(self._points_px)) < _FEWEST_MATCHES:
            return None
        likeness = descriptors @ self._descriptors.T
        rows, nearest = np.arange(len(points_px)), np.argmax(likeness, axis=1)
        distance = np.sqrt(np.maximum(2 - 2 * likeness, 0))
        best = distance[rows, nearest].copy()
        distance[rows, nearest] = np.inf
        distinctive = best < _RATIO * distance.min(axis=1)
        source, target = points_px[distinctive], self._points_px[nearest[distinctive]]
        follow = ransac_inliers(source, target, threshold_px=_MATCH_PX, rounds=600, rng=rng, affine=False)
        if int(follow.sum()) < _FEWEST_MATCHES:
            return None
        return fit_affine_robustly(source[follow], target[follow], threshold_px=1.2 * _MATCH_PX)


def _features(image_srgb: Image) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Places (N, 2) in pixels of the picture, and unit descriptors (N, 128)."""
    import cv2

    height, width = image_srgb.shape[:2]
    factor = min(_FEATURE_SIDE_PX / max(height, width), 1.0)
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    sift = cv2.SIFT.create(nfeatures=_FEATURES, contrastThreshold=0.02)
    found, descriptors = sift.detectAndCompute(_feature_picture(luma(working_image(image_srgb, size))), None)
    if descriptors is None:
        return np.zeros((0, 2)), np.zeros((0, 128), dtype=np.float32)
    places = np.array([point.pt for point in found], dtype=np.float64) + 0.5
    # RootSIFT (Arandjelovic and Zisserman 2012): the square root of normalised histograms compares better.
    rooted = np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-6))
    return places * (np.array([width, height]) / np.array(size)), rooted


def _feature_picture(image_luma: Image) -> NDArray[np.uint8]:
    """Luma with wide local contrast evened out: features then survive darkness and haze."""
    floor = max(0.6 * noise_std(image_luma), 0.003)
    structure, _ = normalised_structure(blur(image_luma, 0.8), sigma_px=16.0, floor=floor)
    return _u8(structure)


def _u8(structure: Image) -> NDArray[np.uint8]:
    scaled: NDArray[np.uint8] = np.clip(128 + _U8_GAIN * structure, 0, 255).astype(np.uint8)
    return scaled
