"""The quick mean along a path against the mean of many warps."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.degrade.path_blur import mean_along_path

from .scenes import linear_reference, photographs

SIZE = (160, 120)
FOCAL_PX = 140.0
K = np.array([[FOCAL_PX, 0, 79.5], [0, FOCAL_PX, 59.5], [0, 0, 1.0]])


def picture() -> np.ndarray:
    small = cv2.resize(photographs()[0].image_srgb_u8, SIZE, interpolation=cv2.INTER_AREA)
    return linear_reference(small).astype(np.float32)


def homography(when: float, rotation: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Of a plane one metre away that faces the nominal camera."""
    turn, _ = cv2.Rodrigues(rotation * when)
    onto_plane = (1 - shift[2] * when) * np.eye(3) + np.outer(shift * when, [0, 0, 1.0])
    return np.asarray(K @ onto_plane @ turn @ np.linalg.inv(K))


def brute_force(image: np.ndarray, rotation: np.ndarray, shift: np.ndarray, count: int = 400) -> np.ndarray:
    total = np.zeros(image.shape)
    for when in np.linspace(-0.5, 0.5, count):
        total += cv2.warpPerspective(
            image,
            homography(float(when), rotation, shift),
            SIZE,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101,
        )
    return total / count


@pytest.mark.parametrize("instants", [12, 40, 97])
@pytest.mark.parametrize(
    ("rotation", "shift"),
    [((0, 0.1, 0), (0, 0, 0)), ((0.02, 0.08, 0.03), (0.1, 0.02, 0.03)), ((0, 0, 0.2), (0, 0, 0.1))],
)
def test_it_is_the_mean_of_many_warps(instants: int, rotation: tuple[float, ...], shift: tuple[float, ...]) -> None:
    turn, move = np.array(rotation, dtype=np.float64), np.array(shift, dtype=np.float64)
    image = picture()
    found = mean_along_path(image, lambda when: homography(when, turn, move), instants)
    # Inside, where no reflected border is seen.
    inner = (slice(20, -20), slice(20, -20))
    error = np.abs(found - brute_force(image, turn, move))[inner]
    assert error.mean() < 0.003
    assert error.max() < 0.05
    assert found.dtype == np.float32


def test_an_unmoved_camera_gives_the_picture_back() -> None:
    image = picture()
    for instants in (1, 16, 17, 90):
        assert mean_along_path(image, lambda when: np.eye(3), instants) == pytest.approx(image, abs=1e-6)


def test_light_is_kept_and_the_path_is_centred() -> None:
    image = np.zeros((41, 301, 1), dtype=np.float32)
    image[20, 150] = 90.0
    move = np.eye(3)

    def shifted(when: float) -> np.ndarray:
        move[0, 2] = 90 * when
        return move.copy()

    for instants in (90, 121):
        row = mean_along_path(image, shifted, instants)[20, :, 0]
        assert float(row.sum()) == pytest.approx(90, rel=1e-3)
        assert float((row * np.arange(301)).sum() / row.sum()) == pytest.approx(150, abs=0.05)
        assert row[110:190] == pytest.approx(1.0, rel=0.35)
        assert float(row[110:190].mean()) == pytest.approx(1.0, rel=0.03)
