import base64
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from seeworthy.bench_data.images import Picture
from seeworthy.tools.errors import ModelError
from seeworthy.tools.models.image_fitting import (
    JPEG_QUALITIES,
    FittedImage,
    ImageFitError,
    ImageLimits,
    OversizePolicy,
    fit_images,
    pixel_map_of,
)
from tests.tools.models.openai_subjects import noise_picture


def decode(image: FittedImage) -> tuple[str, np.ndarray]:
    """Format and pixels of what a server gets, through the data URI as a server reads it."""
    head, text = image.data_uri.split(",", 1)
    assert head == f"data:{image.sent.media_type};base64"
    opened = Image.open(io.BytesIO(base64.b64decode(text, validate=True)))
    return opened.format, np.asarray(opened.convert("RGB"))


def grey(width: int, height: int, level: int = 128) -> Picture:
    return Picture(np.full((height, width, 3), level, dtype=np.uint8))


def test_within_the_limits_a_picture_arrives_bit_for_bit():
    picture = noise_picture(60, 40)
    (image,) = fit_images((picture,), ImageLimits(max_side_px=60, max_base64_bytes=10**6))
    kind, pixels = decode(image)
    assert kind == "PNG"
    assert np.array_equal(pixels, picture.image_srgb_u8)
    assert image.sent.note is None
    assert image.sent.sent_size == image.sent.original_size == (60, 40)
    assert image.sent.sha256 == picture.sha256


def test_no_pictures_are_no_trouble():
    assert fit_images((), ImageLimits(max_side_px=1)) == ()


@settings(deadline=None, max_examples=25)
@given(
    width=st.integers(1, 120),
    height=st.integers(1, 120),
    side=st.integers(1, 150),
    limit=st.integers(400, 40_000),
    policy=st.sampled_from([OversizePolicy.DOWNSCALE, OversizePolicy.JPEG]),
    seed=st.integers(0, 99),
)
def test_limits_hold_for_any_picture_or_it_is_an_error(width, height, side, limit, policy, seed):
    pictures = (noise_picture(width, height, seed), grey(70, 30))
    limits = ImageLimits(max_side_px=side, max_base64_bytes=limit, policy=policy)
    try:
        fitted = fit_images(pictures, limits)
    except ImageFitError:
        # 32 px of noise need about 4,300 base64 characters as PNG and 2,500 as JPEG.
        assert limit < 5000
        return
    for picture, image in zip(pictures, fitted, strict=True):
        text = base64.b64encode(image.data)
        assert len(text) == image.sent.base64_bytes <= limit
        assert max(image.sent.sent_size) <= side
        assert decode(image)[1].shape[1::-1] == image.sent.sent_size
        assert image.sent.original_size == picture.size
    assert fit_images(pictures, limits) == fitted


def test_the_limit_is_measured_after_base64():
    picture = noise_picture(100, 100)
    (plain,) = fit_images((picture,), ImageLimits())
    bytes_of_file = len(plain.data)
    (smaller,) = fit_images((picture,), ImageLimits(max_base64_bytes=bytes_of_file + 100))
    assert smaller.sent.sent_size < picture.size
    (same,) = fit_images((picture,), ImageLimits(max_base64_bytes=plain.sent.base64_bytes))
    assert same == plain


def test_noise_of_4000_by_3000_fits_into_5_mb_and_uses_the_room():
    limits = ImageLimits(max_base64_bytes=5_000_000)
    (image,) = fit_images((noise_picture(4000, 3000),), limits)
    assert 4_000_000 <= image.sent.base64_bytes <= 5_000_000
    assert image.sent.media_type == "image/png"
    assert image.sent.note.startswith("downscaled by 0.3")
    width, height = image.sent.sent_size
    assert width / height == pytest.approx(4 / 3, rel=2e-3)


def test_a_side_of_9000_px_is_brought_to_8000():
    (image,) = fit_images((grey(9000, 30),), ImageLimits(max_side_px=8000))
    assert image.sent.sent_size == (8000, 27)
    assert np.array_equal(np.unique(decode(image)[1]), [128])


def test_a_pair_shares_one_scale_and_one_format():
    noisy, calm = noise_picture(400, 300), grey(400, 300)
    for policy in (OversizePolicy.DOWNSCALE, OversizePolicy.JPEG):
        first, second = fit_images((noisy, calm), ImageLimits(max_base64_bytes=60_000, policy=policy))
        assert first.sent.sent_size == second.sent.sent_size
        assert first.sent.media_type == second.sent.media_type
        assert first.sent.jpeg_quality == second.sent.jpeg_quality
        assert first.sent.note == second.sent.note


def test_pictures_of_different_size_shrink_by_the_same_factor():
    large, small = fit_images((grey(1000, 500), grey(100, 50)), ImageLimits(max_side_px=250))
    assert large.sent.sent_size == (250, 125)
    assert small.sent.sent_size == (25, 12)


def test_jpeg_keeps_the_size_takes_the_best_quality_that_fits_and_says_what_it_is():
    picture = noise_picture(300, 200)
    taken = []
    for limit in (350_000, 200_000, 140_000, 100_000, 80_000):
        (image,) = fit_images((picture,), ImageLimits(max_base64_bytes=limit, policy=OversizePolicy.JPEG))
        taken.append(image.sent.jpeg_quality)
        if image.sent.jpeg_quality is not None:
            assert decode(image)[0] == "JPEG"
            assert f"JPEG (quality {image.sent.jpeg_quality}) is a degradation" in image.sent.note
    assert taken[0] is None
    qualities = [quality for quality in taken if quality is not None]
    assert set(qualities) <= set(JPEG_QUALITIES)
    assert qualities == sorted(qualities, reverse=True)
    assert len(set(qualities)) > 1


def test_jpeg_downscales_when_no_quality_is_enough():
    (image,) = fit_images((noise_picture(300, 200),), ImageLimits(max_base64_bytes=9_000, policy=OversizePolicy.JPEG))
    assert image.sent.jpeg_quality == JPEG_QUALITIES[-1]
    assert image.sent.sent_size < (300, 200)
    assert "downscaled" in image.sent.note
    assert "JPEG" in image.sent.note


def test_refuse_sends_nothing_that_is_too_large():
    with pytest.raises(ImageFitError, match="100 px, the limit is 50 px"):
        fit_images((grey(100, 20),), ImageLimits(max_side_px=50, policy=OversizePolicy.REFUSE))
    with pytest.raises(ImageFitError, match=r"base64 bytes exceeds the limit of 1,000"):
        fit_images((noise_picture(40, 40),), ImageLimits(max_base64_bytes=1000, policy=OversizePolicy.REFUSE))
    (image,) = fit_images((grey(50, 20),), ImageLimits(max_side_px=50, policy=OversizePolicy.REFUSE))
    assert image.sent.note is None


def test_a_limit_that_nothing_can_keep_is_an_error_that_says_so():
    with pytest.raises(ImageFitError, match="raise max_image_base64_bytes"):
        fit_images((noise_picture(200, 200),), ImageLimits(max_base64_bytes=50))


@pytest.mark.parametrize("limits", [ImageLimits(), ImageLimits(max_base64_bytes=90_000)])
def test_shrinking_further_really_makes_it_smaller(limits):
    picture = noise_picture(400, 300)
    sizes = [fit_images((picture,), limits, shrink=shrink)[0].sent.base64_bytes for shrink in (1.0, 0.5, 0.25)]
    assert sizes[1] < sizes[0] / 3
    assert sizes[2] < sizes[1] / 3


@pytest.mark.parametrize("shrink", [0.0, -1.0, 1.5, float("nan")])
def test_a_shrink_without_sense_is_refused(shrink):
    with pytest.raises(ModelError, match="shrink"):
        fit_images((grey(4, 4),), ImageLimits(), shrink=shrink)


def test_averaging_happens_in_light_not_in_codes():
    # Black and white stripes of one pixel: half the light is code 188 by the sRGB curve, not 128.
    pixels = np.zeros((64, 64, 3), dtype=np.uint8)
    pixels[:, ::2] = 255
    (image,) = fit_images((Picture(pixels),), ImageLimits(max_side_px=32))
    assert np.array_equal(np.unique(decode(image)[1]), [188])


@given(level=st.integers(0, 255))
@settings(deadline=None, max_examples=60)
def test_an_even_picture_keeps_its_colour(level):
    (image,) = fit_images((grey(50, 30, level),), ImageLimits(max_side_px=17))
    assert np.array_equal(np.unique(decode(image)[1]), [level])


def test_boxes_map_back_to_the_original():
    (image,) = fit_images((grey(2000, 1000),), ImageLimits(max_side_px=1000))
    corners = pixel_map_of(image.sent).to_original([[100, 200], [300, 400]])
    assert corners.tolist() == [[200, 400], [600, 800]]


def test_mapping_back_is_exact_when_rounding_made_the_factors_differ():
    (image,) = fit_images((grey(100, 33),), ImageLimits(max_side_px=50))
    assert image.sent.sent_size == (50, 16)
    assert pixel_map_of(image.sent).to_original([[50, 16]]).tolist() == [[100, 33]]
