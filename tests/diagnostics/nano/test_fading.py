"""Faded and restored pictures: still pictures of the same things, with traces that differ, and numbers as drawn."""

from __future__ import annotations

import numpy as np

from seeworthy.diagnostics.nano.fading import faded_and_restored

_ACROSS, _DOWN = np.meshgrid(np.arange(192), np.arange(144))
SHOWN = np.stack([_ACROSS, 40 + 0.5 * _ACROSS + 0.5 * _DOWN, 200 - _DOWN], axis=2).astype(np.uint8)
SHOWN[40:90, 60:110] = (150, 60, 40)
NOTHING = np.zeros(SHOWN.shape[:2], dtype=np.bool_)
NUMBERS = NOTHING.copy()
NUMBERS[20:30, 40:50] = NUMBERS[100:112, 150:162] = True
SEEDS = range(60)


def made(seed: int, kept: np.ndarray = NOTHING) -> np.ndarray:
    return faded_and_restored(SHOWN, kept, np.random.default_rng(seed))


def test_numbers_stay_and_the_seed_decides() -> None:
    for seed in range(10):
        one = made(seed, NUMBERS)
        assert one.shape == SHOWN.shape and one.dtype == np.uint8
        assert np.array_equal(one[NUMBERS], SHOWN[NUMBERS])
        assert np.array_equal(one, made(seed, NUMBERS))
        assert not np.array_equal(one, made(seed + 1, NUMBERS))


def test_traces_are_of_any_strength() -> None:
    errors = [float(np.abs(made(seed).astype(float) - SHOWN).mean()) for seed in SEEDS]
    assert min(errors) < 12 and max(errors) > 35
    assert np.std(errors) > 5


def test_a_typical_picture_keeps_what_it_shows_and_loses_steps_of_its_tones() -> None:
    alike, tones = [], []
    for seed in SEEDS:
        alike.append(float(np.corrcoef(made(seed).ravel(), SHOWN.ravel())[0, 1]))
        # Where most was lost, the ramp has become stairs: many neighbours are equal.
        tones.append(float((np.diff(made(seed)[:20, :, 0].astype(int), axis=1) == 0).mean()))
    assert np.median(alike) > 0.8
    assert np.mean(tones) > 2 * float((np.diff(SHOWN[:20, :, 0].astype(int), axis=1) == 0).mean()) + 0.1


def test_the_upper_part_suffers_more_as_what_is_far_away() -> None:
    above, below = [], []
    for seed in SEEDS:
        for shown in (SHOWN, SHOWN[::-1]):
            restored = faded_and_restored(shown, NOTHING, np.random.default_rng(seed))
            error = np.abs(restored.astype(float) - shown).mean(axis=2)
            above.append(error[:48].mean())
            below.append(error[96:].mean())
    assert np.mean(above) > 1.15 * np.mean(below)
