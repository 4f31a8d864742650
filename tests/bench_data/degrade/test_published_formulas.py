"""The formulas of SpaceDG, in numbers that were worked out from the paper's text and from nothing of ours."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.degrade import DEGRADATION_REGISTRY, SceneLight, degrade_with
from seeworthy.bench_data.degrade.catalogue import LEVELS, sheet_of
from seeworthy.bench_data.degrade.defocus import DefocusParameters, circle_of_confusion_sd
from seeworthy.bench_data.degrade.haze import HazeParameters, haze
from seeworthy.bench_data.degrade.low_light import LowLightParameters
from seeworthy.bench_data.degrade.low_res import LowResParameters
from seeworthy.bench_data.degrade.sensor import expose
from seeworthy.bench_data.images import Picture

ROWS = json.loads(
    (Path(__file__).resolve().parents[2] / "golden/spacedg/degradation_formulas.json").read_text(encoding="utf-8")
)
RNG = np.random.default_rng(0)

# Table 9 of the paper: the range that the benchmark draws from, by our parameter, and what one of ours is in its unit.
TABLE_9 = {
    ("defocus", "aperture"): (10 / 1752, 15 / 1752),
    ("defocus", "focus_m"): (1.0, 8.0),
    ("motion_blur", "translation_m"): (0.2, 0.35),
    ("motion_blur", "rotation_rad"): (0.06, 0.12),
    ("haze", "optical_thickness"): (3.5, 6.0),
    ("low_light", "exposure"): (0.003, 0.005),
    ("over_exposure", "exposure"): (7.0, 10.0),
    ("jpeg_compression", "quality"): (2, 5),
    ("low_res", "scale"): (0.02, 0.05),
}


@pytest.mark.parametrize("row", ROWS["haze"], ids=str)
def test_haze(row: dict[str, float]) -> None:
    parameters = HazeParameters(optical_thickness=row["density"], airlight_linear=(1.0, 1.0, 1.0), depth_scale_m=1.0)
    depth_m = np.full((4, 5), row["distance"], dtype=np.float32)
    for scene, expected in ((0.2, row["pixel_from_J0.2_A1.0"]), (0.0, 1 - row["transmission"])):
        light = SceneLight(np.full((4, 5, 3), scene, dtype=np.float32), depth_m)
        assert haze(light, parameters, RNG).image_linear == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("row", ROWS["exposure"], ids=str)
def test_exposure_is_a_factor_on_light_and_clips_before_the_curve(row: dict[str, float]) -> None:
    # The rows use the paper's plain power curve; ours is the exact sRGB curve, so the two are compared in linear light.
    sensor = LowLightParameters(
        exposure=row["gain"], white_electrons=1e6, read_noise_electrons=0, row_noise_electrons=0, converter_bits=16
    )
    light = np.full((64, 64, 3), row["srgb_in"] ** row["gamma"], dtype=np.float32)
    expected = row["srgb_out_no_noise"] ** row["gamma"]
    assert float(expose(light, sensor, RNG).mean()) == pytest.approx(expected, rel=0.005, abs=2e-6)


@pytest.mark.parametrize("row", ROWS["low_res"], ids=str)
def test_low_res_has_the_published_size(row: dict[str, list[int]]) -> None:
    width, height = row["size"]
    scale = float(row["scale"])  # type: ignore[arg-type]
    picture = Picture(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))
    found = degrade_with(picture, "low_res", LowResParameters(scale=scale), seed=0).picture.image_srgb_u8
    small = cv2.resize(picture.image_srgb_u8, tuple(row["small_size_floor"]), interpolation=cv2.INTER_AREA)
    assert np.array_equal(found, cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


@pytest.mark.parametrize("row", ROWS["defocus"], ids=str)
def test_circle_of_confusion(row: dict[str, float]) -> None:
    parameters = DefocusParameters(aperture=row["aperture_px"] / 1752, focus_m=row["focus_m"])
    found = circle_of_confusion_sd(np.array([row["depth_m"]], dtype=np.float32), parameters)[0] * 1752
    assert float(found) == pytest.approx(row["coc_px"], rel=1e-5)


@pytest.mark.parametrize(("name", "parameter"), TABLE_9)
def test_bench_is_the_published_range(name: str, parameter: str) -> None:
    sheet = sheet_of(DEGRADATION_REGISTRY.get(name))
    [listed] = [entry for entry in sheet.parameters if entry.name == parameter]
    low, high = TABLE_9[name, parameter]
    span = listed.ranges["bench"]
    assert span is not None and not isinstance(span[0], str) and not isinstance(span[1], str)
    assert low <= span[0] <= low + 0.03 * (high - low) + 1e-9
    assert high - 0.03 * (high - low) - 1e-9 <= span[1] <= high + 1e-9
    assert set(listed.ranges) == set(LEVELS)
