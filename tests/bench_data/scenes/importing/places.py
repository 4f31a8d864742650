"""A small place in this project's world, for importers to give back: cameras, boxes, points. And writers of files."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera

WIDTH, HEIGHT = 64, 48
FOCAL = 60.0


def poses(count: int = 4) -> list[NDArray[np.float64]]:
    """(4, 4) ``world_from_camera``: people who walk about (1, 1) and look at it, tilted down a little."""
    found = []
    for k in range(count):
        angle = 0.3 + 0.9 * k
        centre = (1 + 3 * np.cos(angle), 1 + 2.5 * np.sin(angle), 1.5 + 0.1 * k)
        found.append(np.asarray(look_at(centre, (1.0, 1.0, 0.5))))
    return found


def cameras(count: int = 4) -> list[Camera]:
    return [
        Camera(width=WIDTH, height=HEIGHT, fx=FOCAL, fy=FOCAL, cx=WIDTH / 2, cy=HEIGHT / 2, world_from_camera=pose)
        for pose in poses(count)
    ]


def points(count: int = 600, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Coloured points on the floor and in two heaps, within half a metre of (1, 1) and (0, 0.5)."""
    rng = np.random.default_rng(seed)
    floor = np.column_stack([rng.uniform(-1, 3, (count // 2, 2)), np.zeros(count // 2)])
    heaps = rng.uniform(-0.25, 0.25, (count - count // 2, 3)) + np.array([1, 1, 0.5])
    heaps[::2] += [-1.0, -0.5, -0.2]
    return np.concatenate([floor, heaps]), rng.integers(0, 256, (count, 3)).astype(np.uint8)


def floor_depth(camera: Camera) -> NDArray[np.float32]:
    """(H, W) depth of the floor z = 0, worked out ray by ray; 0 where a pixel does not look at it."""
    R, centre = camera.world_from_camera[:3, :3], camera.world_from_camera[:3, 3]
    v, u = np.mgrid[: camera.height, : camera.width] + 0.5
    rays = np.stack([(u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy, np.ones_like(u)], axis=-1)
    down = (rays @ R.T)[..., 2]
    with np.errstate(divide="ignore"):
        depth = -centre[2] / down
    return np.where((down < -1e-3) & (depth < 12), depth, 0).astype(np.float32)


def checkered(seed: int = 0, size: tuple[int, int] = (WIDTH, HEIGHT)) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 of blocks in random colours."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (size[1] // 8 + 1, size[0] // 8 + 1, 3)).astype(np.uint8)
    return np.kron(blocks, np.ones((8, 8, 1), np.uint8))[: size[1], : size[0]]


def write_picture(path: Path, image_rgb: NDArray[np.uint8] | NDArray[np.uint16]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = image_rgb[..., ::-1] if image_rgb.ndim == 3 else image_rgb
    assert cv2.imwrite(str(path), np.ascontiguousarray(stored))


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def write_points_ply(
    path: Path,
    xyz: NDArray[np.float64],
    rgb: NDArray[np.uint8] | None = None,
    *,
    faces: bool = False,
) -> None:
    """A binary PLY as laser scanners and mesh tools write it: float x y z, uchar colours, faces as lists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(xyz)}"]
    lines += [f"property float {axis}" for axis in "xyz"]
    kind = [(axis, "<f4") for axis in "xyz"]
    if rgb is not None:
        lines += [f"property uchar {name}" for name in ("red", "green", "blue")]
        kind += [(name, "u1") for name in ("red", "green", "blue")]
    if faces:
        lines += ["element face 1", "property list uchar int vertex_indices"]
    table = np.zeros(len(xyz), dtype=kind)
    for k, axis in enumerate("xyz"):
        table[axis] = xyz[:, k]
    if rgb is not None:
        for k, name in enumerate(("red", "green", "blue")):
            table[name] = rgb[:, k]
    body = table.tobytes() + (b"\x03" + np.array([0, 1, 2], "<i4").tobytes() if faces else b"")
    path.write_bytes("\n".join([*lines, "end_header"]).encode() + b"\n" + body)
