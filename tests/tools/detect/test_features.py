"""Image statistics against pictures whose blur, noise, coding, light and size are known."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image
from scipy import ndimage

from seeworthy.bench_data.images import Picture
from seeworthy.tools.detect.blockiness import measure_blocks
from seeworthy.tools.detect.colour import measure_colour
from seeworthy.tools.detect.edges import measure_edges
from seeworthy.tools.detect.exposure import measure_exposure
from seeworthy.tools.detect.features import measure_features
from seeworthy.tools.detect.noise_level import measure_noise
from seeworthy.tools.detect.resolution import measure_resolution
from seeworthy.tools.detect.views import PictureViews

from .pictures import blocks_of_colour, picture_of, supersampled, textured


def _views(image: np.ndarray) -> PictureViews:
    return PictureViews(picture_of(image))


def _jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    buffer = io.BytesIO()
    Image.fromarray(np.round(np.clip(image, 0, 1) * 255).astype(np.uint8)).save(buffer, format="JPEG", quality=quality)
    return np.asarray(Image.open(io.BytesIO(buffer.getvalue()))) / 255.0


@pytest.mark.parametrize("std", [2.0, 5.0, 12.0, 25.0])
@pytest.mark.parametrize("content", ["flat", "textured"])
def test_noise_is_measured_within_a_fifth(std: float, content: str) -> None:
    image = np.full((240, 320, 3), 0.5) if content == "flat" else 0.15 + 0.7 * textured()
    noisy = image + np.random.default_rng(1).normal(0, std / 255, image.shape)
    noise = measure_noise(_views(noisy))
    assert noise.channel_std == pytest.approx(std, rel=0.2)
    # Luma averages three independent channels; R - G over sqrt 2 keeps the spread of one.
    assert noise.luma_flat_std == pytest.approx(std * math.hypot(0.299, 0.587, 0.114), rel=0.25)
    assert noise.chroma_flat_std == pytest.approx(std, rel=0.2)


def test_texture_alone_is_not_noise() -> None:
    noise = measure_noise(_views(0.15 + 0.7 * textured()))
    assert noise.chroma_flat_std < 1.0


def test_shot_noise_gives_the_electrons() -> None:
    rng = np.random.default_rng(2)
    light = np.repeat(np.linspace(0.02, 0.8, 320)[None, :, None], 240, axis=0).repeat(3, axis=2)
    counted = rng.poisson(light * 400) / 400
    encoded = np.where(counted <= 0.0031308, 12.92 * counted, 1.055 * np.clip(counted, 0, 1) ** (1 / 2.4) - 0.055)
    assert measure_noise(_views(encoded)).shot_electrons == pytest.approx(400, rel=0.35)


@pytest.mark.parametrize("quality", [5, 10, 20, 35, 60])
def test_the_quality_of_a_jpeg_is_read_from_its_coefficients(quality: int) -> None:
    blocks = measure_blocks(_views(_jpeg(textured(), quality)))
    assert blocks.quality == pytest.approx(quality, abs=2)
    assert blocks.quality_fit > 0.5


@pytest.mark.parametrize(("x", "y"), [(0, 0), (3, 5), (7, 1)])
def test_the_grid_is_found_at_any_offset(x: int, y: int) -> None:
    cropped = _jpeg(textured(), 12)[y:, x:]
    blocks = measure_blocks(_views(cropped))
    assert (blocks.offset_x, blocks.offset_y) == (-x % 8, -y % 8)
    assert blocks.phase_score > 5
    assert blocks.quality == pytest.approx(12, abs=1)


def test_a_picture_that_was_never_coded_has_no_quality() -> None:
    blocks = measure_blocks(_views(textured()))
    assert blocks.quality == 0
    assert blocks.phase_score < 5
    assert abs(blocks.zero_excess) < 0.05


@pytest.mark.parametrize("sigma_px", [1.0, 2.0, 4.0])
def test_a_gaussian_blur_is_measured(sigma_px: float) -> None:
    sharp = supersampled(blocks_of_colour(480, 640, count=40, seed=3))
    blurred = ndimage.gaussian_filter(sharp, (sigma_px, sigma_px, 0))
    edges = measure_edges(_views(blurred), 0.3)
    assert edges.typical_px == pytest.approx(sigma_px, rel=0.25)
    assert edges.anisotropy < 0.25


@pytest.mark.parametrize("angle_deg", [0.0, 30.0, 90.0, 135.0])
def test_the_direction_and_length_of_a_motion_are_measured(angle_deg: float) -> None:
    sharp = supersampled(blocks_of_colour(480, 640, count=40, seed=4))
    length_px = 12
    total = np.zeros_like(sharp)
    for step in np.linspace(-length_px / 2, length_px / 2, 25):
        shift = (step * np.sin(np.deg2rad(angle_deg)), step * np.cos(np.deg2rad(angle_deg)), 0)
        total += ndimage.shift(sharp, shift, order=1, mode="nearest")
    edges = measure_edges(_views(total / 25), 0.3)
    off = abs((edges.motion_angle_deg - angle_deg + 90) % 180 - 90)
    assert off < 12
    assert edges.anisotropy > 0.5
    spread = math.sqrt(edges.wide_direction_px**2 - edges.narrow_direction_px**2)
    assert spread * math.sqrt(12) == pytest.approx(length_px, rel=0.4)


@pytest.mark.parametrize("scale", [0.125, 0.2, 0.3, 0.45])
def test_the_scale_of_an_enlarged_picture_is_read_from_its_period(scale: float) -> None:
    picture = picture_of(textured(seed=5))
    small = Image.fromarray(picture.image_srgb_u8).resize((int(320 * scale), int(240 * scale)), Image.Resampling.BOX)
    grown = Picture(np.asarray(small.resize((320, 240), Image.Resampling.BICUBIC)))
    resolution = measure_resolution(PictureViews(grown), jpeg_grid=False)
    native = measure_resolution(PictureViews(picture), jpeg_grid=False)
    assert resolution.scale == pytest.approx(scale, rel=0.08)
    assert resolution.resampling > 2 * native.resampling
    assert resolution.slope < native.slope - 1


def test_white_noise_has_a_flat_spectrum_of_its_variance() -> None:
    noise = np.random.default_rng(6).normal(0.5, 10 / 255, (256, 256, 1)).repeat(3, axis=2)
    resolution = measure_resolution(_views(noise), jpeg_grid=False)
    assert resolution.slope == pytest.approx(0, abs=0.15)
    assert resolution.high_ratio == pytest.approx(0, abs=0.15)


@pytest.mark.parametrize("gain", [0.5, 0.1, 0.02])
def test_exposure_scales_the_white_point(gain: float) -> None:
    light = np.where(textured() <= 0.04045, textured() / 12.92, ((textured() + 0.055) / 1.055) ** 2.4)

    def encode(linear: np.ndarray) -> np.ndarray:
        return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)

    normal, dark = measure_exposure(_views(encode(light))), measure_exposure(_views(encode(light * gain)))
    assert dark.white_linear == pytest.approx(gain * normal.white_linear, rel=0.08)
    assert dark.key_linear == pytest.approx(gain * normal.key_linear, rel=0.15)


def test_paper_white_is_hard_and_a_blown_light_is_soft() -> None:
    y, x = np.mgrid[0:240, 0:320]
    distance = np.hypot(x - 160, y - 120)
    lamp = np.clip(1.6 - distance / 100, 0.1, 1.0)[..., None].repeat(3, axis=2)
    paper = np.where(distance < 60, 1.0, 0.3)[..., None].repeat(3, axis=2)
    blown, printed = measure_exposure(_views(lamp)), measure_exposure(_views(paper))
    assert blown.soft_clipped > 0.9 * blown.any_clipped > 0.05
    assert printed.hard_clipped > 0.9 * printed.any_clipped > 0.05


def test_the_patch_region_is_where_the_light_is() -> None:
    image = np.full((200, 400, 3), 0.4)
    image[40:120, 240:360] = 1.0
    image[150:190, 20:100] = 0.02
    exposure = measure_exposure(_views(image))
    bright, dark = exposure.bright_patch.region, exposure.dark_patch.region
    assert bright is not None
    assert dark is not None
    for region, box in ((bright, (240, 40, 360, 120)), (dark, (20, 150, 100, 190))):
        assert (region.x0, region.y0, region.x1, region.y1) == pytest.approx(box, abs=4)
    assert exposure.bright_patch.share == pytest.approx(80 * 120 / 80000, rel=0.1)


def test_a_tinted_grey_scene_shows_its_tint() -> None:
    grey = textured().mean(axis=2, keepdims=True).repeat(3, axis=2)
    neutral, tinted = measure_colour(_views(grey)), measure_colour(_views(grey * [1.0, 0.85, 0.6]))
    assert neutral.white_angle_deg < 1
    assert neutral.grey_share > 0.95
    assert tinted.white_angle_deg > 10
    assert tinted.red_over_green > 1.2
    assert tinted.blue_over_green < 0.7
    assert tinted.mode_angle_deg == pytest.approx(tinted.white_angle_deg, abs=2.5)


def test_a_large_picture_is_measured_on_tiles_of_its_own_pixels() -> None:
    flat = np.full((900, 1200, 3), 0.5)
    noisy = flat + np.random.default_rng(7).normal(0, 6 / 255, flat.shape)
    picture = picture_of(noisy)
    views = PictureViews(picture)
    assert len(views.tiles) == 9
    assert all(tile.luma.shape == (240, 240) for tile in views.tiles)
    assert all(coordinate % 8 == 0 for tile in views.tiles for coordinate in tile.origin_px)
    assert measure_noise(views).channel_std == pytest.approx(6, rel=0.1)


@settings(max_examples=25, deadline=None)
@given(
    hnp.arrays(
        np.uint8,
        st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3)),
        elements=st.integers(0, 255),
        fill=st.integers(0, 255),
    )
)
def test_any_picture_gives_the_same_finite_numbers_twice(image: np.ndarray) -> None:
    first = measure_features(Picture(image)).flat()
    assert all(math.isfinite(value) for value in first.values())
    assert measure_features(Picture(image.copy())).flat() == first


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (9, 7), (17, 16), (63, 65), (2000, 3)])
@pytest.mark.parametrize("content", ["black", "white", "grey", "noise", "ramp", "checks"])
def test_awkward_sizes_and_contents(size: tuple[int, int], content: str) -> None:
    height, width = size
    y, x = np.mgrid[0:height, 0:width]
    plane = {
        "black": np.zeros(size),
        "white": np.full(size, 255),
        "grey": np.full(size, 100),
        "noise": np.random.default_rng(8).integers(0, 256, size),
        "ramp": x * 255 / max(1, width - 1),
        "checks": (x + y) % 2 * 255,
    }[content]
    image = np.repeat(plane.astype(np.uint8)[..., None], 3, axis=2)
    assert all(math.isfinite(value) for value in measure_features(Picture(image)).flat().values())
