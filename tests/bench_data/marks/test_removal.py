"""Marks are found by their rims and painted over; nothing else is taken for one."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.marks import Mark, draw_marks, find_discs, mark_radius_px, paint_over_marks
from seeworthy.bench_data.photographs import package_photographs

Pixels = NDArray[np.uint8]


def scene(seed: int, size: tuple[int, int], tone: str) -> Pixels:
    """Rectangles of all colours, as they are, in the dark or in thick haze."""
    rng = np.random.default_rng(seed)
    width, height = size
    image = np.full((height, width, 3), rng.uniform(40, 200, 3))
    for _ in range(25):
        x, y = int(rng.uniform(0, width)), int(rng.uniform(0, height))
        right, low = int(x + rng.uniform(0.05, 0.4) * width), int(y + rng.uniform(0.05, 0.4) * height)
        cv2.rectangle(image, (x, y), (right, low), rng.uniform(5, 250, 3).tolist(), -1)
    gain, veil = {"clear": (1.0, 0.0), "dark": (0.08, 0.0), "hazy": (0.15, 190.0)}[tone]
    image = cv2.GaussianBlur(image, (0, 0), 0.8) * gain + veil + rng.normal(0, 1.5, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def scattered(seed: int, size: tuple[int, int], count: int) -> tuple[Mark, ...]:
    """Marks that do not touch, light and dark, half of them beside their objects."""
    rng = np.random.default_rng(seed)
    width, height = size
    radius = mark_radius_px(width, height)
    marks = list[Mark]()
    for _ in range(300):
        x, y = rng.uniform(radius, width - radius), rng.uniform(radius, height - radius)
        turn, reach = rng.uniform(0, 2 * np.pi), radius * rng.uniform(1.7, 4)
        anchor = (x + reach * math.cos(turn), y + reach * math.sin(turn)) if len(marks) % 2 else None
        inside = anchor is None or (3 < anchor[0] < width - 3 and 3 < anchor[1] < height - 3)
        apart = all(
            math.dist((x, y), one.centre_px) > 2 * radius + 2
            and (one.anchor_px is None or math.dist((x, y), one.anchor_px) > radius + 6)
            and (anchor is None or math.dist(anchor, one.centre_px) > radius + 6)
            for one in marks
        )
        if inside and apart and len(marks) < count:
            number = len(marks) + 1
            marks.append(Mark(number, number, (x, y), radius, "light" if number % 3 else "dark", anchor))
    return tuple(marks)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([(192, 144), (320, 240), (480, 360)]),
    st.sampled_from(["clear", "dark", "hazy"]),
    st.integers(1, 10),
)
def test_marks_are_found_and_painted_over(seed: int, size: tuple[int, int], tone: str, count: int) -> None:
    plain = scene(seed, size, tone)
    marks = scattered(seed, size, count)
    marked = draw_marks(plain, marks)
    found = find_discs(marked)
    near = [
        [one for one in found if math.dist(one.centre_px, mark.centre_px) < 2 and one.disc == mark.disc]
        for mark in marks
    ]
    assert sum(map(len, near)) >= len(marks) - 1
    assert len(found) <= len(marks)
    for one in (one for group in near for one in group):
        assert one.radius_px == pytest.approx(mark_radius_px(*size), rel=0.1)
    painted = paint_over_marks(marked)
    assert painted is not None
    untouched = ~painted.covered
    assert np.array_equal(painted.image_srgb_u8[untouched], marked[untouched])
    assert not (painted.drawn & untouched).any()
    if all(near):
        changed = np.abs(marked.astype(int) - plain).max(axis=2) > 40
        assert (changed & untouched).sum() <= 0.08 * changed.sum()
        kept = np.where(painted.drawn[..., None], marked, plain)
        assert np.abs(kept.astype(int) - marked).mean(axis=2)[changed].mean() < 12


@pytest.mark.parametrize("tone", ["dark", "hazy"])
def test_what_lies_under_marks_is_dark_or_pale_again(tone: str) -> None:
    size = (192, 144)
    plain = scene(3, size, tone)
    painted = paint_over_marks(draw_marks(plain, scattered(3, size, 8)))
    assert painted is not None
    for level in (1, 99.5):
        assert np.percentile(painted.image_srgb_u8, level) == pytest.approx(np.percentile(plain, level), abs=3)


@pytest.mark.parametrize("name", [photograph.name for photograph in package_photographs(split="counted")])
def test_photographs_have_no_marks(name: str) -> None:
    photograph = {one.name: one for one in package_photographs(split="counted")}[name]
    assert paint_over_marks(photograph.picture.image_srgb_u8) is None


def test_print_rings_and_plates_are_no_marks() -> None:
    image = Image.new("RGB", (640, 480), "white")
    draw = ImageDraw.Draw(image)
    for row, size_px in enumerate((13, 16, 19, 24, 30, 40)):
        draw.text((10, 10 + 50 * row), "oO0 8 good doubt 60 80 Qg", fill="black", font=ImageFont.load_default(size_px))
    for index, radius in enumerate((6, 8, 12, 20)):
        middle = 40 + 90 * index
        draw.ellipse((middle - radius, 400 - radius, middle + radius, 400 + radius), outline="black", width=2)
        draw.rectangle((400 + 60 * index, 380, 400 + 60 * index + 2 * radius, 380 + 2 * radius), outline="black")
    assert find_discs(np.asarray(image)) == ()


@pytest.mark.parametrize("shape", [(1, 1, 3), (12, 500, 3), (13, 13, 3), (2000, 30, 3)])
def test_pictures_of_any_size_are_searched(shape: tuple[int, int, int]) -> None:
    assert find_discs(np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)) == ()


def test_large_pictures_have_large_marks() -> None:
    plain = np.full((1200, 2000, 3), 40, np.uint8)
    (found,) = find_discs(draw_marks(plain, [Mark(0, 17, (700.3, 500.8), 30.0)]))
    assert math.dist(found.centre_px, (700.3, 500.8)) < 2
    assert found.radius_px == pytest.approx(30, rel=0.1)


@pytest.mark.parametrize("bad", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)])
def test_something_else_than_a_picture_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(BenchDataError, match="image_srgb_u8 must be"):
        find_discs(bad)
