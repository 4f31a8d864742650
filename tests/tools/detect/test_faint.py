"""What little a picture without edges shows: things behind the thickest haze, or just a smooth surface."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.images import Picture
from seeworthy.bench_data.stress import Stress
from seeworthy.tools.detect import detect_by_statistics
from seeworthy.tools.detect.features import measure_features

from .pictures import picture_of, textured

DOWN, ACROSS = np.mgrid[-1:1:144j, -1:1:192j]
RNG = np.random.default_rng(0)


def grey(levels: np.ndarray) -> Picture:
    rounded = np.clip(np.rint(levels + 0 * ACROSS), 0, 255).astype(np.uint8)
    return Picture(np.repeat(rounded[..., None], 3, axis=2))


SMOOTH = {
    "plain": grey(np.array(200.0)),
    "few steps": grey(200 + 2.5 * ACROSS),
    "few steps, aslant": grey(215 + 1.5 * ACROSS - 1.1 * DOWN),
    "long ramp": grey(150 + 30 * ACROSS),
    "lens, light fall-off": grey(210 - 2 * (ACROSS**2 + DOWN**2)),
    "lens, strong fall-off": grey(220 - 15 * (ACROSS**2 + DOWN**2)),
    "some noise": grey(200 + RNG.normal(0, 2, ACROSS.shape)),
    "much noise": grey(190 + RNG.normal(0, 8, ACROSS.shape)),
    "noise on a ramp": grey(190 + 20 * DOWN + RNG.normal(0, 3, ACROSS.shape)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_surfaces_show_nothing(name: str) -> None:
    assert measure_features(SMOOTH[name]).faint_share < 0.005
    assert Stress.HAZE not in {finding.stress for finding in detect_by_statistics(SMOOTH[name]).findings}


@pytest.mark.parametrize("left", [0.02, 0.015, 0.01])
@pytest.mark.parametrize("seed", range(4))
def test_haze_is_found_behind_which_things_show_by_a_shade(left: float, seed: int) -> None:
    hidden = picture_of(textured(144, 192, seed) * left + 0.87 * (1 - left))
    features = measure_features(hidden)
    assert features.edges.found < 40 and features.faint_share > 0.02
    (found,) = [one for one in detect_by_statistics(hidden).findings if one.stress is Stress.HAZE]
    assert found.severity > 4


def test_of_pictures_with_edges_it_is_not_measured() -> None:
    assert measure_features(picture_of(textured(144, 192, 0))).faint_share == 0
