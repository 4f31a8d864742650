"""Broken, huge, animated and lying files: an error that says what to do, and memory that stays small."""

from __future__ import annotations

import os
import struct
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import ImageLimits, Picture, load_image, picture_from_bytes, validate_images

from .files import (
    bmp_claiming,
    colours,
    encoded,
    exif_block,
    gif_claiming,
    jpeg_claiming,
    planar_tiff,
    png_claiming,
    tiff_claiming,
    webp_claiming,
)

KINDS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM", "AVIF")


def noisy(kind: str) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    return encoded(pixels, kind)


def animation(kind: str, frames: int = 3) -> bytes:
    import io

    pictures = [Image.fromarray(np.full((8, 8, 3), (80 * at, 200, 30), dtype=np.uint8)) for at in range(frames)]
    buffer = io.BytesIO()
    options = {"lossless": True} if kind == "WEBP" else {}
    pictures[0].save(buffer, kind, save_all=True, append_images=pictures[1:], duration=100, **options)
    return buffer.getvalue()


class TestCutOff:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("part", [0.3, 0.5, 0.9])
    def test_a_cut_off_file_is_an_error(self, kind: str, part: float) -> None:
        data = noisy(kind)
        with pytest.raises(BenchDataError, match="get .* again|get the file again"):
            picture_from_bytes(data[: int(len(data) * part)], source="photo")

    @pytest.mark.parametrize("kind", KINDS)
    def test_also_when_another_library_told_pillow_to_fill_with_grey(
        self, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = noisy(kind)
        monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
        with pytest.raises(BenchDataError):
            picture_from_bytes(data[: len(data) // 2])
        if kind in ("PNG", "JPEG", "GIF", "WEBP", "AVIF"):
            assert picture_from_bytes(data).size == (60, 40)

    def test_a_tiff_that_lists_too_few_strips(self) -> None:
        pixels = np.full((40, 60, 3), 200, dtype=np.uint8)
        data = encoded(pixels, "TIFF")
        assert picture_from_bytes(data).image_srgb_u8.min() == 200
        taller = data.replace(struct.pack("<HHII", 257, 4, 1, 40), struct.pack("<HHII", 257, 4, 1, 80))
        assert taller != data
        with pytest.raises(BenchDataError, match="part of the picture only"):
            picture_from_bytes(taller)

    @pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate"])
    def test_a_compressed_tiff_that_lists_too_few_strips(self, compression: str) -> None:
        data = encoded(np.full((40, 60, 3), 200, dtype=np.uint8), "TIFF", compression=compression)
        for kind in (3, 4):
            taller = data.replace(struct.pack("<HHII", 257, kind, 1, 40), struct.pack("<HHII", 257, kind, 1, 80))
            if taller != data:
                break
        assert taller != data
        with pytest.raises(BenchDataError, match="get it again"):
            picture_from_bytes(taller)

    def test_separate_colour_planes(self) -> None:
        pixels = colours()
        assert np.array_equal(picture_from_bytes(planar_tiff(pixels, planes=3)).image_srgb_u8, pixels)
        with pytest.raises(BenchDataError, match="part of the picture only"):
            picture_from_bytes(planar_tiff(pixels, planes=2))

    def test_empty_bytes_and_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "empty.png").touch()
        with pytest.raises(BenchDataError, match="0 bytes"):
            load_image(tmp_path / "empty.png")
        with pytest.raises(BenchDataError, match="0 bytes"):
            picture_from_bytes(b"")


class TestLyingNames:
    def test_a_png_named_jpg_is_read_as_what_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "photo.JPG").write_bytes(encoded(colours(), "PNG"))
        picture = load_image(tmp_path / "photo.JPG")
        assert np.array_equal(picture.image_srgb_u8, colours())
        assert picture.notes == ("named .jpg but is PNG; read as PNG",)

    @pytest.mark.parametrize(
        ("content", "meaning"),
        [
            (b"Hello, I am a text file.\n", "text that starts 'Hello, I am a text file.'"),
            (b"<!DOCTYPE html><html>Not found</html>", "markup"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "markup"),
            (b"%PDF-1.7 ...", "PDF"),
            (b"\x00\x00\x00\x18ftypheic\x00\x00", "HEIC"),
            (b"PK\x03\x04....", "ZIP"),
            (b"\x93NUMPY\x01\x00", "NumPy"),
            (b"version https://git-lfs.github.com/spec/v1\n", "text that starts 'version https://git-lfs"),
            (b"\x00\x01\x02\x03", "bytes 00 01 02 03"),
        ],
    )
    def test_what_is_no_picture_is_named(self, tmp_path: Path, content: bytes, meaning: str) -> None:
        (tmp_path / "photo.png").write_bytes(content)
        with pytest.raises(BenchDataError, match="not a picture") as caught:
            load_image(tmp_path / "photo.png")
        assert meaning in str(caught.value)
        assert str(tmp_path / "photo.png") in str(caught.value)

    def test_postscript_never_starts_a_program(self) -> None:
        with pytest.raises(BenchDataError, match="not a picture"):
            picture_from_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\nshowpage\n")


class TestAnimated:
    @pytest.mark.parametrize(("kind", "name"), [("GIF", "GIF"), ("PNG", "PNG"), ("WEBP", "WebP")])
    def test_first_frame_with_a_note_or_an_error(self, kind: str, name: str) -> None:
        data = animation(kind)
        picture = picture_from_bytes(data)
        assert np.abs(picture.image_srgb_u8.astype(int) - (0, 200, 30)).max() <= 3
        assert picture.notes == (f"{name} of 3 frames: the first was taken",)
        with pytest.raises(BenchDataError, match="3 frames"):
            picture_from_bytes(data, animated="error")

    def test_pages_of_a_tiff(self) -> None:
        picture = picture_from_bytes(animation("TIFF"))
        assert picture.notes == ("TIFF of 3 pages: the first was taken",)

    def test_a_still_file_is_no_animation(self) -> None:
        for kind in KINDS:
            assert picture_from_bytes(noisy(kind), animated="error").size == (60, 40)

    def test_unknown_setting(self) -> None:
        with pytest.raises(BenchDataError, match='"first" or "error"'):
            picture_from_bytes(noisy("GIF"), animated="last")  # type: ignore[arg-type]


class TestHuge:
    CLAIMS = (png_claiming, bmp_claiming, gif_claiming, tiff_claiming, webp_claiming, jpeg_claiming)

    @pytest.mark.parametrize("claiming", CLAIMS)
    def test_a_huge_claim_is_refused_before_memory_is_taken(self, claiming: Callable[[int, int], bytes]) -> None:
        side = 16000 if claiming is webp_claiming else 60000
        data = claiming(side, side)
        tracemalloc.start()
        try:
            with pytest.raises(BenchDataError) as caught:
                picture_from_bytes(data)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert "64,000,000" in str(caught.value)
        assert f"ImageLimits(max_pixels={side * side})" in str(caught.value)
        assert peak < 5_000_000

    def test_resident_memory_does_not_grow_either(self) -> None:
        import resource

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for claiming in self.CLAIMS:
            for _ in range(3):
                with pytest.raises(BenchDataError):
                    picture_from_bytes(claiming(16000, 16000))
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes

    def test_the_way_to_raise_the_limit_works_beyond_pillows_own(self) -> None:
        pixels = np.zeros((40, 40, 3), dtype=np.uint8)
        with pytest.raises(BenchDataError, match="max_pixels=1600"):
            picture_from_bytes(encoded(pixels, "PNG"), limits=ImageLimits(max_pixels=1599))
        assert picture_from_bytes(encoded(pixels, "PNG"), limits=ImageLimits(max_pixels=1600)).size == (40, 40)

    def test_no_warning_by_pillow_below_the_raised_limit(
        self, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
    ) -> None:
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
        assert picture_from_bytes(encoded(colours(), "PNG")).size == (24, 16)
        assert len(recwarn) == 0

    def test_file_size_limit(self, tmp_path: Path) -> None:
        (tmp_path / "a.png").write_bytes(noisy("PNG"))
        with pytest.raises(BenchDataError, match="max_file_bytes"):
            load_image(tmp_path / "a.png", limits=ImageLimits(max_file_bytes=100))

    @pytest.mark.parametrize("value", [0, -1, 1.5, True, None])
    def test_senseless_limits(self, value: object) -> None:
        with pytest.raises(BenchDataError, match="max_pixels"):
            ImageLimits(max_pixels=value)  # type: ignore[arg-type]

    def test_one_pixel(self) -> None:
        for kind in KINDS:
            assert picture_from_bytes(encoded(np.full((1, 1, 3), 7, dtype=np.uint8), kind)).size == (1, 1)

    def test_a_claim_of_no_pixels(self) -> None:
        with pytest.raises(BenchDataError):
            picture_from_bytes(png_claiming(0, 5))


class TestPaths:
    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="no such file"):
            load_image(tmp_path / "nowhere.png")
        with pytest.raises(BenchDataError, match="looked in"):
            load_image("surely/not/here.png")

    def test_folder(self, tmp_path: Path) -> None:
        with pytest.raises(BenchDataError, match="is a folder"):
            load_image(tmp_path)

    @pytest.mark.parametrize("name", ["mit Leerzeichen.png", "图像.png", "naïve café ☕.png", "a#b?c%20d.png"])
    def test_spaces_and_other_letters(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_bytes(encoded(colours(), "PNG"))
        assert load_image(str(tmp_path / name)).size == (24, 16)

    @pytest.mark.parametrize("url", ["https://example.org/a.png", "s3://bucket/a.png", "file:///tmp/a.png"])
    def test_url(self, url: str) -> None:
        with pytest.raises(BenchDataError, match="is a URL, not a path"):
            load_image(url)

    def test_data_uri(self) -> None:
        with pytest.raises(BenchDataError, match="data URI"):
            load_image("data:image/png;base64,iVBORw0KGgo=")

    @pytest.mark.parametrize("thing", [None, 3, b"abc", ["a.png"]])
    def test_no_path(self, thing: object) -> None:
        with pytest.raises(BenchDataError):
            load_image(thing)  # type: ignore[arg-type]

    @pytest.mark.parametrize("text", ["", "a\0b.png", "x" * 5000])
    def test_impossible_names(self, text: str) -> None:
        with pytest.raises(BenchDataError):
            load_image(text)

    def test_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.png")
        with pytest.raises(BenchDataError, match="pipe"):
            load_image(tmp_path / "pipe.png")

    def test_bytes_of_the_wrong_type(self) -> None:
        with pytest.raises(BenchDataError, match="expected the bytes"):
            picture_from_bytes("abc")  # type: ignore[arg-type]
        data = noisy("PNG")
        assert picture_from_bytes(memoryview(data)).sha256 == picture_from_bytes(bytearray(data)).sha256


class TestValidate:
    def test_all_problems_are_found_with_their_samples(self, tmp_path: Path) -> None:
        (tmp_path / "good.png").write_bytes(encoded(colours(), "PNG"))
        (tmp_path / "cut.jpg").write_bytes(noisy("JPEG")[:500])
        (tmp_path / "text.png").write_text("hello")
        samples = {
            "a": tmp_path / "good.png",
            "b": tmp_path / "cut.jpg",
            "c": tmp_path / "text.png",
            "d": tmp_path / "cut.jpg",
            "e": tmp_path / "missing.png",
            "f": tmp_path / "good.png",
        }
        problems = validate_images(samples)
        assert [problem.sample for problem in problems] == ["b", "c", "d", "e"]
        assert problems[0].path == str(tmp_path / "cut.jpg")
        assert "cut off" in problems[0].reason
        assert problems[0].reason == problems[2].reason
        assert "no such file" in problems[3].reason

    def test_lists_count_from_0_and_good_sets_are_empty(self, tmp_path: Path) -> None:
        (tmp_path / "good.png").write_bytes(encoded(colours(), "PNG"))
        assert validate_images([tmp_path / "good.png"]) == ()
        assert validate_images([]) == ()
        assert [problem.sample for problem in validate_images([tmp_path / "good.png", tmp_path / "no.png"])] == ["1"]

    def test_one_path_by_mistake(self) -> None:
        with pytest.raises(BenchDataError, match=r"pass \[path\]"):
            validate_images("a.png")


def pillow_globals() -> dict[str, object]:
    from PIL import GifImagePlugin, PngImagePlugin, TiffImagePlugin

    modules = (Image, ImageFile, PngImagePlugin, GifImagePlugin, TiffImagePlugin)
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, bool | int | float | str)
    }


@pytest.mark.filterwarnings("ignore:Truncated File Read")
def test_pillows_global_flags_stay_as_they_are() -> None:
    before = pillow_globals()
    assert "PIL.Image.MAX_IMAGE_PIXELS" in before and "PIL.ImageFile.LOAD_TRUNCATED_IMAGES" in before
    for kind in KINDS:
        picture_from_bytes(noisy(kind))
        with pytest.raises(BenchDataError):
            picture_from_bytes(noisy(kind)[:60])
    with pytest.raises(BenchDataError):
        picture_from_bytes(png_claiming(60000, 60000))
    assert pillow_globals() == before


def test_threads_see_the_same_pictures() -> None:
    files = [noisy(kind) for kind in KINDS] + [encoded(colours(), "JPEG", exif=exif_block(6))]
    alone = [picture_from_bytes(data).sha256 for data in files]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda data: picture_from_bytes(data).sha256, files * 8))
    assert together == alone * 8


SEEDS = [encoded(colours(), kind) for kind in KINDS] + [
    encoded(colours(), "JPEG", exif=exif_block(6)),
    encoded(np.array([[0, 300]], dtype=np.uint16), "PNG"),
    encoded(np.array([[0, 0.5]], dtype=np.float32), "TIFF"),
    encoded(colours(), "JPEG", mode="CMYK"),
    encoded(colours(), "TIFF", compression="tiff_lzw"),
    animation("GIF"),
    animation("PNG"),
    animation("WEBP"),
]


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.sampled_from(SEEDS),
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=6),
    keep=st.floats(0.05, 1),
    cut=st.booleans(),
)
def test_damaged_files_give_a_picture_or_an_error(
    seed: bytes, edits: list[tuple[float, int]], keep: float, cut: bool
) -> None:
    data = bytearray(seed)
    for where, value in edits:
        data[int(where * (len(data) - 1))] = value
    damaged = bytes(data[: int(len(data) * keep)]) if cut else bytes(data)
    try:
        picture = picture_from_bytes(damaged, limits=ImageLimits(max_pixels=1_000_000))
    except BenchDataError as error:
        assert str(error)
    else:
        assert isinstance(picture, Picture)
        assert picture.width * picture.height <= 1_000_000


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=150, deadline=None)
@given(head=st.sampled_from([seed[:16] for seed in SEEDS] + [b""]), noise=st.binary(max_size=300))
def test_noise_behind_any_signature_gives_a_picture_or_an_error(head: bytes, noise: bytes) -> None:
    try:
        picture_from_bytes(head + noise, limits=ImageLimits(max_pixels=1_000_000))
    except BenchDataError as error:
        assert str(error)
