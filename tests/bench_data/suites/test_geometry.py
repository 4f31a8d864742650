"""SpatialBench's tree: read as the published loader reads it, checked, and written so that it comes back."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.suites import (
    GeometryFrame,
    GeometrySample,
    GeometryScene,
    read_geometry,
    read_suite,
    validate_suite,
    write_geometry,
)

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "spatialbench"
BENCH = GOLDEN / "tiny_bench"
EXPECTED = json.loads((GOLDEN / "loader_expected.json").read_text())


def sample(scene_id: str) -> GeometrySample:
    return next(one for one in read_geometry(BENCH) if one.scene_id == scene_id)


@pytest.mark.parametrize("scene_id", [key.removesuffix("__28x20") for key in EXPECTED if key.endswith("__28x20")])
def test_scored_frames_are_those_of_the_published_loader(scene_id: str) -> None:
    """All ten scenes; the importer of scenes is held to more of the published numbers."""
    expected = EXPECTED[f"{scene_id}__28x20"]
    one = sample(scene_id)
    assert list(one.frame_indices) == expected["frame_indices"]
    frames = one.scored_frames(resolution=(28, 20))
    assert len(frames) == len(one.frames()) == expected["shape_NCHW"][0]
    assert (frames.sky is not None) is expected["has_sky"]
    depth = np.nan_to_num(frames.depth_m.astype(np.float64))
    assert int((depth > 0).sum()) == expected["valid"]
    assert depth.sum() == pytest.approx(expected["depth_sum"], rel=1e-7)
    np.testing.assert_allclose(frames.K[0], expected["K0"], atol=2e-6)
    assert (frames.image_srgb_u8 / 255.0).mean() == pytest.approx(expected["rgb_mean"], abs=1e-6)


def test_stored_frames_are_not_limited() -> None:
    """Depth of ropedia's farthest fifth is stored and comes back; it is not scored."""
    one = sample("ropedia_slab_x_sparse")
    frame = one.frames()[0].load()
    assert frame.depth_m is not None
    scored = one.scored_frames().depth_m[0]
    assert np.nanmax(frame.depth_m) > np.nanmax(scored)
    assert np.isfinite(frame.depth_m).mean() > np.isfinite(scored).mean()


def test_distorted_pictures_are_straightened() -> None:
    """As ScanNet++ has them: the picture moves to where depth and calibration are, and masks are ignored."""
    one = next(one for one in read_geometry(BENCH) if one.source_dataset == "scannetpp")
    files = one.frames()[0]
    frame, before = files.load(), replace(files, lens=None).load()
    assert files.meta.distorted
    assert files.depth_mask is files.sky_mask is files.confidence is None
    assert (frame.picture.image_srgb_u8 != before.picture.image_srgb_u8).any()
    assert frame.camera == before.camera
    lens = Path(str(files.lens))
    stored = cv2.cvtColor(cv2.imread(str(files.image)), cv2.COLOR_BGR2RGB)
    wanted = cv2.undistort(
        stored,
        np.load(lens / "K_distorted.npy"),
        np.load(lens / "distortion_coeffs.npy"),
        None,
        np.load(files.intrinsics),
    )
    np.testing.assert_allclose(frame.picture.image_srgb_u8.astype(int), wanted.astype(int), atol=1)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_depth_that_is_none_is_nan(tmp_path: Path, value: float) -> None:
    bench = copied(tmp_path)
    files = next(iter(read_geometry(bench))).frames()[0]
    assert files.depth is not None
    height, width = cv2.imread(str(files.image)).shape[:2]
    depth = np.full((height, width), 2.0, np.float32)
    depth[1, 2] = value
    np.save(tmp_path / "d.npy", depth)
    meta = files.meta.model_copy(update={"depth_format": "npy_float32_meters", "pyrep_flip": ()})
    bare = replace(files, depth=tmp_path / "d.npy", meta=meta, depth_mask=None, aliasing_mask=None, sky_mask=None)
    loaded = replace(bare, confidence=None).load().depth_m
    assert loaded is not None
    depth[1, 2] = np.nan
    np.testing.assert_array_equal(loaded, depth)


def test_the_tiny_benchmark_is_sound() -> None:
    result = validate_suite(BENCH)
    assert (result.format, result.records, result.errors) == ("spatialbench", 10, ())
    assert [finding.code for finding in result.warnings] == ["distorted_pictures"]
    assert [cloud.name for cloud in sample("dtu_scan0_0_single").point_clouds()] == ["a.ply", "b.ply"]
    with pytest.raises(BenchDataError, match="holds no questions"):
        list(read_suite(BENCH))


def test_poses_and_calibrations_are_turned_into_ours() -> None:
    one = sample("tum_room_a_0_sparse")
    files = one.frames()[1]
    frame = files.load()
    assert files.pose is not None
    stored = np.load(files.pose)
    np.testing.assert_allclose(frame.camera.world_from_camera[:3], stored[:3], atol=1e-6)
    K = np.load(files.intrinsics)
    assert (frame.camera.cx, frame.camera.cy) == (K[0, 2] + 0.5, K[1, 2] + 0.5)
    assert not sample("waymo_seg0_sparse").frames()[0].load().has_pose


def test_mirroring_moves_picture_depth_and_calibration() -> None:
    one = sample("rlbench_task_ep0_sparse")
    turned, plain = (
        replace(files, meta=meta)
        for files in one.frames()[:1]
        for meta in (files.meta, files.meta.model_copy(update={"pyrep_flip": ()}))
    )
    frame, before = turned.load(), plain.load()
    np.testing.assert_array_equal(frame.picture.image_srgb_u8, before.picture.image_srgb_u8[::-1, ::-1])
    assert frame.depth_m is not None
    assert before.depth_m is not None
    np.testing.assert_array_equal(frame.depth_m, before.depth_m[::-1, ::-1])
    assert frame.camera.cx == before.camera.width - before.camera.cx


def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BENCH, tmp_path / "bench"))


SCENE = "sparse/tum/room_a/0"


@pytest.mark.parametrize(
    ("break_it", "code"),
    [
        (lambda scene: (scene / "images/000001.png").unlink(), "bad_scene"),
        (lambda scene: (scene / "depths/000001.png").unlink(), "bad_scene"),
        (lambda scene: (scene / "poses/000001.npy").unlink(), "bad_scene"),
        (lambda scene: (scene / "intrinsics/intrinsic.npy").unlink(), "bad_scene"),
        (lambda scene: shutil.rmtree(scene / "depths"), "bad_scene"),
        (lambda scene: (scene / "meta.json").write_text("{"), "bad_scene"),
        (lambda scene: (scene / "meta.json").write_text('{"depth_format": "mystery"}'), "bad_scene"),
        (lambda scene: (scene / "images/000001.png").write_text("x"), "bad_frame"),
        (
            lambda scene: (scene / "depths/000001.png").write_bytes((scene / "images/000001.png").read_bytes()),
            "bad_frame",
        ),
        (lambda scene: np.save(scene / "poses/000001.npy", np.diag([1.0, 1, -1, 1])), "bad_frame"),
        (lambda scene: np.save(scene / "poses/000001.npy", np.eye(2)), "bad_frame"),
        (lambda scene: np.save(scene / "poses/000001.npy", np.full((4, 4), np.nan)), "bad_frame"),
        (lambda scene: np.save(scene / "poses/000001.npy", np.array([{"a": 1}], dtype=object)), "bad_frame"),
        (lambda scene: (scene / "poses/000001.npy").write_bytes(b"\x93NUMPY\x01\x00"), "bad_frame"),
        (lambda scene: cv2.imwrite(str(scene / "depth_masks/000001.png"), np.zeros((5, 5), np.uint8)), "bad_frame"),
    ],
)
def test_broken_scenes_are_named(tmp_path: Path, break_it: object, code: str) -> None:
    bench = copied(tmp_path)
    assert callable(break_it)
    break_it(bench / SCENE)
    errors = validate_suite(bench).errors
    assert [(finding.code, finding.record) for finding in errors] == [(code, "tum_room_a_0_sparse")]


def test_an_array_that_promises_more_than_it_holds_takes_no_memory(tmp_path: Path) -> None:
    bench = copied(tmp_path)
    pose = bench / SCENE / "poses/000001.npy"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    pose.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    (error,) = validate_suite(bench).errors
    assert "no array of numbers of this file's size" in error.message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"scene_path": "../x"}, "unsafe_path"),
        ({"scene_path": "nowhere"}, "bad_scene"),
        ({"tags": {"view_density": "huge"}}, "unknown_tag"),
        ({"tags": {}}, "unknown_tag"),
        ({"frame_indices": [0, 0, 1]}, "bad_frame_indices"),
        ({"frame_indices": [0, 5, 99]}, "bad_frame_indices"),
        ({"frame_indices": "0"}, "wrong_type"),
        ({"scene_id": "tum_room_a_0_medium"}, "duplicate_id"),
        ({"num_frames_total": None}, "missing_field"),
    ],
)
def test_bad_records_of_the_index_are_named(tmp_path: Path, change: dict[str, object], code: str) -> None:
    bench = copied(tmp_path)
    records = json.loads((bench / "index.json").read_text())
    records[0] |= change
    (bench / "index.json").write_text(json.dumps(records, indent=1))
    assert [finding.code for finding in validate_suite(bench, pictures="exists").errors] == [code]


def test_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    bench = copied(tmp_path)
    image = bench / SCENE / "images/000001.png"
    (tmp_path / "outside.png").write_bytes(image.read_bytes())
    image.unlink()
    image.symlink_to(tmp_path / "outside.png")
    (error,) = validate_suite(bench).errors
    assert "leads out" in error.message


def test_scenes_come_back(tmp_path: Path) -> None:
    kept = list(read_geometry(BENCH))
    scenes = [
        GeometryScene(
            scene_id=one.scene_id,
            source_dataset=one.source_dataset,
            scene_path=one.scene_path,
            tags=one.tags,
            frames=[files.load() for files in one.frames()],
            frame_indices=one.frame_indices,
            num_frames_total=one.num_frames_total,
        )
        for one in kept
    ]
    assert write_geometry(scenes, tmp_path / "out") == len(kept)
    assert validate_suite(tmp_path / "out").errors == ()
    assert not validate_suite(tmp_path / "out").warnings, "straightened pictures are stored straight"
    for scene, again in zip(scenes, read_geometry(tmp_path / "out"), strict=True):
        assert (again.scene_id, again.tags, again.frame_indices) == (scene.scene_id, scene.tags, scene.frame_indices)
        for before, after in zip(scene.frames, (files.load() for files in again.frames()), strict=True):
            same_frame(before, after)
    with pytest.raises(BenchDataError, match="not empty"):
        write_geometry(scenes, tmp_path / "out")
    with pytest.raises(BenchDataError, match="view_density"):
        write_geometry([replace(scenes[0], tags={**scenes[0].tags, "view_density": "all"})], tmp_path / "bad")


def test_a_data_set_of_one_calibration_takes_no_other(tmp_path: Path) -> None:
    one = next(one for one in read_geometry(BENCH) if one.source_dataset == "scannetpp")
    frames = [files.load() for files in one.frames()]
    first = frames[0]
    other = GeometryFrame(
        first.picture, first.depth_m, first.sky, replace(first.camera, fx=first.camera.fx + 1), first.has_pose
    )
    scene = GeometryScene(
        scene_id="s", source_dataset="scannetpp", scene_path="s", tags=one.tags, frames=[first, other],
        frame_indices=(0, 1), num_frames_total=2,
    )  # fmt: skip
    with pytest.raises(BenchDataError, match="one calibration a scene, that of frame 1"):
        write_geometry([scene], tmp_path / "out")


def same_frame(before: GeometryFrame, after: GeometryFrame) -> None:
    assert before.picture.sha256 == after.picture.sha256
    assert before.camera == after.camera
    assert before.has_pose == after.has_pose
    assert (before.depth_m is None) == (after.depth_m is None)
    if before.depth_m is not None and after.depth_m is not None:
        np.testing.assert_array_equal(before.depth_m, after.depth_m)
    if before.sky is not None:
        np.testing.assert_array_equal(before.sky, after.sky)
