"""Real scenes, where they are on this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.camera_formats import Z_UP_FROM_Y_DOWN, pose_from
from seeworthy.bench_data.cameras import Camera, why_nothing_is_seen
from seeworthy.bench_data.splats import cloud_from_points, read_splats, summarise, write_splats
from tests.bench_data.splats.clouds import full_covariances

SPLATS = Path(__file__).resolve().parents[4] / "shared/data/splats"

pytestmark = pytest.mark.skipif(not SPLATS.is_dir(), reason="the real scenes are not on this machine")


@pytest.mark.parametrize(("name", "count"), [("playbot_lod3_sog", 31_000), ("playbot_lod5_sog", 3_000)])
def test_a_robot_that_stands_upright(tmp_path: Path, name: str, count: int) -> None:
    pytest.importorskip("gaussforge")
    cloud = read_splats(SPLATS / name)
    assert (len(cloud), cloud.sh_degree, cloud.notes) == (count, 2, ())
    upright = summarise(cloud.transformed(Z_UP_FROM_Y_DOWN))
    assert upright.low_m is not None and upright.high_m is not None
    assert upright.low_m[2] == pytest.approx(-0.04, abs=0.01)  # its feet are on the ground
    assert upright.high_m[2] == pytest.approx(1.08, abs=0.01)
    write_splats(cloud, tmp_path / "robot.ply")
    back = read_splats(tmp_path / "robot.ply")
    assert np.array_equal(back.sh, cloud.sh)
    assert np.allclose(back.opacities, cloud.opacities, rtol=0, atol=1e-7)
    assert np.allclose(full_covariances(back), full_covariances(cloud), rtol=1e-4, atol=1e-9)


def test_a_garden_seen_by_its_cameras() -> None:
    data = np.load(SPLATS / "test_garden.npz")
    points, colours = data["means3d"], data["colors"]
    colours = colours / 255 if colours.max() > 1 else colours
    rows = np.random.default_rng(0).choice(len(points), 20_000, replace=False)
    cloud = cloud_from_points(points[rows], colours[rows])
    cameras = []
    for view, K in zip(data["viewmats"], data["Ks"], strict=True):
        pose = pose_from(view, axes="opencv", maps="camera_from_world")
        size = {"width": int(data["width"]), "height": int(data["height"])}
        cameras.append(Camera.from_K(K, **size, world_from_camera=pose))
    assert why_nothing_is_seen(cameras, cloud.means) is None
    assert all(camera.sees(cloud.means).mean() > 0.3 for camera in cameras)
    wrong = [camera.with_pose(camera.camera_from_world) for camera in cameras]
    assert max(camera.sees(cloud.means).mean() for camera in wrong) < 0.3
