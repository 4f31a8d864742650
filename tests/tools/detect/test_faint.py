"""What little a picture without edges shows: things behind the thickest haze, or just a smooth surface."""

from __future__ import annotations

from io import BytesIO

import cv2
import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.marks import draw_marks, place_marks
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect import detect_by_statistics
from seeworthy.tools.detect.edges import LEAST_EDGES
from seeworthy.tools.detect.faint import measure_faint_share
from seeworthy.tools.detect.features import measure_features
from seeworthy.tools.detect.views import PictureViews

from .pictures import picture_of, textured

DOWN, ACROSS = np.mgrid[-1:1:144j, -1:1:192j]
RNG = np.random.default_rng(0)


def grey(levels: np.ndarray) -> Picture:
    rounded = np.clip(np.rint(levels + 0 * ACROSS), 0, 255).astype(np.uint8)
    return Picture(np.repeat(rounded[..., None], 3, axis=2))


def as_jpeg(picture: Picture, quality: int) -> Picture:
    file = BytesIO()
    Image.fromarray(picture.image_srgb_u8).save(file, "JPEG", quality=quality)
    return Picture(np.asarray(Image.open(file)))


def blurred(sigma_px: float, seed: int) -> Picture:
    blur = cv2.GaussianBlur(textured(144, 192, seed).astype(np.float64), (0, 0), sigma_px)
    return picture_of(np.asarray(blur))


SMOOTH = {
    "plain": grey(np.array(200.0)),
    "few steps": grey(200 + 2.5 * ACROSS),
    "few steps, aslant": grey(215 + 1.5 * ACROSS - 1.1 * DOWN),
    "long ramp": grey(150 + 30 * ACROSS),
    "lens, light fall-off": grey(210 - 2 * (ACROSS**2 + DOWN**2)),
    "lens, strong fall-off": grey(220 - 15 * (ACROSS**2 + DOWN**2)),
    "some noise": grey(200 + RNG.normal(0, 2, ACROSS.shape)),
    "much noise": grey(190 + RNG.normal(0, 8, ACROSS.shape)),
    "noise on a ramp": grey(190 + 20 * DOWN + RNG.normal(0, 3, ACROSS.shape)),
    "JPEG of a ramp": as_jpeg(grey(200 + 20 * DOWN + 10 * ACROSS), 70),
    "JPEG of few steps": as_jpeg(grey(205 + 6 * DOWN + 9 * ACROSS), 60),
    "tiny": picture_of(textured(144, 192, 1)[:12, :12] * 0.05 + 0.8),
    "narrow": picture_of(textured(144, 192, 1)[:15, :60] * 0.05 + 0.8),
}
BLURRED = {f"blurred by {sigma} px, {seed}": blurred(sigma, seed) for sigma in (20, 30, 40) for seed in range(2)}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_surfaces_show_nothing(name: str) -> None:
    assert measure_features(SMOOTH[name]).faint_share < 0.005
    assert Stress.HAZE not in {finding.stress for finding in detect_by_statistics(SMOOTH[name]).findings}


@pytest.mark.parametrize("name", BLURRED)
def test_blurred_pictures_are_not_called_hazy(name: str) -> None:
    assert Stress.HAZE not in {finding.stress for finding in detect_by_statistics(BLURRED[name]).findings}


def test_a_picture_full_of_marks_shows_nothing() -> None:
    shown = grey(200 + RNG.normal(0, 20, ACROSS.shape))
    assert measure_faint_share(PictureViews(shown, np.ones(ACROSS.shape, dtype=bool)), 0.0) == 0


def test_hidden_things_under_marks_are_found_beside_them() -> None:
    hidden = picture_of(textured(144, 192, 2) * 0.015 + 0.85).image_srgb_u8.copy()
    marks = place_marks({1: 1, 2: 2}, size=(192, 144), instance_ids=_two_things(), image_srgb_u8=hidden)
    found = detect_by_statistics(Picture(draw_marks(hidden, marks))).findings
    assert Stress.HAZE in {finding.stress for finding in found}


def _two_things() -> np.ndarray:
    ids = np.full((144, 192), -1, dtype=np.int32)
    ids[30:60, 30:70], ids[80:120, 110:160] = 1, 2
    return ids


@pytest.mark.parametrize("left", [0.02, 0.015, 0.01])
@pytest.mark.parametrize("seed", range(4))
def test_haze_is_found_behind_which_things_show_by_a_shade(left: float, seed: int) -> None:
    hidden = picture_of(textured(144, 192, seed) * left + 0.87 * (1 - left))
    features = measure_features(hidden)
    assert features.edges.found < LEAST_EDGES and features.faint_share > 0.03
    (found,) = [one for one in detect_by_statistics(hidden).findings if one.stress is Stress.HAZE]
    assert found.severity > 4


def test_of_pictures_with_edges_it_is_not_measured() -> None:
    assert measure_features(picture_of(textured(144, 192, 0))).faint_share == 0
