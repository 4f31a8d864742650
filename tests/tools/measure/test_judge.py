"""Editors that behave and editors that do not, and the verdict on each."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.stress import Stress
from seeworthy.tools.coordinates import PixelMap
from seeworthy.tools.errors import ToolError
from seeworthy.tools.measure.alignment import AlignmentStatus, map_back
from seeworthy.tools.measure.judge import EditVerdict, judge_edit
from seeworthy.tools.measure.judge_settings import FIDELITY, PERCEPTION, JudgeSettings
from seeworthy.tools.registry import Alignment

from .conftest import Image, about_centre, blurred, dark, gain, hazy, lifted, noisy, placed

NAMES = ("astronaut", "china")
PIXEL, MAPPED, UNCERTAIN = Alignment.PIXEL, Alignment.MAPPED, Alignment.UNCERTAIN


def with_square(image: Image) -> Image:
    edited = image.copy()
    side = int((0.03 * image.shape[0] * image.shape[1]) ** 0.5)
    edited[60 : 60 + side, 90 : 90 + side] = np.float32([0.9, 0.1, 0.1])
    return edited


def with_texture(image: Image) -> Image:
    edited = image.copy()
    side = int((0.03 * image.shape[0] * image.shape[1]) ** 0.5)
    stripes = ((np.indices((side, side)).sum(axis=0) // 6) % 2)[..., None]
    edited[60 : 60 + side, 90 : 90 + side] = stripes * np.float32(0.5) + np.float32(0.2)
    return edited


# Each gets what a good repair would return, and spoils it in its own way.
EDITORS: dict[str, tuple[Callable[[Image], Image], str | None, bool]] = {
    # name: (editor, words of a refusal in the strict profile, whether the tolerant profile accepts)
    "good": (lambda image: image, None, True),
    "shifts": (lambda image: placed(image, about_centre(image, shift_px=(12, -7))), r"moved: shift \(\+1", True),
    "zooms": (lambda image: placed(image, about_centre(image, scale=1.05)), "scale 1.050", True),
    "zooms too far": (lambda image: placed(image, about_centre(image, scale=1.6)), "moved", False),
    "turns": (lambda image: placed(image, about_centre(image, rotation_deg=4)), "rotation", True),
    "mirrors": (lambda image: np.ascontiguousarray(image[:, ::-1]), "mirror", False),
    "squeezes": (lambda image: cv2.resize(image, (image.shape[1], image.shape[0] * 3 // 5)), "moved", False),
    "halves": (lambda image: cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), "moved", True),
    "adds a square": (with_square, "content changed", False),
    "adds a textured square": (with_texture, "content changed", False),
    "blackens": (np.zeros_like, "undetermined", False),
    "greys": (lambda image: np.full_like(image, 0.5), "undetermined", False),
    "inverts": (lambda image: 1 - image, "light and dark changed places", False),
    "turns hues": (lambda image: np.ascontiguousarray(image[..., [1, 2, 0]]), "hues turned", False),
    "drops a channel": (lambda image: np.ascontiguousarray(image[..., :2]), r"\(H, W, 3\)", False),
    "drops a dimension": (lambda image: image[..., 0], r"\(H, W, 3\)", False),
    "makes NaN": (lambda image: np.full_like(image, np.nan), "NaN", False),
    "leaves the range": (lambda image: image * 255, r"\[0, 1\]", False),
    "returns nothing": (lambda image: None, "array", False),  # type: ignore[dict-item, return-value]
    "returns an empty picture": (lambda image: image[:0], "empty", False),
}


def verdict_on(
    before: Image, after: Image, *, settings: JudgeSettings = FIDELITY, alignment: Alignment = UNCERTAIN
) -> EditVerdict:
    return judge_edit(before, after, expected_alignment=alignment, treats=Stress.LOW_LIGHT, settings=settings)


@pytest.mark.parametrize("editor", EDITORS)
@pytest.mark.parametrize("name", NAMES)
def test_strict_verdicts_on_editors(photographs, name: str, editor: str) -> None:  # type: ignore[no-untyped-def]
    import re

    edit, words, _ = EDITORS[editor]
    before = dark(photographs[name])
    verdict = verdict_on(before, edit(photographs[name]))
    assert verdict.accepted is (words is None), verdict.reason
    if words is None:
        assert verdict.pixel_map is not None
        assert verdict.pixel_map.is_identity
        assert verdict.alignment is not None
        assert verdict.alignment.residual_px < 0.5
        assert verdict.scores["gain"] > 0.1
    else:
        # Hues of a dark noisy picture may pass for a change of content.
        assert re.search(words, verdict.reason) or (editor == "turns hues" and "content" in verdict.reason), verdict
        assert verdict.pixel_map is None


@pytest.mark.parametrize("editor", EDITORS)
def test_tolerant_verdicts_on_editors(photographs, editor: str) -> None:  # type: ignore[no-untyped-def]
    edit, _, accepted = EDITORS[editor]
    clean = photographs["china"]
    verdict = verdict_on(dark(clean), edit(clean), settings=PERCEPTION)
    assert verdict.accepted is accepted, verdict.reason


@pytest.mark.parametrize("editor", ["shifts", "zooms", "mirrors", "turns", "halves"])
def test_a_tool_that_promises_to_keep_pixels_in_place_is_held_to_it(photographs, editor: str) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    verdict = verdict_on(dark(clean), EDITORS[editor][0](clean), settings=PERCEPTION, alignment=PIXEL)
    assert not verdict.accepted


def test_an_accepted_move_comes_with_the_map_that_undoes_it(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["astronaut"]
    before = dark(clean)
    truth = about_centre(clean, scale=1.05, shift_px=(12, -7))
    edit = placed(clean, truth)
    verdict = verdict_on(before, edit, settings=PERCEPTION)
    assert verdict.accepted, verdict.reason
    assert "measured map" in verdict.reason
    assert verdict.pixel_map is not None
    assert verdict.alignment is not None
    assert verdict.alignment.shift_px == pytest.approx((12, -7), abs=0.5)
    assert verdict.alignment.scale == pytest.approx(1.05, rel=0.005)
    corner = np.array([100.0, 80.0])
    on_edit = (truth @ [*corner, 1])[:2]
    assert verdict.pixel_map.to_original([on_edit])[0] == pytest.approx(corner, abs=0.6)
    back, _ = map_back(edit, verdict.alignment, verdict.alignment.original_size, fill_srgb=before)
    again = verdict_on(before, back)
    assert again.accepted, again.reason


def cropped(image: Image) -> tuple[Image, PixelMap]:
    """The middle, twice as large."""
    height, width = image.shape[:2]
    x0, y0, w, h = width // 4, height // 4, width // 2, height // 2
    zoomed = cv2.resize(image[y0 : y0 + h, x0 : x0 + w], (2 * w, 2 * h), interpolation=cv2.INTER_CUBIC).clip(0, 1)
    matrix = np.array([[0.5, 0, x0], [0, 0.5, y0], [0, 0, 1]])
    return zoomed, PixelMap.from_matrix(matrix, original_size=(width, height), rectified_size=(2 * w, 2 * h))


@pytest.mark.parametrize("name", NAMES)
def test_a_promised_map_is_checked(photographs, name: str) -> None:  # type: ignore[no-untyped-def]
    image = photographs[name]
    zoomed, honest = cropped(image)

    def judged(edit: Image, pixel_map: PixelMap) -> EditVerdict:
        return judge_edit(image, edit, expected_alignment=MAPPED, pixel_map=pixel_map, treats=Stress.SMALL_SCALE)

    verdict = judged(zoomed, honest)
    assert verdict.accepted, verdict.reason
    assert verdict.pixel_map == honest
    wrong = honest.matrix
    wrong[0, 2] += 9
    lie = PixelMap.from_matrix(wrong, original_size=honest.original_size, rectified_size=honest.rectified_size)
    assert "map says" in judged(zoomed, lie).reason
    assert "content changed" in judged(with_square(zoomed), honest).reason
    assert not judged(np.ascontiguousarray(zoomed[:, ::-1]), honest).accepted
    assert "joins pictures" in judged(zoomed[:-2], honest).reason
    assert not judged(gain(zoomed, 0.1), honest).accepted


def test_a_mapped_tool_without_a_map_is_measured(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    edit = placed(clean, about_centre(clean, scale=1.1))
    verdict = judge_edit(hazy(clean), edit, expected_alignment=MAPPED, treats=[Stress.HAZE], settings=PERCEPTION)
    assert verdict.accepted, verdict.reason
    assert verdict.alignment is not None
    assert verdict.alignment.status is AlignmentStatus.MAPPED


@pytest.mark.parametrize("name", NAMES)
def test_edits_that_do_not_help_are_refused(photographs, name: str) -> None:  # type: ignore[no-untyped-def]
    clean = photographs[name]
    for before, after, stress in (
        (clean, clean, Stress.LOW_LIGHT),
        (clean, blurred(clean), Stress.NOISE),
        (clean, dark(clean), Stress.OVER_EXPOSURE),
        (clean, noisy(clean, 0.05), Stress.DEFOCUS),
        (noisy(clean), clean, Stress.LOW_LIGHT),
    ):
        verdict = judge_edit(before, after, expected_alignment=PIXEL, treats=stress)
        assert not verdict.accepted
        assert "no improvement" in verdict.reason


def test_the_better_of_two_edits_has_the_larger_gain(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["china"]
    before = dark(clean)
    half, full = verdict_on(before, gain(before, 1.8)), verdict_on(before, lifted(before))
    assert half.accepted
    assert full.accepted
    assert full.scores["gain"] > half.scores["gain"]


def test_a_broken_original_is_the_callers_error(photographs) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ToolError, match="original_srgb"):
        verdict_on(np.full((20, 20, 3), np.nan, np.float32), photographs["china"])


@pytest.mark.parametrize("size", [(1, 1), (7, 9), (8, 8), (20, 12)])
def test_tiny_pictures_get_a_verdict(photographs, size: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    small = cv2.resize(photographs["china"], size, interpolation=cv2.INTER_AREA)
    for alignment in Alignment:
        verdict = verdict_on(small, gain(small, 0.5), alignment=alignment)
        assert verdict.reason
        assert not verdict.accepted


def test_verdicts_store_as_text(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    verdict = verdict_on(dark(clean), clean)
    assert all(type(value) is float for value in verdict.scores.values())
    assert "preservation" in verdict.model_dump_json()


def test_settings_refuse_nonsense() -> None:
    with pytest.raises(ValueError, match="less than or equal"):
        JudgeSettings(least_preservation=1.5)
    with pytest.raises(ValueError, match="extra|permitted"):
        JudgeSettings.model_validate({"tolerance": 3})
