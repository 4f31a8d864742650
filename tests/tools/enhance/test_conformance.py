"""Every registered rectifier obeys the rules, and the rules catch those that do not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from seeworthy.tools.conformance import check_rectifier
from seeworthy.tools.coordinates import PixelMap
from seeworthy.tools.errors import ToolError
from seeworthy.tools.registry import RECTIFIERS, Rectified, RectifierSpec, RectifyHint, apply_rectifier

GREY = np.full((20, 30, 3), 0.5, np.float32)
SHIFT = PixelMap(((1, 0, 3), (0, 1, 0), (0, 0, 1)), (30, 20), (30, 20))


@pytest.mark.parametrize("name", RECTIFIERS.names())
def test_every_rectifier_obeys_the_rules(name: str) -> None:
    assert check_rectifier(RECTIFIERS.get(name)) == ()


def spec_of(function: Callable[[np.ndarray, RectifyHint], object]) -> RectifierSpec:
    return dataclasses.replace(RECTIFIERS.get("none"), name="mine", rectify=function)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda image, hint: image, "must return Rectified"),
        (lambda image, hint: Rectified(image[..., :2].copy()), "(H, W, 3)"),
        (lambda image, hint: Rectified(image.astype(np.float64)), "float32"),
        (lambda image, hint: Rectified(np.full_like(image, np.nan)), "NaN"),
        (lambda image, hint: Rectified(image + np.float32(0.7)), "stay in [0, 1]"),
        (lambda image, hint: Rectified(image[:-1].copy()), "without a pixel_map"),
        (lambda image, hint: Rectified(image.copy(), parameters={"a": np.float32(1)}), "plain int or float"),  # type: ignore[dict-item]
        (
            lambda image, hint: Rectified(image.copy(), pixel_map=SHIFT),
            "moves things",
        ),
        (
            lambda image, hint: Rectified(image.copy(), pixel_map=PixelMap.identity((10, 10))),
            "the pictures are",
        ),
    ],
)  # fmt: skip
def test_what_a_tool_must_not_return_is_named(
    function: Callable[[np.ndarray, RectifyHint], object], words: str
) -> None:
    with pytest.raises(ToolError) as caught:
        apply_rectifier(spec_of(function), GREY)
    assert words in str(caught.value)
    assert "'mine'" in str(caught.value)


def test_the_suite_reports_what_varies_raises_and_hides() -> None:
    rng = np.random.default_rng()

    def varies(image: np.ndarray, hint: RectifyHint) -> Rectified:
        return Rectified(np.clip(image + rng.random(image.shape, dtype=np.float32) * np.float32(0.1), 0, 1))

    def fails(image: np.ndarray, hint: RectifyHint) -> Rectified:
        raise ZeroDivisionError("never on one row")

    assert any("two runs differ" in problem for problem in check_rectifier(spec_of(varies)))
    assert any("never on one row" in problem for problem in check_rectifier(spec_of(fails)))
    nameless = dataclasses.replace(RECTIFIERS.get("none"), name="My Tool", summary="", options={"x": ""})
    assert len(check_rectifier(nameless)) == 3
