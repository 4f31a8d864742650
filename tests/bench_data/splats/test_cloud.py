"""What a cloud accepts, and what its operations keep."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning
from seeworthy.bench_data.splats import GaussianCloud, cloud_from_points, sh_colours, summarise
from tests.bench_data.splats.clouds import full_covariances, random_cloud

ARRAYS = ("means", "quats_wxyz", "scales", "opacities", "sh")


def values(count: int = 4) -> dict[str, Any]:
    cloud = random_cloud(count, degree=1)
    return {name: np.array(getattr(cloud, name)) for name in ARRAYS}


def with_entry(name: str, row: int, value: object) -> dict[str, Any]:
    arrays = values()
    arrays[name][row] = value
    return arrays


class TestConstruction:
    def test_arrays_are_float32_contiguous_and_read_only(self) -> None:
        arrays = values()
        arrays["means"] = np.asfortranarray(arrays["means"].astype(np.float64))
        arrays["opacities"] = [0, 1, 0, 1]
        cloud = GaussianCloud(**arrays)
        for name in ARRAYS:
            array = getattr(cloud, name)
            assert array.dtype == np.float32
            assert array.flags.c_contiguous
            assert not array.flags.writeable

    def test_later_changes_of_the_input_do_not_reach_it(self) -> None:
        arrays = values()
        cloud = GaussianCloud(**arrays)
        before = cloud.means.copy()
        arrays["means"][:] = 7
        assert np.array_equal(cloud.means, before)

    def test_read_only_arrays_are_not_copied(self) -> None:
        arrays = values()
        for array in arrays.values():
            array.setflags(write=False)
        cloud = GaussianCloud(**arrays)
        assert all(np.shares_memory(getattr(cloud, name), arrays[name]) for name in ARRAYS)

    def test_quaternions_are_normalised_with_a_warning(self) -> None:
        with pytest.warns(BenchDataWarning, match="1 of 4 are not of length 1"):
            cloud = GaussianCloud(**with_entry("quats_wxyz", 2, (2, 0, 0, 0)))
        assert cloud.quats_wxyz[2].tolist() == [1, 0, 0, 0]

    def test_empty(self) -> None:
        cloud = GaussianCloud.empty(2)
        assert len(cloud) == 0
        assert cloud.covariances.shape == (0, 6)
        assert cloud.sh.shape == (0, 9, 3)
        assert len(GaussianCloud.merged([])) == 0
        with pytest.raises(BenchDataError, match="empty"):
            _ = cloud.bounds_m

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            (with_entry("means", 2, math.nan), "means row 2 is not finite"),
            (with_entry("means", 1, math.inf), "means row 1"),
            (with_entry("scales", 3, math.inf), "scales row 3 is not finite"),
            (with_entry("opacities", 0, math.nan), "opacities row 0"),
            (with_entry("sh", 2, math.nan), "sh row 2"),
            (with_entry("quats_wxyz", 1, 0), "quats_wxyz row 1 is zero"),
            (with_entry("quats_wxyz", 1, math.nan), "quats_wxyz row 1 is not finite"),
            (with_entry("opacities", 2, 4.6), r"row 2 is 4.6; if these are the raw values of a file \(logits\)"),
            (with_entry("opacities", 2, -0.01), "logits"),
            (with_entry("scales", 1, -4.6), r"row 1 is .* raw values of a file \(logarithms\)"),
            (with_entry("scales", 1, (0.1, 0.1, 0)), "positive metres"),
            (values() | {"means": np.zeros((4, 2))}, r"means must have shape \(N, 3\)"),
            (values() | {"means": np.zeros((5, 3))}, r"quats_wxyz must have shape \(5, 4\), got \(4, 4\)"),
            (values() | {"opacities": np.zeros((4, 1))}, r"opacities must have shape \(4,\)"),
            (values() | {"sh": np.zeros((4, 3))}, r"sh must have shape \(4, K, 3\)"),
            (values() | {"sh": np.zeros((4, 5, 3))}, "1, 4, 9 or 16 coefficients, not 5"),
            (values() | {"sh": np.zeros((4, 3, 4))}, "sh must have shape"),
            (values() | {"means": "points"}, "means must be real numbers"),
            (values() | {"means": None}, "means must be real numbers"),
            (values() | {"means": np.full((4, 3), 1j)}, "real numbers"),
            (values() | {"means": np.full((4, 3), 1e39)}, "not finite"),
            (values() | {"instance_ids": [0, 1, 2]}, r"shape \(4,\)"),
            (values() | {"instance_ids": [0.5, 1, 2, 3]}, "whole numbers"),
            (values() | {"instance_ids": [-2, 1, 2, 3]}, "-1"),
            (values() | {"instance_ids": [2**31, 1, 2, 3]}, "2147483647"),
        ],
    )
    def test_what_is_no_cloud(self, arrays: dict[str, Any], message: str) -> None:
        with pytest.raises(BenchDataError, match=message):
            GaussianCloud(**arrays)

    def test_a_bad_row_beyond_the_first_block(self) -> None:
        means = np.zeros((70_000, 3), np.float32)
        means[69_999, 1] = math.nan
        with pytest.raises(BenchDataError, match="row 69999"):
            cloud_from_points(means, np.zeros((70_000, 3)), scale_m=0.1)


class TestCovariances:
    def test_they_are_those_of_the_definition(self) -> None:
        cloud = random_cloud(30)
        for i, covariance in enumerate(full_covariances(cloud)):
            R = Rotation.from_quat(np.roll(cloud.quats_wxyz[i].astype(np.float64), -1)).as_matrix()
            assert covariance == pytest.approx(R @ np.diag(cloud.scales[i].astype(np.float64) ** 2) @ R.T, rel=1e-5)

    def test_they_are_computed_once(self) -> None:
        cloud = random_cloud(3)
        assert cloud.covariances is cloud.covariances
        assert not cloud.covariances.flags.writeable


class TestTransform:
    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
    def test_a_camera_that_moves_along_sees_the_same(self, seed: int, factor: float) -> None:
        rng = np.random.default_rng(seed)
        cloud = random_cloud(20, seed=seed)
        R = Rotation.random(rng=rng).as_matrix()
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = R * factor, rng.normal(size=3)
        moved = cloud.transformed(matrix)
        eye = rng.normal(size=3) * 4
        new_eye = matrix[:3, :3] @ eye + matrix[:3, 3]
        assert colours(moved, new_eye) == pytest.approx(colours(cloud, eye), abs=1e-5)
        assert full_covariances(moved) == pytest.approx(
            R @ full_covariances(cloud).astype(np.float64) @ R.T * factor**2, rel=1e-3, abs=1e-6 * factor**2
        )
        pose = np.eye(4)
        pose[:3, 3] = eye
        new_pose = np.eye(4)
        new_pose[:3, :3], new_pose[:3, 3] = R, new_eye
        before, after = project(cloud, pose), project(moved, new_pose)
        # Depth scales with the world; pixels stay.
        front = before.depth_m > 0.5
        assert after.points_px[front] == pytest.approx(before.points_px[front], abs=0.05)
        assert after.depth_m == pytest.approx(before.depth_m * factor, abs=1e-5 * factor)

    def test_it_is_undone_by_its_inverse(self) -> None:
        cloud = random_cloud(40, instances=True)
        matrix = np.eye(4)
        matrix[:3, :3] = Rotation.from_euler("xyz", [1, 2, 3]).as_matrix() * 2.5
        matrix[:3, 3] = (1, -2, 3)
        back = cloud.transformed(matrix).transformed(np.linalg.inv(matrix))
        assert back.means == pytest.approx(cloud.means, abs=2e-6)
        assert back.sh == pytest.approx(cloud.sh, abs=2e-6)
        assert full_covariances(back) == pytest.approx(full_covariances(cloud), abs=1e-7)
        assert np.array_equal(back.instance_ids, cloud.instance_ids)  # type: ignore[arg-type]
        assert np.array_equal(back.opacities, cloud.opacities)

    @pytest.mark.parametrize(
        ("matrix", "message"),
        [
            (np.diag([1, 1, -1, 1]), "left-handed"),
            (np.diag([1, 1, 2, 1]), "not orthonormal"),
            (np.diag([1, 1, 0, 1]), "flattens"),
            (np.eye(3), r"\(4, 4\)"),
            (np.full((4, 4), math.nan), "finite"),
            (np.eye(4) * 2, "last row"),
        ],
    )
    def test_what_a_gaussian_cannot_follow(self, matrix: np.ndarray, message: str) -> None:
        with pytest.raises(BenchDataError, match=message):
            random_cloud(2).transformed(matrix)


class TestSelection:
    def test_crop_keeps_the_border(self) -> None:
        cloud = cloud_from_points([[0, 0, 0], [1, 1, 1], [1.001, 0, 0]], np.zeros((3, 3)), scale_m=0.1)
        assert cloud.cropped((0, 0, 0), (1, 1, 1)).means.tolist() == [[0, 0, 0], [1, 1, 1]]
        with pytest.raises(BenchDataError, match="low <= high"):
            cloud.cropped((1, 0, 0), (0, 1, 1))

    def test_every_array_follows(self) -> None:
        cloud = random_cloud(10, instances=True)
        picked = cloud.selected([7, 2, -1])
        for name in (*ARRAYS, "instance_ids"):
            assert np.array_equal(getattr(picked, name), getattr(cloud, name)[[7, 2, 9]])
        mask = np.zeros(10, bool)
        mask[3] = True
        assert np.array_equal(cloud.selected(mask).means, cloud.means[3:4])
        assert len(cloud.selected([])) == 0

    @pytest.mark.parametrize("rows", [[True, False], [0.5], [10], [-11], [[0]], ["a"]])
    def test_what_selects_nothing(self, rows: object) -> None:
        with pytest.raises(BenchDataError, match="row"):
            random_cloud(10).selected(rows)  # type: ignore[arg-type]

    def test_subsampling_is_repeatable_and_in_order(self) -> None:
        cloud = cloud_from_points(np.arange(300).reshape(100, 3), np.zeros((100, 3)), scale_m=0.1)
        one = cloud.subsampled(20, np.random.default_rng(5))
        assert np.array_equal(one.means, cloud.subsampled(20, np.random.default_rng(5)).means)
        assert not np.array_equal(one.means, cloud.subsampled(20, np.random.default_rng(6)).means)
        assert (np.diff(one.means[:, 0]) > 0).all()
        assert len(cloud.subsampled(100, np.random.default_rng(0))) == 100
        with pytest.raises(BenchDataError, match="cannot draw 101 of 100"):
            cloud.subsampled(101, np.random.default_rng(0))

    def test_instances(self) -> None:
        cloud = random_cloud(6).with_instance_ids([0, 1, -1, 1, 2, 1])
        assert np.array_equal(cloud.instance(1).means, cloud.means[[1, 3, 5]])
        assert len(cloud.instance(9)) == 0
        assert cloud.with_instance_ids(3).instance_ids.tolist() == [3] * 6  # type: ignore[union-attr]
        assert cloud.with_instance_ids(None).instance_ids is None
        with pytest.raises(BenchDataError, match="no instance ids"):
            random_cloud(6).instance(1)


class TestMerge:
    def test_order_degrees_and_ids(self) -> None:
        a, b = random_cloud(3, degree=0, instances=True), random_cloud(2, degree=2, seed=1)
        both = GaussianCloud.merged([a, b])
        assert len(both) == 5
        assert both.sh_degree == 2
        assert np.array_equal(both.means, np.concatenate([a.means, b.means]))
        assert (both.sh[:3, 1:] == 0).all()
        assert np.array_equal(both.sh[3:], b.sh)
        assert both.instance_ids.tolist() == [*a.instance_ids.tolist(), -1, -1]  # type: ignore[union-attr]

    def test_without_ids_there_are_none(self) -> None:
        assert GaussianCloud.merged([random_cloud(2), random_cloud(2)]).instance_ids is None

    def test_degrees_up_and_down(self) -> None:
        cloud = random_cloud(4, degree=3)
        assert np.array_equal(cloud.with_sh_degree(1).sh, cloud.sh[:, :4])
        assert cloud.with_sh_degree(1).with_sh_degree(3).sh_degree == 3
        assert cloud.with_sh_degree(3) is cloud
        with pytest.raises(BenchDataError, match="degree"):
            cloud.with_sh_degree(4)


class TestFromPoints:
    def test_sizes_are_half_the_distance_to_the_three_nearest(self) -> None:
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 2], [50, 0, 0]], dtype=float)
        cloud = cloud_from_points(points, np.full((5, 3), 0.25))
        assert cloud.scales[0] == pytest.approx([math.sqrt((1 + 4 + 4) / 3) / 2] * 3)
        assert cloud.scales[4] == pytest.approx([4 * np.median(cloud.scales[:, 0])] * 3)  # the stray
        assert sh_colours(cloud.sh, np.tile([0, 0, 1.0], (5, 1))) == pytest.approx(np.full((5, 3), 0.25), abs=1e-6)

    def test_few_points(self) -> None:
        assert cloud_from_points([[0, 0, 0], [0, 0, 2]], np.zeros((2, 3))).scales[0] == pytest.approx([1, 1, 1])
        assert len(cloud_from_points(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
        assert (cloud_from_points(np.zeros((4, 3)), np.zeros((4, 3))).scales > 0).all()

    @pytest.mark.parametrize(
        ("points", "colours_srgb", "message"),
        [
            (np.zeros((1, 3)), np.zeros((1, 3)), "pass scale_m"),
            (np.zeros((2, 3)), np.zeros((3, 3)), r"\(N, 3\)"),
            (np.zeros((2, 3)), np.full((2, 3), 255), "divide 8-bit values by 255"),
            (np.full((2, 3), math.nan), np.zeros((2, 3)), "not all finite"),
        ],
    )
    def test_wrong_arguments(self, points: np.ndarray, colours_srgb: np.ndarray, message: str) -> None:
        with pytest.raises(BenchDataError, match=message):
            cloud_from_points(points, colours_srgb)


def test_a_summary() -> None:
    cloud = random_cloud(100, degree=2, instances=True)
    summary = summarise(cloud)
    assert (summary.gaussians, summary.sh_degree, summary.instances) == (100, 2, 4)
    assert summary.low_m == pytest.approx(cloud.means.min(axis=0))
    assert summary.largest_scale_m == pytest.approx(cloud.scales.max())
    assert summarise(GaussianCloud.empty()).low_m is None


def test_no_warning_on_the_usual_way() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved = random_cloud(10).transformed(np.eye(4)).with_sh_degree(0)
    assert moved.notes == ()


def colours(cloud: GaussianCloud, eye: np.ndarray) -> np.ndarray:
    directions = cloud.means.astype(np.float64) - eye
    return sh_colours(cloud.sh, directions / np.linalg.norm(directions, axis=1, keepdims=True))


def project(cloud: GaussianCloud, pose: np.ndarray) -> Any:
    camera = Camera(width=100, height=100, fx=80, fy=80, cx=50, cy=50, world_from_camera=pose, near_m=1e-3)
    return camera.project(cloud.means)
