"""SpatialBench: the frames that its own loader gave for a tiny tree, and a scene made of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes.importing import ImportOptions, import_scene
from seeworthy.bench_data.scenes.importing.spatialbench import (
    DATASETS,
    TAG_AXES,
    IndexEntry,
    WidthAligned,
    has_true_cloud,
    load_frames,
    prioritised,
    read_index,
    true_cloud_file,
)
from seeworthy.bench_data.scenes.importing.spatialbench.depth_files import read_depth_map
from seeworthy.bench_data.scenes.importing.spatialbench.tables import size_for
from tests.bench_data.scenes.importing.places import cameras, checkered, floor_depth, write_json, write_picture

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "spatialbench"
ROOT = GOLDEN / "tiny_bench"
EXPECTED = json.loads((GOLDEN / "loader_expected.json").read_text())
ENTRIES = {one.scene_id: one for one in read_index(ROOT)}
HALF_WAY_M = 2 * 0.5000076 / 500.4924 / 0.004
"""scale * x / (1000 - 999 x) / 0.004 with x = 32768 / 65535 and a scale of 2."""

MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.endswith("__28x20")])
def test_frames_are_those_of_the_published_loader(name: str) -> None:
    entry, wanted = ENTRIES[name.removesuffix("__28x20")], EXPECTED[name]
    frames = load_frames(ROOT, entry, resolution=(28, 20))
    image = frames.image_srgb_u8 / 255.0
    depth = np.nan_to_num(frames.depth_m.astype(np.float64))
    assert [len(frames), *wanted["shape_NCHW"][1:]] == [wanted["shape_NCHW"][0], 3, *frames.image_srgb_u8.shape[1:3]]
    assert depth.sum() == pytest.approx(wanted["depth_sum"], rel=1e-7)
    assert int((depth > 0).sum()) == wanted["valid"]
    assert depth.max() == pytest.approx(wanted["depth_max"], rel=1e-7)
    np.testing.assert_allclose(frames.K[0], wanted["K0"], atol=2e-6)
    assert (frames.sky is not None) == wanted["has_sky"]
    assert image.mean() == pytest.approx(wanted["rgb_mean"], abs=1e-6)
    assert ((image - MEAN) / STD).mean() == pytest.approx(wanted["images_mean_normalised"], abs=1e-5)
    assert list(entry.frame_indices) == wanted["frame_indices"]


def test_the_tables_are_the_published_ones() -> None:
    published = EXPECTED["default_resolution_and_zfar"]
    assert set(published) == set(DATASETS)
    for name, (size, far_m, aligned) in published.items():
        rules = DATASETS[name]
        assert rules.far_m == far_m
        assert rules.resolution == (tuple(size) if aligned is None else WidthAligned(**aligned))
    assert {axis: list(values) for axis, values in TAG_AXES.items()} == EXPECTED["tag_axes"]
    ids = [one.scene_id for one in prioritised(read_index(ROOT), ["omniworld", "waymo"])]
    assert ids == EXPECTED["priority_order_omniworld_waymo"]
    for key, wanted in EXPECTED["pointcloud_gate"].items():
        assert has_true_cloud(*key.split("+")) == wanted


def test_confidence_below_the_wanted_leaves_depth_out() -> None:
    entry = ENTRIES["ropedia_slab_x_sparse"]
    counts = [
        int(np.isfinite(load_frames(ROOT, entry, resolution=(28, 20), least_confidence=least).depth_m).sum())
        for least in (0.0, 0.3, 0.5, 1.0)
    ]
    assert counts[1] == EXPECTED["ropedia conf_threshold=0.3 valid pixels (28x20)"]
    assert counts == sorted(counts, reverse=True)


def test_true_clouds_are_found_by_what_is_left_of_the_path() -> None:
    def found(name: str) -> str | None:
        file = true_cloud_file(ROOT, ENTRIES[name])
        return None if file is None else file.relative_to(ROOT).as_posix()

    assert found("dtu_scan0_0_single") == "pointcloud/dtu/scan0/a.ply"
    assert found("hiroom_abc_cam0_sparse") == "pointcloud/hiroom/abc/zz_cam0.ply"
    assert found("tum_room_a_0_sparse") is None


def test_the_sky_follows_the_crops() -> None:
    """A principal point far to the right: the left part is cropped away, from the sky mask too."""
    sky = load_frames(ROOT, ENTRIES["vkitti_scene99_clone_sparse"], resolution=(28, 20))
    assert sky.sky is not None
    assert not (sky.sky & np.isfinite(sky.depth_m)).any()
    assert sky.sky.shape == sky.depth_m.shape


def test_some_frames_are_those_of_all() -> None:
    entry = ENTRIES["tum_room_a_0_medium"]
    every, some = load_frames(ROOT, entry), load_frames(ROOT, entry, numbers=[1, 3])
    assert every.image_srgb_u8.shape[1:3] == (392, 518)
    np.testing.assert_array_equal(some.depth_m, every.depth_m[[1, 3]])
    np.testing.assert_array_equal(some.world_from_camera, every.world_from_camera[[1, 3]])
    with pytest.raises(BenchDataError, match="frames must be"):
        load_frames(ROOT, entry, numbers=[4])


@pytest.mark.parametrize(
    ("encoding", "raw", "metres", "sky"),
    [
        ("uint16_png_div1000", [0, 1234, 65535], [0, 1.234, 65.535], None),
        ("uint16_png_div1000_rectified", [0, 1234, 65535], [0, 1.234, 65.535], None),
        ("uint16_png_div100", [0, 1234, 65500], [0, 12.34, 0], [False, False, True]),
        ("uint16_png_div_655.35", [0, 65535, 6554], [0, 100, 6554 / 655.35], None),
        (
            "uint16_png_inverse_encoded",
            [60, 32768, 65501],
            [0, HALF_WAY_M, 0],
            [False, False, True],
        ),
    ],
)
def test_every_encoding_of_depth(
    tmp_path: Path, encoding: str, raw: list[int], metres: list[float], sky: list[bool] | None
) -> None:
    write_picture(tmp_path / "a.png", np.array([raw], np.uint16))
    found = read_depth_map(tmp_path / "a.png", encoding, metric_scale=2.0)
    np.testing.assert_allclose(found.depth_m[0], metres, rtol=1e-4)
    assert (None if found.sky is None else found.sky[0].tolist()) == sky


def test_depth_of_plain_floats_and_of_nothing_known(tmp_path: Path) -> None:
    depth = np.array([[1.5, np.nan, -np.inf], [0, 2, 3]], "<f4")
    (tmp_path / "a.bin").write_bytes(depth.tobytes())
    found = read_depth_map(tmp_path / "a.bin", "float32_binary_le_2x3").depth_m
    assert found.tolist() == [[1.5, 0, 0], [0, 2, 3]]
    np.save(tmp_path / "a.npy", depth)
    assert read_depth_map(tmp_path / "a.npy", "npy_float32_meters").depth_m.tolist() == found.tolist()
    for encoding, what in (
        ("float32_binary_le_2x4", "need 32"),
        ("exr_float32", "EXR is not read"),
        ("jpeg", "unknown depth_format"),
        ("float32_binary_99999x99999", "pixels"),
    ):
        with pytest.raises(BenchDataError, match=what):
            read_depth_map(tmp_path / "a.bin", encoding)


def test_heights_are_rounded_to_even_multiples() -> None:
    assert size_for(WidthAligned(518, 14), 1000, 500) == (518, 252)  # 18.5 -> 18
    assert size_for(WidthAligned(512), 640, 480) == (512, 384)


def a_copy(tmp_path: Path, name: str) -> tuple[Path, IndexEntry, Path]:
    entry = ENTRIES[name]
    root = tmp_path / "bench"
    folder = f"{entry.density}/{entry.source_dataset}/{entry.scene_path}"
    shutil.copytree(ROOT / folder, root / folder)
    return root, entry, root / folder


@pytest.mark.parametrize("what", ["images", "depths", "poses"])
def test_missing_files_are_an_error_and_not_the_identity(tmp_path: Path, what: str) -> None:
    root, entry, folder = a_copy(tmp_path, "tum_room_a_0_sparse")
    sorted((folder / what).iterdir())[-1].unlink()
    with pytest.raises(BenchDataError, match=f"2 files in {what} for 3 frames"):
        load_frames(root, entry)


def test_a_mask_of_another_size_is_said(tmp_path: Path) -> None:
    root, entry, folder = a_copy(tmp_path, "tum_room_a_0_sparse")
    for file in (folder / "depth_masks").iterdir():
        write_picture(file, np.zeros((4, 5), np.uint8).astype(np.uint16))
    frames = load_frames(root, entry)
    assert any("depth_masks are 5x4" in note for note in frames.notes)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda f: np.save(f / "poses/000000.npy", np.ones((3, 4))), "000000.npy"),
        (lambda f: np.save(f / "poses/000000.npy", np.eye(3)), "a pose must be"),
        (lambda f: np.save(f / "intrinsics/intrinsic.npy", np.zeros((3, 3))), "focal lengths"),
        (
            lambda f: write_json(f / "meta.json", {"depth_format": "none", "metric_scale": -1}),
            "metric_scale",
        ),
        (lambda f: write_picture(f / "depths/000000.png", np.ones((3, 3), np.uint16)), "its size is"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, change: object, what: str) -> None:
    root, entry, folder = a_copy(tmp_path, "tum_room_a_0_sparse")
    change(folder)  # type: ignore[operator]
    with pytest.raises(BenchDataError, match=what):
        load_frames(root, entry)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"scene_path": "../../../etc"}, "leads out"),
        ({"source_dataset": "kitti"}, "unknown source_dataset"),
        ({"scene_path": "room_b"}, "there is no folder"),
    ],
)
def test_bad_entries(change: dict[str, str], what: str) -> None:
    with pytest.raises(BenchDataError, match=what):
        load_frames(ROOT, ENTRIES["tum_room_a_0_sparse"].model_copy(update=change))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda rows: rows[0]["tags"].pop("view_density"), "view_density"),
        (lambda rows: rows[0].update(frame_indices=[5, 0]), "increasing"),
        (lambda rows: rows[1].update(scene_id=rows[0]["scene_id"]), "occurs twice"),
        (lambda rows: rows[0].pop("num_frames_total"), "0.num_frames_total"),
    ],
)
def test_a_bad_index_is_named(tmp_path: Path, change: object, what: str) -> None:
    rows = json.loads((ROOT / "index.json").read_text())
    change(rows)  # type: ignore[operator]
    write_json(tmp_path / "index.json", rows)
    with pytest.raises(BenchDataError, match=what):
        read_index(tmp_path)


def test_a_scene_of_the_tree_comes_back(tmp_path: Path) -> None:
    """Frames of a floor, taken by our cameras: turned upright by how these are held, it is flat."""
    folder = tmp_path / "sparse/tum/hall/0"
    for k, camera in enumerate(cameras()):
        write_picture(folder / f"images/{k:06d}.png", checkered(k))
        write_picture(folder / f"depths/{k:06d}.png", np.round(floor_depth(camera) * 1000).astype(np.uint16))
        (folder / "poses").mkdir(exist_ok=True)
        turned = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]) @ camera.world_from_camera[:3]
        np.save(folder / f"poses/{k:06d}.npy", turned.astype(np.float32))
    (folder / "intrinsics").mkdir()
    np.save(folder / "intrinsics/intrinsic.npy", cameras()[0].K - [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
    write_json(folder / "meta.json", {"depth_format": "uint16_png_div1000"})
    entry = {
        "scene_id": "hall", "source_dataset": "tum", "scene_path": "hall/0", "num_frames_total": 30,
        "tags": {"view_density": "sparse", "environment": "indoor"}, "frame_indices": [0, 3, 6, 9],
    }  # fmt: skip
    write_json(tmp_path / "index.json", [entry])
    found = import_scene(tmp_path, options=ImportOptions(max_gaussians=3000, max_views=2))
    assert len(found.scene.cloud) <= 3000
    assert np.abs(found.scene.cloud.means[:, 2]).max() < 0.05
    heights = [view.camera.centre_m[2] for view in found.scene.views]
    assert heights == pytest.approx([1.5, 1.8], abs=1e-3)
    assert "estimated" in found.scene.source


def test_a_scene_must_be_named_and_have_poses() -> None:
    with pytest.raises(BenchDataError, match="say which"):
        import_scene(ROOT)
    with pytest.raises(BenchDataError, match="has no poses"):
        import_scene(ROOT, options=ImportOptions(scene="waymo_seg0_sparse"))
