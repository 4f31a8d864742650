"""The fit of a blur looks at few candidates in full, and finds what looking at all of them finds."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.images import linear_from_srgb
from seeworthy.tools.enhance.filtering.blur_fit import fit_blur
from seeworthy.tools.enhance.filtering.deconvolution import disc_kernel, line_kernel
from seeworthy.tools.enhance.filtering.power_spectrum import power_spectrum
from seeworthy.tools.enhance.filtering.spectral_misfit import misfits
from seeworthy.tools.enhance.filtering.spectral_samples import PlaneSamples

EXPONENTS, FLOORS = (1.6, 2.2, 2.8), (1e-4, 1e-3, 1e-2)
LAGS_PX = np.arange(3.0, 32.0, 0.25)


def scene(kernel: np.ndarray | None = None, *, seed: int = 0) -> np.ndarray:
    """(144, 192) linear light: rectangles and discs with a little texture, blurred and rounded to 8 bits."""
    import cv2

    rng = np.random.default_rng(seed)
    canvas = np.full((144, 192), 0.4, np.float32)
    for _ in range(60):
        x, y, size = (int(value) for value in rng.integers((0, 0, 4), (192, 144, 40)))
        level = float(rng.uniform(0.05, 0.95))
        if rng.random() < 0.5:
            cv2.rectangle(canvas, (x, y), (x + size, y + size // 2), level, -1)
        else:
            cv2.circle(canvas, (x, y), size // 3, level, -1)
    light = linear_from_srgb(np.clip(canvas + rng.normal(0, 0.02, canvas.shape), 0, 1).astype(np.float32))
    if kernel is not None:
        light = np.asarray(cv2.filter2D(light, -1, kernel, borderType=cv2.BORDER_REFLECT))
    return np.asarray(np.rint(light * 255) / 255, dtype=np.float32)


BLURS = {
    "sharp": None,
    "long motion": line_kernel(17, np.deg2rad(33)),
    "short motion": line_kernel(5, np.deg2rad(120)),
    "defocus": disc_kernel(3.5),
}


def plain_misfit(log_power: np.ndarray, frequency: np.ndarray, transfer: np.ndarray) -> float:
    best = np.inf
    for exponent in EXPONENTS:
        for floor in FLOORS:
            fitted = np.log(transfer**2 * frequency**-exponent + floor * 0.3**-exponent)
            difference = log_power - fitted
            best = min(best, float(np.abs(difference - np.median(difference)).mean()))
    return best


def samples_of(blur: str, seed: int) -> PlaneSamples:
    spectrum = power_spectrum(scene(BLURS[blur], seed=seed), tile_px=128)
    assert spectrum is not None
    return PlaneSamples(spectrum)


@pytest.mark.parametrize("samples", [1, 2, 300, 301])
def test_misfits_of_many_candidates_are_those_of_each(samples: int) -> None:
    rng = np.random.default_rng(0)
    frequency, log_power = rng.uniform(0.04, 0.45, samples), rng.normal(size=samples)
    transfers = rng.uniform(-1, 1, (7, samples))
    found = misfits(log_power, frequency, transfers, exponents=EXPONENTS, floors=FLOORS)
    assert found.tolist() == [plain_misfit(log_power, frequency, transfer) for transfer in transfers]


@pytest.mark.parametrize("blur", BLURS)
def test_the_direction_is_that_of_the_best_of_all_lines(blur: str) -> None:
    samples = samples_of(blur, seed=1)
    found = []
    for angle in np.deg2rad(np.arange(0, 180, 7.5)):
        along = samples.across * np.cos(angle) + samples.down * np.sin(angle)
        for length in np.geomspace(2.5, 60, 20):
            found.append((plain_misfit(samples.log_power, samples.radius, np.sinc(length * along)), float(angle)))
    assert samples.line_angle_rad() == pytest.approx(min(found)[1], abs=1e-12)


@pytest.mark.parametrize("blur", BLURS)
@pytest.mark.parametrize("seed", range(4))
def test_the_deepest_dip_is_the_deepest_of_all_angles(blur: str, seed: int) -> None:
    samples = samples_of(blur, seed)
    angles = np.deg2rad(33) + np.deg2rad(np.arange(-5.0, 5.1, 1.0))
    dips = []
    for angle in angles:
        cepstrum = samples.cepstrum(float(angle), LAGS_PX)
        dips.append((float(cepstrum.min()), float(angle), float(LAGS_PX[int(np.argmin(cepstrum))])))
    assert samples.deepest_dip(angles, LAGS_PX) == min(dips)


def test_kind_size_and_direction_are_found() -> None:
    motion = fit_blur(scene(BLURS["long motion"]))
    assert (motion.kind, motion.size_px) == ("line", pytest.approx(17, abs=1.5))
    assert np.rad2deg(motion.angle_rad) == pytest.approx(33, abs=4)
    assert motion.confidence > 0.5
    defocus = fit_blur(scene(BLURS["defocus"]))
    assert (defocus.kind, defocus.size_px) == ("disc", pytest.approx(3.5, abs=0.3))
    assert fit_blur(scene()).confidence == 0
