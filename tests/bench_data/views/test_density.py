"""Density sampling: against plain loops, on recordings whose answer is known, and on a tiny benchmark on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.views import PosedDepth
from seeworthy.bench_data.views.density import (
    CandidateFrame,
    DensityParameters,
    DensitySelection,
    differences,
    greedy_coverage,
    sample_densities,
)
from seeworthy.bench_data.views.density.candidates import read_candidates
from seeworthy.bench_data.views.density.voxels import points_in_first_camera, voxel_keys, voxel_sets
from tests.bench_data.views.plain_sampler import plain_greedy, plain_levels, plain_voxels

TINY = Path(__file__).parents[2] / "golden" / "spatialbench" / "tiny_bench"
LENS = Camera(width=48, height=36, fx=40, fy=40, cx=24, cy=18, world_from_camera=np.eye(4))


def recording(count: int, seed: int, *, step_m: float = 0.15, turn_rad: float = 0.12) -> list[CandidateFrame]:
    """A camera that wanders through a room of 8 x 6 x 3 m; exact depth of its walls with some holes."""
    rng = np.random.default_rng(seed)
    rays = LENS.directions_in_camera(LENS.pixel_centres())
    frames, place, heading = [], rng.uniform(-1.5, 1.5, 2), rng.uniform(-3, 3)
    for _ in range(count):
        place = np.clip(place + rng.normal(0, step_m, 2), -2.5, 2.5)
        heading += rng.normal(0, turn_rad)
        eye = np.array([*place, 1.4])
        pose = look_at(eye, eye + np.array([np.cos(heading), np.sin(heading), -0.1]))
        directions = rays @ pose[:3, :3].T
        corners = np.array([[-4.0, -3.0, 0.0], [4.0, 3.0, 3.0]]) - eye
        depth = ((corners[:, None] / directions).max(axis=0).min(axis=1) * rays[:, 2]).reshape(36, 48)
        depth[rng.random(depth.shape) < 0.05] = np.nan
        frames.append(CandidateFrame(depth.astype(np.float32), LENS, pose))
    return frames


SETS = st.lists(st.sets(st.integers(0, 15), max_size=7), min_size=1, max_size=9)


@settings(max_examples=300, deadline=None)
@given(
    SETS,
    st.lists(st.integers(0, 3), min_size=16, max_size=16),
    st.integers(1, 9),
    st.integers(0, 5),
    st.sampled_from([50, 90, 100]),
    st.sampled_from([(0,), (10, 5, 1, 0), (60, 30, 0)]),
    st.booleans(),
)
def test_lazy_greedy_is_plain_greedy(
    sets: list[set[int]],
    weights: list[int],
    most: int,
    least: int,
    stop_percent: int,
    floors: tuple[int, ...],
    seeded: bool,
) -> None:
    seeds = [len(sets) - 1] if seeded else []
    arrays = [np.array(sorted(one), dtype=np.int64) for one in sets]
    result = greedy_coverage(
        arrays,
        np.array(weights),
        most=most,
        least=least,
        stop_percent=stop_percent,
        overlap_floors_percent=floors,
        seeds=seeds,
    )
    picks, floor = plain_greedy(
        sets,
        dict(enumerate(weights)),
        most=most,
        least=least,
        stop_percent=stop_percent,
        floors=floors,
        seeds=seeds,
    )
    assert [tuple(pick) for pick in result.picks] == picks
    assert result.total == sum(weights)
    assert result.overlap_floor_percent == floor


def test_the_example_of_the_specification() -> None:
    """Frame 3 ties with frame 0 and loses by its number."""
    sets = [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [0, 1, 2, 3], [8, 9], [8], [0, 4, 8]]
    arrays = [np.array(one) for one in sets]
    free = greedy_coverage(arrays, np.ones(10, int), most=7)
    assert [(pick.number, pick.gain) for pick in free.picks] == [(0, 4), (2, 4), (4, 2)]
    joined = greedy_coverage(arrays, np.ones(10, int), most=7, overlap_floors_percent=(10, 5, 1, 0))
    assert [(pick.number, pick.gain) for pick in joined.picks] == [(0, 4), (1, 2), (2, 2), (6, 1), (4, 1)]
    assert joined.overlap_floor_percent == 10


def test_greedy_reaches_its_guarantee() -> None:
    """At least 1 - 1/e of the best that any choice of three covers."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        sets = [rng.choice(20, rng.integers(1, 8), replace=False) for _ in range(8)]
        weights = rng.integers(0, 4, 20)
        best = max(int(weights[np.unique(np.concatenate(three))].sum()) for three in combinations(sets, 3))
        picks = greedy_coverage(sets, weights, most=3).picks
        assert (picks[-1].covered if picks else 0) >= (1 - 1 / np.e) * best


@pytest.mark.parametrize(
    ("weights", "floors", "says"),
    [([1.5, 2], (0,), "whole"), ([-1, 2], (0,), "whole"), ([1, 1], (10, 5), "fall to 0"), ([1, 1], (0, 0, 5), "fall")],
)
def test_what_greedy_refuses(weights: list[float], floors: tuple[int, ...], says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        greedy_coverage([np.array([0, 1])], np.array(weights), most=1, overlap_floors_percent=floors)


@pytest.mark.parametrize("seed", range(3))
def test_voxels_are_those_of_a_loop_over_points(seed: int) -> None:
    frames = recording(6, seed)
    kept = read_candidates(frames, stride_px=4, least_known_share=0.05).kept
    sets = voxel_sets(points_in_first_camera(kept), 0.2)
    plain = plain_voxels(frames, 0.2)
    numbers = {voxel: k for k, voxel in enumerate(sorted(set().union(*plain)))}
    assert [one.tolist() for one in sets.sets] == [sorted(numbers[voxel] for voxel in one) for one in plain]
    assert sets.seen_by.sum() == sum(len(one) for one in plain)


@pytest.mark.parametrize(
    ("count", "seed", "step_m", "turn_rad"),
    [(1, 0, 0.1, 0.1), (2, 1, 0.1, 0.1), (5, 2, 0.3, 0.4), (12, 3, 0.2, 0.3), (25, 4, 0.3, 0.8), (40, 5, 0.5, 1.5),
     (60, 6, 0.02, 0.02), (101, 7, 0.02, 0.01), (120, 8, 0.004, 0.002)],
)  # fmt: skip
def test_levels_are_those_of_plain_loops(count: int, seed: int, step_m: float, turn_rad: float) -> None:
    frames = recording(count, seed, step_m=step_m, turn_rad=turn_rad)
    chosen, wanted = sample_densities(frames), plain_levels(frames)
    assert {name: list(value) for name, value in chosen.levels.items()} == {
        name: value for name, value in wanted.items() if value is not None
    }
    assert (chosen.dense is None) == (count < 100)


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 40), st.integers(0, 1000), st.floats(0.0, 0.6), st.floats(0.0, 1.5))
def test_each_set_lies_within_the_next_and_coverage_only_grows(
    count: int, seed: int, step_m: float, turn_rad: float
) -> None:
    frames = recording(count, seed, step_m=step_m, turn_rad=turn_rad)
    chosen = sample_densities(frames, DensityParameters(dense_least_frames=20))
    sets = [set(one) for one in chosen.levels.values()]
    for smaller, larger in pairwise(sets):
        assert smaller <= larger
    assert len(chosen.single) == 1
    assert min(4, count) <= len(chosen.sparse) <= min(15, max(4, count // 4), count)
    assert len(chosen.medium) >= min(10, count)
    assert all(list(one) == sorted(set(one)) for one in chosen.levels.values())
    for log, total in ((chosen.sparse_log, chosen.total_weight), (chosen.medium_log, chosen.medium_total_weight)):
        covered = [pick.covered for pick in log]
        assert covered == sorted(covered)
        assert all(weight <= total for weight in covered)
    gains = [pick.gain for pick in chosen.sparse_log if pick.reason == "coverage"]
    assert sum(gains) == chosen.sparse_log[-1].covered
    assert [pick.frame for pick in chosen.sparse_log][:1] == list(chosen.single)
    assert sorted(pick.frame for pick in (*chosen.sparse_log, *chosen.medium_log)) == list(chosen.medium)


@pytest.mark.parametrize("seed", range(5))
def test_the_choice_does_not_depend_on_where_the_world_begins(seed: int) -> None:
    frames = recording(30, seed)
    motion = np.eye(4)
    motion[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    motion[:3, 3] = np.random.default_rng(seed).uniform(-5, 5, 3)
    moved = [replace(frame, world_from_camera=motion @ frame.world_from_camera) for frame in frames]
    assert sample_densities(moved).levels == sample_densities(frames).levels


def test_frames_that_cannot_be_used_keep_their_numbers() -> None:
    frames = recording(12, 0)
    broken = [frames[0].world_from_camera.copy() for _ in range(4)]
    broken[0][0, 3] = np.nan
    broken[1][:3, :3] *= 1.1
    broken[2][:3, 0] *= -1
    broken[3][:3, :3] = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]  # sheared: determinant 1 and still no rotation
    bad = [CandidateFrame(frames[0].depth_m, LENS, pose) for pose in broken]
    nearly_blind = frames[0].depth_m.copy()
    nearly_blind[1:] = np.nan
    blind = CandidateFrame(nearly_blind, LENS, frames[1].world_from_camera)
    mixed = [bad[0], *frames[:5], bad[1], blind, *frames[5:], bad[2], bad[3]]
    numbers = [*range(1, 6), *range(8, 15)]
    plain, chosen = sample_densities(frames), sample_densities(mixed)
    assert [one.frame for one in chosen.dropped] == [0, 6, 7, 15, 16]
    assert [one.reason.split()[-1] for one in chosen.dropped] == ["finite", "none", "depth", "none", "none"]
    assert chosen.levels == {name: tuple(numbers[k] for k in one) for name, one in plain.levels.items()}
    assert chosen.frames == 17
    assert [numbers[pick.frame] for pick in plain.medium_log] == [pick.frame for pick in chosen.medium_log]


def test_a_selection_can_be_stored_and_checked() -> None:
    frames = recording(20, 1)
    chosen = sample_densities(iter(frames))
    stored = DensitySelection.model_validate_json(chosen.model_dump_json())
    assert stored == chosen
    assert differences(stored, frames) == []
    other = stored.model_copy(update={"sparse": (0, 1, 2, 3)})
    assert [line.split(":")[0] for line in differences(other, frames)] == ["sparse"]
    assert [line.split(":")[0] for line in differences(stored, frames[::-1])][:1] == ["inputs_sha256"]
    touched = frames[7].depth_m.copy()
    touched[0, 0] = 1.234  # beside the grid
    changed = [*frames[:7], replace(frames[7], depth_m=touched), *frames[8:]]
    assert "inputs_sha256" in differences(stored, changed)[0]
    with pytest.raises(BenchDataError, match="voxel-coverage-0"):
        differences(stored.model_copy(update={"version": "voxel-coverage-0"}), frames)


def test_a_camera_that_stands_still() -> None:
    frame = recording(1, 0)[0]
    chosen = sample_densities([frame] * 130)
    assert chosen.single == (0,)
    assert chosen.sparse == (0, 1, 2, 3)  # nothing gains; all poses are equally far
    assert [pick.reason for pick in chosen.sparse_log] == ["coverage", *["farthest_pose"] * 3]
    assert len(chosen.medium) == 10
    assert chosen.dense is not None
    gaps = np.diff(chosen.dense)
    assert gaps.max() == 10
    assert (chosen.dense[0], chosen.dense[-1]) == (0, 129)


def test_frames_that_share_nothing_are_still_chosen_from() -> None:
    """No voxel is seen twice, so all count."""
    poses = [np.eye(4) for _ in range(5)]
    for k, pose in enumerate(poses):
        pose[0, 3] = 100.0 * k
    frames = [CandidateFrame(np.full((36, 48), 2.0, np.float32), LENS, pose) for pose in poses]
    chosen = sample_densities(frames)
    assert chosen.sparse == (0, 1, 2, 3)
    assert chosen.overlap_floor_percent == 0
    assert chosen.medium == (0, 1, 2, 3, 4)


def test_dense_sets_are_thinned_but_keep_the_medium_ones() -> None:
    frames = recording(110, 3)
    chosen = sample_densities(frames, DensityParameters(dense_most=30))
    assert chosen.dense is not None
    assert set(chosen.medium) <= set(chosen.dense)
    whole = sample_densities(frames).dense
    assert whole is not None
    assert set(whole[:: -(-len(whole) // 30)]) <= set(chosen.dense)
    assert len(chosen.dense) <= 30 + len(chosen.medium)


def test_the_units_of_a_pixel_grid_and_of_lenses() -> None:
    """A matrix whose whole numbers are pixel centres means the same as ours with half a pixel more."""
    depth = recording(1, 0)[0].depth_m
    ours = CandidateFrame.from_K(depth, LENS.K, np.eye(4))
    theirs = CandidateFrame.from_K(depth, [[40, 0, 23.5], [0, 40, 17.5], [0, 0, 1]], np.eye(4), pixel_centre=0)
    assert ours.lens == theirs.lens == LENS
    fisheye = replace(LENS, model="fisheye", distortion=(-0.1, 0.0, 0.0, 0.0))
    bent = [replace(frame, lens=fisheye) for frame in recording(8, 0)]
    assert len(sample_densities(bent).sparse) >= 4
    assert sample_densities(bent).inputs_sha256 != sample_densities(recording(8, 0)).inputs_sha256
    view = PosedDepth(LENS, depth)
    assert sample_densities([CandidateFrame.of(view)]).single == (0,)


def test_unknown_depths_are_the_same_whatever_they_are() -> None:
    frames = recording(6, 0)
    zeros = [CandidateFrame(np.nan_to_num(one.depth_m, nan=0.0), one.lens, one.world_from_camera) for one in frames]
    assert sample_densities(zeros) == sample_densities(frames)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sample_densities([]), "none of 0"),
        (lambda: sample_densities([CandidateFrame(np.zeros((36, 48)), LENS, np.eye(4))]), "frame 0: 0.0%"),
        (lambda: CandidateFrame(np.ones((3, 3)), LENS, np.eye(4)), "as the camera has"),
        (lambda: CandidateFrame(np.ones((36, 48)), LENS, np.eye(3)), "shape"),
        (lambda: voxel_keys(np.array([[0.0, 0.0, 3e5]]), 0.01), "too far"),
        (
            lambda: sample_densities([CandidateFrame(np.where(np.eye(36, 48) > 0, 1e30, 1e-3), LENS, np.eye(4))]),
            "too far",
        ),
        (lambda: DensityParameters(stride_px=0), "stride_px"),
        (lambda: DensityParameters(weights="random"), "weights"),
    ],
)
def test_what_cannot_be_sampled(make: object, says: str) -> None:
    with pytest.raises((BenchDataError, ValueError), match=says):
        make()  # type: ignore[operator]


def _tiny(density: str, scene: str) -> Sequence[CandidateFrame]:
    folder = TINY / density / scene
    K: NDArray[np.float64] = np.load(folder / "intrinsics" / "intrinsic.npy").astype(np.float64)
    frames = []
    for number in range(len(list((folder / "depths").iterdir()))):
        raw = np.array(Image.open(folder / "depths" / f"{number:06}.png"), dtype=np.float64)
        pose = np.eye(4)
        pose[:3] = np.load(folder / "poses" / f"{number:06}.npy")[:3]
        frames.append(CandidateFrame.from_K(raw / 1000, K, pose, pixel_centre=0))
    return frames


@pytest.mark.parametrize(("density", "count"), [("sparse", 3), ("medium", 4)])
def test_a_tiny_benchmark_on_disk(density: str, count: int) -> None:
    """Fewer frames than any set wants: all are chosen, in the order of what they add."""
    frames = _tiny(density, "tum/room_a/0")
    chosen, wanted = sample_densities(frames), plain_levels(frames)
    assert chosen.levels == {name: tuple(one) for name, one in wanted.items() if one is not None}
    assert chosen.sparse == chosen.medium == tuple(range(count))
    assert chosen.voxel_m == round(0.05 * chosen.median_depth_m, 3)
    assert differences(chosen, frames) == []
