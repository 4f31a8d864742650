"""How things that one question names stand to each other: what the decoder should know at the later name.

"Is A left of B" and "which is not as far to the left" ask one and the same thing with many turns of words, and a single
bit of answer cannot teach the comparison and the wording at once. So the comparison is taught by itself: at every name,
against the one or two names before it in the question, which of the two is farther left, nearer, higher and larger, by
how much, and how far apart they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from .symbols import BINS, GROUPS

if TYPE_CHECKING:
    import torch

    from .mentions import Things

__all__ = ["LAYERS_TO_COMPARE", "comparison_head", "comparison_loss", "comparison_scores"]

LAYERS_TO_COMPARE: Final = 3
"""After so many layers of the decoder a name must know how its thing stands to those named before."""
_BACK: Final = 2
_GROUPS: Final = ("right", "forward", "up", "distance", "length", "width", "height")
_SCALES: Final = (1.0, 1.0, 0.5, 1.0, 0.7, 0.7, 0.7)
"""A difference of so much counts as large; those of sizes are between logarithms."""
_APART_M: Final = 1.5
_EACH: Final = 2 * len(_GROUPS) + 1


class _Pairs(NamedTuple):
    """(P,) words and (P,) how far back the other name is; (P, 7) differences and (P,) metres between them, scaled."""

    word: torch.Tensor
    back: torch.Tensor
    difference: torch.Tensor
    apart: torch.Tensor


def comparison_head(width: int) -> torch.nn.Module:
    """Reads comparisons with earlier names off a name; used in training only."""
    from torch import nn

    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, _BACK * _EACH))


def comparison_loss(told: torch.Tensor, things: Things, questions: torch.Tensor) -> torch.Tensor:
    """Which of two is more, by cross-entropy; by how much, by Huber's loss.

    Args:
        told: (M, ...) of the head, for every word that names a thing, in the order of the text.
        things: what the words name.
        questions: (M,) a number for each question.
    """
    import torch
    from torch.nn import functional

    pairs = _pairs(things, questions)
    if not len(pairs.word):
        return told.sum() * 0
    sign, size, apart = _told(told, pairs)
    clear = pairs.difference.abs().clamp(max=1)
    more = functional.binary_cross_entropy_with_logits(sign, (pairs.difference > 0).float(), reduction="none")
    signs = (more * clear).sum() / clear.sum().clamp(min=1e-6)
    sizes = functional.smooth_l1_loss(size, pairs.difference)
    return torch.stack([signs, sizes, functional.smooth_l1_loss(apart, pairs.apart)]).sum()


def comparison_scores(told: torch.Tensor, things: Things, questions: torch.Tensor) -> dict[str, float]:
    """Shares of clear differences whose sign is told right, and the mean error of distances between things."""
    pairs = _pairs(things, questions)
    sign, _, apart = _told(told, pairs)
    right = (sign > 0) == (pairs.difference > 0)
    clear = pairs.difference.abs() > 0.2
    scores = {
        f"more {group}": float(right[clear[:, place], place].float().mean()) for place, group in enumerate(_GROUPS)
    }
    return scores | {"apart_m": float((apart - pairs.apart).abs().mean()) * _APART_M}


def _told(told: torch.Tensor, pairs: _Pairs) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(P, 7) signs as logits, (P, 7) differences and (P,) distances."""
    slots = told.reshape(len(told), _BACK, _EACH)[pairs.word, pairs.back - 1]
    groups = len(_GROUPS)
    return slots[:, :groups], slots[:, groups : 2 * groups], slots[:, -1]


def _pairs(things: Things, questions: torch.Tensor) -> _Pairs:
    import torch

    values = torch.stack([_value(things, group) / scale for group, scale in zip(_GROUPS, _SCALES, strict=True)], dim=1)
    places = torch.stack([_value(things, group) for group in ("right", "forward", "up")], dim=1)
    words, backs, differences, aparts = [], [], [], []
    for back in range(1, _BACK + 1):
        later, earlier = slice(back, None), slice(None, -back)
        both = (questions[later] == questions[earlier]) & things.found[later] & things.found[earlier]
        word = both.nonzero()[:, 0] + back
        words.append(word)
        backs.append(torch.full_like(word, back))
        differences.append(values[word] - values[word - back])
        aparts.append((places[word] - places[word - back]).norm(dim=-1) / _APART_M)
    return _Pairs(torch.cat(words), torch.cat(backs), torch.cat(differences), torch.cat(aparts))


def _value(things: Things, group: str) -> torch.Tensor:
    """(M,) the number that a group of symbols spells."""
    import torch

    weights = things.symbols[:, GROUPS[group]]
    bins = torch.from_numpy(BINS[group].astype(np.float32))
    return weights @ bins / weights.sum(-1).clamp(min=1e-6)
