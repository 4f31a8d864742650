"""What is drawn: files give the picture back, and turning the world with its camera changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.render import render
from seeworthy.bench_data.splats import GaussianCloud, read_splats, write_splats
from tests.bench_data.splats.clouds import random_cloud

POSE = look_at((0, -6, 1), (0, 0, 0))


def picture(cloud: GaussianCloud, pose: np.ndarray = POSE) -> np.ndarray:
    camera = Camera(width=64, height=48, fx=60, fy=60, cx=32, cy=24, world_from_camera=pose)
    return render(cloud, camera, engine="numba", background=(0.2, 0.4, 0.6)).image_srgb


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    return float(-10 * np.log10(max(np.mean((a.astype(np.float64) - b) ** 2), 1e-30)))


def test_a_saved_scene_looks_the_same(tmp_path: Path) -> None:
    cloud = random_cloud(50)
    for encoding in ("ascii", "binary_little_endian", "binary_big_endian"):
        write_splats(cloud, tmp_path / "a.ply", ply_encoding=encoding)
        assert psnr(picture(read_splats(tmp_path / "a.ply")), picture(cloud)) > 60


@pytest.mark.parametrize(("kind", "least_db"), [("compressed.ply", 40), ("spz", 40), ("sog", 40), ("splat", 35)])
def test_compressed_formats_look_nearly_the_same(tmp_path: Path, kind: str, least_db: float) -> None:
    pytest.importorskip("gsply")
    pytest.importorskip("gaussforge")
    cloud = random_cloud(50, 0)
    write_splats(cloud, tmp_path / f"a.{kind}")
    assert psnr(picture(read_splats(tmp_path / f"a.{kind}")), picture(cloud)) > least_db


def test_turning_world_and_camera_together_changes_nothing() -> None:
    cloud = random_cloud(50)
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = Rotation.from_euler("xyz", [1, 0.4, 2]).as_matrix(), (3, 1, 2)
    assert psnr(picture(cloud.transformed(turn), turn @ POSE), picture(cloud)) > 60
    without_colours = cloud.transformed(turn)
    kept = GaussianCloud(
        **{n: getattr(without_colours, n) for n in ("means", "quats_wxyz", "scales", "opacities")}, sh=cloud.sh
    )
    assert psnr(picture(kept, turn @ POSE), picture(cloud)) < 40  # so the picture would show it


def test_the_order_of_a_quaternion_shows() -> None:
    cloud = random_cloud(50)
    arrays = {n: getattr(cloud, n) for n in ("means", "scales", "opacities", "sh")}
    wrong = GaussianCloud(**arrays, quats_wxyz=np.roll(cloud.quats_wxyz, 1, axis=1))
    assert psnr(picture(wrong), picture(cloud)) < 40
