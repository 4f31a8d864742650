"""Adaptive density control: copying, splitting and taking away Gaussians while they are fitted (Kerbl et al. 2023)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..cameras import Camera
from ..degrade.seeds import derived_rng
from ..render.torch_projection import Projected, rotations_of
from .parameters import Optimisers, Parameters, reset_opacities, rows_kept_and_added
from .settings import FitSettings

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["DensityControl", "Grower", "Grown", "NoGrowth", "threshold_for_room"]

_SPLIT_SHRINK = 1.6
"""Scales of the halves of a split Gaussian are divided by this (section 5.2)."""


class Grown(NamedTuple):
    """What one round did."""

    copied: int
    split: int
    removed: int


class Grower(Protocol):
    """What the trainer asks of density control."""

    def watched(self, projected: Projected) -> Projected:
        """Called before drawing: the same projection, whose means' gradients it will see."""

    def after_step(self, step: int, projected: Projected, camera: Camera) -> Grown | None:
        """Called after the optimiser's step with the number of steps done; changes parameters and optimisers."""

    def state(self) -> dict[str, Tensor]:
        """What must be kept to go on later."""

    def restore(self, state: dict[str, Tensor]) -> None:
        """Goes on from a kept state."""


class NoGrowth:
    """The number of Gaussians stays as it is."""

    def watched(self, projected: Projected) -> Projected:
        return projected

    def after_step(self, step: int, projected: Projected, camera: Camera) -> Grown | None:
        return None

    def state(self) -> dict[str, Tensor]:
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:
        return None


class DensityControl:
    """Kerbl's density control in plain torch, on any device, reproducible from the seed.

    Args:
        parameters, optimisers: changed in place.
        settings: of the fit.
        extent_m: of the scene.
    """

    def __init__(self, parameters: Parameters, optimisers: Optimisers, settings: FitSettings, extent_m: float) -> None:
        self._parameters, self._optimisers = parameters, optimisers
        self._settings, self._extent_m = settings, extent_m
        self._rounds = settings.growth.rounds(settings.steps)
        self._resets = settings.growth.resets(settings.steps)
        self._pull = parameters["opacities"].detach().new_zeros(len(parameters["opacities"]))
        self._seen = self._pull.clone()

    def watched(self, projected: Projected) -> Projected:
        projected.means_px.retain_grad()
        return projected

    def after_step(self, step: int, projected: Projected, camera: Camera) -> Grown | None:
        if not self._rounds or step > self._rounds[-1]:
            return None
        self._observe(projected, camera)
        grown = None
        if step in self._rounds:
            copied, split = self._grow(step)
            grown = Grown(copied, split, self._prune(step))
            self._pull = self._parameters["opacities"].detach().new_zeros(len(self._parameters["opacities"]))
            self._seen = self._pull.clone()
        if step in self._resets:
            reset_opacities(self._parameters, self._optimisers, 2 * self._settings.growth.least_opacity)
        return grown

    def state(self) -> dict[str, Tensor]:
        return {"pull": self._pull, "seen": self._seen}

    def restore(self, state: dict[str, Tensor]) -> None:
        self._pull, self._seen = state["pull"], state["seen"]

    def _observe(self, projected: Projected, camera: Camera) -> None:
        """Adds up the gradient of each visible mean, with the picture's half sides as units."""
        import torch

        gradient = projected.means_px.grad
        if gradient is None:
            return
        visible = projected.radii_px[:, 0] > 0
        half_sides = gradient.new_tensor([camera.width / 2, camera.height / 2])
        self._pull += torch.where(visible, torch.linalg.vector_norm(gradient * half_sides, dim=-1), 0)
        self._seen += visible

    def _grow(self, step: int) -> tuple[int, int]:
        import torch

        growth, old = self._settings.growth, {name: p.detach() for name, p in self._parameters.items()}
        pull = self._pull / self._seen.clamp(min=1)
        room = self._settings.max_gaussians - len(pull)
        grows = pull > threshold_for_room(pull, growth.gradient, room)
        largest = torch.exp(old["scales"]).amax(-1)
        large = largest > growth.large_share * self._extent_m
        copied, split = torch.nonzero(grows & ~large)[:, 0], torch.nonzero(grows & large)[:, 0]
        rest = torch.nonzero(~(grows & large))[:, 0]
        added = {name: torch.cat([p[copied], p[split], p[split]]) for name, p in old.items()}
        halves = slice(len(copied), len(added["means"]))
        added["means"][halves] += self._offsets(old["scales"][split], old["quats"][split], step)
        added["scales"][halves] -= math.log(_SPLIT_SHRINK)
        rows_kept_and_added(self._parameters, self._optimisers, rest, added)
        return len(copied), len(split)

    def _offsets(self, log_scales: Tensor, quats: Tensor, step: int) -> Tensor:
        """(2 M, 3) draws from M Gaussians about their means, the first halves before the second."""
        import torch

        rng = derived_rng("split", self._settings.seed, step)
        normal = torch.from_numpy(rng.standard_normal((2, len(quats), 3)).astype("float32")).to(quats.device)
        inside = normal * torch.exp(log_scales)
        return torch.einsum("nij,bnj->bni", rotations_of(quats), inside).reshape(-1, 3)

    def _prune(self, step: int) -> int:
        import torch

        growth = self._settings.growth
        opacities = torch.sigmoid(self._parameters["opacities"].detach())
        bad = opacities < growth.least_opacity
        if step > growth.reset_every:
            bad |= torch.exp(self._parameters["scales"].detach()).amax(-1) > growth.most_share * self._extent_m
        if bool(bad.any()):
            rows_kept_and_added(self._parameters, self._optimisers, torch.nonzero(~bad)[:, 0])
        return int(bad.sum())


def threshold_for_room(pull: Tensor, threshold: float, room: int) -> float:
    """The least threshold, at least the given one, that no more than ``room`` of the pulls (N,) exceed."""
    import torch

    if room <= 0:
        return float("inf")
    if int((pull > threshold).sum()) <= room:
        return threshold
    return max(threshold, float(torch.topk(pull, room + 1).values[-1]))
