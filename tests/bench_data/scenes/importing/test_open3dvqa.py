"""Open3DVQA as published: boxes in the engine's centimetres, states of AirSim, depth as arrays.

The expectations go by the published chain (ego axes from the state, camera axes from the ego's), not by our poses.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes.importing import ImportOptions, import_scene
from tests.bench_data.scenes.importing.places import checkered, write_json, write_picture

WIDTH, HEIGHT = 64, 48
TRANSLATIONS = [(1.0, 2.0, -30.0), (-5.0, 4.0, -25.0)]
ROTATIONS = [Rotation.from_euler("ZYX", [0.4, -0.5, 0.0]), Rotation.from_euler("ZYX", [2.0, -0.7, 0.05])]
ACTORS = {
    "SM_StreetLamp_12": {"p1": {"x": 2000, "y": 500, "z": 0}, "p2": {"x": 2040, "y": 540, "z": 600}},
    "Building_A": {"p1": {"x": 4000, "y": 0, "z": 1000}, "p2": {"x": 3000, "y": -1500, "z": 0}},
    "Ground_1": {"p1": {"x": -9000, "y": -9000, "z": -10}, "p2": {"x": 9000, "y": 9000, "z": 0}},
}


def published_camera_points(
    points_ue_cm: NDArray[np.float64], translation: tuple[float, float, float], rotation: Rotation
) -> NDArray[np.float64]:
    """(N, 3) camera coordinates by the published chain."""
    airsim = points_ue_cm / 100 * [1, 1, -1]
    ego = (airsim - translation) @ (rotation.as_matrix() @ Rotation.from_euler("x", np.pi).as_matrix())
    return np.stack([-ego[:, 1], -ego[:, 2], ego[:, 0]], axis=1)


def ground_depth(translation: tuple[float, float, float], rotation: Rotation) -> NDArray[np.float32]:
    """(H, W) depth of the ground, AirSim z = 0."""
    v, u = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    rays = np.stack([(u - WIDTH / 2) / (WIDTH / 2), (v - HEIGHT / 2) / (WIDTH / 2), np.ones_like(u)], axis=-1)
    body = np.stack([rays[..., 2], rays[..., 0], rays[..., 1]], axis=-1)  # forward, right, down
    down = (body @ rotation.as_matrix().T)[..., 2]
    with np.errstate(divide="ignore"):
        depth = -translation[2] / down
    return np.where((down > 1e-3) & (depth < 5000), depth, 65504.0).astype(np.float32)


def write(root: Path) -> None:
    for k, (translation, rotation) in enumerate(zip(TRANSLATIONS, ROTATIONS, strict=True)):
        write_picture(root / f"rgb/{k:03d}.png", checkered(k, (WIDTH, HEIGHT)))
        (root / "depth").mkdir(exist_ok=True)
        np.save(root / f"depth/{k:03d}.npy", ground_depth(translation, rotation))
        write_json(
            root / f"state/{k:03d}.json",
            {"translation": translation, "rotation": rotation.as_quat(scalar_first=True).tolist()},
        )
    write_json(root / "bounding_boxes.json", ACTORS)


def test_a_scene_comes_back(tmp_path: Path) -> None:
    write(tmp_path)
    found = import_scene(tmp_path)
    assert [view.name for view in found.scene.views] == ["000", "001"]
    assert found.scene.kind == "street"
    by_label = {one.label: one for one in found.scene.instances}
    assert set(by_label) == {"street lamp", "building a", "ground"}
    assert by_label["ground"].is_structure
    for name, label in (("SM_StreetLamp_12", "street lamp"), ("Building_A", "building a")):
        p1, p2 = (np.array([ACTORS[name][p][axis] for axis in "xyz"], float) for p in ("p1", "p2"))
        corners = np.array([[(p1, p2)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        box = by_label[label].box
        assert sorted(box.size_m[:2]) == pytest.approx(sorted(np.abs(p1 - p2)[:2] / 100))
        assert box.size_m[2] == pytest.approx(abs(p1 - p2)[2] / 100)
        for view, translation, rotation in zip(found.scene.views, TRANSLATIONS, ROTATIONS, strict=True):
            wanted = published_camera_points(corners, translation, rotation)
            seen = view.camera.camera_from_world[:3, :3] @ box.corners_m.T + view.camera.camera_from_world[:3, 3:]
            order = [np.lexsort(values.round(4).T) for values in (seen.T, wanted)]
            np.testing.assert_allclose(seen.T[order[0]], wanted[order[1]], atol=1e-6)


def test_depth_lands_on_the_ground_and_sky_is_left_out(tmp_path: Path) -> None:
    write(tmp_path)
    found = import_scene(tmp_path)
    assert np.abs(found.scene.cloud.means[:, 2]).max() < 0.01
    assert found.scene.views[0].camera.fx == pytest.approx(WIDTH / 2)
    assert found.scene.views[0].camera.centre_m.tolist() == pytest.approx([1, -2, 30])
    assert found.scene.cloud.instance_ids is not None
    ground = next(one.id for one in found.scene.instances if one.label == "ground")
    assert (found.scene.cloud.instance_ids == ground).mean() > 0.5


def test_pictures_without_depth_or_state_are_left_out(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "depth/001.npy").unlink()
    (tmp_path / "bounding_boxes.json").unlink()
    found = import_scene(tmp_path)
    assert [view.name for view in found.scene.views] == ["000"]
    assert any("1 of 2 pictures" in note for note in found.notes)
    assert any("no objects" in note for note in found.notes)
    (tmp_path / "depth/000.npy").unlink()
    with pytest.raises(BenchDataError, match="no picture in rgb has a depth"):
        import_scene(tmp_path)


@pytest.mark.parametrize(
    ("file", "content", "what"),
    [
        ("state/000.json", {"translation": [0, 0], "rotation": [1, 0, 0, 0]}, "translation"),
        ("state/000.json", {"translation": [0, 0, 0], "rotation": [0, 0, 0, 0]}, "zero"),
        ("bounding_boxes.json", {"a": {"p1": {"x": 0, "y": 0}, "p2": {"x": 1, "y": 1, "z": 1}}}, "a.p1.z"),
        ("more.json", ACTORS, "both hold boxes"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, file: str, content: object, what: str) -> None:
    write(tmp_path)
    write_json(tmp_path / file, content)
    with pytest.raises(BenchDataError, match=what):
        import_scene(tmp_path)


def test_depth_of_another_size(tmp_path: Path) -> None:
    write(tmp_path)
    np.save(tmp_path / "depth/000.npy", np.ones((4, 5), np.float32))
    with pytest.raises(BenchDataError, match=r"000.npy: its shape is \(4, 5\)"):
        import_scene(tmp_path)


def test_of_a_whole_city_the_nearest_things_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from seeworthy.bench_data.scenes.importing.formats import open3dvqa

    write(tmp_path)
    monkeypatch.setattr(open3dvqa, "_MOST_ACTORS", 2)
    found = import_scene(tmp_path)
    # The cameras stand over the ground, 25 m and 30 m high; the lamp is 24 m away, the building farther.
    assert {one.label for one in found.scene.instances} == {"ground", "street lamp"}
    assert any("of 3 actors the 2 nearest" in note for note in found.notes)


def test_options_without_use(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(BenchDataError, match="up cannot be given"):
        import_scene(tmp_path, options=ImportOptions(up="z"))
