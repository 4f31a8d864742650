"""Truths of made-up rooms in which a camera walks about: objects of each category have their usual size and height."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.questions import SceneTruth, Sight, ViewTruth
from seeworthy.bench_data.scenes import Instance, OrientedBox, SceneKind

# category: length, width, height, height of the bottom; metres
USUAL = {
    "sofa": (0.9, 2.0, 0.8, 0.0),
    "armchair": (0.8, 0.8, 0.9, 0.0),
    "office chair": (0.6, 0.6, 1.1, 0.0),
    "dining table": (0.9, 1.6, 0.75, 0.0),
    "bookshelf": (0.3, 0.9, 1.9, 0.0),
    "wardrobe": (0.6, 1.2, 2.0, 0.0),
    "floor lamp": (0.4, 0.4, 1.6, 0.0),
    "pendant lamp": (0.4, 0.4, 0.5, 1.9),
    "umbrella": (0.1, 0.1, 0.9, 0.0),
    "picture": (0.05, 0.8, 0.6, 1.3),
    "bed": (2.0, 1.4, 0.5, 0.0),
    "stool": (0.4, 0.4, 0.45, 0.0),
    "TV": (0.1, 1.1, 0.65, 0.8),
    "box": (0.4, 0.5, 0.4, 0.0),
    "rug": (1.6, 2.2, 0.02, 0.0),
}
COLOURS = ("red", "green", "blue", "orange", "white", "black", "grey", "yellow")
_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # camera axes of someone who looks along the world's y


def a_room(seed: int, *, objects: int = 18, views: int = 20, reach_m: float = 3.5) -> SceneTruth:
    """A room of 2 x ``reach_m`` with ``objects`` and pictures from inside of it, with co-visibility."""
    rng = np.random.default_rng([seed, 20])
    floor = OrientedBox.upright((0, 0, -0.05), (2 * reach_m, 2 * reach_m, 0.1))
    instances = [Instance(id=0, label="floor", box=floor, is_structure=True)]
    labels = list(USUAL)
    for number in range(objects):
        label = labels[int(rng.integers(len(labels)))]
        length, width, height, bottom = (v * float(rng.uniform(0.8, 1.25)) for v in USUAL[label])
        x, y = (float(v) for v in rng.uniform(-reach_m, reach_m, 2))
        box = OrientedBox.upright(
            (x, y, bottom + height / 2), (length, width, height), heading_rad=float(rng.uniform(-math.pi, math.pi))
        )
        colour = COLOURS[number % 8]
        name = f"the {colour} {label}" if number < 8 else f"the {colour} {label} with a {COLOURS[number // 8]} mark"
        instances.append(Instance(id=2 * number + 1, label=label, box=box, description=name if number != 5 else ""))
    views_ = tuple(_view(rng, number, tuple(instances), reach_m) for number in range(views))
    return SceneTruth(
        scene=f"room-{seed}",
        kind=SceneKind.ROOM,
        instances=tuple(instances),
        views=views_,
        co_visibility=np.array([[_shared(a, b) for b in views_] for a in views_]),
    )


def _view(rng: np.random.Generator, number: int, instances: tuple[Instance, ...], reach_m: float) -> ViewTruth:
    yaw = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 25))
    pitch, roll = float(rng.normal(-12, 12)), float(rng.normal(0, 6))
    pose = np.eye(4)
    pose[:3, :3] = _UP @ Rotation.from_euler("YXZ", [yaw, pitch, roll], degrees=True).as_matrix()
    pose[:3, 3] = [*rng.uniform(-reach_m, reach_m, 2), rng.uniform(1.2, 1.7)]
    camera = Camera(width=640, height=480, fx=400, fy=400, cx=320, cy=240, world_from_camera=pose)
    seen = {}
    for one in instances:
        sight = None if one.is_structure else _sight(rng, camera, one)
        if sight is not None:
            seen[one.id] = sight
    return ViewTruth(name=f"view_{number:03d}", camera=camera, seen=seen)


def _sight(rng: np.random.Generator, camera: Camera, one: Instance) -> Sight | None:
    corners = camera.project(one.box.corners_m)
    if not corners.imaged.all():
        return None
    (x0, y0), (x1, y1) = corners.points_px.min(axis=0).tolist(), corners.points_px.max(axis=0).tolist()
    left, top, right, bottom = max(x0, 0.0), max(y0, 0.0), min(x1, 640.0), min(y1, 480.0)
    hidden = float(rng.choice([0.0, 0.0, 0.3, 0.7]))
    area = max(0.0, right - left) * max(0.0, bottom - top)
    pixels = int(0.6 * area * (1 - hidden))
    if right - left < 2 or bottom - top < 2 or pixels < 1:
        return None
    return Sight(
        pixels=pixels,
        occlusion=hidden,
        truncation=1 - area / ((x1 - x0) * (y1 - y0)),
        box_px=(left, top, right, bottom),
        point_px=(math.floor((left + right) / 2) + 0.5, math.floor((top + bottom) / 2) + 0.5),
    )


def _shared(a: ViewTruth, b: ViewTruth) -> float:
    """Share of the objects of ``a`` that ``b`` shows too, for want of depth."""
    return len(a.seen.keys() & b.seen.keys()) / max(1, len(a.seen))
