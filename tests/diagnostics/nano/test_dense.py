"""The dense loss: what it asks of the tower, and what it lets pass."""

from __future__ import annotations

import numpy as np
import torch

from seeworthy.diagnostics.nano.dense import dense_loss, dense_scores
from seeworthy.diagnostics.nano.symbols import BINS, GRID, GROUPS, SYMBOLS

PATCHES = GRID * GRID
SURE = 12.0
"""A logit that leaves no doubt."""


def picture(owners: dict[int, list[int]]) -> torch.Tensor:
    """(1, patches, SYMBOLS) a picture in which categories own patches, and floor the others."""
    symbols = np.zeros((PATCHES, SYMBOLS), dtype=np.float32)
    floor = GROUPS["present"].stop - GROUPS["present"].start + 1
    category = np.full(PATCHES, -1)
    for name, patches in owners.items():
        category[patches] = name
    for patch, name in enumerate(category.tolist()):
        symbols[patch, GROUPS["owner"].start + (floor if name < 0 else name)] = 1
        symbols[patch, GROUPS["mark"].start] = symbols[patch, GROUPS["owned"].start] = 1
        symbols[patch, GROUPS["depth"].start] = 1
        if name >= 0:
            symbols[patch, GROUPS["present"].start + name] = 1
            for group in ("right", "forward", "up", "distance", "length", "width", "height"):
                symbols[patch, GROUPS[group].start + 2] = 1
    return torch.from_numpy(symbols)[None]


def sure_of(symbols: torch.Tensor) -> torch.Tensor:
    return (symbols - 0.5) * 2 * SURE


def test_who_tells_all_rightly_loses_nothing() -> None:
    symbols = picture({3: [0, 1, 12, 13], 7: [50]})
    assert float(dense_loss(sure_of(symbols), symbols)) < 0.01
    scores = dense_scores(sure_of(symbols), symbols)
    assert scores["owner of objects' patches"] == 1.0


def test_a_small_thing_that_is_missed_costs_more_than_as_many_patches_of_a_large_one() -> None:
    large = list(range(60))
    symbols = picture({3: large, 7: [100]})

    def missed(patch: int) -> float:
        told = sure_of(symbols)
        told[0, patch, GROUPS["owner"]] = -SURE
        told[0, patch, GROUPS["owner"].stop - 1] = SURE
        return float(dense_loss(told, symbols))

    assert missed(100) > 3 * missed(5)


def test_a_category_must_be_told_in_one_patch_and_denied_in_none() -> None:
    """Of what is in a picture nowhere, one patch that claims it costs the whole picture, however sure the others."""
    symbols = picture({3: [0, 1, 2, 3]})
    told = sure_of(symbols)
    right = float(dense_loss(told, symbols))
    told[0, 140, GROUPS["present"].start + 9] = SURE
    claimed = float(dense_loss(told, symbols)) - right
    # Alone the patch's own share would be its logit over the number of patches.
    assert claimed > 5 * SURE / PATCHES
    # A category that one patch tells is told: the doubt of another patch is its own small loss.
    told = sure_of(symbols)
    told[0, 1, GROUPS["present"].start + 3] = -SURE
    assert float(dense_loss(told, symbols)) - right < 2 * SURE / PATCHES


def test_scores_are_of_marked_patches_in_metres() -> None:
    symbols = picture({3: [0, 1]})
    symbols[0, 0, GROUPS["mark"]] = 0
    symbols[0, 0, GROUPS["mark"].start + 4] = 1
    told = sure_of(symbols)
    told[0, 0, GROUPS["right"]] = -SURE
    told[0, 0, GROUPS["right"].start + 3] = SURE
    scores = dense_scores(told, symbols)
    assert scores["mark"] == 1.0
    np.testing.assert_allclose(scores["right_m"], BINS["right"][3] - BINS["right"][2], rtol=1e-3)
    assert scores["forward_m"] < 1e-3
