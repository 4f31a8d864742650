"""Truths of made-up scenes: random boxes, cameras around them, and sights as if nothing hid anything."""

from __future__ import annotations

import math

import numpy as np

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.questions import SceneTruth, Sight, ViewTruth
from seeworthy.bench_data.scenes import Instance, OrientedBox, SceneKind

LABELS = ("armchair", "office chair", "table", "lamp", "umbrella", "hat stand", "box", "rug", "oven", "vase")
COLOURS = ("red", "green", "blue", "orange", "white", "black", "grey", "yellow")


def random_truth(
    seed: int,
    *,
    kind: SceneKind = SceneKind.ROOM,
    objects: int = 10,
    views: int = 4,
    size: tuple[int, int] = (640, 480),
    occluded: float = 0.0,
) -> SceneTruth:
    """A scene of so many upright boxes on and above the floor, seen from tilted cameras on a ring around it.

    Args:
        seed: of everything.
        kind: rooms are about 6 m wide, streets about 60 m.
        objects: with a floor besides, which is structure.
        views: cameras, pointed at the middle.
        size: of the pictures.
        occluded: the largest occlusion that a sight has; 0 for none.
    """
    rng = np.random.default_rng(seed)
    reach = 3.0 if kind is SceneKind.ROOM else 30.0
    scale = 1.0 if kind is SceneKind.ROOM else 4.0
    floor = OrientedBox.upright((0, 0, -0.05), (4 * reach, 4 * reach, 0.1))
    instances = [Instance(id=0, label="floor", box=floor, is_structure=True)]
    for number in range(objects):
        length, width, height = (float(v) for v in scale * rng.uniform(0.1, 1.2, 3))
        bottom = float(rng.choice([0.0, 0.0, 0.0, rng.uniform(0, 2 * scale)]))
        centre = (float(rng.uniform(-reach, reach)), float(rng.uniform(-reach, reach)), bottom + height / 2)
        label = str(rng.choice(LABELS))
        instances.append(
            Instance(
                id=3 * number + 2,
                label=label,
                box=OrientedBox.upright(
                    centre, (length, width, height), heading_rad=float(rng.uniform(-math.pi, math.pi))
                ),
                description=f"the {COLOURS[number % 8]} {label}" + (f" number {number // 8}" if number >= 8 else ""),
                has_front=bool(rng.integers(2)),
            )
        )
    return SceneTruth(
        scene=f"made-{kind.value}-{seed}",
        kind=kind,
        instances=tuple(instances),
        views=tuple(_view(rng, number, tuple(instances), reach, size, occluded) for number in range(views)),
    )


def _view(
    rng: np.random.Generator,
    number: int,
    instances: tuple[Instance, ...],
    reach: float,
    size: tuple[int, int],
    occluded: float,
) -> ViewTruth:
    angle = float(rng.uniform(-math.pi, math.pi))
    distance = reach * float(rng.uniform(1.2, 2.0))
    eye = (distance * math.cos(angle), distance * math.sin(angle), reach * float(rng.uniform(0.3, 0.9)))
    target = rng.uniform(-reach / 4, reach / 4, 3) + np.array([0, 0, reach / 4])
    width, height = size
    pose = look_at(eye, target)
    focal = 0.7 * width
    camera = Camera(width=width, height=height, fx=focal, fy=focal, cx=width / 2, cy=height / 2, world_from_camera=pose)
    seen = {}
    for one in instances:
        sight = None if one.is_structure else _sight(rng, camera, one, occluded)
        if sight is not None:
            seen[one.id] = sight
    return ViewTruth(name=f"v{number}", camera=camera, seen=seen)


def _sight(rng: np.random.Generator, camera: Camera, one: Instance, occluded: float) -> Sight | None:
    """The box around the projected corners, cut at the border; three fifths of it count as pixels."""
    corners = camera.project(one.box.corners_m)
    if not corners.imaged.all():
        return None
    (x0, y0), (x1, y1) = corners.points_px.min(axis=0), corners.points_px.max(axis=0)
    inside = (max(x0, 0.0), max(y0, 0.0), min(x1, float(camera.width)), min(y1, float(camera.height)))
    if inside[2] - inside[0] < 2 or inside[3] - inside[1] < 2:
        return None
    area = (inside[2] - inside[0]) * (inside[3] - inside[1])
    hidden = float(rng.uniform(0, occluded)) if occluded else 0.0
    box = tuple(float(v) for v in inside)
    return Sight(
        pixels=max(1, int(0.6 * area * (1 - hidden))),
        occlusion=hidden,
        truncation=float(1 - area / ((x1 - x0) * (y1 - y0))),
        box_px=(box[0], box[1], box[2], box[3]),
        point_px=(math.floor((box[0] + box[2]) / 2) + 0.5, math.floor((box[1] + box[3]) / 2) + 0.5),
    )
