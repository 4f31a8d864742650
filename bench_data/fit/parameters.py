"""The parameters of a fit in unconstrained space, and their Adam optimisers.

Opacities are logits, scales are logarithms and quaternions of any length, so that any step of the optimiser gives a
cloud that can be drawn. There is one optimiser for each name, as gsplat's strategies expect.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..render.torch_projection import CloudTensors
from ..splats import GaussianCloud
from .settings import LearningRates

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = [
    "NAMES",
    "Optimisers",
    "Parameters",
    "activated",
    "cloud_from_parameters",
    "make_optimisers",
    "parameters_from_cloud",
    "position_rate",
    "reset_opacities",
    "rows_kept_and_added",
]

NAMES = ("means", "quats", "scales", "opacities", "sh0", "shN")
"""means (N, 3) metres; quats (N, 4) wxyz; scales (N, 3) logarithms; opacities (N,) logits; sh0 (N, 1, 3); shN."""

_LEAST_OPACITY, _MOST_OPACITY = 1e-4, 1 - 1e-4
_EPS = 1e-15
"""Of Adam, as in the 3DGS code: gradients of positions are far below the usual 1e-8."""


Parameters: TypeAlias = "dict[str, torch.nn.Parameter]"
Optimisers: TypeAlias = "dict[str, torch.optim.Optimizer]"


def parameters_from_cloud(cloud: GaussianCloud, *, device: str = "cpu") -> Parameters:
    """A cloud's values with their activations undone; opacities are first kept off 0 and 1."""
    import torch

    opacities = np.clip(cloud.opacities, _LEAST_OPACITY, _MOST_OPACITY)
    arrays = {
        "means": cloud.means,
        "quats": cloud.quats_wxyz,
        "scales": np.log(cloud.scales),
        "opacities": np.log(opacities / (1 - opacities)),
        "sh0": cloud.sh[:, :1],
        "shN": cloud.sh[:, 1:],
    }
    return {name: torch.nn.Parameter(torch.tensor(array, device=device)) for name, array in arrays.items()}


def activated(parameters: Parameters, sh_degree: int) -> CloudTensors:
    """What the projection takes, with the bands of colour up to a degree."""
    import torch

    rest = parameters["shN"][:, : (sh_degree + 1) ** 2 - 1]
    return CloudTensors(
        means=parameters["means"],
        quats_wxyz=parameters["quats"],
        scales=torch.exp(parameters["scales"]),
        opacities=torch.sigmoid(parameters["opacities"]),
        sh=torch.cat([parameters["sh0"], rest], 1),
    )


def cloud_from_parameters(parameters: Parameters) -> GaussianCloud:
    """The cloud that the parameters stand for."""
    import torch

    with torch.no_grad():
        quats = torch.nn.functional.normalize(parameters["quats"].double(), dim=-1).float()
        scales, opacities = torch.exp(parameters["scales"]), torch.sigmoid(parameters["opacities"])
        sh = torch.cat([parameters["sh0"], parameters["shN"]], 1)
        arrays = [tensor.cpu().numpy() for tensor in (parameters["means"], quats, scales, opacities, sh)]
    means, quats_wxyz, *others = (np.array(array) for array in arrays)
    return GaussianCloud(means=means, quats_wxyz=quats_wxyz, scales=others[0], opacities=others[1], sh=others[2])


def make_optimisers(parameters: Parameters, rates: LearningRates) -> Optimisers:
    """One Adam for each name; the rate of the means is set at every step, see `position_rate`."""
    import torch

    of_name = {
        "means": rates.means_first,
        "quats": rates.quats,
        "scales": rates.log_scales,
        "opacities": rates.logit_opacities,
        "sh0": rates.sh0,
        "shN": rates.sh_rest,
    }
    return {name: torch.optim.Adam([parameters[name]], lr=of_name[name], eps=_EPS, fused=True) for name in NAMES}


def position_rate(step: int, steps: int, rates: LearningRates, extent_m: float) -> float:
    """Rate of the means at a step from 0: exponential from the first to the last, times the scene's extent."""
    share = step / max(steps - 1, 1)
    return extent_m * math.exp((1 - share) * math.log(rates.means_first) + share * math.log(rates.means_last))


def rows_kept_and_added(
    parameters: Parameters, optimisers: Optimisers, kept: Tensor, added: dict[str, Tensor] | None = None
) -> None:
    """Replaces every parameter by some of its rows, and rows after them; new rows start without momentum.

    Args:
        parameters, optimisers: changed in place.
        kept: (M,) row numbers.
        added: new rows by name.
    """
    import torch

    for name, old in list(parameters.items()):
        optimiser = optimisers[name]
        more = added[name] if added is not None else old.detach()[:0]
        new = torch.nn.Parameter(torch.cat([old.detach()[kept], more]))
        moments = optimiser.state.pop(old, {})
        for key, value in moments.items():
            if key != "step":
                moments[key] = torch.cat([value[kept], torch.zeros_like(more)])
        if moments:
            optimiser.state[new] = moments
        optimiser.param_groups[0]["params"] = [new]
        parameters[name] = new


def reset_opacities(parameters: Parameters, optimisers: Optimisers, most: float) -> None:
    """Lowers every opacity to at most ``most``, and forgets the momentum of opacities."""
    import torch

    values = parameters["opacities"]
    with torch.no_grad():
        values.clamp_(max=math.log(most / (1 - most)))
    for key, value in optimisers["opacities"].state[values].items():
        if key != "step":
            value.zero_()
