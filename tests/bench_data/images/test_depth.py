"""Depth maps: units stated, invalid values as NaN, pictures refused."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import load_depth, load_image

from .files import colours, encoded, exif_block

MILLIMETRES = np.array([[0, 1000, 2500]], dtype=np.uint16)
TUM = Path(__file__).resolve().parents[4] / "shared/data/rgbd_tum/TUM_depth.png"


def written(folder: Path, data: bytes, name: str = "depth.png") -> Path:
    file = folder / name
    file.write_bytes(data)
    return file


def numpy_file(array: NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_millimetres(tmp_path: Path, kind: str) -> None:
    depth_m = load_depth(written(tmp_path, encoded(MILLIMETRES, kind)), metres_per_unit=0.001)
    assert depth_m.dtype == np.float32
    assert depth_m.shape == (1, 3)
    assert np.isnan(depth_m[0, 0])
    assert depth_m[0, 1:].tolist() == [1.0, 2.5]


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint16", "int32", "float16"])
def test_numpy_arrays_with_every_kind_of_hole(tmp_path: Path, dtype: str) -> None:
    stored = np.array([[0, 2, 7], [1, 3, 4]], dtype=dtype)
    if stored.dtype.kind == "f":
        stored[0] = (np.nan, np.inf, -3)
    depth_m = load_depth(written(tmp_path, numpy_file(stored), "depth.npy"), metres_per_unit=2)
    assert np.isnan(depth_m[0, 0])
    assert depth_m[1].tolist() == [2, 6, 8]
    assert np.isnan(depth_m[0]).sum() == (3 if stored.dtype.kind == "f" else 1)


def test_float_tiff_in_metres(tmp_path: Path) -> None:
    stored = np.array([[1.5, -1, np.nan, 80.25]], dtype=np.float32)
    depth_m = load_depth(written(tmp_path, encoded(stored, "TIFF")), metres_per_unit=1)
    np.testing.assert_array_equal(depth_m, np.array([[1.5, np.nan, np.nan, 80.25]], dtype=np.float32))


def test_orientation_is_applied_as_to_the_picture(tmp_path: Path) -> None:
    depth_m = load_depth(written(tmp_path, encoded(MILLIMETRES, "PNG", exif=exif_block(6))), metres_per_unit=0.001)
    assert depth_m.shape == (3, 1)


@pytest.mark.parametrize("pixels", [colours(), colours()[..., 0]])
def test_a_picture_is_refused(tmp_path: Path, pixels: NDArray[np.uint8]) -> None:
    with pytest.raises(BenchDataError, match="is a picture.*load_image"):
        load_depth(written(tmp_path, encoded(pixels, "PNG")), metres_per_unit=0.001)


def test_the_image_loader_says_so_when_given_depth(tmp_path: Path) -> None:
    picture = load_image(written(tmp_path, encoded(MILLIMETRES, "PNG")))
    assert any("load_depth" in note for note in picture.notes)


@pytest.mark.parametrize("unit", [0, -1, float("nan"), float("inf"), True])
def test_a_senseless_unit_is_refused(tmp_path: Path, unit: float) -> None:
    with pytest.raises(BenchDataError, match="metres_per_unit"):
        load_depth(written(tmp_path, encoded(MILLIMETRES, "PNG")), metres_per_unit=unit)


def test_no_valid_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="no depth above 0"):
        load_depth(written(tmp_path, encoded(MILLIMETRES * 0, "PNG")), metres_per_unit=0.001)


def test_pickles_and_wrong_shapes_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([[{"a": 1}]], dtype=object), allow_pickle=True)
    with pytest.raises(BenchDataError, match="2-D and real"):
        load_depth(written(tmp_path, buffer.getvalue()), metres_per_unit=1)
    for array in (np.ones((2, 2, 3)), np.ones(4), np.ones((2, 2), dtype=complex), np.array([["a"]])):
        with pytest.raises(BenchDataError, match="2-D and real"):
            load_depth(written(tmp_path, numpy_file(array)), metres_per_unit=1)
    with pytest.raises(BenchDataError, match="0 pixels|3x0"):
        load_depth(written(tmp_path, numpy_file(np.ones((0, 3)))), metres_per_unit=1)


def test_cut_off_numpy_file(tmp_path: Path) -> None:
    data = numpy_file(np.ones((20, 20)))
    for keep in (len(data) - 50, 100, 20, 8):
        with pytest.raises(BenchDataError, match="cannot be read"):
            load_depth(written(tmp_path, data[:keep]), metres_per_unit=1)


def test_a_numpy_header_that_claims_too_much(tmp_path: Path) -> None:
    data = numpy_file(np.ones((20, 20))).replace(b"(20, 20), }        ", b"(200000, 200000), }")
    with pytest.raises(BenchDataError, match="40,000,000,000 pixels"):
        load_depth(written(tmp_path, data), metres_per_unit=1)
    data = numpy_file(np.ones((20, 20))).replace(b"(20, 20), }  ", b"(2000, 2000)}")
    with pytest.raises(BenchDataError, match="cannot be read"):
        load_depth(written(tmp_path, data), metres_per_unit=1)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, 150), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_numpy_files_give_depth_or_an_error(tmp_path: Path, edits: list[tuple[int, int]]) -> None:
    data = bytearray(numpy_file(np.ones((3, 4), dtype=np.float32)))
    for at, value in edits:
        data[at] = value
    with suppress(BenchDataError):
        depth_m = load_depth(written(tmp_path, bytes(data), "a.npy"), metres_per_unit=1)
        assert depth_m.dtype == np.float32 and depth_m.ndim == 2


def test_several_pages_are_refused(tmp_path: Path) -> None:
    from PIL import Image

    page = Image.fromarray(MILLIMETRES)
    page.save(tmp_path / "pages.tif", save_all=True, append_images=[page])
    with pytest.raises(BenchDataError, match="2 pages"):
        load_depth(tmp_path / "pages.tif", metres_per_unit=0.001)


def test_a_real_kinect_frame() -> None:
    if not TUM.exists():
        pytest.skip("the TUM frame is not beside this checkout")
    depth_m = load_depth(TUM, metres_per_unit=1 / 5000)
    assert depth_m.shape == (480, 640)
    assert 0.4 < float(np.nanmin(depth_m)) < float(np.nanmedian(depth_m)) < 5
