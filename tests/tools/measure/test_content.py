"""Repairs preserve content, objects that come or go are found, and restyling is named."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear
from seeworthy.tools.errors import ToolError
from seeworthy.tools.findings import Region
from seeworthy.tools.measure.content import ContentReport, measure_content, residual_map
from seeworthy.tools.measure.inputs import luma

from .conftest import (
    PHOTOGRAPHS,
    Edit,
    Image,
    blurred,
    compressed,
    dark,
    gain,
    hazy,
    lifted,
    noisy,
    rounded,
    yellowed,
)


def smoothed(image: Image) -> Image:
    return cv2.fastNlMeansDenoisingColored((image * 255).astype(np.uint8), None, 12, 12, 5, 15).astype(np.float32) / 255


def sharpened(image: Image) -> Image:
    return rounded(image + 2 * (image - cv2.GaussianBlur(image, (0, 0), 2)))


def cleared(image: Image) -> Image:
    """Takes off the veil of :func:`hazy`."""
    through = np.linspace(0.25, 0.45, image.shape[0], dtype=np.float32)[:, None, None]
    return rounded((image - 0.85 * (1 - through)) / through)


def equalised(image: Image) -> Image:
    lab = cv2.cvtColor((image * 255).astype(np.uint8), cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(3, (8, 8)).apply(lab[..., 0])
    return cv2.cvtColor(lab, cv2.COLOR_LAB2RGB).astype(np.float32) / 255


def whitened(image: Image) -> Image:
    return rounded(image * np.float32([1.0, 1.18, 1.55]))


def same(image: Image) -> Image:
    return image


# What was wrong with the picture, and what a classical tool does about it.
REPAIRS: dict[str, tuple[Edit, Edit]] = {
    "nothing": (same, same),
    "gamma": (same, lambda image: rounded(image**0.6)),
    "local contrast": (same, equalised),
    "saturation": (same, lambda image: rounded(luma(image)[..., None] * -0.8 + image * 1.8)),
    "greyscale": (same, lambda image: np.repeat(luma(image)[..., None], 3, axis=2)),
    "lift": (dark, lifted),
    "lift and denoise": (dark, lambda image: smoothed(lifted(image))),
    "dehaze": (hazy, cleared),
    "denoise": (noisy, smoothed),
    "sharpen": (blurred, sharpened),
    "deblock": (compressed, lambda image: cv2.bilateralFilter(image, 7, 0.1, 3)),
    "white balance": (yellowed, whitened),
    "less light": (lambda image: gain(image, 2.5), lambda image: gain(image, 0.5)),
}
# The perfect repair brings back what was there.
TRUTHS: dict[str, Edit] = {
    "dark": dark,
    "hazy": hazy,
    "noisy": noisy,
    "blurred": blurred,
    "compressed": compressed,
    "yellowed": yellowed,
}


@pytest.mark.parametrize("name", PHOTOGRAPHS[::2])
@pytest.mark.parametrize("repair", REPAIRS)
def test_repairs_change_no_content(photographs, name: str, repair: str) -> None:  # type: ignore[no-untyped-def]
    spoil, tool = REPAIRS[repair]
    before = spoil(photographs[name])
    report = measure_content(before, tool(before))
    assert report.regions == (), report
    assert report.preservation > 0.8
    assert report.changed_fraction < 0.005
    assert not report.tones_inverted
    assert abs(report.hue_rotation_deg) < 35


@pytest.mark.parametrize("name", PHOTOGRAPHS[1::2])
@pytest.mark.parametrize("fault", TRUTHS)
def test_the_truth_behind_a_degraded_picture_is_the_same_content(photographs, name: str, fault: str) -> None:  # type: ignore[no-untyped-def]
    report = measure_content(TRUTHS[fault](photographs[name]), photographs[name])
    assert report.preservation > 0.75, report
    assert report.changed_fraction < 0.02


def test_a_ramp_of_thick_haze_is_no_content(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["china"]
    through = np.exp(-np.linspace(5, 0.8, clean.shape[0]))[:, None, None]
    veiled = srgb_from_linear((linear_from_srgb(clean) * through + 0.8 * (1 - through)).astype(np.float32))
    report = measure_content(np.rint(veiled * 255).astype(np.float32) / np.float32(255), clean)
    assert report.changed_fraction < 0.002
    assert report.preservation > 0.88


def test_identity_is_perfect(photographs) -> None:  # type: ignore[no-untyped-def]
    for image in photographs.values():
        report = measure_content(image, image)
        assert report.preservation > 0.998
        assert report.structure_correlation > 0.99
        assert report.changed_fraction == 0
        assert residual_map(image, image).max() < 0.02


def overlap(region: Region, box: tuple[int, int, int, int]) -> float:
    """Intersection over union with (x0, y0, x1, y1)."""
    width = min(region.x1, box[2]) - max(region.x0, box[0])
    height = min(region.y1, box[3]) - max(region.y0, box[1])
    shared = max(width, 0) * max(height, 0)
    areas = (region.x1 - region.x0) * (region.y1 - region.y0) + (box[2] - box[0]) * (box[3] - box[1])
    return shared / (areas - shared)


def best_overlap(report: ContentReport, box: tuple[int, int, int, int]) -> float:
    return max((overlap(region, box) for region in report.regions), default=0.0)


def objects(place: Image, donor: Image, rng: np.random.Generator) -> dict[str, Image]:
    """Things of the place's size: plain, textured, and taken from another photograph."""
    side = place.shape[0]
    stripes = ((np.indices((side, side)).sum(axis=0) // 8) % 2)[..., None] * np.float32(0.4) + np.float32(0.3)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (side, side)).astype(np.float32), (0, 0), 2)[..., None]
    return {
        "red": np.broadcast_to(np.float32([0.9, 0.1, 0.1]), place.shape),
        "stripes": np.broadcast_to(stripes, place.shape),
        # The hardest: no other brightness and colour than what it covers.
        "texture": np.clip(place.mean(axis=(0, 1)) + 1.2 * grain, 0, 1),
        "part of a photograph": donor[40 : 40 + side, 60 : 60 + side],
    }


@pytest.mark.parametrize("tool", ["nothing", "lift", "dehaze", "denoise"])
@pytest.mark.parametrize("name", PHOTOGRAPHS[::2])
def test_an_added_square_of_three_percent_is_found_where_it_is(photographs, name: str, tool: str) -> None:  # type: ignore[no-untyped-def]
    spoil, repair = REPAIRS[tool]
    before = spoil(photographs[name])
    after = repair(before)
    height, width = before.shape[:2]
    side = int((0.03 * height * width) ** 0.5)
    rng = np.random.default_rng(PHOTOGRAPHS.index(name))
    x, y = int(rng.integers(0, width - side)), int(rng.integers(0, height - side))
    donor = photographs["coffee" if name != "coffee" else "china"]
    for kind, thing in objects(after[y : y + side, x : x + side], donor, rng).items():
        edit = after.copy()
        edit[y : y + side, x : x + side] = thing
        report = measure_content(before, edit)
        assert best_overlap(report, (x, y, x + side, y + side)) > 0.3, (kind, report)
        assert report.changed_fraction > 0.0075
        inside = residual_map(before, edit)[y : y + side, x : x + side].mean()
        assert inside > 5 * residual_map(before, after).mean()


def test_a_thing_that_vanishes_is_found(photographs) -> None:  # type: ignore[no-untyped-def]
    before = photographs["coffee"]
    box = (260, 230, 360, 330)  # The spoon.
    edit = before.copy()
    ring = np.concatenate([before[box[1] - 3 : box[1], box[0] : box[2]].reshape(-1, 3)])
    edit[box[1] : box[3], box[0] : box[2]] = ring.mean(axis=0)
    report = measure_content(before, edit)
    assert best_overlap(report, box) > 0.3, report


def test_a_recoloured_thing_is_found_though_its_shape_is_kept(photographs) -> None:  # type: ignore[no-untyped-def]
    before = photographs["astronaut"]
    suit = (150, 250, 300, 400)
    edit = before.copy()
    edit[suit[1] : suit[3], suit[0] : suit[2]] = edit[suit[1] : suit[3], suit[0] : suit[2]][..., [2, 0, 1]]
    report = measure_content(before, edit)
    assert best_overlap(report, suit) > 0.3, report


@pytest.mark.parametrize("name", PHOTOGRAPHS[1::2])
def test_blank_inverted_and_turned_pictures_are_named(photographs, name: str) -> None:  # type: ignore[no-untyped-def]
    image = photographs[name]
    for level in (0.0, 0.5, 1.0):
        assert measure_content(image, np.full_like(image, level)).preservation < 0.02
    inverted = measure_content(image, 1 - image)
    assert inverted.tones_inverted
    assert inverted.preservation < 0.1
    hues = measure_content(image, np.ascontiguousarray(image[..., [1, 2, 0]]))
    assert 60 < abs(hues.hue_rotation_deg) < 180
    other = photographs["motorcycle" if name != "motorcycle" else "china"]
    assert measure_content(image, other).preservation < 0.3


def test_what_is_not_covered_is_not_judged(photographs) -> None:  # type: ignore[no-untyped-def]
    image = photographs["motorcycle"]
    edit = image.copy()
    edit[:, :120] = 0
    covered = np.ones(image.shape[:2], dtype=bool)
    covered[:, :120] = False
    assert measure_content(image, edit).regions != ()
    report = measure_content(image, edit, covered=covered)
    assert report.changed_fraction < 0.01
    assert report.preservation > 0.98


@pytest.mark.parametrize("size", [(8, 8), (9, 30), (24, 16), (1, 1), (5, 200)])
def test_small_pictures_do_not_crash(photographs, size: tuple[int, int]) -> None:  # type: ignore[no-untyped-def]
    small = cv2.resize(photographs["china"], size, interpolation=cv2.INTER_AREA)
    report = measure_content(small, small)
    assert report.preservation > 0.98
    shown = residual_map(small, small)
    assert shown.shape == small.shape[:2]
    assert shown.dtype == np.float32


def test_flat_pictures_have_nothing_to_lose() -> None:
    flat = np.full((60, 80, 3), 0.4, np.float32)
    assert measure_content(flat, flat * 2).preservation == 1.0
    assert measure_content(flat, flat).changed_fraction == 0


def test_reports_repeat(photographs) -> None:  # type: ignore[no-untyped-def]
    before = dark(photographs["flower"])
    assert measure_content(before, lifted(before)) == measure_content(before, lifted(before))


def test_what_is_no_picture_is_refused(photographs) -> None:  # type: ignore[no-untyped-def]
    good = photographs["flower"]
    for call in (measure_content, residual_map):
        with pytest.raises(ToolError, match="NaN"):
            call(good, np.full_like(good, np.nan))
        with pytest.raises(ToolError, match=r"\(H, W, 3\)"):
            call(good[..., 0], good)
