"""Which of the options that name things is the right one: what the decoder should know at the option.

To say the name of the one that is meant, the model has to turn a comparison by the wording, mark one of the names, and
copy it. The answer, one name, does not tell which of these steps failed; so the mark is taught by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

__all__ = ["LAYERS_TO_CHOOSE", "NONE", "RIGHT", "choice_head", "choice_loss", "choice_scores", "choices"]

LAYERS_TO_CHOOSE: Final = 4
"""After so many layers of the decoder an option must know whether it is right."""
NONE, WRONG, RIGHT = 0, 1, 2


def choices(mentions: NDArray[np.int64], options: int, answer: int) -> NDArray[np.int64]:
    """(T,) `RIGHT` or `WRONG` for words that name things in options, where the answer is one name; else `NONE`.

    Args:
        mentions: (T,) what the words of a lesson name.
        options: where the options begin.
        answer: where the answer begins.
    """
    found = np.zeros(len(mentions), dtype=np.int64)
    said = mentions[answer:][mentions[answer:] > 0]
    if len(said) == 1:
        offered = mentions[options:answer]
        found[options:answer] = np.where(offered == said[0], RIGHT, np.where(offered > 0, WRONG, NONE))
    return found


def choice_head(width: int) -> torch.nn.Module:
    """Reads off an option whether it is the right one; used in training only."""
    from torch import nn

    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1))


def choice_loss(told: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """Cross-entropy.

    Args:
        told: (M, 1) of the head, at words with a choice.
        chosen: (M,) `RIGHT` or `WRONG`.
    """
    from torch.nn import functional

    if not len(chosen):
        return told.sum() * 0
    return functional.binary_cross_entropy_with_logits(told[:, 0], (chosen == RIGHT).float())


def choice_scores(told: torch.Tensor, chosen: torch.Tensor) -> dict[str, float]:
    """The share of options that are told right from wrong."""
    return {"choice": float(((told[:, 0] > 0) == (chosen == RIGHT)).float().mean())}
