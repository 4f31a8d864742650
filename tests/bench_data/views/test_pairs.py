"""Pairs of views: limits, draws, and the published search."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.rotations import angle_between_rad, quat_from_matrix
from seeworthy.bench_data.views import (
    PairLimits,
    angles_rad,
    distances_m,
    eligible_pairs,
    largest_euler_rad,
    pose_distances,
    poses_of,
    sample_pairs,
    symmetric,
)


def cameras_and_overlap(count: int, seed: int) -> tuple[list[Camera], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    cameras = []
    for turn in Rotation.random(count, random_state=seed).as_matrix() if count else []:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn, rng.uniform(-1, 1, 3)
        cameras.append(Camera(width=8, height=6, fx=8, fy=8, cx=4, cy=3, world_from_camera=pose))
    return cameras, symmetric(rng.uniform(0, 1, (count, count)))


def test_baselines_are_those_of_each_pair() -> None:
    cameras, _ = cameras_and_overlap(6, 0)
    poses = poses_of(cameras)
    angles, distances, eulers = angles_rad(poses), distances_m(poses), largest_euler_rad(poses)
    for i, one in enumerate(poses):
        for j, other in enumerate(poses):
            wanted = angle_between_rad(quat_from_matrix(one[:3, :3]), quat_from_matrix(other[:3, :3]))
            assert angles[i, j] == pytest.approx(float(wanted), abs=1e-7)
            assert distances[i, j] == pytest.approx(math.dist(one[:3, 3], other[:3, 3]))
            euler = Rotation.from_matrix(one[:3, :3].T @ other[:3, :3]).as_euler("YXZ")
            assert eulers[i, j] == pytest.approx(np.abs(euler).max(), abs=1e-12)
            assert pose_distances(poses)[i, j] == pytest.approx(angles[i, j] / math.pi + distances[i, j])
    for empty in (angles_rad, distances_m, largest_euler_rad):
        assert empty(poses_of([])).shape == (0, 0)


@pytest.mark.parametrize(("axis", "angle_deg"), [("Y", 20.0), ("X", -7.0), ("Z", 3e-6), ("Y", 170.0)])
def test_small_and_large_turns(axis: str, angle_deg: float) -> None:
    poses = np.stack([np.eye(4), np.eye(4)])
    poses[1, :3, :3] = Rotation.from_euler(axis, angle_deg, degrees=True).as_matrix()
    assert math.degrees(angles_rad(poses)[0, 1]) == pytest.approx(abs(angle_deg), rel=1e-7)
    assert math.degrees(largest_euler_rad(poses)[0, 1]) == pytest.approx(abs(angle_deg), rel=1e-7)


@pytest.mark.parametrize("angles_deg", [(20, 12, 0), (0, 0, -12), (6, 4.9, 0), (-30, 40, 10), (170, 5, 5)])
def test_euler_angles_are_yaw_then_pitch_then_roll(angles_deg: tuple[float, float, float]) -> None:
    """About y, the new x, and the new z: the product written out."""
    (cy, sy), (cx, sx), (cz, sz) = ((math.cos(a), math.sin(a)) for a in np.radians(angles_deg))
    yaw = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    pitch = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    roll = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    poses = np.stack([np.eye(4), np.eye(4)])
    poses[0, :3, :3] = Rotation.random(random_state=0).as_matrix()
    poses[1, :3, :3] = poses[0, :3, :3] @ yaw @ pitch @ roll
    assert math.degrees(largest_euler_rad(poses)[0, 1]) == pytest.approx(max(map(abs, angles_deg)))


LIMITS = st.builds(
    PairLimits,
    more_overlap_than=st.floats(0, 0.5),
    most_overlap=st.floats(0.5, 1),
    least_translation_m=st.floats(0, 1),
    most_translation_m=st.floats(1, 3),
    least_rotation_rad=st.floats(0, 1),
    most_rotation_rad=st.floats(1, 4),
    rotation=st.sampled_from(["angle", "largest_euler"]),
)


@settings(max_examples=60, deadline=None)
@given(LIMITS, st.integers(0, 12), st.integers(0, 10_000))
def test_eligible_pairs_are_all_that_lie_within_limits(limits: PairLimits, count: int, seed: int) -> None:
    cameras, overlap = cameras_and_overlap(count, seed)
    poses = poses_of(cameras)
    turned = angles_rad(poses) if limits.rotation == "angle" else largest_euler_rad(poses)
    wanted = [
        (i, j)
        for i in range(count)
        for j in range(i + 1, count)
        if limits.more_overlap_than < overlap[i, j] <= limits.most_overlap
        and limits.least_translation_m <= distances_m(poses)[i, j] <= limits.most_translation_m
        and limits.least_rotation_rad <= turned[i, j] <= limits.most_rotation_rad
    ]
    assert [(pair.first, pair.second) for pair in eligible_pairs(overlap, cameras, limits)] == wanted


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 14), st.integers(0, 10_000), st.sampled_from(["each_view_once", "any", "published"]))
def test_drawn_pairs(count: int, seed: int, method: str) -> None:
    cameras, overlap = cameras_and_overlap(count, seed)
    limits = PairLimits(more_overlap_than=0.4)
    eligible = {frozenset(pair[:2]): pair for pair in eligible_pairs(overlap, cameras, limits)}

    def draw(seed: int, most: int | None = None) -> list[tuple[float, ...]]:
        rng = np.random.default_rng(seed)
        return sample_pairs(overlap, cameras, rng=rng, limits=limits, count=most, method=method)  # type: ignore[arg-type,return-value]

    drawn = draw(seed)
    assert draw(seed) == drawn
    assert draw(seed, 2) == drawn[:2]
    keys = [frozenset(pair[:2]) for pair in drawn]
    assert len(set(keys)) == len(keys)
    assert all(eligible[key][2:] == pair[2:] for key, pair in zip(keys, drawn, strict=True))
    uses = Counter(view for pair in drawn for view in pair[:2])
    if method == "any":
        assert len(drawn) == len(eligible)
    if method == "each_view_once":
        assert all(number == 1 for number in uses.values())
        unused = set(range(count)) - set(uses)
        assert not any(key <= unused for key in eligible)  # nothing more could be added


def test_pairs_are_shown_in_either_order() -> None:
    cameras, overlap = cameras_and_overlap(40, 1)
    drawn = sample_pairs(overlap, cameras, rng=np.random.default_rng(0), method="any")
    flipped = np.mean([pair.first > pair.second for pair in drawn])
    assert 0.4 < flipped < 0.6


@pytest.mark.parametrize("seed", range(5))
def test_the_published_search_as_it_is_written(seed: int) -> None:
    """The loop whose inner part does not stop after a hit: one view may be in many pairs, its partners in no other."""
    cameras, overlap = cameras_and_overlap(12, seed)
    order = np.random.default_rng(seed).permutation(12).tolist()
    used, wanted = set(), []
    for a in range(12):
        if order[a] in used:
            continue
        for b in range(a + 1, 12):
            if order[b] not in used and overlap[order[a], order[b]] > 0.25:
                wanted.append(frozenset((order[a], order[b])))
                used |= {order[a], order[b]}
    drawn = sample_pairs(overlap, cameras, rng=np.random.default_rng(seed), method="published")
    assert [frozenset(pair[:2]) for pair in drawn] == wanted
    assert max(Counter(view for pair in wanted for view in pair).values()) > 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"overlap": np.zeros((2, 2))}, "shape"),
        ({"overlap": np.full((3, 3), np.nan)}, "finite"),
        ({"overlap": np.triu(np.ones((3, 3)))}, "symmetric"),
        ({"method": "all"}, "method"),
        ({"count": -1}, "count"),
    ],
)
def test_what_cannot_be_drawn(arguments: dict[str, object], says: str) -> None:
    cameras, overlap = cameras_and_overlap(3, 0)
    with pytest.raises(BenchDataError, match=says):
        sample_pairs(**{"overlap": overlap, "cameras": cameras, "rng": np.random.default_rng(0), **arguments})  # type: ignore[arg-type]


def test_limits_in_order() -> None:
    with pytest.raises(BenchDataError, match="overlap"):
        PairLimits(more_overlap_than=0.5, most_overlap=0.25)
    with pytest.raises(BenchDataError, match="rotation_rad"):
        PairLimits(least_rotation_rad=math.nan)
    with pytest.raises(BenchDataError, match="rotation"):
        PairLimits(rotation="yaw")  # type: ignore[arg-type]
    with pytest.raises(BenchDataError, match="poses"):
        angles_rad(np.full((2, 4, 4), np.nan))
