"""The rasteriser that can be differentiated: numba kernels on the CPU, gsplat on CUDA."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..render.settings import RenderSettings
from ..render.torch_projection import Projected

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["Drawn", "Rasterise", "rasterise_cpu", "rasterise_gsplat"]


class Drawn(NamedTuple):
    """A picture that gradients flow through."""

    image: Tensor
    """(H, W, 3) display-encoded, without background, not cut to [0, 1]."""
    depth_sum: Tensor
    """(H, W) sum of weight times z; divided by alpha it is the expected depth."""
    alpha: Tensor
    """(H, W)."""


Rasterise: TypeAlias = "Callable[[Projected, Camera, RenderSettings], Drawn]"


def rasterise_cpu(
    projected: Projected, camera: Camera, settings: RenderSettings, *, threads: int | None = None
) -> Drawn:
    """Composites on the CPU; gradients flow to means, conics, opacities, colours and depths.

    Pictures and gradients are the same, byte for byte, whatever the number of threads.

    Args:
        projected: N Gaussians from `torch_projection.project`, of any precision; the kernels work in float32.
        camera, settings: the picture's size, and the limits of alpha.
        threads: None for all that the process may use.
    """
    from ..render.cpu.crew import available_threads

    drawn, alpha = _function().apply(  # type: ignore[no-untyped-call]
        projected.means_px,
        projected.conics,
        projected.opacities,
        projected.colours,
        projected.depth_m,
        projected.covariances.detach()[:, ::2],
        projected.radii_px[:, 0] > 0,
        (camera.width, camera.height),
        (settings.max_alpha, settings.alpha_min),
        available_threads() if threads is None else threads,
    )
    return Drawn(drawn[..., :3], drawn[..., 3], alpha)


def rasterise_gsplat(projected: Projected, camera: Camera, settings: RenderSettings) -> Drawn:
    """Composites on CUDA with gsplat's kernels and their gradients; its limits of alpha are compiled in."""
    from ..render.gsplat_engine import rasterise

    drawn, alpha = rasterise([projected], camera.width, camera.height)
    if not drawn.requires_grad:
        # Nothing is in sight, and gsplat was not asked: a picture that all gradients of are zero.
        nothing = 0 * (projected.means_px.sum() + projected.opacities.sum())
        drawn, alpha = drawn + nothing, alpha + nothing
    return Drawn(drawn[0, ..., :3], drawn[0, ..., 3], alpha[0, ..., 0])


@lru_cache(maxsize=1)
def _function() -> type[torch.autograd.Function]:
    """The autograd function; made when torch is first needed."""
    import torch

    from .cpu.tiles import draw_tiles, gradients_of_tiles

    class Composite(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any,
            means_px: Tensor,
            conics: Tensor,
            opacities: Tensor,
            colours: Tensor,
            depth_m: Tensor,
            variances: Tensor,
            visible: Tensor,
            size: tuple[int, int],
            alphas: tuple[float, float],
            threads: int,
        ) -> tuple[Tensor, Tensor]:
            arrays = [_float32(t) for t in (means_px, conics, variances, opacities, colours, depth_m)]
            options = {"max_alpha": alphas[0], "alpha_min": alphas[1], "threads": threads}
            tiles = draw_tiles(*arrays, visible.numpy(), width=size[0], height=size[1], **options)  # type: ignore[arg-type, misc]
            ctx.kept = tiles, arrays[1], arrays[3], options
            like = means_px
            return torch.from_numpy(tiles.drawn).to(like.dtype), torch.from_numpy(1 - tiles.light_left).to(like.dtype)

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
            tiles, conics, opacities, options = ctx.kept
            found = gradients_of_tiles(tiles, _float32(grads[0]), _float32(grads[1]), conics, opacities, **options)
            parts = (found.means_px, found.conics, found.opacities, found.colours, found.depth_m)
            return *(torch.from_numpy(part).to(grads[0].dtype) for part in parts), None, None, None, None, None

    return Composite


def _float32(tensor: Tensor) -> NDArray[np.float32]:
    import torch

    return tensor.detach().to(torch.float32).contiguous().numpy()
