"""Real photographs, and the edits that tests make of them."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear
from seeworthy.bench_data.photographs import package_photographs

Image = np.ndarray
Edit = Callable[[Image], Image]

# Of both splits and of all kinds: a face, fur and whiskers, a machine full of detail, a soft flower, a building, a cup.
PHOTOGRAPHS = ("astronaut", "chelsea", "motorcycle", "flower", "china", "coffee")


@pytest.fixture(scope="session")
def photographs() -> dict[str, Image]:
    """Whole photographs by name, (H, W, 3) float32, at most 420 px a side."""
    found = {}
    for photograph in package_photographs("all"):
        if photograph.name in PHOTOGRAPHS:
            image = photograph.picture.image_srgb
            factor = min(420 / max(image.shape[:2]), 1)
            size = (round(image.shape[1] * factor), round(image.shape[0] * factor))
            found[photograph.name] = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    if set(found) != set(PHOTOGRAPHS):
        pytest.skip(f"needs scikit-image and scikit-learn for {sorted(set(PHOTOGRAPHS) - set(found))}")
    return found


def rounded(image: Image) -> Image:
    """As an 8-bit file would hold it."""
    return (np.floor(np.clip(image, 0, 1) * 255 + 0.5) / 255).astype(np.float32)


def gain(image: Image, factor: float) -> Image:
    """More or less light."""
    return srgb_from_linear(linear_from_srgb(image) * np.float32(factor))


def dark(image: Image, seed: int = 1) -> Image:
    """A twelfth of the light, with photon noise."""
    light = linear_from_srgb(image) / 12
    noise = np.random.default_rng(seed).normal(0, 1, image.shape) * np.sqrt(light * 4e-4 + 1e-6)
    return rounded(srgb_from_linear((light + noise).astype(np.float32)))


def lifted(image: Image) -> Image:
    """What a plain repair makes of :func:`dark`."""
    return rounded(gain(image, 10))


def hazy(image: Image) -> Image:
    """A veil that lets a third of the scene through, thicker towards the top."""
    through = np.linspace(0.25, 0.45, image.shape[0], dtype=np.float32)[:, None, None]
    return rounded(image * through + 0.85 * (1 - through))


def noisy(image: Image, std: float = 0.1) -> Image:
    return rounded(image + np.random.default_rng(2).normal(0, std, image.shape))


def blurred(image: Image) -> Image:
    return cv2.GaussianBlur(image, (0, 0), 2.0)


def compressed(image: Image) -> Image:
    """JPEG of quality 12."""
    _, coded = cv2.imencode(".jpg", (image[..., ::-1] * 255 + 0.5).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 12])
    decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return np.ascontiguousarray(decoded[..., ::-1]).astype(np.float32) / 255


def yellowed(image: Image) -> Image:
    """Under a warm lamp."""
    return rounded(srgb_from_linear(linear_from_srgb(image) * np.float32([1.0, 0.7, 0.4])))


def placed(image: Image, edited_from_original: np.ndarray, size: tuple[int, int] | None = None) -> Image:
    """The picture moved by a map of continuous coordinates (pixel centres at +0.5)."""
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    matrix = np.linalg.inv(half) @ edited_from_original @ half
    size = size or (image.shape[1], image.shape[0])
    moved = cv2.warpAffine(image, matrix[:2], size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)
    return np.clip(moved, 0, 1)


def about_centre(image: Image, *, scale: float = 1, rotation_deg: float = 0, shift_px: tuple[float, float] = (0, 0)):  # type: ignore[no-untyped-def]
    """The 3x3 map from a picture to its edit: zoom and turn about the centre, then shift."""
    centre = np.array([image.shape[1] / 2, image.shape[0] / 2])
    angle = np.radians(rotation_deg)
    linear = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[:2, 2] = centre - linear @ centre + shift_px
    return matrix
