"""Times the geometry metrics against plain numpy versions of the same formulas and checks that both agree.

    python benchmarks/geometry_metrics.py [--poses 1000] [--points 1000000]

Nearest neighbours by plain numpy are quadratic, so they are timed on a few hundred query points and scaled up.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.diagnostics.metrics import cluster_bootstrap
from seeworthy.diagnostics.metrics.geometry import cloud_scores, pairwise_pose_errors, voxel_average

Array = NDArray[np.float64]
T = TypeVar("T")
QUERIES = 200
SEED = 0


def timed(call: Callable[[], T], repeats: int) -> tuple[T, float]:
    """The result and the best of several CPU times, in seconds: a busy machine does not change their ratio."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return result, best


def show(what: str, ours_s: float, plain_s: float, apart: float, note: str = "") -> None:
    print(
        f"{what:<44} {1e3 * ours_s:10.1f} ms  plain {1e3 * plain_s:12.1f} ms  ratio {plain_s / ours_s:9.1f}  "
        f"largest difference {apart:.1e} {note}"
    )


def plain_pairwise(predicted: Array, truth: Array) -> tuple[Array, Array]:
    """All pairs at once with 4x4 matrices, as one would write it down."""
    first, second = np.triu_indices(len(truth), k=1)
    motion = np.linalg.inv(predicted)[first] @ predicted[second]
    true_motion = np.linalg.inv(truth)[first] @ truth[second]
    between = true_motion[:, :3, :3].transpose(0, 2, 1) @ motion[:, :3, :3]
    rotation = np.degrees(np.arccos(np.clip((np.trace(between, axis1=1, axis2=2) - 1) / 2, -1, 1)))
    a, b = motion[:, :3, 3], true_motion[:, :3, 3]
    cosine = np.abs(np.sum(a * b, axis=1)) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return rotation, np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def plain_voxels(points: Array, voxel_m: float) -> Array:
    cells, voxel = np.unique(np.floor(points / voxel_m), axis=0, return_inverse=True)
    sums = np.zeros((len(cells), 3))
    np.add.at(sums, voxel.reshape(-1), points)
    means: Array = sums / np.bincount(voxel.reshape(-1))[:, None]
    return means


def plain_nearest(points: Array, reference: Array) -> Array:
    nearest: Array = np.array([np.sqrt(np.min(np.sum((reference - point) ** 2, axis=1))) for point in points])
    return nearest


def plain_bootstrap(values: Array, labels: NDArray[np.intp], resamples: int) -> Array:
    rng = np.random.default_rng(SEED)
    members = [values[labels == label] for label in range(labels.max() + 1)]
    means = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(members), size=len(members))
        means.append(np.concatenate([members[index] for index in drawn]).mean())
    return np.quantile(means, [0.025, 0.975])


def compare_pairs(n_poses: int) -> None:
    rng = np.random.default_rng(SEED)
    truth = np.tile(np.eye(4), (n_poses, 1, 1))
    truth[:, :3, :3] = Rotation.random(n_poses, rng=rng).as_matrix()
    truth[:, :3, 3] = np.cumsum(rng.normal(size=(n_poses, 3)), axis=0)
    predicted = truth.copy()
    predicted[:, :3, :3] @= Rotation.from_rotvec(0.05 * rng.normal(size=(n_poses, 3))).as_matrix()
    predicted[:, :3, 3] += 0.05 * rng.normal(size=(n_poses, 3))
    errors, ours_s = timed(lambda: pairwise_pose_errors(predicted, truth), repeats=3)
    (rotation, translation), plain_s = timed(lambda: plain_pairwise(predicted, truth), repeats=3)
    apart = max(np.abs(errors.rotation_deg - rotation).max(), np.abs(errors.translation_deg - translation).max())
    show(f"pairwise errors, {n_poses} poses, {len(rotation)} pairs", ours_s, plain_s, float(apart))


def compare_clouds(n_points: int) -> None:
    rng = np.random.default_rng(SEED)
    truth = rng.uniform(0, 10, size=(n_points, 3))
    truth[:, 2] = np.sin(truth[:, 0]) + np.cos(truth[:, 1])
    predicted = truth + 0.02 * rng.normal(size=truth.shape)
    ours, ours_s = timed(lambda: voxel_average(predicted, 0.05), repeats=2)
    plain, plain_s = timed(lambda: plain_voxels(predicted, 0.05), repeats=1)
    show(f"voxel average, {n_points} points", ours_s, plain_s, float(np.abs(ours - plain).max()))
    scores, ours_s = timed(lambda: cloud_scores(predicted, truth, 0.05), repeats=1)
    distances, sample_s = timed(lambda: plain_nearest(predicted[:QUERIES], truth), repeats=1)
    few = cloud_scores(predicted[:QUERIES], truth, 0.05)
    note = f"(plain measured on {QUERIES} queries, scaled; F {scores.f_score:.3f})"
    plain_s = sample_s * 2 * n_points / QUERIES
    show(f"cloud scores, {n_points} points a side", ours_s, plain_s, abs(few.accuracy_m - distances.mean()), note)


def compare_bootstrap() -> None:
    rng = np.random.default_rng(SEED)
    values, labels = rng.random(10_000), rng.integers(0, 300, size=10_000)
    interval, ours_s = timed(lambda: cluster_bootstrap(values, labels.tolist(), seed=SEED), repeats=3)
    bounds, plain_s = timed(lambda: plain_bootstrap(values, labels, 4000), repeats=1)
    apart = max(abs((interval.low or 0) - bounds[0]), abs((interval.high or 0) - bounds[1]))
    show("cluster bootstrap, 10000 items, 300 scenes", ours_s, plain_s, float(apart))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--points", type=int, default=1_000_000)
    arguments = parser.parse_args()
    compare_pairs(arguments.poses)
    compare_clouds(arguments.points)
    compare_bootstrap()


if __name__ == "__main__":
    main()
