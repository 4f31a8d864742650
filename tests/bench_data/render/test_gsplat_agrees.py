"""Our projection against gsplat's and OpenCV's, and the CUDA engine's use of gsplat, as far as both run on a CPU."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import Defocus, RenderSettings, render
from seeworthy.bench_data.render.gsplat_engine import draw_gsplat
from seeworthy.bench_data.render.torch_projection import cloud_tensors, project
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, fisheye, fluffy_room, furnished_room

torch = pytest.importorskip("torch")
gsplat = pytest.importorskip("gsplat", reason="gsplat is not installed: pip install gsplat==1.5.3")
torch_impl = pytest.importorskip("gsplat.cuda._torch_impl", reason="this gsplat has no torch implementation")


def off_centre() -> Camera:
    return replace(a_camera(), cx=50.0, cy=70.0, fy=1.2 * a_camera().fy)


@pytest.mark.parametrize(
    "camera", [a_camera(), off_centre(), fisheye(a_camera(), 0.0, 0.0)], ids=["pinhole", "off", "fish"]
)
def test_projection_is_gsplats(camera: Camera) -> None:
    cloud = furnished_room(3000)
    tensors = cloud_tensors(cloud, dtype=torch.float64)
    ours = project(tensors, camera, RenderSettings(antialiased=True))
    covariances, _ = torch_impl._quat_scale_to_covar_preci(tensors.quats_wxyz, tensors.scales, compute_preci=False)
    _, means_px, depth_m, conics, compensation = torch_impl._fully_fused_projection(
        tensors.means,
        covariances,
        torch.from_numpy(camera.camera_from_world.copy())[None],
        torch.from_numpy(camera.K.copy())[None],
        camera.width,
        camera.height,
        calc_compensations=True,
        camera_model=camera.model,
    )
    seen = ours.radii_px[:, 0] > 0
    assert int(seen.sum()) > 500
    assert float((ours.means_px - means_px[0])[seen].abs().max()) < 1e-4
    assert float((ours.depth_m - depth_m[0])[seen].abs().max()) < 1e-9
    # gsplat adds 1e-7 to lengths in its fisheye, which shows close to the axis.
    rtol = 1e-5 if camera.model == "pinhole" else 1e-3
    assert torch.allclose(ours.conics[seen], conics[0][seen], rtol=rtol, atol=1e-5)
    assert torch.allclose((ours.opacities / tensors.opacities)[seen], compensation[0][seen], rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_colours_are_gsplats(degree: int) -> None:
    cloud, camera = furnished_room(500), a_camera()
    tensors = cloud_tensors(cloud, dtype=torch.float64)
    ours = project(tensors, camera, RenderSettings(sh_degree=degree)).colours
    directions = tensors.means - torch.from_numpy(camera.centre_m.copy())
    theirs = torch_impl._spherical_harmonics(degree, directions, tensors.sh) + 0.5
    assert torch.allclose(ours, theirs.clamp(min=0), atol=1e-9)


def test_fisheye_points_are_opencvs() -> None:
    cv2 = pytest.importorskip("cv2")
    camera = replace(fisheye(a_camera()), distortion=(-0.2, 0.03, -0.002, 0.0004))
    cloud = furnished_room(2000)
    ours = project(cloud_tensors(cloud, dtype=torch.float64), camera, RenderSettings())
    R, t = camera.camera_from_world[:3, :3], camera.camera_from_world[:3, 3]
    theirs, _ = cv2.fisheye.projectPoints(
        cloud.means.astype(np.float64)[None], cv2.Rodrigues(R)[0], t, camera.K, np.array(camera.distortion)
    )
    seen = (ours.radii_px[:, 0] > 0).numpy()
    assert seen.sum() > 300
    assert np.abs(ours.means_px.numpy() - theirs[0])[seen].max() < 1e-8


def _rasterised(
    means2d: Any,
    conics: Any,
    colors: Any,
    opacities: Any,
    width: int,
    height: int,
    tile: int,
    offsets: Any,
    members: Any,
) -> tuple[Any, Any]:
    """gsplat's rasterisation, pixel by pixel, from the lists that its own functions made."""
    images, down, across = offsets.shape
    count = means2d.shape[1]
    limits = torch.cat([offsets.reshape(-1), torch.tensor([len(members)])])
    drawn, alpha = torch.zeros(images, height, width, colors.shape[-1]), torch.zeros(images, height, width, 1)
    for cell in range(images * down * across):
        image, row, column = cell // (down * across), cell // across % down, cell % across
        rows = members[limits[cell] : limits[cell + 1]].long()
        assert ((rows // count) == image).all()
        rows = rows % count
        for y in range(row * tile, min(row * tile + tile, height)):
            x = torch.arange(column * tile, min(column * tile + tile, width))
            left = torch.ones(len(x))
            live = torch.ones(len(x), dtype=torch.bool)
            for g in rows.tolist():
                dx, dy = means2d[image, g, 0] - (x + 0.5), means2d[image, g, 1] - (y + 0.5)
                a, b, c = conics[image, g]
                sigma = 0.5 * (a * dx * dx + c * dy * dy) + b * dx * dy
                value = torch.clamp(opacities[image, g] * torch.exp(-sigma), max=0.999)
                value = torch.where((sigma >= 0) & (value >= 1 / 255), value, torch.zeros(()))
                live &= left * (1 - value) > 1e-4
                weight = torch.where(live, left * value, torch.zeros(()))
                drawn[image, y, x] += weight[:, None] * colors[image, g]
                left = left - weight
            alpha[image, y, x, 0] = 1 - left
    return drawn, alpha


@pytest.fixture
def gsplat_on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """gsplat's torch functions under the names and signatures of its CUDA functions."""
    signatures = {
        name: inspect.signature(getattr(gsplat, name))
        for name in ("isect_tiles", "isect_offset_encode", "rasterize_to_pixels")
    }

    def isect_tiles(*args: Any, **options: Any) -> Any:
        given = signatures["isect_tiles"].bind(*args, **options).arguments
        assert given["packed"] is False
        assert given["radii"].dtype == torch.int32
        assert given["n_images"] == given["means2d"].shape[0]
        names = ("means2d", "radii", "depths", "tile_size", "tile_width", "tile_height")
        return torch_impl._isect_tiles(*(given[name] for name in names))

    def isect_offset_encode(*args: Any, **options: Any) -> Any:
        given = signatures["isect_offset_encode"].bind(*args, **options).arguments
        return torch_impl._isect_offset_encode(*given.values())

    def rasterize_to_pixels(*args: Any, **options: Any) -> Any:
        given = signatures["rasterize_to_pixels"].bind(*args, **options).arguments
        assert given.pop("packed") is False
        assert all(tensor.dtype == torch.float32 for tensor in list(given.values())[:4])
        return _rasterised(*given.values())

    monkeypatch.setattr(gsplat, "isect_tiles", isect_tiles)
    monkeypatch.setattr(gsplat, "isect_offset_encode", isect_offset_encode)
    monkeypatch.setattr(gsplat, "rasterize_to_pixels", rasterize_to_pixels)


@pytest.mark.usefixtures("gsplat_on_cpu")
@pytest.mark.parametrize(
    "settings",
    [RenderSettings(background=(0.3, 0.1, 0.8)), RenderSettings(defocus=Defocus(aperture_px=1.0, focus_m=2.0))],
    ids=["sharp", "defocus"],
)
def test_the_cuda_engine_uses_gsplat_rightly(settings: RenderSettings) -> None:
    cloud = fluffy_room(150)
    cameras = [a_camera(33, 20), fisheye(a_camera(33, 20))]
    frames = list(draw_gsplat(cloud, cameras, settings, device="cpu"))
    assert len(frames) == 2
    for frame, camera in zip(frames, cameras, strict=True):
        truth = render(cloud, camera, engine="reference", defocus=settings.defocus, background=settings.background)
        assert np.abs(frame.image_srgb - truth.image_srgb).mean() < 3e-6
        assert np.abs(frame.alpha - truth.alpha).mean() < 3e-6
        known = np.isfinite(truth.depth_m)
        assert np.abs(frame.mean_depth_m - truth.depth_m)[known].max() < 1e-3


def test_nothing_to_draw_does_not_reach_gsplat() -> None:
    [frame] = draw_gsplat(GaussianCloud.empty(), [a_camera(8, 6)], RenderSettings(background=(1, 0, 0)), device="cpu")
    assert np.allclose(frame.image_srgb, [1, 0, 0])
    assert frame.alpha.max() == 0


def test_the_projection_has_gradients() -> None:
    """Fitting differentiates through it."""
    tensors = cloud_tensors(furnished_room(50), dtype=torch.float64)
    means = tensors.means.clone().requires_grad_()
    settings = RenderSettings(defocus=Defocus(aperture_px=2.0, focus_m=2.0), antialiased=True)
    for camera in (a_camera(), fisheye(a_camera())):
        drawn = project(tensors._replace(means=means), camera, settings)
        seen = drawn.radii_px[:, 0] > 0
        loss = drawn.means_px[seen].sum() + drawn.conics[seen].sum() + drawn.opacities[seen].sum() + drawn.colours.sum()
        (gradient,) = torch.autograd.grad(loss, means)
        assert torch.isfinite(gradient).all()
        assert float(gradient.abs().max()) > 0
