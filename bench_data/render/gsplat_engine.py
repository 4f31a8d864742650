"""The CUDA engine: our own projection in torch, then gsplat's tiles and rasterisation.

gsplat's projection is not used: it sizes and culls Gaussians before the defocus is added, and has no polynomial fisheye
on this path. From tiles on, its interface is the same in 1.5 and 1.6.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..cameras import Camera
from ..splats import GaussianCloud
from .frame import Frame
from .settings import RenderSettings
from .torch_projection import CloudTensors, Projected, cloud_tensors, project

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["BATCH", "draw_gsplat", "draw_test_pattern", "gsplat_max_alpha"]

BATCH = 8
"""Pictures that go to the device together."""

_TILE = 16
_FAR_PX = 1e8
_ON_DEVICE: weakref.WeakKeyDictionary[GaussianCloud, CloudTensors] = weakref.WeakKeyDictionary()


def gsplat_max_alpha() -> float:
    """The limit of alpha that the installed gsplat was written with."""
    major, minor = (int(part) for part in version("gsplat").split(".")[:2])
    return 0.999 if (major, minor) < (1, 6) else 0.99


def draw_gsplat(
    cloud: GaussianCloud, cameras: Sequence[Camera], settings: RenderSettings, *, device: str = "cuda"
) -> Iterator[Frame]:
    """Draws a cloud from cameras of one picture size; see `render` for the settings."""
    import torch

    if cloud not in _ON_DEVICE:
        # float64, so that both engines round the same numbers to float32 at the end of the projection.
        _ON_DEVICE[cloud] = cloud_tensors(cloud, device=device, dtype=torch.float64)
    tensors = _ON_DEVICE[cloud]
    for start in range(0, len(cameras), BATCH):
        batch = cameras[start : start + BATCH]
        with torch.no_grad():
            projected = [project(tensors, camera, settings) for camera in batch]
            drawn, alpha = rasterise(projected, batch[0].width, batch[0].height)
            background = drawn.new_tensor(settings.background)
            images = torch.clamp(drawn[..., :3] + (1 - alpha) * background, max=1)
            depths = drawn[..., 3] / torch.clamp(alpha[..., 0], min=1e-10)
        for image, depth, coverage in zip(_host(images), _host(depths), _host(alpha[..., 0]), strict=True):
            yield Frame(image, depth, coverage, None, None)


def rasterise(projected: Sequence[Projected], width: int, height: int) -> tuple[Tensor, Tensor]:
    """Colour and summed depth (C, H, W, 4), and alpha (C, H, W, 1), float32, of C projections of one cloud."""
    import torch

    count, like = len(projected), projected[0].opacities
    if not any(bool(p.radii_px.any()) for p in projected):
        shape = (count, height, width)
        return torch.zeros(*shape, 4, device=like.device), torch.zeros(*shape, 1, device=like.device)
    from gsplat import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
        isect_offset_encode,
        isect_tiles,
        rasterize_to_pixels,
    )

    def stacked(parts: list[Tensor]) -> Tensor:
        return torch.stack(parts).to(torch.float32).contiguous()

    means = stacked([p.means_px for p in projected])
    conics = stacked([p.conics for p in projected])
    opacities = stacked([p.opacities for p in projected])
    depths = stacked([p.depth_m for p in projected])
    colours = torch.cat([stacked([p.colours for p in projected]), depths[..., None]], -1).contiguous()
    radii = torch.stack([torch.ceil(p.radii_px).clamp(max=_FAR_PX) for p in projected]).to(torch.int32).contiguous()
    across, down = -(-width // _TILE), -(-height // _TILE)
    _, keys, members = isect_tiles(means, radii, depths, _TILE, across, down, packed=False, n_images=count)
    offsets = isect_offset_encode(keys, count, across, down).reshape(count, down, across)
    drawn, alpha = rasterize_to_pixels(
        means, conics, colours, opacities, width, height, _TILE, offsets, members, packed=False
    )
    return drawn, alpha


def draw_test_pattern() -> None:
    """Draws one Gaussian, which makes gsplat compile.

    Raises:
        RuntimeError: the picture is wrong. What gsplat raises comes through.
    """
    cloud = GaussianCloud(
        means=np.array([[0, 0, 2]], np.float32),
        quats_wxyz=np.array([[1, 0, 0, 0]], np.float32),
        scales=np.full((1, 3), 0.2, np.float32),
        opacities=np.array([0.9], np.float32),
        sh=np.zeros((1, 1, 3), np.float32),
    )
    camera = Camera(width=32, height=32, fx=32, fy=32, cx=16.5, cy=16.5, world_from_camera=np.eye(4))
    [frame] = draw_gsplat(cloud, [camera], RenderSettings())
    if abs(float(frame.alpha[16, 16]) - 0.9) > 1e-3 or abs(float(frame.mean_depth_m[16, 16]) - 2) > 1e-3:
        raise RuntimeError(f"a test picture is wrong: alpha {frame.alpha[16, 16]:.4f} instead of 0.9")


def _host(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.cpu().numpy(), dtype=np.float32)
