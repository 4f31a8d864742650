"""Streets: places, sizes, heights of cameras, the sky, and sameness."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np
import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes import Scene, SceneKind
from seeworthy.bench_data.scenes.procedural import STREET_CATEGORIES, Lens, make_street
from seeworthy.bench_data.scenes.procedural.plan import boxes_touch
from seeworthy.bench_data.scenes.procedural.street_objects.ground import KERB_M, RoadWidths

from .test_room import digest

SMALL = Lens(width=320, height=240)


@lru_cache(maxsize=4)
def street(seed: int) -> Scene:
    return make_street(seed, objects=24, length_m=45, views=6, density=0.1, lens=SMALL)


@pytest.mark.parametrize("seed", [0, 1])
def test_things_stand_on_the_ground_and_touch_nothing(seed: int) -> None:
    scene = street(seed)
    assert scene.kind is SceneKind.STREET
    assert sum(one.label != "building" for one in scene.objects) == 24
    for a, b in itertools.combinations(scene.objects, 2):
        assert not boxes_touch(a.box, b.box, gap_m=0.0), (a, b)
    for one in scene.objects:
        assert one.label in STREET_CATEGORIES
        y = abs(one.box.centre_m[1])
        if one.label in ("car", "van", "bus", "truck"):
            assert one.box.bottom_m == pytest.approx(0, abs=1e-6)
            assert y + one.box.size_m[1] / 2 <= RoadWidths.ROAD + 0.1
        elif one.label in ("person", "bench"):
            assert one.box.bottom_m == pytest.approx(KERB_M, abs=1e-6)
            assert RoadWidths.ROAD < y < RoadWidths.PAVEMENT
        elif one.label == "building":
            assert y - one.box.size_m[0] / 2 > RoadWidths.PAVEMENT
            assert one.box.forward[1] * np.sign(one.box.centre_m[1]) < -0.99  # its front looks at the street


@pytest.mark.parametrize("seed", [0, 1])
def test_traffic_keeps_to_the_right_and_faces_along_the_street(seed: int) -> None:
    for one in street(seed).objects:
        if one.label in ("car", "van", "bus", "truck"):
            assert one.has_front
            assert abs(one.box.forward[0]) > 0.99
            assert np.sign(one.box.forward[0]) == -np.sign(one.box.centre_m[1])


def test_every_gaussian_lies_in_the_box_of_its_instance() -> None:
    scene = street(0)
    ids = scene.cloud.instance_ids
    assert ids is not None
    assert set(np.unique(ids)) == {one.id for one in scene.instances}
    for one in scene.instances:
        assert one.box.contains(scene.cloud.means[ids == one.id], margin_m=1e-4).all(), one.label


def test_cameras_stand_at_the_heights_that_were_asked_for() -> None:
    ranges = {"driver": (1.2, 1.5), "pedestrian": (1.6, 2.0), "drone": (8, 30)}
    for kind, (low, high) in ranges.items():
        scene = make_street(3, objects=8, length_m=30, views=3, density=0.05, cameras=kind, lens=SMALL)
        for view in scene.views:
            eye, axis = view.camera.centre_m, view.camera.world_from_camera[:3, 2]
            assert low <= eye[2] <= high
            assert min(one.box.distance_to(eye) for one in scene.objects) >= 0.4
            if kind == "drone":
                assert 30 - 1e-6 <= np.degrees(np.arcsin(-axis[2])) <= 60 + 1e-6


def test_pictures_are_whole_and_show_several_things() -> None:
    scene = street(1)
    objects = {one.id for one in scene.objects}
    counts = []
    for view in scene.views:
        frame = render(scene.cloud, view.camera, engine="numba", instances=True)
        assert frame.alpha.min() > 0.93
        assert frame.instance_ids is not None
        ids, pixels = np.unique(frame.instance_ids, return_counts=True)
        counts.append(sum(1 for k, n in zip(ids, pixels, strict=True) if k in objects and n > 30))
    assert np.median(counts) >= 4


def test_the_sky_is_an_instance_of_its_own_with_the_depth_of_its_dome_or_nothing() -> None:
    lens = Lens(width=160, height=120)
    under = make_street(3, objects=6, length_m=40, views=1, density=0.3, cameras="driver", lens=lens)
    without = make_street(3, objects=6, length_m=40, views=1, density=0.3, cameras="driver", lens=lens, sky=False)
    sky = next(one for one in under.instances if one.label == "sky")
    assert sky.is_structure
    assert not any(one.label == "sky" for one in without.instances)
    camera = under.views[0].camera
    frame = render(under.cloud, camera, engine="numba", instances=True)
    is_sky = frame.instance_ids == sky.id
    assert is_sky.mean() > 0.05
    reach = 1.2 * 20 + 110
    along = camera.directions_in_camera(camera.pixel_centres())[:, 2].reshape(120, 160)
    distance = frame.depth_m / along
    assert np.median(distance[is_sky]) == pytest.approx(reach, rel=0.12)
    empty = render(without.cloud, camera, engine="numba", background=(0.5, 0.7, 1.0))
    assert (empty.alpha[is_sky] < 0.5).mean() > 0.6


def test_the_same_seed_gives_the_same_bytes() -> None:
    first, again = (make_street(5, objects=4, length_m=30, views=1, density=0.05) for _ in range(2))
    assert digest(first) == digest(again) != digest(street(0))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"objects": 0}, "1 to 120 objects"),
        ({"length_m": 10}, "30 to 300"),
        ({"length_m": float("nan")}, "30 to 300"),
        ({"cameras": "submarine"}, "driver, pedestrian, drone, mixed"),
        ({"views": 1.5}, "at least 0"),
        ({"density": -1}, "0.05 to 20"),
    ],
)
def test_bad_arguments_say_what_to_do(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        make_street(1, **{"views": 0, **arguments})  # type: ignore[arg-type]


def test_a_street_without_room_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeworthy.bench_data.scenes.procedural.street._TRIES", 0)
    with pytest.raises(BenchDataError, match="give a larger length_m"):
        make_street(1, objects=60, length_m=30, views=0, density=0.05)
