"""The slow, plain renderer in torch that every engine is compared with; float64 by default, and differentiable.

It follows gsplat: the pixels of a tile by all Gaussians that touch it, as dense matrices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..splats import GaussianCloud
from .frame import Frame
from .settings import MIN_TRANSMITTANCE, RenderSettings
from .torch_projection import Projected, cloud_tensors, project

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["Composite", "composite", "draw_reference"]

TILE = 16
CHUNK = 256
"""Gaussians that are blended at once; a tile stops at the first chunk that finds all its pixels finished."""


class Composite(NamedTuple):
    """What blending gives, in the precision of its input."""

    image: Tensor
    """(H, W, 3) without background, not cut to [0, 1]."""
    depth_sum: Tensor
    """(H, W) sum of weight times z."""
    alpha: Tensor
    """(H, W)."""
    median_depth: Tensor
    """(H, W) z of the Gaussian that takes the transmittance to one half; 0 where none does."""
    label_weights: Tensor
    """(H, W, L) weight of each label; L = 0 without labels."""


def draw_reference(
    cloud: GaussianCloud, camera: Camera, settings: RenderSettings, *, dtype: torch.dtype | None = None
) -> Frame:
    """Draws a cloud slowly; see `render` for the arguments."""
    import torch

    with torch.no_grad():
        projected = project(cloud_tensors(cloud, dtype=dtype or torch.float64), camera, settings)
        ids, labels = None, None
        if settings.instances and cloud.instance_ids is not None:
            ids, positions = np.unique(cloud.instance_ids, return_inverse=True)
            labels = torch.from_numpy(positions.astype(np.int64))
        drawn = composite(projected, camera, settings, labels=labels)
        light_left = 1 - drawn.alpha[..., None]
        image = torch.clamp(drawn.image + light_left * drawn.image.new_tensor(settings.background), max=1)
        depth = drawn.depth_sum / torch.clamp(drawn.alpha, min=1e-10)
    instance_ids = None
    if settings.instances:
        shape = (camera.height, camera.width)
        instance_ids = np.full(shape, -1, np.int32)
        if ids is not None and len(ids):
            instance_ids = ids[drawn.label_weights.argmax(-1).numpy()]
    median = _float32(drawn.median_depth) if settings.median_depth else None
    return Frame(_float32(image), _float32(depth), _float32(drawn.alpha), instance_ids, median)


def composite(
    projected: Projected, camera: Camera, settings: RenderSettings, *, labels: Tensor | None = None
) -> Composite:
    """Blends projected Gaussians front to back.

    Args:
        projected: N Gaussians.
        camera, settings: the picture's size, and the limits of alpha.
        labels: (N,) int64 from 0, to add up the weights of each.
    """
    import torch

    tiles = _tile_lists(projected, camera)
    kinds = int(labels.max()) + 1 if labels is not None and len(labels) else 0
    features = torch.cat([projected.colours, projected.depth_m[:, None]], -1)
    canvas = features.new_zeros(camera.height, camera.width, 6 + kinds)
    for (left, top), members in tiles:
        width, height = min(TILE, camera.width - left), min(TILE, camera.height - top)
        pixels = _pixel_centres(left, top, width, height, features)
        state = (pixels.new_ones(len(pixels)), pixels.new_zeros(len(pixels), 5 + kinds))
        for rows in torch.split(members, CHUNK):
            state = _blend(pixels, rows, projected, features, settings, labels, state)
            if bool((state[0] <= MIN_TRANSMITTANCE).all()):
                break
        left_over, sums = state
        drawn = torch.cat([sums[:, :5], 1 - left_over.abs()[:, None], sums[:, 5:]], -1)
        canvas[top : top + height, left : left + width] = drawn.reshape(height, width, -1)
    return Composite(canvas[..., :3], canvas[..., 3], canvas[..., 5], canvas[..., 4], canvas[..., 6:])


def _blend(
    pixels: Tensor,
    rows: Tensor,
    projected: Projected,
    features: Tensor,
    settings: RenderSettings,
    labels: Tensor | None,
    state: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor]:
    """Adds depth-ordered Gaussians to the pixels (P, 2) of a tile.

    The state is the transmittance (P,), negative once a pixel is finished, and the sums (P, 5 + labels) of colour, z,
    median z and labels.
    """
    import torch

    before, sums = state
    dx, dy = (pixels[:, None, :] - projected.means_px[rows]).unbind(-1)
    a, b, c = projected.conics[rows].unbind(-1)
    sigma = 0.5 * (a * dx * dx + c * dy * dy) + b * dx * dy
    alpha = torch.clamp(projected.opacities[rows] * torch.exp(-torch.clamp(sigma, 0, 80)), max=settings.max_alpha)
    alpha = torch.where((sigma >= 0) & (alpha >= settings.alpha_min), alpha, torch.zeros_like(alpha))
    after = torch.clamp(before, min=0)[:, None] * torch.cumprod(1 - alpha, -1)
    previous = torch.cat([torch.clamp(before, min=0)[:, None], after[:, :-1]], -1)
    drawn = after > MIN_TRANSMITTANCE
    weights = torch.where(drawn, alpha * previous, torch.zeros_like(alpha))
    halves = (previous > 0.5) & (after <= 0.5) & drawn
    median = (halves * features[rows, 3]).sum(-1, keepdim=True)
    parts = [weights @ features[rows], median]
    if sums.shape[1] > 5 and labels is not None:
        by_label = weights.new_zeros(len(pixels), sums.shape[1] - 5)
        parts.append(by_label.index_add(1, labels[rows], weights))
    # The last transmittance that was reached stays; its sign says that no more comes through.
    last = torch.where(drawn, after, torch.full_like(after, torch.inf)).amin(-1)
    reached = torch.where(torch.isinf(last), before.abs(), last)
    left_over = torch.where((before > 0) & drawn[:, -1], reached, -reached)
    return left_over, sums + torch.cat(parts, -1)


def _tile_lists(projected: Projected, camera: Camera) -> list[tuple[tuple[int, int], Tensor]]:
    """Corner and depth-ordered rows of each tile that something touches."""
    import torch

    across, down = -(-camera.width // TILE), -(-camera.height // TILE)
    rows = torch.nonzero(projected.radii_px[:, 0] > 0)[:, 0]
    # float32 depths sort as gsplat's keys do; equal ones keep the order of the cloud.
    rows = rows[torch.argsort(projected.depth_m[rows].detach().to(torch.float32), stable=True)]
    means, radii = projected.means_px[rows].detach(), projected.radii_px[rows]
    limits = torch.tensor([across, down])
    first = torch.minimum(torch.clamp(((means - radii) / TILE).floor().long(), min=0), limits - 1)
    last = torch.minimum(torch.clamp(((means + radii) / TILE).floor().long(), min=0), limits - 1)
    size = last - first + 1
    counts = size.prod(-1)
    owner = torch.repeat_interleave(torch.arange(len(rows)), counts)
    within = torch.arange(len(owner)) - torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    tile = (first[owner, 1] + within // size[owner, 0]) * across + first[owner, 0] + within % size[owner, 0]
    order = torch.argsort(tile, stable=True)
    used, lengths = torch.unique_consecutive(tile[order], return_counts=True)
    corners = [(int(t) % across * TILE, int(t) // across * TILE) for t in used]
    return list(zip(corners, torch.split(rows[owner[order]], lengths.tolist()), strict=True))


def _pixel_centres(left: int, top: int, width: int, height: int, like: Tensor) -> Tensor:
    import torch

    y, x = torch.meshgrid(torch.arange(height) + top, torch.arange(width) + left, indexing="ij")
    return (torch.stack([x, y], -1).reshape(-1, 2) + 0.5).to(like)


def _float32(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.numpy(), dtype=np.float32)
