import io
import math
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from seeworthy.diagnostics.errors import DiagnosticsError
from seeworthy.diagnostics.metrics import point_chance_level, point_in_mask, robostress_point_in_mask

from .golden import numbers

GOLDEN = numbers("robostress_parse_and_score")


def rectangle_mask() -> NDArray[np.uint8]:
    spec = GOLDEN["point_mask_spec"]
    width, height = spec["size_wh"]
    (left, right), (top, bottom) = spec["inside_cols"], spec["inside_rows"]
    mask = np.full((height, width), spec["value_outside"], np.uint8)
    mask[top : bottom + 1, left : right + 1] = spec["value_inside"]
    return mask


def jpeg_of(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    buffer = io.BytesIO()
    Image.fromarray(mask).save(buffer, format="JPEG", quality=75)
    return np.array(Image.open(buffer))


MASKS = {
    "point_score_png_mask": rectangle_mask(),
    "point_score_jpeg_q75_mask": jpeg_of(rectangle_mask()),
    "point_score_mask_of_all_ones": np.ones((50, 100), np.uint8),
}


@pytest.mark.parametrize(("name", "row"), [(name, row) for name in MASKS for row in GOLDEN[name]["cases"]], ids=str)
def test_published_robostress_rows(name: str, row: dict[str, object]) -> None:
    found = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", str(row["reply"]))]
    point = found[:2] if len(found) >= 2 else None
    assert robostress_point_in_mask(point, MASKS[name]) is row["hit"]


def test_a_jpeg_mask_does_not_grow() -> None:
    leak = GOLDEN["jpeg_mask_leak"]
    jpeg = MASKS["point_score_jpeg_q75_mask"]
    hits = [point_in_mask((x + 0.5, y + 0.5), jpeg, image_size=(100, 50)) for y in range(50) for x in range(100)]
    assert sum(hits) == leak["on_at_gt127"] == leak["true_on"]
    assert point_chance_level(jpeg) * jpeg.size == leak["true_on"]
    assert int((jpeg > 0).sum()) == leak["on_after_jpeg_q75_at_gt0"]


@pytest.mark.parametrize(
    ("point", "hit"),
    [
        ((40.0, 10.0), True),
        ((39.999, 10.0), False),
        ((80.999, 29.999), True),
        ((81.0, 20.0), False),
        ((60.0, 30.0), False),
        ((-0.5, 20.0), False),
        ((100.0, 20.0), False),
        ((60.0, 50.0), False),
        ((math.nan, 20.0), False),
        ((math.inf, 20.0), False),
        ((60.0,), False),
        (None, False),
    ],
)
def test_a_pixel_reaches_from_its_number_to_the_next(point: tuple[float, ...] | None, hit: bool) -> None:
    assert point_in_mask(point, rectangle_mask(), image_size=(100, 50)) is hit
    assert point_in_mask(point, rectangle_mask() > 127, image_size=(100, 50)) is hit


def test_the_threshold_itself_is_outside() -> None:
    mask = np.array([[127, 128]], np.uint8)
    assert not point_in_mask((0.5, 0.5), mask, image_size=(2, 1))
    assert point_in_mask((1.5, 0.5), mask, image_size=(2, 1))
    assert point_in_mask((0.5, 0.5), mask, image_size=(2, 1), threshold=126)


def test_a_mask_of_another_size_is_refused() -> None:
    with pytest.raises(DiagnosticsError, match=r"100x50 .* 50x100"):
        point_in_mask((1, 1), rectangle_mask(), image_size=(50, 100))


@pytest.mark.parametrize(
    "mask",
    [np.zeros((4, 4), np.uint8), np.ones((4, 4), np.uint8), np.zeros((4, 4), bool), np.full((4, 4), 255, np.uint16),
     np.full((4, 4, 3), 255, np.uint8), np.full((4, 4), 1.0)],
)  # fmt: skip
def test_a_mask_that_nobody_could_hit_is_an_error_of_the_data(mask: NDArray[np.uint8]) -> None:
    with pytest.raises(DiagnosticsError):
        point_in_mask((1, 1), mask, image_size=(4, 4))
