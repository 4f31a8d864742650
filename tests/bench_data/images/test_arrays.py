"""Pictures from arrays: nothing is clipped or guessed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import picture_from_array


def row(values: list[float], dtype: str) -> NDArray[np.generic]:
    return np.array([values], dtype=dtype)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (row([0, 300, 1000, 65535], "uint16"), [0, 1, 4, 255]),
        (row([0, 0.5, 1], "float32"), [0, 128, 255]),
        (row([0, 0.5, 1], "float64"), [0, 128, 255]),
        (row([0, 0.5, 1], "float16"), [0, 128, 255]),
        (row([0, 100, 255], "uint8"), [0, 100, 255]),
        (row([0, 1, 1], "bool"), [0, 255, 255]),
        (row([0, 0.25, 1], "float32")[..., None], [0, 64, 255]),
        (row([0, 0, 0], "float32"), [0, 0, 0]),
    ],
)
def test_types_that_say_their_range(array: NDArray[np.generic], expected: list[int]) -> None:
    picture = picture_from_array(array)
    assert picture.image_srgb_u8[0, :, 0].tolist() == expected
    assert (picture.image_srgb_u8 == picture.image_srgb_u8[..., :1]).all()


@pytest.mark.parametrize(
    "array",
    [
        row([0, 0.5, 1, 300], "float32"),
        row([-0.1, 0.5], "float32"),
        row([0, 1.0001], "float64"),
        row([0, 255.0], "float32"),
        row([0, 255], "int64"),
        row([0, 255], "int32"),
        row([0, 1], "uint32"),
        row([-5, 5], "int8"),
    ],
)
def test_an_unknown_range_is_asked_for(array: NDArray[np.generic]) -> None:
    with pytest.raises(BenchDataError, match="value_range"):
        picture_from_array(array, source="mine")
    low, high = float(array.min()), float(array.max())
    scaled = picture_from_array(array, value_range=(low, high)).image_srgb_u8[0, :, 0]
    assert (scaled.min(), scaled.max()) == (0, 255)


@pytest.mark.parametrize("bad", [(1, 1), (2, 1), (0, float("nan")), (float("-inf"), 1)])
def test_a_senseless_range_is_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(BenchDataError, match="value_range"):
        picture_from_array(row([1.0, 1.0], "float32"), value_range=bad)


def test_values_outside_the_stated_range_are_not_clipped() -> None:
    with pytest.raises(BenchDataError, match="outside value_range"):
        picture_from_array(row([0, 4096], "uint16"), value_range=(0, 4095))


@pytest.mark.parametrize(("value", "count"), [(np.nan, 1), (np.inf, 1), (-np.inf, 1)])
def test_values_that_are_not_finite_are_refused(value: float, count: int) -> None:
    with pytest.raises(BenchDataError, match=f"{count} of 3 values are NaN or infinite"):
        picture_from_array(row([0, value, 1], "float32"), value_range=(0, 1))


@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((3, 20, 30), "channels seem to come first"),
        ((1, 20, 30), "channels seem to come first"),
        ((2, 20, 30, 3), "batch"),
        ((20, 30, 2), "give"),
        ((20,), "give"),
        ((), "give"),
        ((0, 4, 3), "empty"),
        ((4, 0), "empty"),
    ],
)
def test_wrong_shapes_say_what_to_do(shape: tuple[int, ...], hint: str) -> None:
    with pytest.raises(BenchDataError, match=hint):
        picture_from_array(np.zeros(shape, dtype=np.uint8))


@pytest.mark.parametrize("thing", [[[1, 2]], None, "picture.png", Image.new("RGB", (2, 2)), b"abc"])
def test_what_is_no_array_is_refused(thing: object) -> None:
    with pytest.raises(BenchDataError, match="expected a NumPy array"):
        picture_from_array(thing)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["complex64", "U3", "object", "datetime64[s]"])
def test_types_without_brightness_are_refused(dtype: str) -> None:
    with pytest.raises(BenchDataError, match="is no picture"):
        picture_from_array(np.zeros((2, 2), dtype=dtype))


def test_coverage_is_laid_over_the_background() -> None:
    array = np.zeros((1, 2, 4))
    array[0, 0] = (1, 0, 0, 0.2)
    array[0, 1] = (1, 0, 0, 1)
    picture = picture_from_array(array, background=(0, 0, 255))
    assert picture.image_srgb_u8.tolist() == [[[51, 0, 204], [255, 0, 0]]]
    assert picture.notes


@given(arrays.arrays(np.float32, (3, 4, 3), elements=st.floats(0, 1, width=32)))
def test_floats_round_to_the_nearest_level(array: NDArray[np.float32]) -> None:
    picture = picture_from_array(array)
    assert np.abs(picture.image_srgb_u8 - array.astype(np.float64) * 255).max() <= 0.5 + 1e-9


@given(arrays.arrays(np.uint16, (5, 3)))
def test_16_bit_rounds_to_the_nearest_level(array: NDArray[np.uint16]) -> None:
    picture = picture_from_array(array)
    assert np.abs(picture.image_srgb_u8[..., 0] - array / 257).max() <= 0.5 + 1e-9
