"""nuScenes as published: tables of JSON, poses with w first, sizes as width, length, height."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes.importing import ImportOptions, import_scene
from tests.bench_data.scenes.importing.places import checkered, write_json, write_picture

WIDTH, HEIGHT = 80, 45
K = [[63.0, 0.0, 40.2], [0.0, 63.0, 22.1], [0.0, 0.0, 1.0]]
EGO = {"translation": [1010.5, 610.25, 0.4], "rotation": Rotation.from_euler("z", 0.7).as_quat(scalar_first=True)}
LATER = {"translation": [1010.8, 610.5, 0.4], "rotation": Rotation.from_euler("z", 0.72).as_quat(scalar_first=True)}
# A camera that looks along the car's x: its z forward is the car's x, its x right the car's -y.
FRONT = Rotation.from_matrix([[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
BACK = Rotation.from_matrix([[0, 0, -1], [1, 0, 0], [0, -1, 0]])
SENSORS = {
    "CAM_FRONT": ([1.7, 0.0, 1.5], FRONT, K),
    "CAM_BACK": ([0.0, 0.0, 1.5], BACK, K),
    "LIDAR_TOP": ([0.9, 0.0, 1.8], Rotation.from_euler("z", -1.57), []),
}
CARS = {
    "car1": ("vehicle.car", [1020.0, 618.0, 0.9], [1.9, 4.6, 1.7], Rotation.from_euler("z", 0.5)),
    "walker": ("human.pedestrian.adult", [1006.0, 605.0, 1.0], [0.6, 0.7, 1.8], Rotation.from_euler("z", 2.5)),
    "cone": ("movable_object.trafficcone", [1015.0, 612.0, 0.3], [0.4, 0.4, 0.7], Rotation.identity()),
}


def chained(point: list[float], ego: dict[str, object], name: str) -> NDArray[np.float64]:
    """A point of the map in a sensor's axes, by the published chain: first the car's, then the sensor's."""
    translation, rotation, _ = SENSORS[name]
    in_ego = Rotation.from_quat(np.asarray(ego["rotation"]), scalar_first=True).as_matrix().T @ (
        np.array(point) - np.asarray(ego["translation"])
    )
    return np.asarray(rotation.as_matrix().T @ (in_ego - translation))


def write(root: Path, *, sweep: bool = True, pictures: bool = True) -> None:
    tables: dict[str, list[dict[str, object]]] = {
        "scene": [{"token": "sc1", "name": "scene-0061", "first_sample_token": "s1"}],
        "sample": [{"token": "s0", "scene_token": "other"}, {"token": "s1", "scene_token": "sc1"}],
        "ego_pose": [
            {"token": "e0", **{k: list(v) for k, v in EGO.items()}},
            {"token": "e1", **{k: list(v) for k, v in LATER.items()}},
        ],
        "calibrated_sensor": [], "sample_data": [], "sample_annotation": [], "instance": [],
        "category": [], "visibility": [{"token": "4", "level": "v80-100", "description": "x"}],
        "attribute": [{"token": "a1", "name": "vehicle.parked"}],
    }  # fmt: skip
    for name, (translation, rotation, intrinsic) in SENSORS.items():
        ending = "pcd.bin" if name == "LIDAR_TOP" else "png"
        filename = f"samples/{name}/n.{ending}"
        tables["calibrated_sensor"].append(
            {
                "token": f"c{name}",
                "translation": translation,
                "rotation": rotation.as_quat(scalar_first=True).tolist(),
                "camera_intrinsic": intrinsic,
            }
        )
        tables["sample_data"] += [
            {
                "token": f"d{name}{key}", "sample_token": "s1", "is_key_frame": key,
                "filename": filename if key else "x",
                "ego_pose_token": "e1" if name == "CAM_BACK" else "e0", "calibrated_sensor_token": f"c{name}",
                "width": WIDTH if intrinsic else 0, "height": HEIGHT if intrinsic else 0, "fileformat": "jpg",
            }
            for key in (False, True)
        ]  # fmt: skip
        if intrinsic and pictures:
            write_picture(root / filename, checkered(size=(WIDTH, HEIGHT)))
    for k, (name, (category, centre, size, rotation)) in enumerate(CARS.items()):
        tables["category"].append({"token": f"cat{k}", "name": category})
        tables["instance"].append({"token": f"i{k}", "category_token": f"cat{k}"})
        tables["sample_annotation"].append(
            {
                "token": name, "sample_token": "s1", "instance_token": f"i{k}", "visibility_token": "4",
                "attribute_tokens": ["a1"] if k == 0 else [], "translation": centre, "size": size,
                "rotation": rotation.as_quat(scalar_first=True).tolist(), "num_lidar_pts": 5 + k,
            }
        )  # fmt: skip
    tables["sample_annotation"].append({**tables["sample_annotation"][0], "token": "other", "sample_token": "s0"})
    for name, rows in tables.items():
        write_json(root / "v1.0-mini" / f"{name}.json", rows)
    if sweep:
        local = np.array([chained(CARS["car1"][1], EGO, "LIDAR_TOP"), chained([1012, 611, 0], EGO, "LIDAR_TOP")])
        rows5 = np.zeros((3, 5), "<f4")
        rows5[:2, :3], rows5[2, :3] = local, 0.1  # the last is on the car itself
        (root / "samples/LIDAR_TOP").mkdir(parents=True)
        (root / "samples/LIDAR_TOP/n.pcd.bin").write_bytes(rows5.tobytes())


def test_a_key_frame_comes_back(tmp_path: Path) -> None:
    write(tmp_path)
    found = import_scene(tmp_path, options=ImportOptions(scene="scene-0061"))
    scene = found.scene
    assert [view.name for view in scene.views] == ["CAM_BACK", "CAM_FRONT"]
    assert {one.label for one in scene.instances} == {"car", "pedestrian", "traffic cone"}
    for name, ego in (("CAM_FRONT", EGO), ("CAM_BACK", LATER)):
        camera = scene.view(name).camera
        for one in scene.instances:
            centre = next(row[1] for row in CARS.values() if row[0].split(".")[-1][:3] in one.label.replace(" ", "")
                          or (row[0].endswith("adult") and one.label == "pedestrian"))  # fmt: skip
            seen = camera.camera_from_world @ np.append(one.box.centre_m, 1)
            np.testing.assert_allclose(seen[:3], chained(centre, ego, name), atol=1e-6)
        # Pixel centres are whole numbers there, +0.5 here.
        assert camera.K[:2, 2].tolist() == pytest.approx([40.7, 22.6])
    origin = np.array(EGO["translation"])
    car = next(one for one in scene.instances if one.label == "car")
    np.testing.assert_allclose(car.box.centre_m, np.array(CARS["car1"][1]) - origin)
    assert car.box.size_m.tolist() == [4.6, 1.9, 1.7]
    assert car.box.heading_rad == pytest.approx(0.5)
    assert car.has_front
    assert dict(car.attributes) == {"visibility": "v80-100", "state": "parked", "lidar_points": "5"}
    assert not next(one for one in scene.instances if one.label == "traffic cone").has_front


def test_the_sweep_becomes_gaussians_where_things_are(tmp_path: Path) -> None:
    write(tmp_path)
    scene = import_scene(tmp_path, options=ImportOptions(scene="s1")).scene
    car = next(one for one in scene.instances if one.label == "car")
    assert len(scene.cloud) == 2
    np.testing.assert_allclose(scene.cloud.means[0], car.box.centre_m, atol=1e-4)
    assert scene.cloud.instance_ids is not None
    assert scene.cloud.instance_ids.tolist() == [car.id, -1]


def test_without_a_sweep_there_is_nothing_to_draw_and_it_is_said(tmp_path: Path) -> None:
    write(tmp_path, sweep=False, pictures=False)
    found = import_scene(tmp_path, options=ImportOptions(scene="scene-0061"))
    assert len(found.scene.cloud) == 0
    assert not found.pictures
    assert any("nothing to render" in note for note in found.notes)


@pytest.mark.parametrize(
    ("table", "change", "what"),
    [
        ("sample_annotation", lambda rows: rows[0].update(size=[1, 0, 1]), "sample_annotation.json: row 0: size.1"),
        ("ego_pose", lambda rows: rows.pop(0), "ego_pose.json has no row 'e0'"),
        ("instance", lambda rows: rows.clear(), "instance.json has no row"),
        ("sample_data", lambda rows: rows.clear(), "no key frame of sample s1"),
        ("calibrated_sensor", lambda rows: rows[0].update(camera_intrinsic=[[1]]), "CAM_FRONT"),
        ("sample_data", lambda rows: rows[1].update(filename="../../x.png"), "leads out"),
    ],
)
def test_bad_tables_are_named(tmp_path: Path, table: str, change: object, what: str) -> None:
    write(tmp_path)
    path = tmp_path / f"v1.0-mini/{table}.json"
    rows = json.loads(path.read_text())
    change(rows)  # type: ignore[operator]
    write_json(path, rows)
    with pytest.raises(BenchDataError, match=what):
        import_scene(tmp_path, options=ImportOptions(scene="scene-0061"))


def test_an_unknown_sample_and_a_bad_sweep(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(BenchDataError, match="neither a scene nor a sample 'scene-9'"):
        import_scene(tmp_path, options=ImportOptions(scene="scene-9"))
    (tmp_path / "samples/LIDAR_TOP/n.pcd.bin").write_bytes(b"\0" * 21)
    with pytest.raises(BenchDataError, match="no rows of 5 float32"):
        import_scene(tmp_path, options=ImportOptions(scene="s1"))
