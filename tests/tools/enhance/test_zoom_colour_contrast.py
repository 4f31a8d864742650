"""Zoom maps back exactly; casts come off only where there is one; contrast is raised only where it lacks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.tools.errors import ToolError
from seeworthy.tools.findings import Region
from seeworthy.tools.measure.fidelity import psnr_db, ssim
from seeworthy.tools.registry import RECTIFIERS, Rectified, RectifyHint, apply_rectifier

PHOTOGRAPHS = {photograph.name: photograph.picture.image_srgb for photograph in package_photographs("all")}
WHOLE = ("china", "coffee", "astronaut", "chelsea", "flower")


def run(name: str, image: np.ndarray, hint: RectifyHint | None = None) -> Rectified:
    return apply_rectifier(RECTIFIERS.get(name), image, hint)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0, 80), st.floats(0, 60), st.floats(2, 60), st.floats(2, 60), st.floats(1, 4), st.integers(0, 2**32 - 1)
)
def test_zoom_maps_a_fiducial_back_to_its_pixel(
    x0: float, y0: float, width: float, height: float, factor: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    region = Region(x0=x0, y0=y0, x1=x0 + width, y1=y0 + height)
    image = np.zeros((90, 120, 3), np.float32)
    mark_x = int(np.clip(rng.uniform(x0, x0 + width), x0 + 1, min(119, x0 + width - 1)))
    mark_y = int(np.clip(rng.uniform(y0, y0 + height), y0 + 1, min(89, y0 + height - 1)))
    image[mark_y, mark_x] = 1
    result = run("zoom", image, RectifyHint(region=region, options={"factor": factor}))
    brightness = result.image_srgb.sum(axis=2)
    rows, columns = np.mgrid[: brightness.shape[0], : brightness.shape[1]] + 0.5
    centre = [[(columns * brightness).sum() / brightness.sum(), (rows * brightness).sum() / brightness.sum()]]
    assert result.pixel_map is not None
    back = result.pixel_map.to_original(centre)[0]
    assert np.abs(back - [mark_x + 0.5, mark_y + 0.5]).max() < 0.6
    there = result.pixel_map.to_rectified(result.pixel_map.to_original([[3.0, 4.0]]))
    assert there == pytest.approx(np.array([[3.0, 4.0]]), abs=1e-9)


def test_zoom_outside_the_picture_is_an_error() -> None:
    with pytest.raises(ToolError, match="outside the picture"):
        run("zoom", PHOTOGRAPHS["coffee"], RectifyHint(region=Region(x0=5000, y0=0, x1=5100, y1=50)))
    with pytest.raises(ToolError, match="factor"):
        run("zoom", PHOTOGRAPHS["coffee"], RectifyHint(options={"factor": 9}))


# Of a picture that one colour fills (a cat, a flower) nobody can tell the light; the verifier judges those.
@pytest.mark.parametrize("name", ["china", "astronaut"])
@pytest.mark.parametrize("light", [(1.0, 0.75, 0.45), (0.5, 0.75, 1.0)])
def test_a_cast_comes_off(name: str, light: tuple[float, float, float]) -> None:
    clean = PHOTOGRAPHS[name]
    cast = srgb_from_linear(linear_from_srgb(clean) * np.float32(light))
    repaired = run("white_balance", cast, RectifyHint(severity=3.0)).image_srgb
    hue = [np.abs(picture.mean(axis=(0, 1)) / picture.mean() - clean.mean(axis=(0, 1)) / clean.mean()).max()
           for picture in (cast, repaired)]  # fmt: skip
    assert hue[1] < 0.8 * hue[0]


@pytest.mark.parametrize("tool", ["white_balance", "stretch_contrast", "equalise_contrast", "none"])
@pytest.mark.parametrize("name", WHOLE)
def test_a_clean_photograph_hardly_changes(tool: str, name: str) -> None:
    clean = PHOTOGRAPHS[name]
    assert ssim(clean, run(tool, clean).image_srgb, data_range=1.0) > 0.95


@pytest.mark.parametrize("name", WHOLE)
def test_a_flat_picture_gets_its_range_back(name: str) -> None:
    clean = PHOTOGRAPHS[name]
    flat = (clean * np.float32(0.35) + np.float32(0.35)).astype(np.float32)
    stretched = run("stretch_contrast", flat).image_srgb
    assert psnr_db(clean, stretched, data_range=1.0) > psnr_db(clean, flat, data_range=1.0) + 2
    assert run("equalise_contrast", flat).image_srgb.std() > flat.std()


def test_hues_survive_stretching() -> None:
    flat = (PHOTOGRAPHS["coffee"] * np.float32(0.35) + np.float32(0.3)).astype(np.float32)
    result = run("stretch_contrast", flat).image_srgb
    inside = ((result > 0.01) & (result < 0.99)).all(axis=2)
    before = (flat - flat.mean(axis=2, keepdims=True))[inside]
    after = (result - result.mean(axis=2, keepdims=True))[inside]
    agreement = (before * after).sum() / (np.linalg.norm(before) * np.linalg.norm(after))
    assert agreement > 0.999
