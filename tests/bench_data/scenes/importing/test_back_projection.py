"""RGB-D as Gaussians: drawn again from where it was taken, it is the picture and the depth that it was made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes.importing import ColourDepth, back_projected
from seeworthy.bench_data.scenes.importing.voxels import fitting_side_m, voxel_owners
from tests.bench_data.scenes.importing.places import cameras, checkered, floor_depth


def a_view(number: int = 0) -> ColourDepth:
    camera = cameras()[number]
    return ColourDepth(name=f"{number}", camera=camera, image_srgb_u8=checkered(number), depth_m=floor_depth(camera))


def test_the_floor_lies_flat_and_looks_like_its_picture() -> None:
    view = a_view()
    cloud = back_projected([view])
    known = view.depth_m > 0
    assert len(cloud) == int(known.sum())
    assert np.abs(cloud.means[:, 2]).max() < 1e-4
    drawn = render(cloud, view.camera, engine="numba")
    inner = known.copy()
    inner[:, :2] = inner[:, -2:] = inner[:2] = inner[-2:] = False
    inner[:-2] &= known[2:] & (view.depth_m[:-2] < 5)
    assert np.abs(drawn.depth_m[inner] / view.depth_m[inner] - 1).max() < 0.06
    assert drawn.alpha[inner].min() > 0.9
    # Blocks of eight pixels keep their colour in the middle; between them Gaussians blend.
    error = np.abs(drawn.image_srgb - view.image_srgb_u8 / 255.0)[inner]
    assert np.median(error) < 0.05


def test_flat_gaussians_lie_in_the_surface() -> None:
    from scipy.spatial.transform import Rotation

    cloud = back_projected([a_view()])
    axes = Rotation.from_quat(cloud.quats_wxyz, scalar_first=True).as_matrix()
    thinnest = axes[np.arange(len(cloud)), :, np.argmin(cloud.scales, axis=1)]
    assert np.quantile(np.abs(thinnest[:, 2]), 0.05) > 0.99


def test_a_step_in_depth_is_not_bridged() -> None:
    camera = Camera(width=32, height=16, fx=30, fy=30, cx=16, cy=8, world_from_camera=np.eye(4))
    depth = np.full((16, 32), 1.0, np.float32)
    depth[:, 16:] = 3.0
    cloud = back_projected(
        [ColourDepth(name="a", camera=camera, image_srgb_u8=checkered(size=(32, 16)), depth_m=depth)]
    )
    assert cloud.scales.max() < 0.8 * 3.0 / 30
    assert not ((cloud.means[:, 2] > 1.1) & (cloud.means[:, 2] < 2.9)).any()


def test_views_of_one_place_share_their_voxels() -> None:
    views = [a_view(k) for k in range(4)]
    each = [len(back_projected([view])) for view in views]
    cloud = back_projected(views, voxel_m=0.2)
    assert len(cloud) < sum(each) / 3
    assert np.abs(cloud.means[:, 2]).max() < 1e-4
    assert np.sort(cloud.scales, axis=1)[:, 1].min() > 0.5 * 0.2


def test_no_more_gaussians_than_wanted() -> None:
    for most in (1, 50, 700):
        assert 0.5 * most <= len(back_projected([a_view(k) for k in range(4)], most=most)) <= most


def test_what_is_far_is_left_out() -> None:
    view = a_view()
    cloud = back_projected([view], max_depth_m=3.0)
    assert len(cloud) == int(((view.depth_m > 0) & (view.depth_m <= 3)).sum())


def test_the_same_views_give_the_same_bytes() -> None:
    first, second = (back_projected([a_view(k) for k in range(3)], most=500) for _ in range(2))
    assert first.means.tobytes() == second.means.tobytes()
    assert first.quats_wxyz.tobytes() == second.quats_wxyz.tobytes()


def test_what_cannot_be_used() -> None:
    view = a_view()
    nothing = np.full_like(view.depth_m, np.nan)
    with pytest.raises(BenchDataError, match="no pixel"):
        back_projected([ColourDepth(name="a", camera=view.camera, image_srgb_u8=view.image_srgb_u8, depth_m=nothing)])
    with pytest.raises(BenchDataError, match="no pixel"):
        back_projected([])
    with pytest.raises(BenchDataError, match="its depth is"):
        ColourDepth(name="a", camera=view.camera, image_srgb_u8=view.image_srgb_u8, depth_m=nothing[:-1])
    with pytest.raises(BenchDataError, match="must be uint8"):
        ColourDepth(name="a", camera=view.camera, image_srgb_u8=view.image_srgb_u8[:-1], depth_m=nothing)
    with pytest.raises(BenchDataError, match="at least 1"):
        back_projected([view], most=0)


@given(seed=st.integers(0, 2**31), side=st.floats(0.01, 5), count=st.integers(0, 200))
@settings(deadline=None)
def test_points_that_share_a_voxel_are_near_and_numbers_are_dense(seed: int, side: float, count: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    owners, number = voxel_owners(points, side)
    assert sorted(set(owners.tolist())) == list(range(number))
    for voxel in range(number):
        assert np.ptp(points[owners == voxel], axis=0).max() <= side * (1 + 1e-9)


@given(seed=st.integers(0, 2**31), most=st.integers(1, 60))
@settings(deadline=None)
def test_the_side_that_fits_fits(seed: int, most: int) -> None:
    points = np.random.default_rng(seed).normal(size=(120, 3))
    assert voxel_owners(points, fitting_side_m(points, most))[1] <= most
    assert fitting_side_m(points[:most], most) == 0
