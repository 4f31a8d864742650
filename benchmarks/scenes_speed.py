"""Time to make procedural scenes, and how many Gaussians they have.

python benchmarks/scenes_speed.py [seeds]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from seeworthy.bench_data.scenes import Scene
from seeworthy.bench_data.scenes.procedural import make_room, make_street


def measure(name: str, make: Callable[[int], Scene], seeds: int) -> None:
    """Prints median and worst processor time, and numbers of Gaussians and of described objects."""
    make(10_000)  # compiles, or loads what was compiled
    seconds, counts, described = [], [], []
    for seed in range(seeds):
        start = time.process_time()
        scene = make(seed)
        seconds.append(time.process_time() - start)
        counts.append(len(scene.cloud))
        described.append(sum(bool(one.description) for one in scene.objects) / len(scene.objects))
    print(
        f"{name:30s} {np.median(seconds):5.2f} s (worst {max(seconds):.2f}), {np.median(counts):9,.0f} Gaussians "
        f"(most {max(counts):,}), {100 * float(np.mean(described)):.0f} % of objects described"
    )


def main() -> None:
    """Rooms and streets of usual size."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    measure("room, 15 objects, 8 views", lambda seed: make_room(seed), seeds)
    measure("room, 30 objects, 8 views", lambda seed: make_room(seed, objects=30), seeds)
    measure("street, 30 objects, 8 views", lambda seed: make_street(seed), seeds)


if __name__ == "__main__":
    main()
