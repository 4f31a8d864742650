"""What the solver makes of real photographs: better where they were stressed, untouched where they were not."""

from __future__ import annotations

import asyncio
import statistics

import pytest

from seeworthy.agent.repair import repair_picture
from seeworthy.bench_data.degrade import degrade
from seeworthy.bench_data.photographs import package_photographs
from seeworthy.tools.measure.fidelity import mean_psnr_db, ssim

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
