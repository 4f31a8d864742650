"""What a word of a question stands for: a thing in the picture, whose symbols the decoder should have at that word.

An answer of one word tells little of what was misread. So in training the decoder is also asked, after its first layers
and at every word that names a thing, for the symbols of that thing: which patches it speaks of, and what they say. With
that at hand, the layers that follow only have to compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...bench_data.scenes.procedural import ROOM_CATEGORIES
from .symbols import COLOURS, GROUPS, MOST_MARKS, SYMBOLS
from .tokenizer import EDGES_FROM, NUMBER_COMES, category_forms, token_id

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

__all__ = [
    "LAYERS_TO_FIND",
    "Mentions",
    "Things",
    "category_of",
    "mention_head",
    "mention_loss",
    "mention_scores",
    "things_of",
]

LAYERS_TO_FIND: Final = 2
"""After so many layers of the decoder a word must have found its thing."""
_SHARES: Final = {
    "owner": 0.5,
    "owned": 0.2,
    "right": 0.5,
    "forward": 0.5,
    "up": 0.5,
    "distance": 0.5,
    "length": 0.25,
    "width": 0.25,
    "height": 0.25,
    "row": 0.1,
    "column": 0.1,
}
_COLOUR, _FOUND = 0.1, 0.5
_SHADES: Final = len(COLOURS) + 1
_LEAST: Final = 0.5
"""A thing is there when its patches count up to this: symbols are shares."""


class Things(NamedTuple):
    """What words name.

    Attributes:
        symbols: (M, SYMBOLS) the middle of what the patches of each thing say.
        found: (M,) whether there is such a thing.
    """

    symbols: torch.Tensor
    found: torch.Tensor


class Mentions:
    """Finds the words of a text that name things.

    Args:
        tokenizer: whose tokens the texts are in.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self._category = {
            token_id(tokenizer, form): place
            for place, label in enumerate(ROOM_CATEGORIES)
            for form in category_forms(label)
        }
        self._colour = {token_id(tokenizer, word): place for place, word in enumerate(COLOURS)}
        self._number = {token_id(tokenizer, str(number)): number for number in range(1, MOST_MARKS + 1)}
        self._edge = {token_id(tokenizer, token): number for token, number in EDGES_FROM.items()}
        self._before_number = {token_id(tokenizer, token) for token in NUMBER_COMES}

    def codes(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """(T,) 0 for a word that names nothing, else the number on the thing, or what it is and its colour."""
        found = np.zeros(len(ids), dtype=np.int64)
        tokens = ids.tolist()
        for place, (before, token) in enumerate(zip([-1, *tokens], tokens, strict=False)):
            if token in self._number and before in self._before_number:
                found[place] = self._number[token]
            elif token in self._edge:
                found[place] = self._edge[token]
            elif token in self._category:
                shade = self._colour.get(before, -1) + 1
                found[place] = 1 + MOST_MARKS + self._category[token] * _SHADES + shade
        return found


def mention_head(width: int) -> torch.nn.Module:
    """Reads the symbols of a thing, and whether there is one, off a word that names it; used in training only."""
    from torch import nn

    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, SYMBOLS + 1))


def category_of(codes: torch.Tensor) -> torch.Tensor:
    """(M,) the category that each word names, by its place in `ROOM_CATEGORIES`; below 0 for numbers.

    Args:
        codes: (M,) see `Mentions.codes`.
    """
    import torch

    category = torch.div(codes - 1 - MOST_MARKS, _SHADES, rounding_mode="floor")
    return torch.where(codes > MOST_MARKS, category, -1)


def things_of(codes: torch.Tensor, rows: torch.Tensor, symbols: torch.Tensor) -> Things:
    """What words name.

    Args:
        codes: (M,) see `Mentions.codes`.
        rows: (M,) the picture of each word.
        symbols: (B, patches, SYMBOLS) what the pictures show.
    """
    import torch

    named = codes > MOST_MARKS
    category, shade = category_of(codes), (codes - 1 - MOST_MARKS) % _SHADES
    column = torch.where(named, GROUPS["owner"].start + category, GROUPS["mark"].start + codes)
    tint = (GROUPS["colour"].start + shade - 1).clamp(min=0)
    coloured = named & (shade > 0)
    told = symbols.new_zeros(len(codes), symbols.shape[-1])
    patches = symbols.new_zeros(len(codes))
    for row in range(len(symbols)):
        mine = (rows == row).nonzero()[:, 0]
        shown = symbols[row]
        weight = shown[:, column[mine]].T
        weight = torch.where(coloured[mine, None], weight * shown[:, tint[mine]].T, weight)
        patches[mine] = weight.sum(-1)
        told[mine] = weight @ shown / weight.sum(-1, keepdim=True).clamp(min=1e-6)
    return Things(told, patches >= _LEAST)


def mention_loss(told: torch.Tensor, things: Things) -> torch.Tensor:
    """Cross-entropy of what is told of things.

    Args:
        told: (M, SYMBOLS + 1) of the head.
        things: what the words name.
    """
    import torch
    from torch.nn import functional

    right, found = things

    def entropy(group: str) -> torch.Tensor:
        return -(functional.log_softmax(told[:, GROUPS[group]], dim=-1) * right[:, GROUPS[group]]).sum(-1)

    colour = functional.binary_cross_entropy_with_logits(
        told[:, GROUPS["colour"]], right[:, GROUPS["colour"]].clamp(0, 1), reduction="none"
    ).sum(-1)
    parts = [
        _FOUND * functional.binary_cross_entropy_with_logits(told[:, -1], found.float()),
        _COLOUR * _mean(colour, found),
        *(share * _mean(entropy(group), found) for group, share in _SHARES.items()),
    ]
    return torch.stack(parts).sum()


def mention_scores(told: torch.Tensor, things: Things) -> dict[str, float]:
    """Shares of words for which category and place (to a bin) are told right, and whether there is such a thing."""
    right, found = things
    scores = {"mention found": float(((told[:, -1] > 0) == found).float().mean())}
    for group in ("owner", "right", "forward", "distance"):
        off = (told[:, GROUPS[group]].argmax(-1) - right[:, GROUPS[group]].argmax(-1)).abs()
        near = off == 0 if group == "owner" else off <= 1
        scores[f"mention {group}"] = float(near[found].float().mean())
    return scores


def _mean(values: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    return (values * where).sum() / where.sum().clamp(min=1)
