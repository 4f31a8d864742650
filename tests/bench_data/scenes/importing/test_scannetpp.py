"""ScanNet++ as published: a scan in metres with z up, cameras in the world of nerfstudio's COLMAP converter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.scenes.importing import ImportOptions, import_scene
from tests.bench_data.scenes.importing.places import (
    FOCAL,
    HEIGHT,
    WIDTH,
    cameras,
    checkered,
    write_json,
    write_picture,
    write_points_ply,
)

CABINET, LAMP, WALL = 3, 7, 12
TURN = Rotation.from_euler("z", 0.6).as_matrix()
THINGS = {
    CABINET: ("Cabinet", np.array([1.0, 1.0, 0.45]), np.array([1.2, 0.5, 0.9]), TURN),
    LAMP: ("ceiling lamp", np.array([0.2, 1.4, 2.2]), np.array([0.3, 0.2, 0.4]), np.eye(3)),
    WALL: ("wall", np.array([3.0, 1.0, 1.2]), np.array([4.0, 0.1, 2.4]), Rotation.from_euler("z", 1.5).as_matrix()),
}
VERTICES = 300


def converted(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Our pose as nerfstudio's COLMAP converter stores it: y and z of the camera flipped, then rows 0 and 1 exchanged,
    then row 2 negated."""
    stored = pose.copy()
    stored[0:3, 1:3] *= -1
    stored = stored[np.array([1, 0, 2, 3]), :]
    stored[2, :] *= -1
    return stored


def write(root: Path, *, rows: bool = False, order: tuple[int, int, int] = (0, 2, 1)) -> NDArray[np.float64]:
    """A scene's folder; returns the vertices. ``order``: which of our axes stands first, second, third in a box."""
    rng = np.random.default_rng(1)
    frames = []
    for k, camera in enumerate(cameras()):
        name = f"DSC{k:05d}.JPG"
        frames.append({"file_path": name, "transform_matrix": converted(camera.world_from_camera).tolist()})
        write_picture(root / "dslr/resized_images" / name.replace("JPG", "jpg"), checkered(k))
        (root / "dslr/resized_images" / name.replace("JPG", "jpg")).rename(root / "dslr/resized_images" / name)
    write_json(
        root / "dslr/nerfstudio/transforms.json",
        {
            "fl_x": FOCAL, "fl_y": FOCAL, "cx": WIDTH / 2, "cy": HEIGHT / 2, "w": WIDTH, "h": HEIGHT,
            "k1": -0.02, "k2": 0.001, "k3": 0.0, "k4": 0.0, "camera_model": "OPENCV_FISHEYE", "frames": frames,
            "test_frames": [],
        },
    )  # fmt: skip
    groups, vertices, segments = [], [rng.uniform([-1, -1, 0], [3, 3, 0.001], (VERTICES, 3))], [np.zeros(VERTICES)]
    for number, (label, centre, size, turn) in THINGS.items():
        axes = turn[:, list(order)]
        groups.append(
            {
                "id": number,
                "objectId": number,
                "label": label,
                "segments": [number * 10],
                "obb": {
                    "centroid": centre.tolist(),
                    "axesLengths": size[list(order)].tolist(),
                    "normalizedAxes": (axes.ravel() if rows else axes.T.ravel()).tolist(),
                },
            }
        )
        vertices.append(rng.uniform(-0.5, 0.5, (VERTICES, 3)) * size @ turn.T + centre)
        segments.append(np.full(VERTICES, number * 10))
    xyz = np.concatenate(vertices)
    write_json(root / "scans/segments_anno.json", {"sceneId": "x", "segGroups": groups})
    write_json(root / "scans/segments.json", {"segIndices": np.concatenate(segments).astype(int).tolist()})
    colours = rng.integers(0, 256, (len(xyz), 3)).astype(np.uint8)
    write_points_ply(root / "scans/mesh_aligned_0.05.ply", xyz, colours, faces=True)
    return xyz


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)])
def test_a_scene_comes_back(tmp_path: Path, rows: bool, order: tuple[int, int, int]) -> None:
    xyz = write(tmp_path, rows=rows, order=order)
    found = import_scene(tmp_path)
    assert "ScanNet++" in found.scene.source
    for view, camera in zip(found.scene.views, cameras(), strict=True):
        np.testing.assert_allclose(view.camera.world_from_camera, camera.world_from_camera, atol=1e-6)
        assert view.camera.model == "fisheye"
        assert found.pictures[view.name].name == view.name
    for number, (label, centre, size, turn) in THINGS.items():
        one = found.scene.instance(number)
        assert one.label == label.lower()
        assert one.is_structure == (number == WALL)
        wanted = OrientedBox(centre, size, turn)
        order_of = np.lexsort(one.box.corners_m.round(4).T), np.lexsort(wanted.corners_m.round(4).T)
        np.testing.assert_allclose(one.box.corners_m[order_of[0]], wanted.corners_m[order_of[1]], atol=1e-6)
        np.testing.assert_allclose(one.box.size_m, size, atol=1e-6)
    np.testing.assert_allclose(found.scene.cloud.means, xyz, atol=1e-5)
    ids = [np.full(VERTICES, number) for number in (-1, *THINGS)]
    np.testing.assert_array_equal(found.scene.cloud.instance_ids, np.concatenate(ids))
    assert any("row by row" in note for note in found.notes) == rows
    assert found.scene.instance(LAMP).description == "the ceiling lamp"


def test_thinning_keeps_the_owner_of_most_vertices(tmp_path: Path) -> None:
    write(tmp_path)
    found = import_scene(tmp_path, options=ImportOptions(max_gaussians=200))
    cloud = found.scene.cloud
    assert 100 < len(cloud) <= 200
    assert cloud.instance_ids is not None
    box = found.scene.instance(CABINET).box
    assert box.contains(cloud.means[cloud.instance_ids == CABINET], margin_m=0.05).all()
    assert set(np.unique(cloud.instance_ids)) == {-1, CABINET, LAMP, WALL}


def test_without_segments_gaussians_go_by_the_boxes(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "scans/segments.json").unlink()
    cloud = import_scene(tmp_path).scene.cloud
    assert cloud.instance_ids is not None
    assert (cloud.instance_ids[VERTICES : 2 * VERTICES] == CABINET).all()
    write_json(tmp_path / "scans/segments.json", {"segIndices": [1, 2, 3]})
    found = import_scene(tmp_path)
    assert any("3 vertices, the scan has 1,200" in note for note in found.notes)


def test_undistorted_cameras_and_a_scene_without_objects(tmp_path: Path) -> None:
    write(tmp_path)
    text = (tmp_path / "dslr/nerfstudio/transforms.json").read_text()
    (tmp_path / "dslr/nerfstudio/transforms.json").unlink()
    text = text.replace("OPENCV_FISHEYE", "PINHOLE").replace('"k1": -0.02, "k2": 0.001', '"k1": 0, "k2": 0')
    (tmp_path / "dslr/nerfstudio/transforms_undistorted.json").write_text(text)
    (tmp_path / "scans/segments_anno.json").unlink()
    found = import_scene(tmp_path)
    assert found.scene.views[0].camera.model == "pinhole"
    assert found.scene.instances == ()
    assert any("no objects" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda groups: groups[0].pop("objectId"), "segGroups.0.objectId"),
        (lambda groups: groups[1].update(objectId=3), "occurs twice"),
        (lambda groups: groups[0]["obb"]["normalizedAxes"].pop(), "normalizedAxes"),
        (lambda groups: groups[0]["obb"].update(centroid=[0, 0, "far"]), "centroid.2"),
    ],
)
def test_bad_annotations_name_the_field(tmp_path: Path, change: object, what: str) -> None:
    import json

    write(tmp_path)
    path = tmp_path / "scans/segments_anno.json"
    content = json.loads(path.read_text())
    change(content["segGroups"])  # type: ignore[operator]
    write_json(path, content)
    with pytest.raises(BenchDataError, match=what):
        import_scene(tmp_path)


def test_a_box_that_is_none_is_left_out_and_said(tmp_path: Path) -> None:
    import json

    write(tmp_path)
    path = tmp_path / "scans/segments_anno.json"
    content = json.loads(path.read_text())
    content["segGroups"][0]["obb"]["normalizedAxes"] = [1, 0, 0, 1, 0, 0, 0, 0, 1]
    write_json(path, content)
    found = import_scene(tmp_path)
    assert [one.id for one in found.scene.instances] == [LAMP, WALL]
    assert any("1 objects have no usable box" in note for note in found.notes)
