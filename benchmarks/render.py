"""What the CPU engine costs: beside a torch renderer of the same formulas, over sizes, by stage, and in memory.

    python benchmarks/render.py [--quick]

The scene is the room of `scenes.room`, SH degree 3, seen from a corner. CPU seconds count the work of all threads, so
they compare fairly on a busy machine; wall seconds need a quiet one. Exits with 1 when the kernels are no longer
vectorised.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # torch's threads; the engine's own always sleep

import numpy as np
from scenes.room import Gaussians, room

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import RenderSettings, exposure_ends, render_exposure
from seeworthy.bench_data.render.cpu.crew import available_threads
from seeworthy.bench_data.render.cpu.frame import FrameCost, draw_frame
from seeworthy.bench_data.render.cpu.warm_up import warm_up
from seeworthy.bench_data.render.frame import Frame
from seeworthy.bench_data.splats import GaussianCloud

SETTINGS = RenderSettings()
GUARD_NS = 5.0
COLD_START = """
import time; t = time.perf_counter()
from seeworthy.bench_data.render.cpu.warm_up import warm_up
note = warm_up()
print(f"{time.perf_counter() - t:6.1f} s   ({note or 'from the cache'})")
"""


class Cost(NamedTuple):
    """Best of a few runs."""

    wall_s: float
    cpu_s: float


def cost_of(task: Callable[[], object], repeats: int) -> Cost:
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        task()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Cost(min(walls), min(cpus))


def cloud_of(g: Gaussians) -> GaussianCloud:
    return GaussianCloud(
        means=g.means,
        quats_wxyz=g.quats_wxyz,
        scales=g.scales,
        opacities=g.opacities,
        sh=g.sh,
        instance_ids=g.instance_ids,
    )


def camera_of(width: int, height: int) -> Camera:
    focal = width / 2 / np.tan(np.radians(35))
    return Camera(
        width=width,
        height=height,
        fx=focal,
        fy=focal,
        cx=width / 2,
        cy=height / 2,
        world_from_camera=look_at((1.0, 1.0, 1.5), (6.0, 4.0, 1.0)),
    )


def first_start() -> None:
    print("first start, in a new process (compiling happens once a machine)")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("without a cache", "with it"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            done = subprocess.run(
                [sys.executable, "-c", COLD_START], env=environment, capture_output=True, text=True, check=True
            )
            print(f"  {name:<18}{done.stdout.strip()}")


def beside_torch(cloud: GaussianCloud, threads: int) -> None:
    import torch

    from seeworthy.bench_data.render.reference import draw_reference

    torch.set_num_threads(1)
    camera = camera_of(640, 480)
    torch_cost = cost_of(lambda: draw_reference(cloud, camera, SETTINGS, dtype=torch.float32), 1)
    one = cost_of(lambda: draw_frame(cloud, camera, SETTINGS, threads=1), 10)
    both = cost_of(lambda: draw_frame(cloud, camera, SETTINGS, threads=threads), 10)
    print(f"\n{len(cloud):,} Gaussians, 640x480, SH degree 3")
    rows = {"torch, float32, 1 thread": torch_cost, "engine, 1 thread": one, f"engine, {threads} threads": both}
    for name, cost in rows.items():
        print(f"  {name:<30}wall {1e3 * cost.wall_s:8.1f} ms   CPU {1e3 * cost.cpu_s:8.1f} ms")
    print(f"  {torch_cost.cpu_s / one.cpu_s:.0f} times less CPU time (target 25)")
    print(f"  {torch_cost.wall_s / both.wall_s:.0f} times less wall time on {threads} cores (target 50 on two)")
    print(f"  {1e3 * both.wall_s:.0f} ms a frame (target 60 on a quiet machine)")
    compare(draw_frame(cloud, camera, SETTINGS, threads=threads), draw_reference(cloud, camera, SETTINGS))


def compare(drawn: Frame, truth: Frame) -> None:
    difference = np.abs(drawn.image_srgb - truth.image_srgb)
    steps = np.abs(np.round(255 * drawn.image_srgb) - np.round(255 * truth.image_srgb))
    print(
        f"  against float64: mean {difference.mean():.1e} (at most 3e-6), 99.9 % below "
        f"{np.quantile(difference, 0.999):.1e} (5e-5), more than 1/255 off: {100 * (steps > 1).mean():.4f} % (0.01 %)"
    )


def growth(counts: list[int], sizes: list[tuple[int, int]], threads: int) -> None:
    print(f"\ngrowth, {threads} threads")
    print(
        f"  {'Gaussians':>10}{'size':>11}{'visible':>11}{'tile entries':>13}{'wall ms':>9}{'CPU ms':>8}"
        f"   {'project':>8}{'sort':>7}{'bin':>7}{'raster':>8} (CPU ms){'memory':>9}"
    )
    for count in counts:
        cloud = cloud_of(room(count))
        for width, height in sizes if count == 1_000_000 else [(640, 480)]:
            print_row(cloud, camera_of(width, height), threads)


def print_row(cloud: GaussianCloud, camera: Camera, threads: int) -> None:
    best: FrameCost | None = None
    walls = []
    for _ in range(4):
        cost = FrameCost()
        draw_frame(cloud, camera, SETTINGS, threads=threads, cost=cost)
        walls.append(sum(cost.wall_s.values()))
        if best is None or sum(cost.cpu_s.values()) < sum(best.cpu_s.values()):
            best = cost
    assert best is not None
    tracemalloc.start()
    draw_frame(cloud, camera, SETTINGS, threads=threads)
    peak_mb = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    stages = "".join(
        f"{1e3 * best.cpu_s[stage]:{width}.1f}"
        for stage, width in (("project", 8), ("sort", 7), ("bin", 7), ("raster", 8))
    )
    print(
        f"  {len(cloud):>10,}{f'{camera.width}x{camera.height}':>11}{best.visible:>11,}{best.intersections:>13,}"
        f"{1e3 * min(walls):>9.1f}{1e3 * sum(best.cpu_s.values()):>8.1f}   {stages}{'':9}{peak_mb:>6.0f} MB"
    )


def nanoseconds_per_evaluation() -> float:
    """CPU time of one pixel and Gaussian where every Gaussian covers every pixel."""
    count, camera = 400, camera_of(256, 192)
    means = np.tile(np.float32([4.0, 3.0, 0.0]), (count, 1))
    means[:, 2] = np.linspace(0.5, 2.0, count)
    veils = GaussianCloud(
        means=means,
        quats_wxyz=np.tile(np.float32([1, 0, 0, 0]), (count, 1)),
        scales=np.full((count, 3), 100.0, np.float32),
        opacities=np.full(count, 1.5 / 255, np.float32),
        sh=np.zeros((count, 1, 3), np.float32),
    )
    cost = cost_of(lambda: draw_frame(veils, camera, SETTINGS, threads=1), 10)
    each_ns = 1e9 * cost.cpu_s / (count * camera.width * camera.height)
    print(f"\n{each_ns:.2f} ns for each pixel and Gaussian (target 2.5; above {GUARD_NS:g} vectorisation is lost)")
    return each_ns


def motion_blur(cloud: GaussianCloud, poses: int) -> None:
    camera = camera_of(640, 480)
    start, end = exposure_ends(camera, translation_m=(0.25, 0.0, 0.05), rotation_rad=(0.0, 0.08, 0.02))
    print(f"\nmotion blur, {poses} poses, {len(cloud):,} Gaussians, 640x480")
    walls = {}
    for threads in (1, 2):
        cost = cost_of(
            lambda n=threads: render_exposure(cloud, camera, start, end, poses=poses, engine="numba", threads=n), 1
        )
        walls[threads] = cost.wall_s
        print(f"  {threads} threads: wall {cost.wall_s:6.2f} s   CPU {cost.cpu_s:6.2f} s")
    print(f"  {walls[1] / walls[2]:.2f} times as fast on two (target 1.9 where two cores are free)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the large scenes")
    quick = parser.parse_args().quick
    threads = available_threads()
    print(f"{threads} cores; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else f"{threads} cores")
    if not quick:
        first_start()
    warm_up()
    cloud = cloud_of(room(200_000))
    beside_torch(cloud, threads)
    each_ns = nanoseconds_per_evaluation()
    motion_blur(cloud, 16 if quick else 80)
    counts = [20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000]
    sizes = [(160, 120), (320, 240), (640, 480), (1024, 768), (1280, 960), (1920, 1080)]
    growth([20_000, 200_000] if quick else counts, sizes, threads)
    return int(each_ns > GUARD_NS)


if __name__ == "__main__":
    sys.exit(main())
