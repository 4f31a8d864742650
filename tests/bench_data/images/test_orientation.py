"""EXIF orientation: people and models must see the same way up."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import picture_from_bytes
from seeworthy.bench_data.images.orientation import exif_orientation, upright

from .files import colours, encoded, exif_block

FAITHFUL: dict[str, dict[str, Any]] = {"JPEG": {"quality": 100, "subsampling": 0}, "WEBP": {"lossless": True}}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_all_eight_match_pillows_own_transposition(orientation: int, kind: str) -> None:
    pixels = colours()
    tag = {"tiffinfo": {274: orientation}} if kind == "TIFF" else {"exif": exif_block(orientation)}
    data = encoded(pixels, kind, **FAITHFUL.get(kind, {}), **tag)
    picture = picture_from_bytes(data)
    image = Image.fromarray(pixels)
    image.getexif()[274] = orientation
    expected = np.asarray(ImageOps.exif_transpose(image))
    assert picture.image_srgb_u8.shape == expected.shape
    assert np.abs(picture.image_srgb_u8.astype(int) - expected).mean() < (2 if kind == "JPEG" else 0.01)
    noted = any(f"orientation {orientation} applied" in note for note in picture.notes)
    assert noted == (orientation != 1)


def test_a_red_left_edge_tagged_6_comes_out_on_top() -> None:
    data = encoded(colours(), "JPEG", exif=exif_block(6), quality=95)
    picture = picture_from_bytes(data)
    assert picture.size == (16, 24)
    assert picture.image_srgb_u8[1, :, 0].min() > 180
    assert picture.image_srgb_u8[-2, :, 0].max() < 120


def test_the_tag_is_gone_from_what_is_sent_on() -> None:
    picture = picture_from_bytes(encoded(colours(), "JPEG", exif=exif_block(6)))
    again = picture_from_bytes(picture.png())
    assert again.sha256 == picture.sha256
    assert again.notes == ()


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (b"Exif\x00\x00garbage!", "no TIFF header"),
        (exif_block(6)[:20], "cut off"),
        (exif_block(9), "orientation 9 is unknown"),
        (exif_block(0), "orientation 0 is unknown"),
        (exif_block(6, kind=2), "unknown"),
        (b"Exif\x00\x00II*\x00\xff\xff\xff\x7f", "cut off"),
    ],
)
def test_a_broken_block_leaves_the_picture_as_stored_with_a_note(block: bytes, reason: str) -> None:
    pixels = colours()
    picture = picture_from_bytes(encoded(pixels, "PNG", exif=block))
    assert np.array_equal(picture.image_srgb_u8, pixels)
    assert any(reason in note and "as stored" in note for note in picture.notes), picture.notes


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("prefix", [True, False])
def test_both_byte_orders_and_a_missing_prefix(order: str, prefix: bool) -> None:
    block = exif_block(8, order)
    assert exif_orientation(block if prefix else block[6:]) == 8


def test_no_block_and_no_tag_mean_upright() -> None:
    assert exif_orientation(b"") == 1
    assert exif_orientation(b"II*\x00\x08\x00\x00\x00\x00\x00") == 1


@given(st.binary(max_size=120))
def test_any_bytes_give_an_orientation_or_an_error(noise: bytes) -> None:
    for block in (noise, exif_block(3)[:10] + noise):
        with suppress(BenchDataError):
            assert 1 <= exif_orientation(block) <= 8


def test_turning_is_a_group_action() -> None:
    image = np.arange(6).reshape(2, 3)
    for orientation in range(1, 9):
        turned = upright(image, orientation)
        undo = {6: 8, 8: 6}.get(orientation, orientation)
        assert np.array_equal(upright(turned, undo), image)


def test_imagemagicks_text_chunk_is_read() -> None:
    from PIL.PngImagePlugin import PngInfo

    block = exif_block(3)
    info = PngInfo()
    info.add_text("Raw profile type exif", f"\nexif\n{len(block):8}\n{block.hex()}\n", zip=True)
    picture = picture_from_bytes(encoded(colours(), "PNG", pnginfo=info))
    assert np.array_equal(picture.image_srgb_u8, colours()[::-1, ::-1])
