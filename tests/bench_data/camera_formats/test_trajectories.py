"""TUM and Open3D trajectories."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_formats import Trajectory, read_open3d_log, read_tum, write_open3d_log, write_tum
from seeworthy.bench_data.errors import BenchDataError, BenchDataWarning

LOGS = Path(__file__).resolve().parents[4] / "shared/data/rgbd_open3d"


def a_trajectory(count: int = 5) -> Trajectory:
    rng = np.random.default_rng(0)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.random(count, rng=rng).as_matrix()
    poses[:, :3, 3] = rng.normal(size=(count, 3))
    return Trajectory(np.arange(count) / 30 + 1305031102.175304, poses)


class TestTum:
    def test_camera_to_world(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("# time x y z qx qy qz qw\n0 1 2 3 0 0 0 1\n\n")
        trajectory = read_tum(tmp_path / "a.txt")
        assert trajectory.world_from_camera[0, :3, 3].tolist() == [1, 2, 3]
        assert np.array_equal(trajectory.world_from_camera[0, :3, :3], np.eye(3))

    def test_w_is_last(self, tmp_path: Path) -> None:
        half = 0.7071067811865476
        (tmp_path / "a.txt").write_text(f"1.5, 0, 0, 0, 0, 0, {half}, {half}\n")
        trajectory = read_tum(tmp_path / "a.txt")
        assert trajectory.timestamps_s.tolist() == [1.5]
        assert trajectory.world_from_camera[0, :3, :3] @ [1, 0, 0] == pytest.approx([0, 1, 0])

    def test_round_trip(self, tmp_path: Path) -> None:
        trajectory = a_trajectory()
        write_tum(trajectory, tmp_path / "a.txt")
        back = read_tum(tmp_path / "a.txt")
        assert np.array_equal(back.timestamps_s, trajectory.timestamps_s)
        assert np.array_equal(back.world_from_camera[:, :3, 3], trajectory.world_from_camera[:, :3, 3])
        assert back.world_from_camera == pytest.approx(trajectory.world_from_camera, abs=1e-14)

    def test_none(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("# nothing yet\n")
        assert len(read_tum(tmp_path / "a.txt")) == 0

    def test_a_long_quaternion_is_questioned(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("0 1 2 3 0 0 0 2\n")
        with pytest.warns(BenchDataWarning, match="not of length 1"):
            read_tum(tmp_path / "a.txt")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("0 1 2 3 0 0 0\n", r"line 1 \('0 1 2 3 0 0 0'\) must hold 8 finite numbers"),
            ("0 1 2 3 0 0 0 1\n0 1 2 3 0 0 0 1 1\n", "line 2"),
            ("0 1 2 nan 0 0 0 1\n", "8 finite numbers"),
            ("zero 1 2 3 0 0 0 1\n", "8 finite numbers"),
            ("0 1 2 3 0 0 0 0\n", "row 0 is zero"),
            ("\x00\x01", "8 finite numbers"),
        ],
    )
    def test_damage(self, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "a.txt").write_text(text)
        with pytest.raises(BenchDataError, match=f"cannot read .*a.txt: .*{message}"):
            read_tum(tmp_path / "a.txt")

    def test_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(BenchDataError, match="no text file"):
            read_tum(tmp_path / "a.txt")
        with pytest.raises(BenchDataError, match="No such file"):
            read_tum(tmp_path / "b.txt")


class TestOpen3d:
    def test_round_trip(self, tmp_path: Path) -> None:
        trajectory = a_trajectory()
        write_open3d_log(trajectory, tmp_path / "a.log")
        back = read_open3d_log(tmp_path / "a.log")
        assert np.array_equal(back.world_from_camera, trajectory.world_from_camera)
        assert back.timestamps_s.tolist() == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n", "no multiple of 5"),
            ("0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1\n0 0 0 1\n", "line 4 .* 4 finite numbers"),
            ("0 0 1\n1 0 0 0\n0 1 0 0\n0 0 -1 0\n0 0 0 1\n", "left-handed"),
            ("0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 5 1\n", "last row"),
        ],
    )
    def test_damage(self, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "a.log").write_text(text)
        with pytest.raises(BenchDataError, match=message):
            read_open3d_log(tmp_path / "a.log")

    def test_real_files(self) -> None:
        if not LOGS.is_dir():
            pytest.skip("the RGB-D frames of Open3D are not on this machine")
        for name in ("odometry.log", "trajectory.log"):
            trajectory = read_open3d_log(LOGS / name)
            assert len(trajectory) == 5
            steps = np.linalg.norm(np.diff(trajectory.world_from_camera[:, :3, 3], axis=0), axis=1)
            assert (steps > 0.01).all() and (steps < 0.05).all()  # consecutive frames of a hand-held camera
        assert read_open3d_log(LOGS / "odometry.log").world_from_camera[0, :3, 3].tolist() == [2, 2, -0.3]


@pytest.mark.parametrize(
    ("times", "poses", "message"),
    [
        ([0.0], np.eye(4), "a trajectory needs"),
        ([0.0, 1.0], np.eye(4)[None], "a trajectory needs"),
        ([np.nan], np.eye(4)[None], "finite"),
        ([0.0], np.diag([1.0, 1, -1, 1])[None], "pose 0 is left-handed"),
    ],
)
def test_what_is_no_trajectory(times: list[float], poses: np.ndarray, message: str) -> None:
    with pytest.raises(BenchDataError, match=message):
        Trajectory(np.array(times), poses)
