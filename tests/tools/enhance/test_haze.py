"""Haze by the law it follows: what comes back of thick haze, white walls, and how much the mild tool leaves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.tools.enhance.filtering.spatial import closing
from seeworthy.tools.enhance.haze import read_haze
from seeworthy.tools.measure.fidelity import psnr_db
from seeworthy.tools.registry import RECTIFIERS, Rectified, RectifyHint, apply_rectifier

Image = NDArray[np.float32]

PHOTOGRAPHS = {photograph.name: photograph.picture.image_srgb for photograph in package_photographs("all")}
WALL_SRGB = np.float32([0.92, 0.9, 0.86])


def hazy(image_srgb: Image, transmission: float, airlight: float = 0.8) -> Image:
    """Koschmieder's law on linear light, rounded to 8 bits."""
    light = linear_from_srgb(image_srgb) * transmission + airlight * (1 - transmission)
    return (np.rint(srgb_from_linear(light.astype(np.float32)) * 255) / 255).astype(np.float32)


def run(tool: str, image: Image) -> Rectified:
    return apply_rectifier(RECTIFIERS.get(tool), image, RectifyHint(severity=5))


def psnr(clean: Image, other: Image) -> float:
    return psnr_db(clean, other, data_range=1.0)


@pytest.mark.parametrize("name", ["china", "coffee", "astronaut"])
def test_thick_haze_of_a_known_law_comes_off(name: str) -> None:
    clean = PHOTOGRAPHS[name]
    before = hazy(clean, 0.04)
    full, mild = (run(tool, before) for tool in ("dehaze", "dehaze_mild"))
    assert psnr(clean, full.image_srgb) > psnr(clean, before) + 5
    assert psnr(clean, full.image_srgb) > psnr(clean, mild.image_srgb) > psnr(clean, before)
    assert full.parameters["least_transmission"] < 0.05 < mild.parameters["least_transmission"] < 0.2


def test_the_mild_tool_leaves_a_tenth_of_thin_haze_too() -> None:
    before = hazy(PHOTOGRAPHS["china"], 0.4)
    full, mild = (run(tool, before).image_srgb for tool in ("dehaze", "dehaze_mild"))
    all_of_it, most_of_it = (float(np.abs(one - before).mean()) for one in (full, mild))
    assert 0.6 * all_of_it < most_of_it < 0.97 * all_of_it


@pytest.mark.parametrize("across", [True, False])
def test_a_white_wall_is_as_far_as_what_is_beside_it(across: bool) -> None:
    clean = PHOTOGRAPHS["astronaut"].copy()
    half = clean.shape[1] // 2
    clean[:, half:] = WALL_SRGB
    if not across:
        clean = np.ascontiguousarray(clean[:, half // 2 : 3 * half // 2])
    reading = read_haze(hazy(clean, 0.2))
    assert np.abs(reading.transmission - 0.2).mean() < 0.06
    assert psnr(clean, run("dehaze", hazy(clean, 0.2)).image_srgb) > 17


def test_a_closing_fills_what_is_narrow_or_low_and_nothing_else() -> None:
    plane = np.ones((40, 60), np.float32)
    plane[5:35, 10:14] = 0.2
    plane[15:17, 30:55] = 0.3
    filled = closing(plane, 3, 0)
    assert (filled[5:35, 10:14] == 1).all()
    assert (filled[15:17, 34:51] == np.float32(0.3)).all()
    assert (closing(plane, 0, 2)[15:17, 30:55] == 1).all()
    assert (closing(plane, 0, 2)[10:30, 10:14] == np.float32(0.2)).all()
    assert (closing(plane, 3, 2) >= plane).all()
