"""What the solver makes of real photographs: better where they were stressed, untouched where they were not."""

from __future__ import annotations

import asyncio
import statistics
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from seeworthy.agent.experience import Experience
from seeworthy.agent.repair import repair_picture
from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.measure.fidelity import mean_psnr_db, ssim
from seeworthy.tools.measure.judge import EditVerdict
from seeworthy.tools.registry import RECTIFIERS, RectifyHint

Image = NDArray[np.float32]
verifying = sys.modules["seeworthy.agent.stages.verify"]

# Kept out of fitting; a few thresholds were chosen after seeing results on them, so rates are optimistic.
COUNTED = package_photographs("counted")


@pytest.mark.parametrize("stress", ["low_light", "haze", "jpeg_compression", "noise", "over_exposure"])
def test_repairs_bring_photographs_nearer_to_the_truth(stress: str) -> None:
    clean, degraded, repaired = [], [], []
    for number, photograph in enumerate(COUNTED[::3]):
        bad = degrade(photograph.picture, stress, severity=3, seed=number).picture
        clean.append(photograph.picture.image_srgb_u8)
        degraded.append(bad.image_srgb_u8)
        repaired.append(asyncio.run(repair_picture(bad)).picture.image_srgb_u8)
    before, after = (mean_psnr_db(zip(clean, those, strict=True)) for those in (degraded, repaired))
    assert after > before
    likeness = [statistics.mean(map(ssim, clean, those)) for those in (degraded, repaired)]
    assert likeness[1] > likeness[0]


@pytest.mark.parametrize("photograph", COUNTED, ids=lambda photograph: photograph.name)
def test_a_clean_photograph_is_hardly_changed(photograph) -> None:  # type: ignore[no-untyped-def]
    after = asyncio.run(repair_picture(photograph.picture)).picture
    assert ssim(photograph.picture.image_srgb_u8, after.image_srgb_u8) >= 0.95


def hazy() -> Picture:
    return degrade(COUNTED[0].picture, "haze", severity="bench", seed=1).picture


def test_contrast_that_haze_took_is_left_to_the_repair_of_haze() -> None:
    repaired = asyncio.run(repair_picture(hazy()))
    found = {finding.stress for detection in repaired.detections for finding in detection.findings}
    assert {Stress.HAZE, Stress.LOW_CONTRAST} <= found
    assert {one.stress for one in repaired.work.tries} == {Stress.HAZE}
    assert {one.tool for one in repaired.work.tries} == {"dehaze", "dehaze_mild"}


def test_contrast_is_raised_where_no_tool_may_take_the_haze_off() -> None:
    never = Experience(never={Stress.HAZE: [name for name, spec in RECTIFIERS.specs() if Stress.HAZE in spec.treats]})
    repaired = asyncio.run(repair_picture(hazy(), experience=never))
    assert {one.stress for one in repaired.work.tries} == {Stress.LOW_CONTRAST}


def test_where_taking_off_all_haze_shows_things_that_are_not_there_most_of_it_is_taken_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = verifying.judge_edit

    def strict(original: Image, edited: Image, **options: object) -> EditVerdict:
        verdict = real(original, edited, **options)  # type: ignore[arg-type]
        strong = float(np.abs(edited - original).mean()) > strongest
        return EditVerdict(accepted=False, reason="content changed") if strong else verdict

    picture = hazy()
    mild = RECTIFIERS.get("dehaze_mild").rectify(picture.image_srgb, RectifyHint()).image_srgb
    strongest = 1.001 * float(np.abs(mild - picture.image_srgb).mean())
    monkeypatch.setattr(verifying, "judge_edit", strict)
    repaired = asyncio.run(repair_picture(picture))
    assert {one.tool: one.accepted for one in repaired.work.tries} == {"dehaze": False, "dehaze_mild": True}
