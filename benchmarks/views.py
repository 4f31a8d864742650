"""What it costs to know what 25 views of 640x480 show: visibility, co-visibility, density sampling, depth cleaning.

    python benchmarks/views.py [--quick]

The scene is the room of `scenes.room` with 24 objects. CPU seconds count the work of all threads; wall seconds need a
quiet machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scenes.room import room

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.depth_cleaning import clean_depth
from seeworthy.bench_data.render import RenderSettings, render_many
from seeworthy.bench_data.render.cpu.warm_up import warm_up
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene, SceneKind, SceneView
from seeworthy.bench_data.splats import GaussianCloud
from seeworthy.bench_data.views import Observer, co_visibility, sample_pairs, symmetric
from seeworthy.bench_data.views.density import CandidateFrame, sample_densities

VIEWS, WIDTH, HEIGHT = 25, 640, 480
T = TypeVar("T")


def timed(name: str, task: Callable[[], T]) -> T:
    wall, cpu = time.perf_counter(), time.process_time()
    result = task()
    print(f"  {name:<44}wall {time.perf_counter() - wall:6.2f} s   CPU {time.process_time() - cpu:6.2f} s")
    return result


def furnished_scene(count: int) -> Scene:
    gaussians = room(count, boxes=16, balls=8)
    instances = []
    for number in np.unique(gaussians.instance_ids).tolist():
        own = gaussians.means[gaussians.instance_ids == number]
        low, high = own.min(axis=0), own.max(axis=0)
        box = OrientedBox.upright((low + high) / 2, np.maximum(high - low, 1e-3))
        instances.append(Instance(id=number, label="thing", box=box, is_structure=number == 0))
    cloud = GaussianCloud(
        means=gaussians.means,
        quats_wxyz=gaussians.quats_wxyz,
        scales=gaussians.scales,
        opacities=gaussians.opacities,
        sh=gaussians.sh,
        instance_ids=gaussians.instance_ids,
    )
    rng = np.random.default_rng(0)
    focal = WIDTH / 2 / np.tan(np.radians(35))
    views = []
    for number in range(VIEWS):
        pose = look_at(rng.uniform([1, 1, 1.2], [7, 5, 1.9]), rng.uniform([2, 2, 0.5], [6, 4, 1.2]))
        camera = Camera(
            width=WIDTH,
            height=HEIGHT,
            fx=focal,
            fy=focal,
            cx=WIDTH / 2,
            cy=HEIGHT / 2,
            world_from_camera=pose,
        )
        views.append(SceneView(f"view {number}", camera))
    return Scene(id="room", kind=SceneKind.ROOM, cloud=cloud, instances=tuple(instances), views=tuple(views))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a smaller scene")
    count = 30_000 if parser.parse_args().quick else 200_000
    warm_up(extras=True)
    scene = furnished_scene(count)
    cameras = [view.camera for view in scene.views]
    print(f"{VIEWS} views of {WIDTH}x{HEIGHT}, {count:,} Gaussians, {len(scene.objects)} objects")
    settings = RenderSettings(instances=True, median_depth=True)
    timed("pictures alone, for comparison", lambda: sum(1 for _ in render_many(scene.cloud, cameras, settings)))
    observer = Observer(scene)
    seen = timed("pictures and visibility of every object", lambda: list(observer.observe_many(scene.views)))
    depths = [one.posed_depth for one in seen]
    shares = timed("co-visibility of all pairs", lambda: co_visibility(depths))
    overlap = symmetric(shares)
    timed("pairs", lambda: sample_pairs(overlap, cameras, rng=np.random.default_rng(0)))
    frames = [CandidateFrame.of(depth) for depth in depths]
    timed("density sampling", lambda: sample_densities(frames))
    timed(
        "depth cleaning, guided by the pictures",
        lambda: [clean_depth(one.depth_m, image_srgb_u8=one.render.image_srgb_u8) for one in seen],
    )


if __name__ == "__main__":
    main()
