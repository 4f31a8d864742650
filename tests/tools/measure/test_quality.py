"""Clean above degraded, mild above severe, repaired above spoilt, overdone below clean."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.errors import ToolError
from seeworthy.tools.measure.fidelity import ssim
from seeworthy.tools.measure.inputs import luma
from seeworthy.tools.measure.quality import (
    QUALITY_PARTS,
    QualityReport,
    compare_quality,
    measure_quality,
)
from seeworthy.tools.measure.quality_features import FEATURE_PARTS, quality_features
from seeworthy.tools.measure.quality_model import QualityModel, Ramp, part_penalties, quality_model

from .conftest import Image, blurred, dark, gain, hazy, lifted, noisy, rounded

DEGRADATIONS = (
    "haze",
    "defocus",
    "motion_blur",
    "low_light",
    "noise",
    "over_exposure",
    "low_res",
    "jpeg_compression",
)
TREATABLE = (*(Stress(name) for name in DEGRADATIONS), Stress.LOW_CONTRAST, Stress.RAIN, Stress.GLOBAL_OVEREXPOSURE)
# The part that must notice each degradation.
TELLING_PART = {
    "haze": "contrast",
    "defocus": "sharpness",
    "motion_blur": "sharpness",
    "low_light": "exposure",
    "noise": "noise",
    "over_exposure": "clipping",
    "low_res": "sharpness",
    "jpeg_compression": "blockiness",
}


@pytest.fixture(scope="module")
def counted() -> dict[str, Picture]:
    """Photographs on which nothing was fitted."""
    whole = {p.name: p.picture.image_srgb for p in package_photographs("counted") if p.crop_of is None}
    size = {name: (440, round(440 * image.shape[0] / image.shape[1])) for name, image in whole.items()}
    shrunk = {name: cv2.resize(image, size[name], interpolation=cv2.INTER_AREA) for name, image in whole.items()}
    return {name: Picture.from_srgb(image) for name, image in shrunk.items()}


@pytest.fixture(scope="module")
def levels(counted: dict[str, Picture]) -> dict[tuple[str, str, int], QualityReport]:
    """Quality by photograph, degradation and severity; severity 0 is the clean picture."""
    found = {}
    for name, picture in counted.items():
        clean = measure_quality(picture.image_srgb)
        for degradation in DEGRADATIONS:
            found[name, degradation, 0] = clean
            for severity in (1, 3, 5):
                spoilt = degrade(picture, degradation, severity=severity, seed=severity).picture
                found[name, degradation, severity] = measure_quality(spoilt.image_srgb)
    return found


def test_clean_photographs_score_above_degraded_ones(levels) -> None:  # type: ignore[no-untyped-def]
    wrong = [key for key, report in levels.items() if key[2] >= 3 and report.score >= levels[*key[:2], 0].score]
    assert wrong == []


def test_scores_fall_with_severity(levels) -> None:  # type: ignore[no-untyped-def]
    steps = [(key, (*key[:2], key[2] + 2)) for key in levels if key[2] in (1, 3)]
    right = [levels[mild].score > levels[severe].score for mild, severe in steps]
    assert np.mean(right) >= 0.95


@pytest.mark.parametrize("degradation", DEGRADATIONS)
def test_the_right_part_notices(levels, counted, degradation: str) -> None:  # type: ignore[no-untyped-def]
    part = TELLING_PART[degradation]
    for name in counted:
        clean, spoilt = levels[name, degradation, 0], levels[name, degradation, 5]
        assert spoilt.parts[part] < clean.parts[part] - 0.05, (name, clean.parts, spoilt.parts)


def sharpened(image: Image, amount: float, sigma_px: float) -> Image:
    return rounded(image + amount * (image - cv2.GaussianBlur(image, (0, 0), sigma_px)))


def saturated(image: Image) -> Image:
    grey = luma(image)[..., None]
    return rounded(grey + 2.8 * (image - grey))


OVERDONE = {
    "sharpened": lambda image: sharpened(image, 4, 1),
    "wide halos": lambda image: sharpened(image, 2, 3),
    "saturated": saturated,
    "brightened": lambda image: gain(image, 2.2),
    "darkened": lambda image: gain(image, 0.2),
    "noisy": lambda image: noisy(image, 0.04),
    "blurred": blurred,
}


@pytest.mark.parametrize("how", OVERDONE)
def test_overdone_pictures_score_below_and_are_no_improvement(counted, how: str) -> None:  # type: ignore[no-untyped-def]
    for picture in counted.values():
        clean = picture.image_srgb
        overdone = OVERDONE[how](clean)
        assert ssim(clean, overdone, data_range=1.0) < 0.97
        comparison = compare_quality(clean, overdone, treats=[Stress.DEFOCUS, Stress.LOW_LIGHT, Stress.HAZE])
        assert comparison.gain < 0, (how, comparison.reason)
        assert not comparison.improved


def test_clean_photographs_are_not_improved_by_what_changes_them(counted) -> None:  # type: ignore[no-untyped-def]
    for picture in counted.values():
        clean = picture.image_srgb
        for edit in (rounded(clean**0.7), sharpened(clean, 1.5, 2), gain(clean, 1.6), hazy(clean)):
            if ssim(luma(clean), luma(edit), data_range=1.0) < 0.95:
                for stress in TREATABLE:
                    assert not compare_quality(clean, edit, treats=[stress]).improved, stress


def test_repairs_are_improvements_of_what_they_treat(photographs) -> None:  # type: ignore[no-untyped-def]
    for name in ("china", "coffee", "astronaut"):
        clean = photographs[name]
        for spoil, stress in ((dark, Stress.LOW_LIGHT), (hazy, Stress.HAZE), (noisy, Stress.NOISE)):
            spoilt = spoil(clean)
            better = compare_quality(spoilt, clean, treats=[stress])
            assert better.improved, (name, better.reason)
            assert better.treated_gain > 0.1
            assert better.reason.startswith("better by")
            assert not compare_quality(clean, spoilt, treats=[stress]).improved
        gone_bright = compare_quality(dark(clean), lifted(dark(clean)), treats=[Stress.LOW_LIGHT])
        assert gone_bright.improved


def test_a_gain_elsewhere_is_no_treatment(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["coffee"]
    comparison = compare_quality(noisy(clean), clean, treats=[Stress.LOW_LIGHT])
    assert comparison.gain > 0.3
    assert not comparison.improved
    assert "no improvement to be had: exposure" in comparison.reason
    both = compare_quality(dark(noisy(clean, 0.2)), dark(clean), treats=[Stress.LOW_LIGHT])
    assert both.gain > 0.1
    assert "of what was to be treated" in both.reason


def test_a_dark_corner_that_is_lifted_counts_for_a_local_stress(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["china"]
    shadowed = clean.copy()
    shadowed[:140, :200] = gain(shadowed[:140, :200], 0.02)
    assert compare_quality(shadowed, clean, treats=[Stress.LOCAL_UNDEREXPOSURE]).improved
    assert not compare_quality(clean, shadowed, treats=[Stress.LOCAL_UNDEREXPOSURE]).improved
    assert not compare_quality(clean, clean, treats=[Stress.LOCAL_UNDEREXPOSURE]).improved


def test_sharpening_that_adds_halos_is_named(photographs) -> None:  # type: ignore[no-untyped-def]
    soft = cv2.GaussianBlur(photographs["motorcycle"], (0, 0), 1.2)
    comparison = compare_quality(soft, sharpened(soft, 8, 2), treats=[Stress.DEFOCUS])
    assert not comparison.improved, comparison
    assert measure_quality(sharpened(soft, 8, 2)).features["halo"] > 0.25


def test_taking_off_a_cast_counts_only_when_asked_for(photographs) -> None:  # type: ignore[no-untyped-def]
    clean = photographs["astronaut"]
    yellow = rounded(clean * np.float32([1, 0.7, 0.4]))
    assert compare_quality(yellow, clean, treats=[Stress.COLOUR_CAST]).improved
    assert not compare_quality(clean, yellow, treats=[Stress.COLOUR_CAST]).improved


def test_the_score_is_the_product_of_its_parts(photographs) -> None:  # type: ignore[no-untyped-def]
    for image in photographs.values():
        report = measure_quality(dark(image))
        assert set(report.parts) == set(QUALITY_PARTS)
        assert report.score == pytest.approx(np.prod(list(report.parts.values())))
        assert all(0 <= value <= 1 for value in report.parts.values())


def test_an_edit_that_changes_nothing_gains_nothing(photographs) -> None:  # type: ignore[no-untyped-def]
    comparison = compare_quality(photographs["flower"], photographs["flower"], treats=[])
    assert (comparison.gain, comparison.change) == (0.0, pytest.approx(0.0, abs=1e-6))
    assert not comparison.improved


@pytest.mark.parametrize("size", [(8, 8), (1, 1), (7, 100), (31, 40), (32, 32), (33, 200), (200, 32)])
@pytest.mark.parametrize("level", [None, 0.0, 1.0])
def test_small_and_flat_pictures_have_finite_scores(photographs, size: tuple[int, int], level: float | None) -> None:  # type: ignore[no-untyped-def]
    image = cv2.resize(photographs["china"], size, interpolation=cv2.INTER_AREA)
    if level is not None:
        image = np.full_like(image, level)
    report = measure_quality(image)
    assert 0 <= report.score <= 1
    assert np.isfinite(list(report.features.values())).all()
    assert np.isfinite(compare_quality(image, image * 0.5, treats=[Stress.NOISE]).gain)


def test_flat_pictures_score_below_photographs(photographs) -> None:  # type: ignore[no-untyped-def]
    for level in (0.0, 0.5, 1.0):
        flat = measure_quality(np.full((100, 120, 3), level, np.float32))
        assert flat.score < 0.5 * min(measure_quality(image).score for image in photographs.values())


def test_large_pictures_are_measured_at_one_megapixel(photographs) -> None:  # type: ignore[no-untyped-def]
    large = cv2.resize(photographs["coffee"], (2400, 1600), interpolation=cv2.INTER_CUBIC).clip(0, 1)
    seen = cv2.resize(large, (1225, 816), interpolation=cv2.INTER_AREA)
    assert measure_quality(large).score == pytest.approx(measure_quality(seen).score, rel=0.02)


def test_eight_bit_and_float_are_one_picture(photographs) -> None:  # type: ignore[no-untyped-def]
    eight = np.floor(photographs["coffee"] * 255 + 0.5).astype(np.uint8)
    assert measure_quality(eight) == measure_quality(eight.astype(np.float32) / 255)


def test_sizes_must_agree(photographs) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ToolError, match="one size"):
        compare_quality(photographs["coffee"], photographs["coffee"][:100], treats=[])
    with pytest.raises(ToolError, match="NaN"):
        measure_quality(np.full((20, 20, 3), np.nan, np.float32))


def test_the_model_only_punishes_and_knows_every_feature(photographs) -> None:  # type: ignore[no-untyped-def]
    model = quality_model()
    assert all(ramp.weight > 0 for ramp in model.terms)
    assert set(quality_features(photographs["china"])) == set(FEATURE_PARTS)
    neutral = dict.fromkeys(FEATURE_PARTS, 0.0)
    assert min(part_penalties(neutral).values()) >= 0


@pytest.mark.parametrize(
    "term",
    [
        {"feature": "halo", "weight": 1},
        {"feature": "halo", "above": 0.1, "below": 0.2, "weight": 1},
        {"feature": "halo", "above": 0.1, "weight": -1},
        {"feature": "unheard_of", "above": 0.1, "weight": 1},
    ],
)
def test_a_broken_model_is_refused(term: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="ramp|weight|feature"):
        QualityModel.model_validate({"version": 1, "terms": [term]})


def test_ramps_start_at_their_knot() -> None:
    above, below = Ramp(feature="halo", above=0.2, weight=2), Ramp(feature="halo", below=0.2, weight=2)
    assert [above.penalty(x) for x in (0.1, 0.2, 0.5)] == pytest.approx([0, 0, 0.6])
    assert [below.penalty(x) for x in (0.1, 0.2, 0.5)] == pytest.approx([0.2, 0, 0])
