"""Blanked pictures: how much goes, that numbers stay, and that what is left is the picture."""

from __future__ import annotations

import numpy as np

from seeworthy.diagnostics.nano.erasing import erased

RNG = np.random.default_rng(0)
SHOWN = RNG.integers(0, 256, (144, 192, 3), dtype=np.uint8)
NUMBERS = np.zeros((144, 192), dtype=np.bool_)
NUMBERS[20:30, 40:50] = NUMBERS[100:112, 150:162] = True


def test_a_part_of_every_picture_goes_and_the_rest_stays() -> None:
    shares = []
    for seed in range(40):
        made = erased(SHOWN, np.zeros_like(NUMBERS), np.random.default_rng(seed))
        assert made.shape == SHOWN.shape and made.dtype == np.uint8
        shares.append(float((made != SHOWN).any(axis=2).mean()))
    assert min(shares) > 0.15 and max(shares) < 1
    assert np.std(shares) > 0.1


def test_what_is_blank_has_one_colour_and_hardly_any_contrast() -> None:
    made = erased(SHOWN, np.zeros_like(NUMBERS), np.random.default_rng(3)).astype(float)
    colour = np.median(made[(made != SHOWN).any(axis=2)], axis=0)
    near = np.abs(made - colour).max(axis=2) < 255 * 0.06
    assert near.mean() > 0.15


def test_numbers_stay_and_the_seed_decides() -> None:
    for seed in range(10):
        made = erased(SHOWN, NUMBERS, np.random.default_rng(seed))
        assert np.array_equal(made[NUMBERS], SHOWN[NUMBERS])
        assert np.array_equal(made, erased(SHOWN, NUMBERS, np.random.default_rng(seed)))
        assert not np.array_equal(made, erased(SHOWN, NUMBERS, np.random.default_rng(seed + 1)))
