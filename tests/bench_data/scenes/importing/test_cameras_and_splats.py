"""nerfstudio and COLMAP with a splat file, and RGB-D recordings: written as published, they come back as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes.importing import ImportedScene, ImportOptions, import_scene
from seeworthy.bench_data.splats import cloud_from_points, write_splats
from tests.bench_data.scenes.importing.places import (
    FOCAL,
    HEIGHT,
    WIDTH,
    cameras,
    checkered,
    floor_depth,
    points,
    poses,
    write_json,
    write_picture,
    write_points_ply,
)

Y_DOWN = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""A source's world from ours: its y points down."""


def from_ours(pose: NDArray[np.float64], turn: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Our pose in a world that is turned and counts in units of 1 / scale metres."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = turn @ pose[:3, :3], turn @ pose[:3, 3] * scale
    return result


def write_nerfstudio(root: Path, turn: NDArray[np.float64], scale: float, pictures: bool = True) -> None:
    frames = []
    for k, pose in enumerate(poses()):
        opengl = from_ours(pose, turn, scale) @ np.diag([1.0, -1, -1, 1])
        frames.append({"file_path": f"images/frame_{k:05d}.png", "transform_matrix": opengl.tolist()})
        if pictures:
            write_picture(root / f"images/frame_{k:05d}.png", checkered(k))
    intrinsics = {"fl_x": FOCAL, "fl_y": FOCAL, "cx": WIDTH / 2, "cy": HEIGHT / 2, "w": WIDTH, "h": HEIGHT}
    write_json(root / "transforms.json", {"camera_model": "OPENCV", **intrinsics, "frames": frames})


def write_colmap(root: Path, turn: NDArray[np.float64], scale: float) -> None:
    model = root / "sparse" / "0"
    model.mkdir(parents=True)
    (model / "cameras.txt").write_text(f"1 PINHOLE {WIDTH} {HEIGHT} {FOCAL} {FOCAL} {WIDTH / 2} {HEIGHT / 2}\n")
    lines = []
    for k, pose in enumerate(poses()):
        w2c = np.linalg.inv(from_ours(pose, turn, scale))
        q = Rotation.from_matrix(w2c[:3, :3]).as_quat(scalar_first=True)
        numbers = " ".join(repr(float(v)) for v in [*q, *w2c[:3, 3]])
        lines.append(f"{k + 1} {numbers} 1 frame_{k:05d}.png\n\n")
    (model / "images.txt").write_text("".join(lines))
    xyz, rgb = points()
    rows = [
        f"{k + 1} {' '.join(repr(float(v)) for v in turn @ p * scale)} {c[0]} {c[1]} {c[2]} 0.5 1 0\n"
        for k, (p, c) in enumerate(zip(xyz, rgb, strict=True))
    ]
    (model / "points3D.txt").write_text("".join(rows))


def write_cloud(path: Path, turn: NDArray[np.float64], scale: float) -> None:
    xyz, rgb = points()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_splats(cloud_from_points(xyz @ turn.T * scale, rgb / 255.0), path)


BOXES = [{"label": "crate", "centre": [1, 1, 0.5], "size": [0.5, 0.5, 0.5]}]


def write_boxes(root: Path, turn: NDArray[np.float64], scale: float) -> None:
    quat = Rotation.from_matrix(turn).as_quat(scalar_first=True).tolist()
    write_json(
        root / "boxes.json",
        [
            {
                "label": "crate",
                "centre": (turn @ [1, 1, 0.5] * scale).tolist(),
                "size": [0.5 * scale] * 3,
                "quat_wxyz": quat,
            }
        ],
    )


def check_cameras(found: ImportedScene, wanted: list[Camera], *, moved: NDArray[np.float64] | None = None) -> None:
    """The same cameras, up to a turn about z (4, 4) where up was all that could be known."""
    assert len(found.scene.views) == len(wanted)
    moved = np.eye(4) if moved is None else moved
    for view, camera in zip(found.scene.views, wanted, strict=True):
        np.testing.assert_allclose(view.camera.world_from_camera, moved @ camera.world_from_camera, atol=1e-5)
        np.testing.assert_allclose(view.camera.K, camera.K, atol=1e-9)


def turn_about_z(found: ImportedScene, wanted: list[Camera]) -> NDArray[np.float64]:
    """(4, 4) what maps the first camera of ours to the one found; checked to be a turn about z."""
    moved = found.scene.views[0].camera.world_from_camera @ np.linalg.inv(wanted[0].world_from_camera)
    np.testing.assert_allclose(moved[2], [0, 0, 1, 0], atol=1e-5)
    np.testing.assert_allclose(moved[:3, 3], 0, atol=1e-5)
    return np.asarray(moved)


@pytest.mark.parametrize("kind", ["nerfstudio", "colmap"])
@pytest.mark.parametrize(("up", "turn"), [("-y", Y_DOWN), ("z", np.eye(3)), ("cameras", Y_DOWN)])
def test_cameras_splats_and_boxes_come_into_one_world(
    tmp_path: Path, kind: str, up: str, turn: NDArray[np.float64]
) -> None:
    scale = 0.25
    if kind == "nerfstudio":
        write_nerfstudio(tmp_path, turn, scale)
        write_cloud(tmp_path / "splat.ply", turn, scale)
    else:
        write_colmap(tmp_path, turn, scale)
        write_cloud(tmp_path / "point_cloud/iteration_7000/point_cloud.ply", turn, scale * 2)
        write_cloud(tmp_path / "point_cloud/iteration_30000/point_cloud.ply", turn, scale)
    write_boxes(tmp_path, turn, scale)
    found = import_scene(tmp_path, options=ImportOptions(up=up, metres_per_unit=1 / scale))  # type: ignore[arg-type]
    moved = turn_about_z(found, cameras())
    check_cameras(found, cameras(), moved=moved)
    np.testing.assert_allclose(found.scene.cloud.means, points()[0] @ moved[:3, :3].T, atol=1e-4)
    (crate,) = found.scene.instances
    np.testing.assert_allclose(crate.box.centre_m, moved[:3, :3] @ [1, 1, 0.5], atol=1e-5)
    np.testing.assert_allclose(crate.box.size_m, 0.5)
    inside = crate.box.contains(found.scene.cloud.means, margin_m=0.02)
    assert inside.sum() > 100
    assert found.scene.cloud.instance_ids is not None
    np.testing.assert_array_equal(found.scene.cloud.instance_ids == 0, inside)
    assert ("estimated" in found.scene.source) == (up == "cameras")
    assert not any("unit" in note for note in found.notes)


def test_a_splat_file_that_nerfstudio_exported_lies_in_the_world_of_its_data_parser(tmp_path: Path) -> None:
    """nerfstudio: new = scale * (transform @ old) for camera centres; the splats are trained there."""
    turn = Rotation.from_euler("xyz", [0.3, -0.2, 1.0]).as_matrix()
    shift = np.array([0.5, -1.0, 2.0])
    write_nerfstudio(tmp_path, np.eye(3), 1.0, pictures=False)
    write_json(
        tmp_path / "dataparser_transforms.json",
        {"transform": np.column_stack([turn, shift]).tolist(), "scale": 0.2},
    )
    xyz, rgb = points()
    write_splats(cloud_from_points((xyz @ turn.T + shift) * 0.2, rgb / 255.0), tmp_path / "splat.ply")
    found = import_scene(tmp_path, options=ImportOptions(up="z", metres_per_unit=5.0))
    for view, camera in zip(found.scene.views, cameras(), strict=True):
        np.testing.assert_allclose(
            view.camera.project(found.scene.cloud.means).points_px, camera.project(xyz).points_px, atol=1e-2
        )
    assert any("dataparser_transforms" in note for note in found.notes)
    assert not found.pictures


def test_points_serve_where_there_are_no_gaussians(tmp_path: Path) -> None:
    write_colmap(tmp_path, np.eye(3), 1.0)
    found = import_scene(tmp_path, options=ImportOptions(up="z"))
    assert len(found.scene.cloud) == 600
    assert any("sparse points" in note for note in found.notes)
    assert any("unit is not known" in note for note in found.notes)
    thin = import_scene(tmp_path, options=ImportOptions(up="z", max_gaussians=100))
    assert 40 < len(thin.scene.cloud) <= 100


def test_a_plain_point_cloud_is_told_from_gaussians(tmp_path: Path) -> None:
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    write_points_ply(tmp_path / "sparse_pc.ply", *points())
    found = import_scene(tmp_path, options=ImportOptions(up="z"))
    np.testing.assert_allclose(found.scene.cloud.means, points()[0], atol=1e-6)
    assert set(found.pictures) == {f"images/frame_{k:05d}.png" for k in range(4)}
    assert [view.name for view in found.scene.views] == sorted(found.pictures)


def test_at_most_so_many_views_evenly(tmp_path: Path) -> None:
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    write_cloud(tmp_path / "a.splat", np.eye(3), 1.0)
    found = import_scene(tmp_path, options=ImportOptions(max_views=2, up="z"))
    assert [view.name[-5] for view in found.scene.views] == ["0", "3"]


def test_a_wrong_convention_is_said(tmp_path: Path) -> None:
    """A cloud that is behind all cameras, as when poses are read the wrong way round."""
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    xyz, rgb = points()
    write_splats(cloud_from_points(xyz + np.array([0, 0, 60]), rgb / 255.0), tmp_path / "a.ply")
    found = import_scene(tmp_path, options=ImportOptions(up="z"))
    assert any("convention" in note for note in found.notes)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda root: None, "holds no splat file"),
        (
            lambda root: (write_cloud(root / "a.ply", np.eye(3), 1), write_cloud(root / "b.ply", np.eye(3), 1)),
            "2 splat",
        ),
        (lambda root: (root / "a.ply").write_bytes(b"ply\nformat ascii 1.0\n"), "a.ply"),
        (lambda root: write_points_ply(root / "a.ply", np.full((3, 3), np.nan)), "not finite"),
        (lambda root: write_points_ply(root / "a.ply", np.zeros((0, 3))), "no points"),
    ],
)
def test_bad_splat_files(tmp_path: Path, make: object, what: str) -> None:
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    make(tmp_path)  # type: ignore[operator]
    with pytest.raises(BenchDataError, match=what):
        import_scene(tmp_path)


def test_names_of_pictures_stay_in_the_folder(tmp_path: Path) -> None:
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    write_cloud(tmp_path / "a.ply", np.eye(3), 1.0)
    text = (tmp_path / "transforms.json").read_text()
    (tmp_path / "transforms.json").write_text(text.replace("images/frame_00000.png", "../../etc/passwd"))
    with pytest.raises(BenchDataError, match="leads out"):
        import_scene(tmp_path)


def test_a_format_that_cannot_be_told(tmp_path: Path) -> None:
    with pytest.raises(BenchDataError, match="looks like none of colmap, nerfstudio"):
        import_scene(tmp_path)
    with pytest.raises(BenchDataError, match="no such folder"):
        import_scene(tmp_path / "missing")
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    for name in ("rgb", "depth", "state"):
        (tmp_path / name).mkdir()
    with pytest.raises(BenchDataError, match="nerfstudio and open3dvqa"):
        import_scene(tmp_path)


def test_options_without_use_are_refused(tmp_path: Path) -> None:
    write_nerfstudio(tmp_path, np.eye(3), 1.0)
    with pytest.raises(BenchDataError, match="scene, max_depth_m cannot be given for nerfstudio"):
        import_scene(tmp_path, options=ImportOptions(scene="a", max_depth_m=3.0))
    with pytest.raises(BenchDataError, match="above 0"):
        ImportOptions(metres_per_unit=-1.0)
    with pytest.raises(BenchDataError, match="at least 1"):
        ImportOptions(max_views=0)


def write_tum(root: Path) -> None:
    lines: dict[str, list[str]] = {"rgb": [], "depth": [], "groundtruth": []}
    for k, camera in enumerate(cameras()):
        time = 100 + 0.1 * k
        write_picture(root / f"rgb/{time:.6f}.png", checkered(k))
        write_picture(root / f"depth/{time:.6f}.png", np.round(floor_depth(camera) * 5000).astype(np.uint16))
        lines["rgb"].append(f"{time:.6f} rgb/{time:.6f}.png")
        lines["depth"].append(f"{time + 0.004:.6f} depth/{time:.6f}.png")
        pose = camera.world_from_camera
        quat = Rotation.from_matrix(pose[:3, :3]).as_quat()
        lines["groundtruth"].append(" ".join(f"{v:.7f}" for v in [time, *pose[:3, 3], *quat]))
    for name, rows in lines.items():
        (root / f"{name}.txt").write_text("# comment\n" + "\n".join(rows) + "\n")


def test_rgbd_of_tum_with_boxes(tmp_path: Path) -> None:
    write_tum(tmp_path)
    write_json(tmp_path / "boxes.json", BOXES)
    options = ImportOptions(intrinsics=(FOCAL, FOCAL, WIDTH / 2 - 0.5, HEIGHT / 2 - 0.5), max_depth_m=8.0)
    found = import_scene(tmp_path, options=options)
    check_cameras(found, cameras())
    assert np.abs(found.scene.cloud.means[:, 2]).max() < 0.02
    assert [one.label for one in found.scene.objects] == ["crate"]
    assert any("hold no Gaussian" in note for note in found.notes)
    few = import_scene(tmp_path, options=ImportOptions(intrinsics=options.intrinsics, max_views=2, max_gaussians=500))
    assert len(few.scene.views) == 2
    assert len(few.scene.cloud) <= 500
    assert any("2 of 4 frames" in note for note in few.notes)


REAL = Path(__file__).resolve().parents[5] / "shared" / "data"


@pytest.mark.skipif(not (REAL / "rgbd_tum").is_dir(), reason="the real recordings are not here")
def test_a_real_frame_looks_like_itself() -> None:
    from seeworthy.bench_data.images import load_image
    from seeworthy.bench_data.render import render

    found = import_scene(REAL / "rgbd_tum", options=ImportOptions(max_gaussians=150_000))
    view = found.scene.views[0]
    drawn = render(found.scene.cloud, view.camera, engine="numba")
    photo = load_image(found.pictures[view.name]).image_srgb_u8 / 255.0
    covered = drawn.alpha > 0.9
    assert covered.mean() > 0.7
    assert np.abs(drawn.image_srgb - photo)[covered].mean() < 0.06


@pytest.mark.skipif(not (REAL / "splats").is_dir(), reason="the real splats are not here")
def test_a_real_scene_of_gaussians_with_a_colmap_model(tmp_path: Path) -> None:
    """A SOG folder whose y points down, beside a model that looks at it."""
    import shutil

    from seeworthy.bench_data.camera_formats import NamedCamera
    from seeworthy.bench_data.camera_formats import write_colmap as write_model
    from seeworthy.bench_data.camera_paths import look_at
    from seeworthy.bench_data.splats import read_splats

    shutil.copytree(REAL / "splats" / "playbot_lod5_sog", tmp_path / "playbot")
    middle = np.median(read_splats(tmp_path / "playbot").means.astype(np.float64), axis=0)
    eyes = middle + np.array([[1.5, -0.5, 0], [0, -0.5, 1.5], [-1.5, -0.6, 0.2]])
    named = [
        NamedCamera(f"{k}.png", cameras()[0].with_pose(look_at(eye, middle, up=(0, -1, 0))))
        for k, eye in enumerate(eyes)
    ]
    (tmp_path / "sparse" / "0").mkdir(parents=True)
    write_model(named, tmp_path / "sparse" / "0")
    found = import_scene(tmp_path)
    assert "up is (0.000, -1.000, 0.000)" in found.scene.source
    assert len(found.scene.cloud) > 2000
    assert found.scene.cloud.sh_degree > 0
    centre = np.median(found.scene.cloud.means, axis=0)
    assert all(view.camera.centre_m[2] > centre[2] for view in found.scene.views)
    assert all(view.camera.sees(centre[None])[0] for view in found.scene.views)
