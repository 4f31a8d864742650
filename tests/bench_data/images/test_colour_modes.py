"""Palettes, transparency, CMYK, profiles, 16 bits, floats: all to opaque 8-bit sRGB."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageCms

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import ImageLimits, load_image, picture_from_bytes

from .files import colours, encoded, png_chunk

FAITHFUL: dict[str, dict[str, Any]] = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True}}


def rgba(alpha: int) -> np.ndarray:
    return np.dstack([colours(), np.full((16, 24), alpha, dtype=np.uint8)])


class TestTransparency:
    @pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
    @pytest.mark.parametrize("alpha", [0, 1, 127, 254])
    def test_alpha_is_laid_over_the_background_with_a_note(self, kind: str, alpha: int) -> None:
        options: dict[str, Any] = {"lossless": True, "exact": True} if kind == "WEBP" else {}
        data = encoded(rgba(alpha), kind, **options)
        for background in ((255, 255, 255), (0, 0, 0), (10, 200, 30)):
            picture = picture_from_bytes(data, background=background)
            expected = colours() * (alpha / 255) + np.array(background) * (1 - alpha / 255)
            assert np.abs(picture.image_srgb_u8 - expected).max() <= 0.5 + 1e-9
            assert any("transparent" in note and str(background) in note for note in picture.notes)

    def test_full_coverage_needs_no_note(self) -> None:
        picture = picture_from_bytes(encoded(rgba(255), "PNG"))
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert picture.notes == ()

    def test_grey_with_alpha(self) -> None:
        grey = np.full((4, 4), 100, dtype=np.uint8)
        image = Image.merge("LA", [Image.fromarray(grey), Image.fromarray(np.full_like(grey, 51))])
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        assert (picture_from_bytes(buffer.getvalue()).image_srgb_u8 == round(100 * 0.2 + 255 * 0.8)).all()

    def test_palette_with_a_transparent_entry(self) -> None:
        image = Image.fromarray(np.array([[0, 1, 2]], dtype=np.uint8), mode="L").convert("P")
        image.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
        for kind in ("PNG", "GIF"):
            buffer = io.BytesIO()
            image.save(buffer, kind, transparency=1)
            picture = picture_from_bytes(buffer.getvalue())
            assert picture.image_srgb_u8.tolist() == [[[255, 0, 0], [255, 255, 255], [0, 0, 255]]], kind
            assert any("transparent" in note for note in picture.notes)

    def test_palette_with_part_transparency(self) -> None:
        image = Image.fromarray(np.array([[0, 1]], dtype=np.uint8), mode="L").convert("P")
        image.putpalette([0, 0, 0, 0, 0, 0])
        buffer = io.BytesIO()
        image.save(buffer, "PNG", transparency=bytes([255, 51]))
        assert picture_from_bytes(buffer.getvalue()).image_srgb_u8[0, :, 0].tolist() == [0, 204]

    def test_a_transparent_colour_without_an_alpha_channel(self) -> None:
        pixels = np.array([[[1, 2, 3], [4, 5, 6]]], dtype=np.uint8)
        picture = picture_from_bytes(encoded(pixels, "PNG", transparency=(1, 2, 3)))
        assert picture.image_srgb_u8.tolist() == [[[255, 255, 255], [4, 5, 6]]]

    def test_a_transparent_grey_of_16_bits(self) -> None:
        samples = np.array([[0, 300, 65535]], dtype=np.uint16)
        data = encoded(samples, "PNG", transparency=300)
        assert picture_from_bytes(data).image_srgb_u8[0, :, 0].tolist() == [0, 255, 255]


class TestPlainModes:
    def test_grey_one_bit_and_palette(self) -> None:
        grey = np.array([[0, 100, 255]], dtype=np.uint8)
        assert picture_from_bytes(encoded(grey, "PNG")).image_srgb_u8[0, :, 1].tolist() == [0, 100, 255]
        ones = Image.fromarray(np.array([[0, 255, 255]], dtype=np.uint8)).convert("1")
        buffer = io.BytesIO()
        ones.save(buffer, "PNG")
        assert picture_from_bytes(buffer.getvalue()).image_srgb_u8[0, :, 2].tolist() == [0, 255, 255]

    @pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM", "GIF", "WEBP", "JPEG", "AVIF"])
    def test_every_format_gives_the_same_picture(self, kind: str) -> None:
        flat = np.full((32, 40, 3), (200, 60, 20), dtype=np.uint8)
        picture = picture_from_bytes(encoded(flat, kind))
        assert picture.size == (40, 32)
        assert np.abs(picture.image_srgb_u8.astype(int) - flat).max() <= 4
        assert picture.notes == ()

    @pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"])
    def test_tiff_compressions(self, compression: str) -> None:
        picture = picture_from_bytes(encoded(colours(), "TIFF", compression=compression))
        assert np.abs(picture.image_srgb_u8.astype(int) - colours()).mean() < (8 if compression == "jpeg" else 0.01)


class TestCmyk:
    def test_adobe_inverted_jpeg_comes_out_in_the_right_colours(self) -> None:
        flat = np.full((32, 32, 3), (220, 40, 30), dtype=np.uint8)
        data = encoded(flat, "JPEG", mode="CMYK", quality=95)
        assert b"Adobe" in data
        picture = picture_from_bytes(data)
        by_opencv = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR_RGB)
        assert by_opencv is not None
        assert np.abs(picture.image_srgb_u8.astype(int) - flat).max() < 8
        assert np.abs(picture.image_srgb_u8.astype(int) - by_opencv).max() < 12
        assert any("CMYK" in note for note in picture.notes)

    def test_tiff_is_not_inverted(self) -> None:
        flat = np.full((8, 8, 3), (10, 200, 30), dtype=np.uint8)
        picture = picture_from_bytes(encoded(flat, "TIFF", mode="CMYK"))
        assert np.abs(picture.image_srgb_u8.astype(int) - flat).max() < 3


class TestProfiles:
    @staticmethod
    def icc(kind: str) -> bytes:
        return ImageCms.ImageCmsProfile(ImageCms.createProfile(kind)).tobytes()  # type: ignore[arg-type]

    @staticmethod
    def swapped_primaries() -> bytes:
        """sRGB's profile with its red and blue columns exchanged: the effect is unmistakable."""
        data = bytearray(TestProfiles.icc("sRGB"))
        red, blue = data.index(b"rXYZ", 128), data.index(b"bXYZ", 128)
        data[red : red + 4], data[blue : blue + 4] = b"bXYZ", b"rXYZ"
        # The description must not claim sRGB any more.
        return bytes(data).replace("sRGB".encode("utf-16-be"), "swap".encode("utf-16-be")).replace(b"sRGB", b"swap")

    def test_srgb_changes_nothing(self) -> None:
        picture = picture_from_bytes(encoded(colours(), "PNG", icc_profile=self.icc("sRGB")))
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert picture.notes == ()

    @pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
    def test_a_profile_is_applied(self, kind: str) -> None:
        flat = np.full((16, 16, 3), (250, 30, 10), dtype=np.uint8)
        picture = picture_from_bytes(
            encoded(flat, kind, icc_profile=self.swapped_primaries(), **FAITHFUL.get(kind, {}))
        )
        assert np.abs(picture.image_srgb_u8.astype(int) - (10, 30, 250)).max() < 8
        assert any("converted to sRGB" in note for note in picture.notes)

    def test_alpha_and_profile_together(self) -> None:
        flat = np.zeros((4, 4, 4), dtype=np.uint8)
        flat[...] = (250, 30, 10, 0)
        flat[0, 0, 3] = 255
        picture = picture_from_bytes(encoded(flat, "PNG", icc_profile=self.swapped_primaries()))
        assert (picture.image_srgb_u8[1] == 255).all()
        assert np.abs(picture.image_srgb_u8[0, 0].astype(int) - (10, 30, 250)).max() < 4

    @pytest.mark.parametrize(
        ("icc", "reason"),
        [(b"not a profile", "cannot be used"), (b"\x00" * 200, "cannot be used"), ("LAB", "it is for Lab")],
    )
    def test_an_unusable_profile_is_ignored_with_a_note(self, icc: bytes | str, reason: str) -> None:
        block = self.icc(icc) if isinstance(icc, str) else icc
        picture = picture_from_bytes(encoded(colours(), "PNG", icc_profile=block))
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert any("profile ignored" in note and reason in note for note in picture.notes), picture.notes

    def test_a_huge_profile_is_ignored(self) -> None:
        data = encoded(colours(), "PNG", icc_profile=self.icc("sRGB"))
        picture = picture_from_bytes(data, limits=ImageLimits(max_profile_bytes=100))
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert any("the limit is 100" in note for note in picture.notes)

    def test_another_gamma_is_noted(self) -> None:
        data = encoded(colours(), "PNG")
        with_gamma = data[:33] + png_chunk(b"gAMA", (100000).to_bytes(4, "big")) + data[33:]
        picture = picture_from_bytes(with_gamma)
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert any("gamma 1 ignored" in note for note in picture.notes)


class TestDeepSamples:
    RAMP = np.array([[0, 300, 1000, 65535]], dtype=np.uint16)

    @pytest.mark.parametrize("kind", ["PNG", "TIFF"])
    def test_16_bit_grey_is_scaled_not_clipped(self, kind: str) -> None:
        picture = picture_from_bytes(encoded(self.RAMP, kind))
        assert picture.image_srgb_u8[0, :, 0].tolist() == [0, 1, 4, 255]
        assert any("load_depth" in note for note in picture.notes)

    def test_big_endian_tiff(self) -> None:
        ok, block = cv2.imencode(".tiff", self.RAMP)
        assert ok
        assert picture_from_bytes(block.tobytes()).image_srgb_u8[0, :, 0].tolist() == [0, 1, 4, 255]
        buffer = io.BytesIO()
        Image.frombytes("I;16B", (4, 1), self.RAMP.astype(">u2").tobytes()).save(buffer, "TIFF")
        assert picture_from_bytes(buffer.getvalue()).image_srgb_u8[0, :, 0].tolist() == [0, 1, 4, 255]

    def test_16_bit_pgm(self) -> None:
        data = b"P5\n4 1\n65535\n" + self.RAMP.astype(">u2").tobytes()
        assert picture_from_bytes(data).image_srgb_u8[0, :, 0].tolist() == [0, 1, 4, 255]
        twelve = b"P5\n2 1\n4095\n" + np.array([0, 4095], dtype=">u2").tobytes()
        assert picture_from_bytes(twelve).image_srgb_u8[0, :, 0].tolist() == [0, 255]

    @pytest.mark.parametrize("suffix", [".png", ".tiff"])
    def test_16_bit_colour_keeps_the_upper_bits_with_a_note(self, suffix: str) -> None:
        samples = np.random.default_rng(0).integers(0, 65536, (8, 8, 3)).astype(np.uint16)
        ok, block = cv2.imencode(suffix, samples[..., ::-1])
        assert ok
        picture = picture_from_bytes(block.tobytes())
        assert np.abs(picture.image_srgb_u8 - samples / 257).max() <= 1
        assert any("16-bit colour" in note for note in picture.notes)

    def test_a_stated_range_rules_16_bit_grey(self) -> None:
        data = encoded(np.array([[0, 2048, 4095]], dtype=np.uint16), "PNG")
        picture = picture_from_bytes(data, value_range=(0, 4095))
        assert picture.image_srgb_u8[0, :, 0].tolist() == [0, 128, 255]

    def test_float_tiff_in_0_to_1(self) -> None:
        picture = picture_from_bytes(encoded(np.array([[0, 0.5, 1]], dtype=np.float32), "TIFF"))
        assert picture.image_srgb_u8[0, :, 0].tolist() == [0, 128, 255]
        assert any("float" in note for note in picture.notes)

    def test_float_tiff_above_1_asks_for_its_range(self) -> None:
        data = encoded(np.array([[0, 0.5, 1, 300]], dtype=np.float32), "TIFF")
        with pytest.raises(BenchDataError, match=r"from 0 to 300.*value_range.*load_depth"):
            picture_from_bytes(data)
        assert picture_from_bytes(data, value_range=(0, 300)).image_srgb_u8[0, :, 0].tolist() == [0, 0, 1, 255]

    def test_float_tiff_with_nan_is_refused(self) -> None:
        with pytest.raises(BenchDataError, match="1 of 2 values are NaN"):
            picture_from_bytes(encoded(np.array([[0, np.nan]], dtype=np.float32), "TIFF"))

    def test_32_bit_integers_ask_for_their_range(self) -> None:
        data = encoded(np.array([[0, 70000]], dtype=np.int32), "TIFF")
        with pytest.raises(BenchDataError, match="value_range"):
            picture_from_bytes(data)
        assert picture_from_bytes(data, value_range=(0, 70000)).image_srgb_u8[0, :, 0].tolist() == [0, 255]


def test_a_file_and_its_bytes_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "ein Bild — 图像 é.png"
    file.write_bytes(encoded(colours(), "PNG"))
    picture = load_image(file)
    assert picture.source == str(file)
    assert picture.sha256 == picture_from_bytes(file.read_bytes()).sha256
