"""RGB-D recordings as TUM and Open3D lay them out, and real ones where they are at hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.camera_formats import Trajectory, write_open3d_log, write_tum
from seeworthy.bench_data.camera_paths import pose_path
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.fit import FitView
from seeworthy.bench_data.fit.loading import load_rgbd
from seeworthy.bench_data.fit.loading.rgbd import Intrinsics
from tests.bench_data.fit.scenes import room_views

REAL = Path(__file__).resolve().parents[4] / "shared" / "data"
VIEWS = room_views(4, gaussians=800, depth=True)


def intrinsics_of(view: FitView) -> Intrinsics:
    c = view.camera
    return Intrinsics(c.fx, c.fy, c.cx - 0.5, c.cy - 0.5)


def save_frame(view: FitView, colour: Path, depth: Path, units: float) -> None:
    colour.parent.mkdir(parents=True, exist_ok=True), depth.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(view.image_srgb_u8).save(colour)
    Image.fromarray(np.nan_to_num(np.asarray(view.depth_m) * units).round().astype(np.uint16)).save(depth)


def open3d_folder(folder: Path, *, flat: bool = False) -> Path:
    for i, view in enumerate(VIEWS):
        colour, depth = ("color_{}.png", "depth_{}.png") if flat else ("color/{}.png", "depth/{}.png")
        save_frame(view, folder / colour.format(i), folder / depth.format(i), 1000)
    poses = np.stack([view.camera.world_from_camera for view in VIEWS])
    write_open3d_log(Trajectory(np.arange(4.0), poses), folder / "trajectory.log")
    fx, fy, cx, cy = intrinsics_of(VIEWS[0])
    table = {"width": 64, "height": 48, "intrinsic_matrix": [fx, 0, 0, 0, fy, 0, cx, cy, 1]}
    (folder / "intrinsic.json").write_text(json.dumps(table))
    return folder


def tum_folder(folder: Path) -> Path:
    """Colour at 0, 1/30 ..., depth a little later, and poses at other times still."""
    times = 1e9 + np.arange(4) / 25
    colours, depths = ["# colour"], ["# depth"]
    for time, view in zip(times, VIEWS, strict=True):
        save_frame(view, folder / f"rgb/{time:.4f}.png", folder / f"depth/{time + 0.004:.4f}.png", 5000)
        colours.append(f"{time:.4f} rgb/{time:.4f}.png")
        depths.append(f"{time + 0.004:.4f} depth/{time + 0.004:.4f}.png")
    (folder / "rgb.txt").write_text("\n".join(colours) + "\n")
    (folder / "depth.txt").write_text("\n".join(depths) + "\n")
    keys = np.stack([view.camera.world_from_camera for view in VIEWS])
    steps = np.array([0, 0.2, 0.45, 0.7, 0.9, 1.15, 1.4, 1.65, 1.9, 2.15, 2.4, 2.7, 3])
    write_tum(Trajectory(1e9 + steps / 25, pose_path(keys, times=steps)), folder / "groundtruth.txt")
    return folder


def assert_like_the_truth(views: tuple[FitView, ...], *, depth_step_m: float, pose_m: float) -> None:
    assert len(views) == 4
    for view, true in zip(views, VIEWS, strict=True):
        assert np.array_equal(view.image_srgb_u8, true.image_srgb_u8)
        assert view.depth_m is not None
        assert true.depth_m is not None
        assert np.array_equal(np.isfinite(view.depth_m), np.isfinite(true.depth_m))
        assert np.nanmax(np.abs(view.depth_m - true.depth_m)) <= 0.51 * depth_step_m
        assert np.allclose(view.camera.K, true.camera.K, atol=1e-9)
        assert view.camera.world_from_camera == pytest.approx(true.camera.world_from_camera, abs=pose_m)


@pytest.mark.parametrize("flat", [False, True], ids=["folders", "flat"])
def test_open3d(tmp_path: Path, flat: bool) -> None:
    data = load_rgbd(open3d_folder(tmp_path, flat=flat))
    assert_like_the_truth(data.views, depth_step_m=1e-3, pose_m=1e-9)
    assert data.notes == ()


def test_tum(tmp_path: Path) -> None:
    data = load_rgbd(tum_folder(tmp_path), intrinsics=intrinsics_of(VIEWS[0]))
    assert_like_the_truth(data.views, depth_step_m=2e-4, pose_m=1e-3)


def test_tum_leaves_out_pictures_without_depth_or_pose(tmp_path: Path) -> None:
    folder = tum_folder(tmp_path)
    lines = (folder / "depth.txt").read_text().splitlines()
    (folder / "depth.txt").write_text("\n".join(lines[:2] + lines[3:]) + "\n")
    data = load_rgbd(folder, intrinsics=intrinsics_of(VIEWS[0]))
    assert len(data.views) == 3
    assert data.notes == ("1 of 4 pictures have no depth or no pose: left out",)


def test_the_unit_can_be_given(tmp_path: Path) -> None:
    view = load_rgbd(open3d_folder(tmp_path), depth_units_per_metre=500).views[0]
    assert np.nanmedian(view.depth_m / VIEWS[0].depth_m) == pytest.approx(2, rel=1e-3)


def test_a_single_frame(tmp_path: Path) -> None:
    save_frame(VIEWS[0], tmp_path / "my_color.png", tmp_path / "my_depth.png", 1000)
    with pytest.raises(BenchDataError, match="--depth-units"):
        load_rgbd(tmp_path, intrinsics=intrinsics_of(VIEWS[0]))
    data = load_rgbd(tmp_path, intrinsics=intrinsics_of(VIEWS[0]), depth_units_per_metre=1000)
    assert np.array_equal(data.views[0].camera.world_from_camera, np.eye(4))


def test_files_whose_names_hold_both_words_are_depth(tmp_path: Path) -> None:
    save_frame(VIEWS[0], tmp_path / "image.png", tmp_path / "image_depth.png", 1000)
    data = load_rgbd(tmp_path, intrinsics=intrinsics_of(VIEWS[0]), depth_units_per_metre=1000)
    assert data.views[0].name == "image.png"


def remove_pose(folder: Path) -> None:
    write_open3d_log(Trajectory(np.arange(3.0), np.tile(np.eye(4), (3, 1, 1))), folder / "trajectory.log")


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (remove_pose, "3 poses for 4 frames"),
        (lambda folder: (folder / "trajectory.log").unlink(), "4 frames without poses"),
        (lambda folder: (folder / "depth/1.png").unlink(), "4 colour and 3 depth"),
        (lambda folder: (folder / "intrinsic.json").unlink(), "intrinsics of 64x48"),
        (lambda folder: (folder / "intrinsic.json").write_text('{"intrinsic_matrix": [1, 2]}'), "nine numbers"),
        (lambda folder: (folder / "intrinsic.json").write_text("nonsense"), r"intrinsic\.json"),
        (lambda folder: Image.new("L", (64, 48)).save(folder / "depth/1.png"), "not a depth map"),
        (lambda folder: Image.new("I;16", (9, 9), 5).save(folder / "depth/1.png"), "depth is"),
    ],
    ids=["too few poses", "no poses", "no depth", "no lens", "short matrix", "no JSON", "a picture", "another size"],
)
def test_what_is_wrong_is_said(tmp_path: Path, break_it: Callable[[Path], object], words: str) -> None:
    break_it(open3d_folder(tmp_path))
    with pytest.raises(BenchDataError, match=words):
        load_rgbd(tmp_path)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda folder: (folder / "groundtruth.txt").unlink(), "groundtruth"),
        (lambda folder: (folder / "rgb.txt").write_text("now rgb/a.png\n"), "line 1"),
        (lambda folder: (folder / "depth.txt").write_text("5.0 depth/a.png\n"), "no colour picture has depth"),
        (lambda folder: (folder / "depth.txt").write_text("# none\n"), "no colour picture has depth"),
    ],
)
def test_what_is_wrong_with_tum_is_said(tmp_path: Path, break_it: Callable[[Path], object], words: str) -> None:
    break_it(tum_folder(tmp_path))
    with pytest.raises(BenchDataError, match=words):
        load_rgbd(tmp_path, intrinsics=intrinsics_of(VIEWS[0]))


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="no such folder"):
        load_rgbd(tmp_path / "nowhere")


class TestReal:
    @pytest.fixture(autouse=True)
    def _files(self) -> None:
        if not (REAL / "rgbd_open3d").is_dir():
            pytest.skip("the real recordings are not part of the project")

    def test_frames_of_a_living_room_agree_with_each_other(self) -> None:
        """Points of the first frame, where the last one sees them, have the depth that it measured."""
        views = load_rgbd(REAL / "rgbd_open3d", downscale=4).views
        assert len(views) == 5
        first, last = views[0], views[-1]
        assert first.depth_m is not None
        assert last.depth_m is not None
        points = first.camera.unproject_depth(first.depth_m).reshape(-1, 3)
        seen = last.camera.project(points[np.isfinite(points[:, 0])])
        x, y = seen.points_px[seen.in_picture].astype(int).T
        assert seen.in_picture.mean() > 0.7
        assert np.nanmedian(np.abs(last.depth_m[y, x] - seen.depth_m[seen.in_picture])) < 0.02

    def test_a_desk(self) -> None:
        data = load_rgbd(REAL / "rgbd_tum", downscale=4)
        [view] = data.views
        assert 1 < np.nanmedian(view.depth_m) < 4
        assert "a single frame: its camera is the world" in data.notes
