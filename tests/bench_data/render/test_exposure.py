"""Motion blur is the mean of light over the path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeworthy.bench_data.camera_paths import pose_path
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.images import linear_from_srgb, srgb_from_linear, u8_from_srgb
from seeworthy.bench_data.render import (
    POSES,
    exposure_ends,
    exposure_weights,
    render,
    render_exposure,
)
from seeworthy.bench_data.rotations import angle_between_rad, quat_from_matrix
from seeworthy.bench_data.splats import GaussianCloud
from tests.bench_data.render.scenes import a_camera, furnished_room

SMALL = (64, 48)


@pytest.fixture(scope="module")
def cloud() -> GaussianCloud:
    return furnished_room(6000)


def motion(camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    return exposure_ends(camera, translation_m=(0.2, 0.0, 0.05), rotation_rad=(0.0, 0.06, 0.02))


@pytest.mark.parametrize("engine", ["numba", "reference"])
def test_it_is_the_mean_of_linear_light_of_the_pictures(cloud: GaussianCloud, engine: str) -> None:
    camera = a_camera(*SMALL)
    start, end = motion(camera)
    blurred = render_exposure(cloud, camera, start, end, poses=3, engine=engine)
    pictures = [
        render(cloud, camera.with_pose(pose), engine=engine) for pose in pose_path(np.stack([start, end]), count=3)
    ]
    light = np.mean([linear_from_srgb(p.image_srgb).astype(np.float64) for p in pictures], axis=0)
    assert np.allclose(blurred.image_linear, light, atol=1e-6)
    assert np.allclose(blurred.image_srgb, srgb_from_linear(light.astype(np.float32)), atol=1e-6)
    assert np.allclose(blurred.alpha, np.mean([p.alpha for p in pictures], axis=0), atol=1e-6)
    assert blurred.poses == 3
    # Averaging display-encoded values instead is darker where light and dark mix.
    encoded = np.mean([p.image_srgb for p in pictures], axis=0)
    assert (blurred.image_srgb - encoded).mean() > 1e-4


@pytest.mark.parametrize("threads", [2, 5])
def test_the_number_of_threads_changes_no_byte(cloud: GaussianCloud, threads: int) -> None:
    camera = a_camera(*SMALL)
    start, end = motion(camera)
    alone, together = (
        render_exposure(cloud, camera, start, end, poses=9, engine="numba", threads=n) for n in (1, threads)
    )
    assert alone.image_linear.tobytes() == together.image_linear.tobytes()


def test_a_camera_at_rest_takes_a_sharp_picture(cloud: GaussianCloud) -> None:
    camera = a_camera(*SMALL)
    pose = camera.world_from_camera
    blurred = render_exposure(cloud, camera, pose, pose, poses=5, engine="numba")
    sharp = render(cloud, camera, engine="numba")
    assert np.abs(u8_from_srgb(blurred.image_srgb).astype(int) - sharp.image_srgb_u8).max() <= 1


def test_eighty_poses_are_the_default_and_a_draft_is_close_but_never_silent(cloud: GaussianCloud) -> None:
    camera = a_camera(*SMALL)
    start, end = exposure_ends(camera, translation_m=(0.05, 0.0, 0.0), rotation_rad=(0.0, 0.02, 0.0))
    full = render_exposure(cloud, camera, start, end, engine="numba")
    draft = render_exposure(cloud, camera, start, end, quadrature="draft", engine="numba")
    assert (full.poses, draft.poses) == (POSES, 41) == (80, 41)
    steps = np.abs(u8_from_srgb(full.image_srgb).astype(int) - u8_from_srgb(draft.image_srgb))
    assert (steps > 1).mean() < 1e-3
    assert steps.max() <= 3


@given(st.integers(1, 200))
def test_weights_of_a_draft_average_linear_functions_as_the_full_sum_does(poses: int) -> None:
    weights = exposure_weights(poses, "draft")
    assert len(weights) == poses // 2 + 1
    assert (weights > 0).all() or poses == 2
    assert weights.sum() == pytest.approx(1.0)
    assert weights == pytest.approx(weights[::-1])
    if len(weights) > 1:
        times = np.linspace(0, 1, len(weights))
        assert weights @ times == pytest.approx(0.5)
        # A function that is linear between the drawn poses is averaged exactly.
        bent = np.abs(times - times[len(times) // 2])
        fine = np.interp(np.linspace(0, 1, poses), times, bent)
        assert weights @ bent == pytest.approx(fine.mean())


@pytest.mark.parametrize(("poses", "quadrature"), [(0, "full"), (-1, "draft"), (80, "simpson")])
def test_wrong_sums_are_refused(poses: int, quadrature: str) -> None:
    with pytest.raises(BenchDataError):
        exposure_weights(poses, quadrature)  # type: ignore[arg-type]


def test_the_motion_is_centred_on_the_cameras_own_pose() -> None:
    camera = a_camera()
    shift, turn = np.array([0.3, -0.1, 0.2]), np.array([0.02, -0.1, 0.04])
    start, end = exposure_ends(camera, translation_m=shift, rotation_rad=turn)
    middle = pose_path(np.stack([start, end]), count=3)[1]
    assert np.allclose(middle, camera.world_from_camera, atol=1e-12)
    moved = camera.world_from_camera[:3, :3].T @ (end[:3, 3] - start[:3, 3])
    assert np.allclose(moved, shift)
    turned = angle_between_rad(quat_from_matrix(start[:3, :3]), quat_from_matrix(end[:3, :3]))
    assert turned == pytest.approx(np.linalg.norm(turn))


@pytest.mark.parametrize(
    ("shift", "turn"), [((0, 0), (0, 0, 0)), ((0, 0, float("nan")), (0, 0, 0)), ((0, 0, 0), (float("inf"), 0, 0))]
)
def test_a_motion_must_be_finite(shift: tuple[float, ...], turn: tuple[float, ...]) -> None:
    with pytest.raises(BenchDataError, match="finite"):
        exposure_ends(a_camera(), translation_m=shift, rotation_rad=turn)
