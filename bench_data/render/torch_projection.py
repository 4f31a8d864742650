"""Projection of Gaussians in plain torch: differentiable, on any device, in any precision.

The CUDA engine draws with it and the reference renderer checks with it. `cpu.projection` has the same formulas.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..cameras import Camera
from ..splats import GaussianCloud
from .settings import LOW_PASS_PX2, Defocus, RenderSettings, TangentLimits

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["CloudTensors", "Projected", "cloud_tensors", "project", "rotations_of"]


class CloudTensors(NamedTuple):
    """A cloud's arrays as tensors of one device and precision; see `GaussianCloud`."""

    means: Tensor
    quats_wxyz: Tensor
    scales: Tensor
    opacities: Tensor
    sh: Tensor


class Projected(NamedTuple):
    """Gaussians as one camera sees them, in the order of the cloud."""

    means_px: Tensor
    """(N, 2) pixel coordinates."""
    conics: Tensor
    """(N, 3) xx, xy, yy of the inverse 2D covariance."""
    opacities: Tensor
    """(N,) after compensation."""
    colours: Tensor
    """(N, 3) display-encoded, >= 0."""
    depth_m: Tensor
    """(N,) z."""
    radii_px: Tensor
    """(N, 2) half the size of the box outside of which alpha is below its minimum; 0 for what is not drawn."""
    covariances: Tensor
    """(N, 3) xx, xy, yy of the 2D covariance."""


def cloud_tensors(cloud: GaussianCloud, *, device: str = "cpu", dtype: torch.dtype | None = None) -> CloudTensors:
    """Copies of the cloud's arrays on a device, float32 unless another type is given."""
    import torch

    arrays = (cloud.means, cloud.quats_wxyz, cloud.scales, cloud.opacities, cloud.sh)
    return CloudTensors(*(torch.tensor(array, device=device, dtype=dtype or torch.float32) for array in arrays))


def project(cloud: CloudTensors, camera: Camera, settings: RenderSettings) -> Projected:
    """Projects all Gaussians: mean, 2D covariance, low-pass filter, defocus, colour from this side.

    Args:
        cloud: N Gaussians.
        camera, settings: as for `render`.
    """
    import torch

    means = cloud.means
    R = means.new_tensor(camera.camera_from_world[:3, :3])
    from_centre = means - means.new_tensor(camera.centre_m)
    x, y, z = (from_centre @ R.T).unbind(-1)
    imaged = (z >= camera.near_m) & (z <= camera.far_m)
    z_safe = torch.where(imaged, z, torch.ones_like(z))
    if camera.model == "fisheye":
        means_px, J, in_circle = _fisheye(x, y, z_safe, camera)
        imaged = imaged & in_circle
    else:
        means_px, J = _pinhole(x, y, z_safe, camera, settings.tangent_limits or TangentLimits.of(camera))
    M = J @ R @ (rotations_of(cloud.quats_wxyz) * cloud.scales[:, None, :])
    sharp = M @ M.transpose(-1, -2)
    xx, xy, yy = sharp[:, 0, 0], sharp[:, 0, 1], sharp[:, 1, 1]
    opacities = cloud.opacities
    # As the square of the cross product of M's rows, it cannot lose its digits or become negative.
    sharp_det = torch.linalg.cross(M[:, 0], M[:, 1]).square().sum(-1)
    det = sharp_det + LOW_PASS_PX2 * (xx + yy) + LOW_PASS_PX2**2
    xx, yy = xx + LOW_PASS_PX2, yy + LOW_PASS_PX2
    if settings.antialiased:
        opacities = opacities * torch.sqrt(sharp_det / det)
    if settings.defocus is not None:
        coc2 = _circle_of_confusion_px(z_safe, settings.defocus, camera) ** 2
        spread_det = det + coc2 * (xx + yy) + coc2 * coc2
        xx, yy = xx + coc2, yy + coc2
        opacities, det = opacities * torch.sqrt(det / spread_det), spread_det
    drawn = imaged & (opacities > settings.alpha_min)
    reach = 2 * torch.log(torch.clamp(opacities.detach() / settings.alpha_min, min=1))
    radii_px = torch.sqrt(reach[:, None] * torch.stack([xx, yy], -1).detach())
    size = means.new_tensor([camera.width, camera.height])
    drawn = drawn & ((means_px + radii_px >= 0) & (means_px - radii_px <= size)).all(-1)
    return Projected(
        means_px=means_px,
        conics=torch.stack([yy / det, -xy / det, xx / det], -1),
        opacities=opacities,
        colours=_colours(cloud.sh, from_centre, settings.sh_degree),
        depth_m=z,
        radii_px=torch.where(drawn[:, None], radii_px, torch.zeros_like(radii_px)),
        covariances=torch.stack([xx, xy, yy], -1),
    )


def _pinhole(x: Tensor, y: Tensor, z: Tensor, camera: Camera, limits: TangentLimits) -> tuple[Tensor, Tensor]:
    """Pixels (N, 2) and Jacobian (N, 2, 3), which is taken no farther outside the picture than gsplat does."""
    import torch

    tx = torch.clamp(x / z, limits.left, limits.right)
    ty = torch.clamp(y / z, limits.top, limits.bottom)
    zero = torch.zeros_like(z)
    rows = [camera.fx / z, zero, -camera.fx * tx / z, zero, camera.fy / z, -camera.fy * ty / z]
    means_px = torch.stack([camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy], -1)
    return means_px, torch.stack(rows, -1).reshape(-1, 2, 3)


def _fisheye(x: Tensor, y: Tensor, z: Tensor, camera: Camera) -> tuple[Tensor, Tensor, Tensor]:
    """Pixels (N, 2), Jacobian (N, 2, 3), and whether a point lies in the image circle: SpaceDG eq. 5."""
    import torch

    r2 = x * x + y * y
    near_axis = r2 < (1e-6 * z) ** 2
    r2 = torch.where(near_axis, torch.ones_like(r2), r2)
    r, distance2 = torch.sqrt(r2), r2 + z * z
    theta = torch.atan2(r, z)
    k1, k2, k3, k4 = camera.distortion
    u = theta * theta
    theta_d = theta * (1 + u * (k1 + u * (k2 + u * (k3 + u * k4))))
    slope = 1 + u * (3 * k1 + u * (5 * k2 + u * (7 * k3 + u * 9 * k4)))
    a, b = slope * z / (r2 * distance2), theta_d / (r2 * r)
    along, across, mixed = x * x * a + y * y * b, y * y * a + x * x * b, x * y * (a - b)
    zero = torch.zeros_like(z)
    rows = [
        torch.where(near_axis, 1 / z, along),
        torch.where(near_axis, zero, mixed),
        torch.where(near_axis, -x / (z * z), -slope * x / distance2),
        torch.where(near_axis, zero, mixed),
        torch.where(near_axis, 1 / z, across),
        torch.where(near_axis, -y / (z * z), -slope * y / distance2),
    ]
    focal = z.new_tensor([camera.fx, camera.fy])
    scale = torch.where(near_axis, 1 / z, theta_d / r)
    means_px = torch.stack([x * scale, y * scale], -1) * focal + z.new_tensor([camera.cx, camera.cy])
    J = torch.stack(rows, -1).reshape(-1, 2, 3) * focal[:, None]
    return means_px, J, near_axis | (theta <= camera.theta_limit_rad)


def _circle_of_confusion_px(z: Tensor, lens: Defocus, camera: Camera) -> Tensor:
    """Standard deviation (N,) of the spread, SpaceDG eq. 3."""
    import torch

    return torch.clamp(lens.aperture_px * torch.abs(z - lens.focus_m) / z, max=lens.largest_coc_px(camera))


def rotations_of(quats_wxyz: Tensor) -> Tensor:
    """(N, 3, 3), columns are the Gaussians' own axes in the world."""
    import torch

    w, x, y, z = (quats_wxyz / torch.linalg.vector_norm(quats_wxyz, dim=-1, keepdim=True)).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, -1).reshape(-1, 3, 3)


def _colours(sh: Tensor, from_centre: Tensor, degree: int | None) -> Tensor:
    """(N, 3): the harmonics of `splats.harmonics` in the direction from the camera's centre."""
    import torch

    x, y, z = torch.nn.functional.normalize(from_centre, dim=-1).unbind(-1)
    own = math.isqrt(sh.shape[1]) - 1
    used = own if degree is None else min(degree, own)
    basis = [torch.full_like(x, 0.28209479177387814)]
    if used >= 1:
        basis += [-0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x]
    if used >= 2:
        basis += [
            1.0925484305920792 * x * y,
            -1.0925484305920792 * y * z,
            0.31539156525252005 * (2 * z * z - x * x - y * y),
            -1.0925484305920792 * x * z,
            0.5462742152960396 * (x * x - y * y),
        ]
    if used >= 3:
        basis += [
            -0.5900435899266435 * y * (3 * x * x - y * y),
            2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * z * z - x * x - y * y),
            0.3731763325901154 * z * (2 * z * z - 3 * x * x - 3 * y * y),
            -0.4570457994644658 * x * (4 * z * z - x * x - y * y),
            1.445305721320277 * z * (x * x - y * y),
            -0.5900435899266435 * x * (x * x - 3 * y * y),
        ]
    weights = torch.stack(basis, -1)
    return torch.clamp(0.5 + torch.einsum("nk,nkc->nc", weights, sh[:, : weights.shape[1]]), min=0)
