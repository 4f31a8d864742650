"""The density sampler once more, in plain loops over sets of voxels: slow, and what the fast one is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from seeworthy.bench_data.rotations import angle_between_rad, quat_from_matrix
from seeworthy.bench_data.views.density import CandidateFrame

Voxels = set[tuple[int, int, int]]


def plain_greedy(
    sets: Sequence[set[int]] | Sequence[Voxels],
    weights: dict[object, int],
    *,
    most: int,
    least: int,
    stop_percent: int,
    floors: Sequence[int],
    seeds: Sequence[int] = (),
) -> tuple[list[tuple[int, int, int]], int]:
    """(index, gain, covered) of each pick, and the last floor; every gain is computed anew at each step."""
    covered: set[object] = set().union(*(sets[seed] for seed in seeds))
    total, level, picks = sum(weights.values()), 0, []
    taken = list(seeds)

    def weight(of: set[object]) -> int:
        return sum(weights[one] for one in of)

    while len(taken) < most and not (len(taken) >= least and weight(covered) * 100 >= stop_percent * total):
        gaining = [k for k in range(len(sets)) if k not in taken and weight(set(sets[k]) - covered) > 0]
        if not gaining:
            break
        good = [k for k in gaining if not taken or len(covered & sets[k]) * 100 >= floors[level] * len(sets[k])]
        if not good:
            level += 1
            continue
        best = max(good, key=lambda k: (weight(set(sets[k]) - covered), weight(set(sets[k])), -k))
        gain = weight(set(sets[best]) - covered)
        covered |= sets[best]
        taken.append(best)
        picks.append((best, gain, weight(covered)))
    return picks, floors[level]


def plain_voxels(frames: Sequence[CandidateFrame], voxel_m: float) -> list[Voxels]:
    """Point by point, for pinholes."""
    first = np.linalg.inv(frames[0].world_from_camera)
    result = []
    for frame in frames:
        voxels: Voxels = set()
        for row in range(2, frame.lens.height, 4):
            for column in range(2, frame.lens.width, 4):
                depth = round(float(frame.depth_m[row, column]) * 1000) / 1000 if frame.depth_m[row, column] > 0 else 0
                if depth:
                    x = (column + 0.5 - frame.lens.cx) / frame.lens.fx * depth
                    y = (row + 0.5 - frame.lens.cy) / frame.lens.fy * depth
                    point = (first @ frame.world_from_camera @ [x, y, depth, 1])[:3].round(6)
                    voxels.add(tuple(math.floor(value / voxel_m) for value in point))
        result.append(voxels)
    return result


def plain_weights(sets: Sequence[Voxels]) -> dict[object, int]:
    seen = Counter(voxel for one in sets for voxel in one)
    weights: dict[object, int] = {voxel: int(count >= 2) for voxel, count in seen.items()}
    return weights if any(weights.values()) else dict.fromkeys(seen, 1)


def plain_levels(frames: Sequence[CandidateFrame]) -> dict[str, list[int] | None]:
    """All levels of a recording whose frames can all be used."""
    count = len(frames)
    median_m = float(np.median([np.nanmedian(frame.depth_m) for frame in frames]))
    voxel_m = max(0.01, round(0.05 * median_m, 3))
    fine, coarse = plain_voxels(frames, voxel_m), plain_voxels(frames, 2 * voxel_m)
    least = min(4, count)
    picks, _ = plain_greedy(
        fine,
        plain_weights(fine),
        most=min(15, max(4, count // 4)),
        least=least,
        stop_percent=90,
        floors=(10, 5, 1, 0),
    )
    sparse = [pick[0] for pick in picks]
    while len(sparse) < least:
        rest = [k for k in range(count) if k not in sparse]
        sparse.append(max(rest, key=lambda k: (min(_apart(frames[k], frames[s]) for s in sparse), -k)))
    picks, _ = plain_greedy(
        coarse,
        plain_weights(coarse),
        most=min(100, max(10, math.floor(count * 3 / 10))),
        least=10,
        stop_percent=98,
        floors=(0,),
        seeds=sparse,
    )
    line = _filled(_joined(sorted(sparse + [pick[0] for pick in picks]), coarse), count)
    return {
        "single": sparse[:1],
        "sparse": sorted(sparse),
        "medium": line,
        "dense": _dense(frames, line, median_m) if count >= 100 else None,
    }


def _apart(one: CandidateFrame, other: CandidateFrame) -> float:
    a, b = one.world_from_camera, other.world_from_camera
    angle = float(angle_between_rad(quat_from_matrix(a[:3, :3]), quat_from_matrix(b[:3, :3])))
    return round(angle / math.pi + math.dist(a[:3, 3], b[:3, 3]), 9)


def _joined(line: list[int], sets: Sequence[Voxels]) -> list[int]:
    def overlap(a: int, b: int) -> float:
        smaller = min(len(sets[a]), len(sets[b]))
        return round(len(sets[a] & sets[b]) / smaller, 9) if smaller else 0.0

    place = 0
    while place + 1 < len(line) and len(line) < 200:
        left, right = line[place], line[place + 1]
        between = range(left + 1, right)
        best = max(
            between,
            key=lambda k: (min(overlap(left, k), overlap(k, right)), -abs(k - (left + right) / 2), -k),
            default=None,
        )
        now = overlap(left, right)
        if now < 0.3 and best is not None and min(overlap(left, best), overlap(best, right)) > now:
            line = [*line[: place + 1], best, *line[place + 1 :]]
        else:
            place += 1
    return line


def _filled(line: list[int], count: int) -> list[int]:
    while len(line) < min(10, count):
        gaps = [right - left for left, right in pairwise(line)]
        if gaps and max(gaps) > 1:
            at = gaps.index(max(gaps))
            new = (line[at] + line[at + 1]) // 2
        else:
            new = 0 if line[0] >= count - 1 - line[-1] else count - 1
        line = sorted([*line, new])
    return line


def _dense(frames: Sequence[CandidateFrame], medium: Sequence[int], median_m: float) -> list[int]:
    kept = [0]
    for k in range(1, len(frames)):
        a, b = frames[kept[-1]].world_from_camera, frames[k].world_from_camera
        turned = float(angle_between_rad(quat_from_matrix(a[:3, :3]), quat_from_matrix(b[:3, :3])))
        if (
            k == len(frames) - 1
            or k in medium
            or math.dist(a[:3, 3], b[:3, 3]) > 0.005 * median_m
            or math.degrees(turned) > 0.25
            or k - kept[-1] >= 10
        ):
            kept.append(k)
    return kept
