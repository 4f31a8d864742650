"""Scenes, boxes, and their folders."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene, SceneKind, SceneView, read_scene, write_scene
from seeworthy.bench_data.splats import GaussianCloud

Number = st.floats(-50, 50)
Size = st.floats(0.01, 20)


def a_scene(seed: int = 0) -> Scene:
    rng = np.random.default_rng(seed)
    count = 50
    cloud = GaussianCloud(
        means=rng.normal(size=(count, 3)),
        quats_wxyz=Rotation.random(count, random_state=seed).as_quat(scalar_first=True),
        scales=rng.uniform(0.01, 0.1, (count, 3)),
        opacities=rng.uniform(0, 1, count),
        sh=rng.normal(size=(count, 4, 3)),
        instance_ids=rng.integers(-1, 3, count),
    )
    instances = tuple(
        Instance(
            id=k,
            label="office chair",
            description=f"the chair number {k}",
            attributes={"colour": "red"},
            box=OrientedBox(rng.normal(size=3), rng.uniform(0.1, 2, 3), Rotation.random(random_state=k).as_matrix()),
            has_front=True,
        )
        for k in range(3)
    )
    camera = Camera(
        width=64,
        height=48,
        fx=50.1,
        fy=50.2,
        cx=32.3,
        cy=24.4,
        world_from_camera=look_at((2, 1, 1.5), (0, 0, 1)),
        model="fisheye",
        distortion=(-0.1, 0.01, 0.0, 0.0),
    )
    return Scene(
        id="room-0",
        kind=SceneKind.ROOM,
        cloud=cloud,
        instances=instances,
        views=(SceneView("a", camera), SceneView("b", camera.with_pose(np.eye(4)))),
        source="made for a test",
    )


def test_what_is_written_is_read_back_without_loss(tmp_path: Path) -> None:
    scene = a_scene()
    back = read_scene(write_scene(scene, tmp_path / "room"))
    assert (back.id, back.kind, back.source) == (scene.id, scene.kind, scene.source)
    for name in ("means", "quats_wxyz", "scales", "opacities", "sh", "instance_ids"):
        np.testing.assert_array_equal(getattr(back.cloud, name), getattr(scene.cloud, name))
    for one, other in zip(scene.instances, back.instances, strict=True):
        assert (one.id, one.label, one.description, one.has_front) == (
            other.id,
            other.label,
            other.description,
            other.has_front,
        )
        assert dict(one.attributes) == dict(other.attributes)
        np.testing.assert_allclose(other.box.world_from_box, one.box.world_from_box, atol=1e-15)
        np.testing.assert_array_equal(other.box.size_m, one.box.size_m)
    assert [view.camera for view in back.views] == [view.camera for view in scene.views]


def test_the_same_scene_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_scene(a_scene(), tmp_path / "one")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1e7)
    again = write_scene(read_scene(first), tmp_path / "two")
    for name in ("scene.json", "cloud.npz"):
        assert (first / name).read_bytes() == (again / name).read_bytes()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda folder: (folder / "scene.json").unlink(), "cannot read a scene"),
        (lambda folder: (folder / "scene.json").write_text("{"), "cannot read a scene"),
        (lambda folder: (folder / "scene.json").write_text("[]"), "format"),
        (lambda folder: (folder / "cloud.npz").unlink(), "cloud.npz"),
        (lambda folder: (folder / "cloud.npz").write_bytes(b"PK\x03\x04 nothing"), "cloud.npz"),
        (lambda folder: np.savez(folder / "cloud.npz", means=np.zeros((1, 3))), "lacks"),
        (lambda folder: _edit(folder, lambda raw: raw["instances"][0].update(size_m=[1, 0, 1])), "positive"),
        (lambda folder: _edit(folder, lambda raw: raw["instances"][0].update(id="x")), "instances.0.id"),
        (lambda folder: _edit(folder, lambda raw: raw["views"][0].update(world_from_camera=[[1, 0, 0, 0]])), "shape"),
        (lambda folder: _edit(folder, lambda raw: raw.update(id="../up")), "folder"),
        (lambda folder: _edit(folder, lambda raw: raw["instances"][1].update(id=0)), "occurs twice"),
    ],
)
def test_damaged_folders_say_what_is_wrong(damage: object, says: str, tmp_path: Path) -> None:
    folder = write_scene(a_scene(), tmp_path / "room")
    damage(folder)  # type: ignore[operator]
    with pytest.raises(BenchDataError, match=says):
        read_scene(folder)


def _edit(folder: Path, change: object) -> None:
    raw = json.loads((folder / "scene.json").read_text())
    change(raw)  # type: ignore[operator]
    (folder / "scene.json").write_text(json.dumps(raw))


@given(st.tuples(Number, Number, Number), st.tuples(Size, Size, Size), st.floats(-math.pi, math.pi))
def test_an_upright_box(
    centre: tuple[float, float, float], size: tuple[float, float, float], heading_rad: float
) -> None:
    box = OrientedBox.upright(centre, size, heading_rad=heading_rad)
    np.testing.assert_allclose(box.corners_m.mean(axis=0), centre, atol=1e-9)
    assert box.top_m - box.bottom_m == pytest.approx(size[2])
    assert math.remainder(box.heading_rad - heading_rad, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(box.corners_m[1] - box.corners_m[0]) == pytest.approx(size[0])
    assert np.linalg.norm(box.corners_m[2] - box.corners_m[0]) == pytest.approx(size[1])
    assert box.contains(box.corners_m, margin_m=1e-9).all()
    outside = box.centre_m + box.forward * (size[0] / 2 + 1)
    assert not box.contains(outside[None]).any()
    assert box.distance_to(outside) == pytest.approx(1)
    assert box.distance_to(box.centre_m) == 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: OrientedBox.upright((0, 0, 0), (1, -1, 1)), "positive"),
        (lambda: OrientedBox.upright((0, 0, np.nan), (1, 1, 1)), "finite"),
        (lambda: OrientedBox(np.zeros(3), np.ones(3), np.diag([1.0, 1.0, -1.0])), "left-handed|mirror|reflection"),
        (lambda: Instance(id=-1, label="x", box=OrientedBox.upright((0, 0, 0), (1, 1, 1))), "at least 0"),
        (lambda: Instance(id=1, label=" ", box=OrientedBox.upright((0, 0, 0), (1, 1, 1))), "no label"),
        (
            lambda: Instance(id=1, label="x", description="a " * 16, box=OrientedBox.upright((0, 0, 0), (1, 1, 1))),
            "15 words",
        ),
        (lambda: a_scene().with_views((a_scene().views[0],) * 2), "occurs twice"),
        (lambda: a_scene().instance(9), "no instance 9"),
        (lambda: a_scene().view("z"), "no view"),
    ],
)
def test_what_cannot_be_is_refused(make: object, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        make()  # type: ignore[operator]
