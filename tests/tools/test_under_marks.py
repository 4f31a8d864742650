"""Number marks neither hide what is wrong with a picture nor mislead a repair, and stay readable after it."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.marks import Mark, draw_marks, mark_radius_px, paint_over_marks
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect import detect_by_statistics
from seeworthy.tools.detect.features import measure_features
from seeworthy.tools.registry import RECTIFIERS, Rectified, RectifyHint, apply_rectifier

SIZE = (240, 180)
NAMES = ("coffee", "astronaut")


@cache
def _clean(name: str) -> Picture:
    whole = {one.name: one.picture for one in package_photographs(split="all")}[name]
    return Picture(np.asarray(cv2.resize(whole.image_srgb_u8, SIZE, interpolation=cv2.INTER_AREA), np.uint8))


def _marked(picture: Picture) -> Picture:
    radius = mark_radius_px(*SIZE)
    places = [(30.0, 30.5), (110.2, 60.0), (200.5, 40.0), (60.0, 140.0), (150.7, 120.0), (215.0, 150.3)]
    marks = [
        Mark(n, n + 1, place, radius, "dark" if n == 2 else "light", (place[0] + 22, place[1] + 8) if n == 3 else None)
        for n, place in enumerate(places)
    ]
    return Picture(draw_marks(picture.image_srgb_u8, marks))


@cache
def _degraded(name: str, stress: Stress) -> Picture:
    return degrade(_clean(name), stress, severity=3, seed=5).picture


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stress", [Stress.LOW_LIGHT, Stress.HAZE])
def test_darkness_and_haze_are_seen_through_marks(name: str, stress: Stress) -> None:
    plain = detect_by_statistics(_degraded(name, stress))
    marked = detect_by_statistics(_marked(_degraded(name, stress)))
    assert plain.findings[0].stress is stress
    assert marked.findings[0].stress is stress
    assert marked.findings[0].severity == pytest.approx(plain.findings[0].severity, abs=0.4)


@pytest.mark.parametrize("name", NAMES)
def test_marks_alone_are_nothing_wrong(name: str) -> None:
    assert detect_by_statistics(_marked(_clean(name))).findings == detect_by_statistics(_clean(name)).findings == ()


def test_light_is_measured_as_without_marks() -> None:
    for stress in (Stress.LOW_LIGHT, Stress.HAZE):
        plain, marked = (measure_features(one(_degraded("coffee", stress))) for one in (lambda p: p, _marked))
        assert marked.exposure.white_linear == pytest.approx(plain.exposure.white_linear, rel=0.1)
        assert marked.exposure.black_srgb == pytest.approx(plain.exposure.black_srgb, abs=0.02)
        assert marked.atmosphere.dark_low == pytest.approx(plain.atmosphere.dark_low, rel=0.15, abs=0.002)


@pytest.mark.parametrize(
    ("stress", "tool"),
    [(Stress.LOW_LIGHT, "lift_exposure"), (Stress.LOW_LIGHT, "lift_and_denoise"), (Stress.HAZE, "dehaze")],
)
def test_repairs_are_as_good_as_without_marks_and_keep_them(stress: Stress, tool: str) -> None:
    spec, clean = RECTIFIERS.get(tool), _clean("coffee").image_srgb
    plain = _degraded("coffee", stress)
    marked = _marked(plain)
    painted = paint_over_marks(marked.image_srgb_u8)
    assert painted is not None
    repaired = apply_rectifier(spec, marked.image_srgb).image_srgb
    free = ~painted.covered
    without = np.abs(apply_rectifier(spec, plain.image_srgb).image_srgb - clean)[free].mean()
    assert np.abs(repaired - clean)[free].mean() < 1.15 * without + 0.005
    assert np.abs(plain.image_srgb - clean)[free].mean() > 1.3 * without
    assert np.array_equal(repaired[painted.drawn], marked.image_srgb[painted.drawn])


def test_what_a_tool_leaves_alone_stays_bit_for_bit() -> None:
    marked = _marked(_clean("coffee")).image_srgb
    assert np.array_equal(apply_rectifier(RECTIFIERS.get("dehaze"), marked).image_srgb, marked)


def test_a_picture_without_marks_reaches_its_tool_unchanged() -> None:
    from dataclasses import replace

    seen = []

    def look(image: np.ndarray, hint: RectifyHint) -> Rectified:
        seen.append(image.copy())
        return Rectified(1 - image)

    source = _degraded("coffee", Stress.HAZE).image_srgb
    spec = replace(RECTIFIERS.get("dehaze"), rectify=look)
    assert np.array_equal(apply_rectifier(spec, source).image_srgb, 1 - source)
    assert np.array_equal(seen[0], source)
