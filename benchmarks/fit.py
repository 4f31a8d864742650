"""What a fit on the CPU costs and reaches: 3,000 Gaussians, 20 views of 160x120 of the benchmark room.

    python benchmarks/fit.py [--steps 1000]

Prints the time of a step beside the same step through a dense torch renderer, PSNR of the fitted views, and of views
between them that were never shown. Wall seconds need a quiet machine. Exits with 1 below 27 dB.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
import torch
from scenes.room import SIZE_M, room

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.fit.losses import photometric_loss
from seeworthy.bench_data.fit.parameters import activated, parameters_from_cloud
from seeworthy.bench_data.fit.rasteriser import rasterise_cpu
from seeworthy.bench_data.fit.settings import FitSettings
from seeworthy.bench_data.fit.trainer import Trainer, ViewScore
from seeworthy.bench_data.fit.views import FitView
from seeworthy.bench_data.fit.warm_up import warm_up
from seeworthy.bench_data.render import RenderSettings, render_many
from seeworthy.bench_data.render.reference import composite
from seeworthy.bench_data.render.torch_projection import project
from seeworthy.bench_data.splats import GaussianCloud, cloud_from_points

SETTINGS = RenderSettings()
GOAL_DB, GOAL_S = 27.0, 60.0


def the_room(count: int) -> GaussianCloud:
    g = room(count, sh_degree=0)
    return GaussianCloud(means=g.means, quats_wxyz=g.quats_wxyz, scales=g.scales, opacities=g.opacities, sh=g.sh)


def views_of(cloud: GaussianCloud, turns: np.ndarray) -> list[FitView]:
    """Views from a ring in the room towards its far side, by angle."""
    cameras = []
    for turn in turns:
        eye = SIZE_M / 2 + [2.2 * np.cos(turn), 1.4 * np.sin(turn), 0.2 * np.sin(3 * turn)]
        target = SIZE_M / 2 - [2.0 * np.cos(turn + 0.5), 1.5 * np.sin(turn + 0.5), 0.4]
        focal = 80 / np.tan(np.radians(35))
        pose = look_at(eye, target)
        cameras.append(Camera(width=160, height=120, fx=focal, fy=focal, cx=80, cy=60, world_from_camera=pose))
    pictures = render_many(cloud, cameras, SETTINGS, engine="numba")
    return [
        FitView(name=f"{i:03}", camera=camera, image_srgb_u8=picture.image_srgb_u8)
        for i, (camera, picture) in enumerate(zip(cameras, pictures, strict=True))
    ]


def start_near_surfaces(cloud: GaussianCloud, count: int) -> GaussianCloud:
    """As structure from motion would leave it: points near the surfaces, of no certain colour."""
    rng = np.random.default_rng(1)
    rows = rng.choice(len(cloud), count, replace=False)
    points = cloud.means[rows] + rng.normal(scale=0.03, size=(count, 3))
    return cloud_from_points(points, np.clip(rng.normal(0.5, 0.15, (count, 3)), 0, 1), opacity=0.3)


def seconds_of_dense_step(view: FitView, start: GaussianCloud) -> float:
    parameters = parameters_from_cloud(start)
    target = torch.tensor(view.image_srgb_u8).float() / 255
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        drawn = composite(project(activated(parameters, 0), view.camera, SETTINGS), view.camera, SETTINGS)
        photometric_loss(drawn.image, target, 0.2).backward()
        times.append(time.perf_counter() - begun)
    return min(times)


def seconds_of_our_step(view: FitView, start: GaussianCloud) -> dict[str, float]:
    """Best of a few, by stage."""
    parameters = parameters_from_cloud(start)
    target = torch.tensor(view.image_srgb_u8).float() / 255
    best: dict[str, float] = {}
    for _ in range(10):
        marks = [time.perf_counter()]
        projected = project(activated(parameters, 0), view.camera, SETTINGS)
        marks.append(time.perf_counter())
        drawn = rasterise_cpu(projected, view.camera, SETTINGS)
        marks.append(time.perf_counter())
        loss = photometric_loss(drawn.image, target, 0.2)
        marks.append(time.perf_counter())
        loss.backward()
        marks.append(time.perf_counter())
        stages = dict(zip(("project", "rasterise", "loss", "backward"), np.diff(marks).tolist(), strict=True))
        stages["all"] = marks[-1] - marks[0]
        best = {name: min(best.get(name, seconds), seconds) for name, seconds in stages.items()}
    return best


def mean_db(scores: tuple[ViewScore, ...]) -> float:
    return float(np.mean([score.psnr_db for score in scores]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--grow", action="store_true", help="let Gaussians be added, up to twice as many")
    options = parser.parse_args()
    torch.set_num_threads(1)
    note = warm_up()
    print(note or "kernels come from the cache")
    cloud = the_room(30_000)
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    views, between = views_of(cloud, turns[::2]), views_of(cloud, turns[1::4])
    start = start_near_surfaces(cloud, 3000)
    ours, dense = seconds_of_our_step(views[0], start), seconds_of_dense_step(views[0], start)
    print(f"a step without Adam, ms: {', '.join(f'{name} {1e3 * s:.1f}' for name, s in ours.items())}")
    print(f"the same through dense torch: {1e3 * dense:.0f} ms, {dense / ours['all']:.0f} times as long")
    settings = FitSettings(
        steps=options.steps, sh_degree=0, grow=options.grow, max_gaussians=6000 if options.grow else 3000
    )
    trainer = Trainer(views, start, settings, engine="numba")
    begun, busy = time.perf_counter(), time.process_time()
    for _ in range(settings.steps):
        report = trainer.advance()
        if report.step in (1, settings.steps) or report.step % max(settings.steps // 5, 1) == 0:
            print(f"  step {report.step:>5}  loss {report.loss:.4f}  {report.gaussians:,} Gaussians")
    took, cpu = time.perf_counter() - begun, time.process_time() - busy
    reached, held_out = mean_db(trainer.scores(views)), mean_db(trainer.scores(between))
    print(f"{settings.steps} steps in {took:.1f} s, {cpu:.1f} s of CPU (target {GOAL_S:.0f} s on two quiet cores)")
    print(f"PSNR {reached:.2f} dB (target {GOAL_DB:g}), of views between them {held_out:.2f} dB")
    return int(reached < GOAL_DB)


if __name__ == "__main__":
    sys.exit(main())
