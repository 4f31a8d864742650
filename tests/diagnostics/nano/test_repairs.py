"""Training pictures after the solver's own tools: which tool meets which picture, and what stays."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.stress import Stress
from seeworthy.diagnostics.nano import repairs
from seeworthy.diagnostics.nano.repairs import repaired
from seeworthy.tools.registry import RECTIFIERS, Alignment, RectifierSpec, RectifyHint, apply_rectifier


def picture() -> np.ndarray:
    rng = np.random.default_rng(2)
    tones = np.linspace(60, 190, 96)[None, :, None] + rng.normal(0, 12, (72, 1, 3))
    return np.clip(tones, 0, 255).astype(np.uint8)


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, RectifyHint]]:
    calls: list[tuple[str, RectifyHint]] = []

    def noted(spec: RectifierSpec, image: np.ndarray, hint: RectifyHint) -> object:
        calls.append((spec.name, hint))
        return apply_rectifier(spec, image, hint)

    monkeypatch.setattr(repairs, "apply_rectifier", noted)
    return calls


def test_a_degraded_picture_meets_only_tools_that_treat_its_degradation(used: list[tuple[str, RectifyHint]]) -> None:
    rng = np.random.default_rng(0)
    for condition in ("haze-3", "low_light-bench", "jpeg_compression-5"):
        used.clear()
        for _ in range(6):
            repaired(picture(), condition, rng)
        for name, hint in used:
            assert Stress(condition.rpartition("-")[0]) in RECTIFIERS.get(name).treats
            assert hint.severity is not None and 1 <= hint.severity <= 4 and not hint.options


@pytest.mark.parametrize("condition", ["", "rain-2", "water_droplets-bench"])
def test_where_no_tool_helps_any_of_the_usual_ones_is_taken(
    used: list[tuple[str, RectifyHint]], condition: str
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        repaired(picture(), condition, rng)
    names = {name for name, _ in used}
    assert names == {"dehaze", "stretch_contrast", "lift_and_denoise", "sharpen_mild", "denoise"}
    assert all(RECTIFIERS.get(name).faithful and RECTIFIERS.get(name).alignment is Alignment.PIXEL for name in names)


def test_it_stays_a_picture_is_changed_and_the_seed_decides() -> None:
    shown = picture()
    before = shown.copy()
    made = [repaired(shown, "", np.random.default_rng(seed)) for seed in range(12)]
    assert all(one.dtype == np.uint8 and one.shape == shown.shape for one in made)
    assert np.array_equal(shown, before)
    assert sum(not np.array_equal(one, shown) for one in made) >= 9
    assert np.array_equal(made[3], repaired(shown, "", np.random.default_rng(3)))
