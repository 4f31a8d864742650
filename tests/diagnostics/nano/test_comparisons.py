"""How named things compare, as taught to the decoder."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from seeworthy.diagnostics.nano.comparisons import comparison_head, comparison_loss, comparison_scores
from seeworthy.diagnostics.nano.mentions import Things
from seeworthy.diagnostics.nano.symbols import BINS, GROUPS, SYMBOLS

_GROUPS = ("right", "forward", "up", "distance", "length", "width", "height")


def things(rights: list[float], found: list[bool] | None = None) -> Things:
    """Things that differ in how far to the right they are."""
    symbols = torch.zeros(len(rights), SYMBOLS)
    for row, right in enumerate(rights):
        for group in _GROUPS:
            bins = BINS[group]
            value = right if group == "right" else float(bins[3])
            place = np.clip((value - bins[0]) / (bins[1] - bins[0]), 0, len(bins) - 1.000001)
            low = int(place)
            symbols[row, GROUPS[group].start + low] = low + 1 - place
            symbols[row, GROUPS[group].start + low + 1] = place - low
    return Things(symbols, torch.tensor(found or [True] * len(rights)))


def said(words: int, *, sign: float, back: int = 1) -> torch.Tensor:
    """What a head says that is sure of "farther right" (or left), against the name so many places back."""
    told = torch.zeros(words, 2, 15)
    told[:, back - 1, 0] = 20 * sign
    return told.reshape(words, 30)


@pytest.mark.parametrize(("rights", "sign"), [([-1.0, 0.5], 1), ([0.5, -1.0], -1)])
def test_the_later_name_is_compared_with_the_earlier(rights: list[float], sign: int) -> None:
    one = torch.tensor([0, 0])
    right, wrong = (comparison_loss(said(2, sign=turn * sign), things(rights), one) for turn in (1, -1))
    assert float(right) + 5 < float(wrong)
    assert comparison_scores(said(2, sign=sign), things(rights), one)["more right"] == 1.0


def test_the_third_name_is_compared_with_the_first_too() -> None:
    one, three = torch.tensor([0, 0, 0]), things([0.0, 1.0, -1.0])
    losses = [float(comparison_loss(said(3, sign=sign, back=2), three, one)) for sign in (-1, 1)]
    assert losses[0] + 5 < losses[1]


def test_names_of_different_questions_and_missing_things_are_not_compared() -> None:
    apart = comparison_loss(said(2, sign=1), things([0.0, 1.0]), torch.tensor([0, 1]))
    missing = comparison_loss(said(2, sign=1), things([0.0, 1.0], [True, False]), torch.tensor([0, 0]))
    assert float(apart) == float(missing) == 0.0


def test_the_distance_between_things_is_told_in_metres() -> None:
    told = said(2, sign=1)
    told[1, 14] = 3.0 / 1.5
    assert comparison_scores(told, things([-1.5, 1.5]), torch.tensor([0, 0]))["apart_m"] == pytest.approx(0.0, abs=1e-5)


def test_a_head_learns_from_it() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    head = comparison_head(8)
    rights = rng.uniform(-3, 3, 200).tolist()
    words = torch.tensor(rights, dtype=torch.float32).reshape(-1, 2)
    # A word that holds both places, at the later of each two names.
    held = torch.zeros(200, 8)
    held[1::2, :2] = words
    held[:, 2:] = torch.from_numpy(rng.standard_normal((200, 6)).astype(np.float32)) * 0.1
    questions = torch.arange(200) // 2
    optimiser = torch.optim.Adam(head.parameters(), lr=0.05)
    for _ in range(150):
        loss = comparison_loss(head(held), things(rights), questions)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    with torch.inference_mode():
        assert comparison_scores(head(held), things(rights), questions)["more right"] > 0.9
