"""How many things of a kind a picture shows, at the words that name them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from seeworthy.bench_data.scenes.procedural import ROOM_CATEGORIES
from seeworthy.diagnostics.nano.alike import MOST_ALIKE, UNKNOWN, alike_head, alike_loss, alike_of, alike_scores
from seeworthy.diagnostics.nano.symbols import COLOURS, GRID, Placement, patch_symbols

_SOFA, _STOOL, _VASE = (ROOM_CATEGORIES.index(label) for label in ("sofa", "stool", "vase"))
_PX = 12
"""Of a patch."""


def code_of(label: int, colour: str | None = None) -> int:
    return 13 + label * (len(COLOURS) + 1) + (0 if colour is None else COLOURS.index(colour) + 1)


def thing(category: int, right_m: float) -> Placement:
    numbers = {
        "right": right_m,
        "forward": 3.0,
        "up": -1.0,
        "distance": 3.2,
        "length": 0.0,
        "width": 0.0,
        "height": 0.0,
    }
    return Placement(category, (), numbers)


def picture(*, stools: int = 2, hidden_px: int = 0) -> torch.Tensor:
    """Stools beside each other, a sofa below, and so many pixels of a further stool far from all of them."""
    ids = np.full((GRID * _PX, GRID * _PX), -1)
    objects = {0: thing(_SOFA, 0.0), 9: thing(_STOOL, 3.9)}
    ids[8 * _PX : 10 * _PX, : 4 * _PX] = 0
    for place in range(stools):
        ids[: 2 * _PX, 2 * place * _PX : 2 * (place + 1) * _PX] = 1 + place
        objects[1 + place] = thing(_STOOL, place - 2.0)
    ids[-1, -hidden_px or ids.shape[1] :] = 9
    symbols = patch_symbols(ids, np.full(ids.shape, 3.0), objects, {})
    return torch.from_numpy(symbols.astype(np.float32))[None]


@pytest.mark.parametrize(
    ("code", "shown", "expected"),
    [
        (code_of(_STOOL), {"stools": 1}, 0),
        (code_of(_STOOL), {"stools": 2}, 1),
        (code_of(_STOOL), {"stools": 3}, 2),
        (code_of(_STOOL), {"stools": 5}, MOST_ALIKE - 1),
        (code_of(_STOOL, "green"), {"stools": 2}, 1),
        (code_of(_SOFA), {"stools": 2}, 0),
        (code_of(_STOOL), {"stools": 0}, UNKNOWN),
        (code_of(_VASE), {"stools": 2}, UNKNOWN),
        (3, {"stools": 2}, UNKNOWN),
        (12, {"stools": 2}, UNKNOWN),
        # Pixels too few for a patch of their own tell that there is one more, or a part of one that is hidden.
        (code_of(_STOOL), {"stools": 2, "hidden_px": 9}, UNKNOWN),
        (code_of(_SOFA), {"stools": 2, "hidden_px": 9}, 0),
        (code_of(_STOOL), {"stools": 2, "hidden_px": 3}, 1),
    ],
)
def test_things_are_counted_by_kind(code: int, shown: dict[str, int], expected: int) -> None:
    found = alike_of(torch.tensor([code]), torch.tensor([0]), picture(**shown))
    assert found.tolist() == [expected]


def test_every_word_is_told_of_its_own_picture() -> None:
    pictures = torch.cat([picture(stools=1), picture(stools=2)])
    codes, rows = torch.tensor([code_of(_STOOL), code_of(_SOFA), code_of(_STOOL)]), torch.tensor([1, 1, 0])
    assert alike_of(codes, rows, pictures).tolist() == [1, 0, 0]


def test_loss_falls_as_the_right_number_grows_likelier() -> None:
    right = torch.tensor([0, 1, 2, UNKNOWN])
    told = torch.nn.functional.one_hot(right.clamp(min=0), MOST_ALIKE).float()
    assert alike_loss(3 * told, right) < alike_loss(told, right) < alike_loss(-told, right)
    assert alike_scores(told, right) == {"one alike": 1.0, "more alike": 1.0}


def test_without_a_known_number_nothing_is_lost() -> None:
    told = alike_head(16)(torch.zeros(2, 16))
    loss = alike_loss(told, torch.tensor([UNKNOWN, UNKNOWN]))
    loss.backward()
    assert loss.item() == 0
