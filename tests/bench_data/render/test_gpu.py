"""The CUDA engine against the CPU engine; run by ``make gpu-check``."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import (
    Defocus,
    RenderSettings,
    exposure_ends,
    render_exposure,
    render_many,
)
from seeworthy.bench_data.render.engines import why_no_gsplat
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, fisheye, fluffy_room, furnished_room

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def _gsplat_works() -> None:
    reason = why_no_gsplat()
    if reason is not None:
        pytest.skip(f"the CUDA engine cannot run: {reason}")


def views(camera: Camera, count: int) -> list[Camera]:
    start, end = exposure_ends(camera, translation_m=(1.0, 0.3, 0.0), rotation_rad=(0.0, 0.8, 0.0))
    from seeworthy.bench_data.camera_paths import pose_path

    return [camera.with_pose(pose) for pose in pose_path(np.stack([start, end]), count=count)]


@pytest.mark.parametrize(
    ("make_cloud", "camera", "settings"),
    [
        (furnished_room, a_camera(640, 480), RenderSettings()),
        (fluffy_room, a_camera(640, 480), RenderSettings(background=(1.0, 1.0, 1.0))),
        (furnished_room, replace(a_camera(333, 217), cx=100.0), RenderSettings(antialiased=True)),
        (furnished_room, fisheye(a_camera(640, 480)), RenderSettings()),
        (furnished_room, a_camera(640, 480), RenderSettings(defocus=Defocus(aperture_px=8.0, focus_m=3.0))),
    ],
    ids=["room", "fluff", "antialiased", "fisheye", "defocus"],
)
def test_both_engines_draw_the_same(make_cloud: object, camera: Camera, settings: RenderSettings) -> None:
    cloud = make_cloud(60_000)  # type: ignore[operator]
    cameras = views(camera, 3)
    pairs = zip(*(render_many(cloud, cameras, settings, engine=name) for name in ("gsplat", "numba")), strict=True)
    for cuda, cpu in pairs:
        difference = np.abs(cuda.image_srgb - cpu.image_srgb)
        steps = np.abs(cuda.image_srgb_u8.astype(int) - cpu.image_srgb_u8.astype(int))
        # Twice the tolerance of the CPU: the exponential of the device is coarser.
        assert difference.mean() <= 6e-6
        assert np.quantile(difference, 0.999) <= 1e-4
        assert (steps > 1).mean() <= 2e-4
        known = np.isfinite(cuda.depth_m) & np.isfinite(cpu.depth_m)
        assert (np.isfinite(cuda.depth_m) == np.isfinite(cpu.depth_m)).mean() > 0.999
        assert (np.abs(cuda.depth_m - cpu.depth_m)[known] / cpu.depth_m[known]).mean() <= 2e-5


def test_clouds_of_many_sizes_and_nothing_at_all() -> None:
    nothing = next(render_many(GaussianCloud.empty(), [a_camera(20, 10)], engine="gsplat"))
    assert nothing.alpha.max() == 0
    cameras = [a_camera(40, 30), a_camera(64, 48), a_camera(64, 48)]
    shapes = [one.alpha.shape for one in render_many(furnished_room(2000), cameras, engine="gsplat")]
    assert shapes == [(30, 40), (48, 64), (48, 64)]


@pytest.mark.parametrize("count", [200_000, 1_000_000])
def test_frames_per_second(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Prints; a device shared with others has no speed that could be asserted."""
    cloud, cameras = furnished_room(count), views(a_camera(640, 480), 64)
    list(render_many(cloud, cameras[:8], engine="gsplat"))
    started = time.perf_counter()
    drawn = list(render_many(cloud, cameras, engine="gsplat"))
    rate = len(drawn) / (time.perf_counter() - started)
    assert all(one.alpha.mean() > 0.5 for one in drawn)
    with capsys.disabled():
        print(f"\n{count:,} Gaussians, 640x480: {rate:.0f} frames per second, copied to the host")


def test_motion_blur_of_eighty_poses(capsys: pytest.CaptureFixture[str]) -> None:
    cloud, camera = furnished_room(200_000), a_camera(640, 480)
    start, end = exposure_ends(camera, translation_m=(0.25, 0.0, 0.0), rotation_rad=(0.0, 0.08, 0.0))
    render_exposure(cloud, camera, start, end, poses=8, engine="gsplat")
    started = time.perf_counter()
    cuda = render_exposure(cloud, camera, start, end, engine="gsplat")
    seconds = time.perf_counter() - started
    cpu = render_exposure(cloud, camera, start, end, engine="numba")
    assert np.abs(cuda.image_srgb - cpu.image_srgb).mean() <= 6e-6
    with capsys.disabled():
        print(f"\nmotion blur of {cuda.poses} poses, 200,000 Gaussians, 640x480: {seconds:.2f} s")
