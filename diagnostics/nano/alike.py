"""How many things of its kind there are: what the decoder should know at a name.

That there are two chairs is the answer to few questions, and one word that says little of what was overlooked. So, as
with what words name and how that compares, it is also asked for by itself: at every name of a category, whether the
picture shows one such thing, two or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...bench_data.scenes.procedural import ROOM_CATEGORIES
from .mentions import category_of
from .symbols import GRID, GROUPS

if TYPE_CHECKING:
    import torch

__all__ = ["MOST_ALIKE", "UNKNOWN", "alike_head", "alike_loss", "alike_of", "alike_scores"]

MOST_ALIKE: Final = 3
"""So many and more are one class."""
UNKNOWN: Final = -1
_RARER: Final = (1.0, 4.0, 8.0)
"""Weights of the classes: nine of ten things in a picture are the only ones of their kind."""
_TELLING: Final = ("right", "forward", "up", "length", "width", "height")
"""What two things of a kind never share all of."""


def alike_head(width: int) -> torch.nn.Module:
    """Reads off a name how many such things there are; used in training only."""
    from torch import nn

    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, MOST_ALIKE))


def alike_of(codes: torch.Tensor, rows: torch.Tensor, symbols: torch.Tensor) -> torch.Tensor:
    """(M,) for each word that names something: 0 for one such thing in the picture, 1 for two, and so on.

    `UNKNOWN` where a word names no category, where nothing of it is seen, and where a patch shows something of it far
    from all that belong to such things: that may be one more, too small to own a patch.

    Args:
        codes: (M,) see `Mentions.codes`.
        rows: (M,) the picture of each word.
        symbols: (B, patches, SYMBOLS) what the pictures show.
    """
    import torch

    counts = torch.stack([_counts(shown) for shown in symbols])
    category = category_of(codes)
    told = counts[rows, category.clamp(min=0)]
    told = torch.where(told > 0, told.clamp(max=MOST_ALIKE) - 1, UNKNOWN)
    return torch.where(category < 0, UNKNOWN, told)


def alike_loss(told: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Cross-entropy, in which rarer numbers count more.

    Args:
        told: (M, MOST_ALIKE) of the head.
        right: (M,) see `alike_of`.
    """
    import torch
    from torch.nn import functional

    known = right != UNKNOWN
    if not bool(known.any()):
        return told.sum() * 0
    return functional.cross_entropy(told[known], right[known], weight=torch.tensor(_RARER))


def alike_scores(told: torch.Tensor, right: torch.Tensor) -> dict[str, float]:
    """Shares of names at which the number of things is told right, where it is one and where it is more."""
    right_told = told.argmax(-1) == right
    classes = {"one alike": right == 0, "more alike": right > 0}
    return {name: float(right_told[where].float().mean()) for name, where in classes.items()}


def _counts(shown: torch.Tensor) -> torch.Tensor:
    """(categories,) how many things of each own a patch of a picture (patches, SYMBOLS), 0 where that is not all."""
    import torch
    from torch.nn import functional

    kinds = len(ROOM_CATEGORIES)
    start = GROUPS["owner"].start
    owner = shown[:, start : start + kinds]
    telling = torch.cat([shown[:, GROUPS[group]] for group in _TELLING], dim=-1)
    owned = owner.sum(-1) > 0.5
    things = torch.unique(torch.cat([owner, telling], dim=-1)[owned], dim=0)
    counts = (things[:, :kinds] > 0.5).sum(0)
    near = functional.max_pool2d(owner.T.reshape(1, kinds, GRID, GRID), 3, stride=1, padding=1).reshape(kinds, -1).T
    stray = ((shown[:, GROUPS["present"]] > 0.5) & (near < 0.5)).any(0)
    return torch.where(stray, 0, counts)
