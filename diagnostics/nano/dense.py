"""The dense loss: how well the tower tells the symbols of each patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .symbols import BINS, GROUPS, SYMBOLS

if TYPE_CHECKING:
    import torch

__all__ = ["dense_loss", "dense_scores", "symbol_head"]

_SHARES: Final = {
    "right": 0.4,
    "forward": 0.5,
    "up": 0.3,
    "distance": 0.5,
    "length": 0.25,
    "width": 0.25,
    "height": 0.25,
}
"""Weights of what is told of the owner."""
_ON_MARK: Final = 4.0
"""Patches with a number on them count so many times: what questions ask about is read there."""
_USUAL_PATCHES, _MOST_TIMES = 8.0, 3.0
"""Patches of a thing that covers so many count once; those of smaller things more, up to so many times, of larger ones
less: every thing is asked about as often."""
_IN_PICTURE: Final = 0.1
"""Weight of which categories are in the picture at all."""


def symbol_head(width: int) -> torch.nn.Module:
    """Reads symbols off the tower's patches; used in training only."""
    from torch import nn

    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, SYMBOLS))


def dense_loss(told: torch.Tensor, symbols: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of all groups, each where it means something.

    Args:
        told: (B, patches, SYMBOLS) logits.
        symbols: (B, patches, SYMBOLS) what is true.
    """
    import torch
    from torch.nn import functional

    def entropy(group: str) -> torch.Tensor:
        logits, right = told[..., GROUPS[group]], symbols[..., GROUPS[group]]
        return -(functional.log_softmax(logits, dim=-1) * right).sum(-1)

    def each(group: str) -> torch.Tensor:
        logits, right = told[..., GROUPS[group]], symbols[..., GROUPS[group]]
        return functional.binary_cross_entropy_with_logits(logits, right, reduction="none").sum(-1)

    marked, owned = _marked(symbols), _owned(symbols)
    weight = torch.where(marked, _ON_MARK, 1.0) * torch.where(owned, _for_size(symbols), 1.0)
    ours = weight * owned
    parts = [
        _mean(entropy("owner"), weight * torch.where(owned, 1.0, 0.3)),
        each("present").mean(),
        _IN_PICTURE * _picture_entropy(told, symbols),
        0.2 * _mean(each("colour"), owned.float()),
        0.7 * _mean(entropy("mark"), marked.float()) + _mean(entropy("mark"), (~marked).float()),
        0.4 * _mean(entropy("owned"), torch.where(symbols[..., GROUPS["owned"].start] < 0.5, 1.0, 0.2)),
        0.3 * entropy("depth").mean(),
        *(share * _mean(entropy(group), ours) for group, share in _SHARES.items()),
    ]
    return torch.stack(parts).sum()


def dense_scores(told: torch.Tensor, symbols: torch.Tensor) -> dict[str, float]:
    """How much is told right: shares of patches, and mean errors in metres where a number is drawn."""
    import torch

    marked, owned = _marked(symbols), _owned(symbols)

    def share(group: str, where: torch.Tensor) -> float:
        right = told[..., GROUPS[group]].argmax(-1) == symbols[..., GROUPS[group]].argmax(-1)
        return float(right[where].float().mean())

    def error(group: str) -> float:
        bins = torch.from_numpy(BINS[group]).to(told.dtype)
        difference = (told[..., GROUPS[group]].softmax(-1) @ bins) - (symbols[..., GROUPS[group]].to(told.dtype) @ bins)
        return float(difference[marked].abs().mean())

    return {
        "owner of objects' patches": share("owner", owned & ~marked),
        "owner at marks": share("owner", marked),
        "mark": share("mark", marked),
        "right_m": error("right"),
        "forward_m": error("forward"),
        "distance_m": error("distance"),
    }


def _picture_entropy(told: torch.Tensor, symbols: torch.Tensor) -> torch.Tensor:
    """Whether any patch shows a category, which one patch has to tell and all others must not deny."""
    from torch.nn import functional

    there = GROUPS["present"]
    wanted = (symbols[..., there].amax(1) > 0.5).to(told.dtype)
    entropy: torch.Tensor = functional.binary_cross_entropy_with_logits(
        told[..., there].amax(1), wanted, reduction="none"
    )
    return entropy.sum(-1).mean()


def _for_size(symbols: torch.Tensor) -> torch.Tensor:
    """(B, patches) how many times a patch counts for the size of its owner."""
    owners = symbols[..., GROUPS["owner"]]
    patches = (owners * owners.sum(1, keepdim=True)).sum(-1).clamp(min=1.0)
    return (_USUAL_PATCHES / patches).sqrt().clamp(max=_MOST_TIMES)


def _marked(symbols: torch.Tensor) -> torch.Tensor:
    return symbols[..., GROUPS["mark"].start] < 0.5


def _owned(symbols: torch.Tensor) -> torch.Tensor:
    """Patches whose owner is an object, which has a place and sizes."""
    return symbols[..., GROUPS["right"]].sum(-1) > 0.5


def _mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1e-6)
