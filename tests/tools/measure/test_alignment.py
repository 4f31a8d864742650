"""Known maps are measured back, though tone, noise, haze and blur changed as well."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.tools.errors import ToolError
from seeworthy.tools.measure.alignment import AlignmentStatus, map_back, measure_alignment

from .conftest import (
    PHOTOGRAPHS,
    Edit,
    about_centre,
    blurred,
    compressed,
    dark,
    gain,
    hazy,
    lifted,
    noisy,
    placed,
    yellowed,
)

MOVES = {
    "shift": {"shift_px": (12.0, -7.0)},
    "fraction": {"shift_px": (3.4, -1.3)},
    "zoom": {"scale": 1.05},
    "shrink": {"scale": 0.8, "shift_px": (30.0, 20.0)},
    "turn": {"rotation_deg": 3.0},
    "all": {"scale": 1.5, "rotation_deg": -8.0, "shift_px": (20.0, 5.0)},
}


def unchanged(image: np.ndarray) -> np.ndarray:
    return image


# What the original suffers from, and what the edit made of the clean picture behind it.
TONES: dict[str, tuple[Edit, Edit]] = {
    "same": (unchanged, unchanged),
    "dark": (dark, unchanged),
    "hazy": (hazy, unchanged),
    "noisy": (noisy, unchanged),
    "blurred": (blurred, unchanged),
    "compressed": (compressed, unchanged),
    "yellowed": (yellowed, unchanged),
    "still noisy": (dark, lambda image: lifted(dark(image, seed=7))),
}


@pytest.mark.parametrize("name", PHOTOGRAPHS[::2])
@pytest.mark.parametrize("tone", TONES)
def test_what_stayed_in_place_is_aligned(photographs, name: str, tone: str) -> None:  # type: ignore[no-untyped-def]
    spoil, edit = TONES[tone]
    report = measure_alignment(spoil(photographs[name]), edit(photographs[name]))
    assert report.status is AlignmentStatus.ALIGNED, report
    assert max(np.abs(report.shift_px)) < 0.3
    assert report.residual_px < (0.1 if tone == "same" else 0.6)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("tone", TONES)
def test_moves_are_measured_within_a_fraction_of_a_pixel(photographs, tone: str, move: str) -> None:  # type: ignore[no-untyped-def]
    # Another photograph for each pair, so that all six meet all tones or all moves.
    name = PHOTOGRAPHS[(list(TONES).index(tone) + list(MOVES).index(move)) % len(PHOTOGRAPHS)]
    (spoil, edit), truth, clean = TONES[tone], MOVES[move], photographs[name]
    moved = placed(clean, about_centre(clean, **truth))  # type: ignore[arg-type]
    report = measure_alignment(spoil(clean), edit(moved))
    assert report.status is AlignmentStatus.MAPPED, report
    assert report.shift_px == pytest.approx(truth.get("shift_px", (0, 0)), abs=0.4)
    assert report.scale == pytest.approx(truth.get("scale", 1), rel=0.004)
    assert report.rotation_deg == pytest.approx(truth.get("rotation_deg", 0), abs=0.1)
    assert report.aspect_change == pytest.approx(1, abs=0.005)


@pytest.mark.parametrize("name", PHOTOGRAPHS[1::2])
def test_mirrors_are_named_even_under_darkness(photographs, name: str) -> None:  # type: ignore[no-untyped-def]
    clean = photographs[name]
    for mirrored in (clean[:, ::-1], clean[::-1]):
        report = measure_alignment(dark(clean), np.ascontiguousarray(mirrored))
        assert report.status is AlignmentStatus.MIRRORED, report
    assert measure_alignment(clean, np.ascontiguousarray(clean[:, ::-1])).rotation_deg == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("name", PHOTOGRAPHS[::2])
def test_another_size_or_aspect_is_mapped(photographs, name: str) -> None:  # type: ignore[no-untyped-def]
    clean = photographs[name]
    height, width = clean.shape[:2]
    half = measure_alignment(clean, cv2.resize(clean, (width // 2, height // 2), interpolation=cv2.INTER_AREA))
    assert half.status is AlignmentStatus.MAPPED
    assert half.scale == pytest.approx(0.5, rel=0.005)
    assert max(np.abs(half.shift_px)) < 0.3
    squeezed = measure_alignment(clean, cv2.resize(clean, (width, round(height * 0.75)), interpolation=cv2.INTER_AREA))
    assert squeezed.status is AlignmentStatus.MAPPED
    assert squeezed.aspect_change == pytest.approx(1 / 0.75, rel=0.005)
    cropped = measure_alignment(clean, np.ascontiguousarray(clean[:, width // 8 : -width // 8]))
    assert cropped.status is AlignmentStatus.MAPPED
    assert (cropped.scale, cropped.aspect_change) == pytest.approx((1, 1), rel=0.005)
    assert cropped.pixel_map.to_original([[0.0, 0.0]])[0] == pytest.approx([width // 8, 0], abs=0.3)


def test_unrelated_pictures_are_unrelated_and_identical_ones_are_not(photographs) -> None:  # type: ignore[no-untyped-def]
    for first, second in zip(PHOTOGRAPHS, PHOTOGRAPHS[1:] + PHOTOGRAPHS[:1], strict=True):
        assert measure_alignment(photographs[first], photographs[second]).status is AlignmentStatus.UNRELATED
        assert measure_alignment(photographs[first], photographs[first]).status is AlignmentStatus.ALIGNED


def test_inverted_tones_and_turned_hues_do_not_hide_a_shift(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["motorcycle"]
    moved = placed(clean, about_centre(clean, shift_px=(12, -7)))
    for edit in (1 - moved, np.ascontiguousarray(moved[..., [1, 2, 0]])):
        report = measure_alignment(clean, edit)
        assert report.status is AlignmentStatus.MAPPED
        assert report.shift_px == pytest.approx((12, -7), abs=0.3)


def test_a_large_new_object_does_not_pull_the_map(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    edit = clean.copy()
    edit[100:250, 150:330] = photographs["china"][100:250, 150:330]
    report = measure_alignment(clean, edit)
    assert report.status is AlignmentStatus.ALIGNED
    assert max(np.abs(report.shift_px)) < 0.1


@pytest.mark.parametrize(
    "flat",
    [
        np.full((100, 140, 3), 0.5, np.float32),
        np.zeros((100, 140, 3), np.float32),
        noisy(np.full((100, 140, 3), 0.5, np.float32)),
        np.full((4, 4, 3), 0.5, np.float32),
        np.zeros((1, 1, 3), np.float32),
    ],
)
def test_nothing_to_compare_is_undetermined(photographs, flat: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    for other in (flat, gain(flat, 2), photographs["chelsea"]):
        for first, second in ((flat, other), (other, flat)):
            report = measure_alignment(first, second)
            assert report.status is AlignmentStatus.UNDETERMINED
            assert report.confidence == 0


@pytest.mark.parametrize("size", [(8, 8), (9, 13), (16, 16), (8, 200), (200, 8), (40, 31)])
def test_small_pictures_work(photographs, size: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    small = cv2.resize(photographs["astronaut"], size, interpolation=cv2.INTER_AREA)
    assert measure_alignment(small, small).status is AlignmentStatus.ALIGNED
    assert measure_alignment(small, gain(small, 0.6)).status is AlignmentStatus.ALIGNED


def test_reports_repeat_and_do_not_depend_on_the_global_generators(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["flower"]
    edit = noisy(placed(clean, about_centre(clean, scale=1.3, rotation_deg=5)))
    first = measure_alignment(clean, edit, seed=3)
    cv2.setRNGSeed(99)
    np.random.default_rng(5).random(100)
    assert measure_alignment(clean, edit, seed=3) == first


def test_eight_bit_input_is_the_same_picture(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    eight = np.floor(clean * 255 + 0.5).astype(np.uint8)
    assert measure_alignment(eight, eight).status is AlignmentStatus.ALIGNED


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((20, 20), np.float32), r"\(H, W, 3\)"),
        (np.zeros((20, 20, 4), np.float32), r"\(H, W, 3\)"),
        (np.full((20, 20, 3), np.nan, np.float32), "NaN"),
        (np.full((20, 20, 3), 200.0, np.float32), r"scale it to \[0, 1\]"),
        (np.zeros((20, 20, 3), np.int32), "int32"),
        (np.zeros((0, 20, 3), np.float32), "empty"),
        ("picture.png", "array"),
    ],
)
def test_what_is_no_picture_is_refused(bad, words: str) -> None:  # type: ignore[no-untyped-def]
    good = np.zeros((20, 20, 3), np.float32)
    with pytest.raises(ToolError, match=words):
        measure_alignment(good, bad)
    with pytest.raises(ToolError, match=words):
        measure_alignment(bad, good)


@pytest.mark.parametrize("move", MOVES)
def test_mapping_back_puts_things_where_they_were(photographs, move: str) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["chelsea"]
    height, width = clean.shape[:2]
    edit = placed(clean, about_centre(clean, **MOVES[move]))  # type: ignore[arg-type]
    report = measure_alignment(clean, edit)
    back, pixel_map = map_back(edit, report, (width, height), fill_srgb=clean)
    assert pixel_map.is_identity
    assert back.shape == clean.shape
    assert back.dtype == np.float32
    assert (back.min() >= 0) and (back.max() <= 1)
    inner = (slice(40, -40), slice(40, -40))
    before = np.abs(clean - edit)[inner].mean()
    assert np.abs(clean - back)[inner].mean() < 0.35 * before
    again = measure_alignment(clean, back)
    assert again.status is AlignmentStatus.ALIGNED
    assert max(np.abs(again.shift_px)) < 0.15


def test_mapping_back_an_edit_in_place_copies_it(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["chelsea"]
    report = measure_alignment(clean, clean).model_copy(
        update={"matrix": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}
    )
    back, _ = map_back(clean, report, report.original_size)
    assert np.array_equal(back, clean)
    assert back is not clean


@settings(max_examples=8, deadline=None)
@given(x=st.floats(-20, 20), y=st.floats(-20, 20), scale=st.floats(0.9, 1.15), degrees=st.floats(-6, 6))
def test_any_small_move_is_found(photographs, x: float, y: float, scale: float, degrees: float) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["motorcycle"]
    truth = about_centre(clean, scale=scale, rotation_deg=degrees, shift_px=(x, y))
    report = measure_alignment(clean, placed(clean, truth))
    corners = np.array([[60.0, 60.0], [clean.shape[1] - 60, 60], [60, clean.shape[0] - 60]])
    back = report.pixel_map.to_original((np.c_[corners, np.ones(3)] @ truth.T)[:, :2])
    assert np.abs(back - corners).max() < 0.4
