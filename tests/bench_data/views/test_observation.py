"""What a view shows of each object, against cast rays and against plain renders of the object alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes import Instance, OrientedBox, Scene
from seeworthy.bench_data.views import InstanceView, Observer, observe
from tests.bench_data.views.boxes import FLOOR, camera_at, cast_rays, fisheye_of, moved, scene_of

NEAR_BOX = OrientedBox.upright((0, 0, 0.4), (0.8, 1.2, 0.8), heading_rad=0.4)
FAR_BOX = OrientedBox.upright((-1.5, 0.4, 0.6), (0.7, 0.9, 1.2), heading_rad=-0.3)
SIDE_BOX = OrientedBox.upright((0.3, 1.9, 0.5), (0.9, 0.9, 1.0), heading_rad=0.9)
BOXES = {3: NEAR_BOX, 7: FAR_BOX, 9: SIDE_BOX}
CAMERAS = {
    "ahead": camera_at((3.2, 0.0, 1.3)),
    "low": camera_at((2.6, -1.6, 0.5), (-0.5, 0.3, 0.6)),
    "aside": camera_at((2.2, 2.8, 1.6), (0.4, 0.0, 0.4)),
    "fisheye": fisheye_of(camera_at((2.4, 0.5, 1.4))),
}


@pytest.mark.parametrize("name", CAMERAS)
def test_rates_and_depths_are_those_of_cast_rays(name: str) -> None:
    camera = CAMERAS[name].resized(320, 240)
    observation = observe(scene_of(BOXES), camera)
    ids, depths = cast_rays(camera, {**BOXES, 1000: FLOOR})
    for place, number in enumerate(BOXES):
        seen, alone = ids == number, np.isfinite(depths[place])
        one = observation.of(number)
        assert one.visible_px == pytest.approx(seen.sum(), rel=0.08, abs=50)
        assert one.silhouette_px == pytest.approx(alone.sum(), rel=0.08, abs=50)
        assert one.occlusion_rate == pytest.approx(1 - seen.sum() / alone.sum(), abs=0.05)
        assert one.mean_depth_m == pytest.approx(depths[place][seen].mean(), rel=0.02)
        # The nearest Gaussian's middle lies up to one step of the grid behind the nearest corner.
        assert one.nearest_depth_m == pytest.approx(depths[place][seen].min(), abs=0.12)
        overlap = (observation.mask(number) & seen).sum() / (observation.mask(number) | seen).sum()
        assert overlap > 0.9
    assert observation.mask(1000).sum() == pytest.approx((ids == 1000).sum(), rel=0.05)


def test_the_views_above_do_hide_and_cut_off() -> None:
    """Guards the test above: its cases are not all trivial."""
    rates = [one for camera in CAMERAS.values() for one in observe(scene_of(BOXES), camera).instances]
    assert sum(one.occlusion_rate > 0.3 for one in rates) >= 2
    assert sum(0.05 < one.truncation_share < 0.95 for one in rates) >= 2


@pytest.mark.parametrize("name", CAMERAS)
@pytest.mark.parametrize("engine", ["numba", "reference"])
def test_a_silhouette_is_the_object_drawn_alone_in_the_whole_picture(name: str, engine: str) -> None:
    camera, scene = CAMERAS[name].resized(48, 36), scene_of(BOXES)
    observation = Observer(scene, engine=engine).observe(camera)
    for number in BOXES:
        alone = render(scene.cloud.instance(number), camera, engine=engine).alpha >= 0.5
        whole = alone | observation.mask(number)
        assert abs(observation.of(number).silhouette_px - whole.sum()) <= 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_cut_outs_change_no_silhouette(seed: int, bent: bool) -> None:
    """Objects anywhere, also beside and behind the camera, which stands among them."""
    rng = np.random.default_rng(seed)
    scene = _random_scene(rng)
    camera = camera_at(rng.uniform([-1.5, -1.5, 0.3], [1.5, 1.5, 2]), rng.uniform(-0.5, 0.5, 3), width=80, height=60)
    camera = fisheye_of(camera) if bent else camera
    observation = observe(scene, camera)
    for one in observation.instances:
        alone = render(scene.cloud.instance(one.instance.id), camera, engine="numba").alpha >= 0.5
        whole = alone | observation.mask(one.instance.id)
        assert abs(one.silhouette_px - whole.sum()) <= 2 + 0.005 * whole.sum()


@settings(max_examples=10, deadline=None)
@given(st.floats(-40, 40), st.floats(-25, 25), st.floats(1.2, 2.5))
def test_truncation_is_the_share_of_solid_angle_that_a_wide_picture_shows_outside(
    yaw_deg: float, pitch_deg: float, distance_m: float
) -> None:
    """Counted in a picture of many times the size, where the object is drawn alone."""
    ahead = camera_at((distance_m, 0.3, 0.9), (0, 0, 0.4), width=64, height=48)
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_euler("YX", [yaw_deg, pitch_deg], degrees=True).as_matrix()
    camera = ahead.with_pose(ahead.world_from_camera @ turn)
    scene = scene_of({3: NEAR_BOX}, floor=False)
    margin = 320
    wide = camera.cropped(-margin, -margin, 64 + 2 * margin, 48 + 2 * margin)
    alone = render(scene.cloud, wide, engine="numba").alpha >= 0.5
    rays = wide.directions_in_camera(wide.pixel_centres()).reshape(wide.height, wide.width, 3)
    angle = rays[..., 2] ** 3  # of a pixel of a pinhole
    inside = np.zeros_like(alone)
    inside[margin:-margin, margin:-margin] = True
    wanted = float(angle[alone & ~inside].sum() / angle[alone].sum())
    one = observe(scene, camera).of(3)
    assert one.truncation_share == pytest.approx(wanted, abs=0.04)
    assert one.whole_px == pytest.approx(alone.sum(), rel=0.08)
    rows, columns = np.nonzero(alone)
    wanted_box = np.array(
        [columns.min() - margin, rows.min() - margin, columns.max() + 1 - margin, rows.max() + 1 - margin]
    )
    wanted_box = np.clip(wanted_box, [-64, -48, -64, -48], [128, 96, 128, 96])
    if wanted_box[0] < wanted_box[2] - 2 and wanted_box[1] < wanted_box[3] - 2:
        assert one.amodal_box_px is not None
        np.testing.assert_allclose(one.amodal_box_px, wanted_box, atol=2.5)


def test_a_hidden_object_is_known_but_not_visible() -> None:
    wall = OrientedBox.upright((1.5, 0, 1.0), (0.2, 4, 2.4))
    observation = observe(scene_of({1: wall, 2: NEAR_BOX}), camera_at((3.5, 0, 0.8)))
    hidden = observation.of(2)
    assert (hidden.visible_px, hidden.occlusion_rate) == (0, 1.0)
    assert hidden.silhouette_px > 100
    assert hidden.truncation_share == 0
    assert hidden.visible_box_px is None
    assert hidden.amodal_box_px is not None
    assert math.isnan(hidden.mean_depth_m)
    assert math.isnan(hidden.nearest_depth_m)
    assert [one.instance.id for one in observation.visible()] == [1]


def test_what_is_behind_the_camera_or_draws_nothing() -> None:
    scene = scene_of({1: NEAR_BOX, 2: OrientedBox.upright((8, 0, 0.5), (1, 1, 1))})
    nothing = Instance(id=5, label="ghost", box=NEAR_BOX)
    observation = observe(replace(scene, instances=(*scene.instances, nothing)), camera_at((3.5, 0, 0.8)))
    behind, ghost = observation.of(2), observation.of(5)
    assert (behind.visible_px, behind.silhouette_px, behind.truncation_share) == (0, 0, 1.0)
    assert behind.amodal_box_px is None
    assert math.isnan(behind.occlusion_rate)
    assert behind.whole_px == 0
    assert (ghost.visible_px, ghost.silhouette_px, ghost.amodal_box_px) == (0, 0, None)
    assert math.isnan(ghost.truncation_share)
    assert [one.instance.id for one in observation.visible()] == [1]


def test_a_camera_inside_an_object_sees_it_all_around() -> None:
    hall = OrientedBox.upright((0, 0, 1), (4, 4, 2.5))
    one = observe(scene_of({1: hall}, floor=False), camera_at((0.1, 0.0, 1.0), (1, 0.2, 1))).of(1)
    assert one.visible_px == pytest.approx(96 * 72, rel=0.01)
    assert one.occlusion_rate == 0
    assert 0.5 < one.truncation_share < 1


def test_no_thread_count_changes_anything() -> None:
    views = list(CAMERAS.values()) * 2
    observer = Observer(scene_of(BOXES))
    alone = [observer.observe(view, threads=1) for view in views]
    for threads in (1, 2, 3, 20):
        for one, other in zip(alone, observer.observe_many(views, threads=threads), strict=True):
            assert repr(one.instances) == repr(other.instances)
            assert one.depth_m.tobytes() == other.depth_m.tobytes()
            assert one.instance_ids.tobytes() == other.instance_ids.tobytes()
    assert list(observer.observe_many([])) == []


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from(sorted(CAMERAS)))
def test_moving_the_whole_world_changes_nothing(seed: int, name: str) -> None:
    scene = scene_of(BOXES, views=[CAMERAS[name]])
    motion = np.eye(4)
    motion[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    motion[:3, 3] = np.random.default_rng(seed).uniform(-3, 3, 3)
    before, after = (observe(one, "view 0") for one in (scene, moved(scene, motion)))
    for one, other in zip(before.instances, after.instances, strict=True):
        # Only the picture that looks at the object alone is turned, by as much as its level is arbitrary.
        assert other.visible_px == pytest.approx(one.visible_px, abs=3)
        assert other.silhouette_px == pytest.approx(one.silhouette_px, abs=3)
        assert other.truncation_share == pytest.approx(one.truncation_share, abs=0.02)
        assert other.mean_depth_m == pytest.approx(one.mean_depth_m, rel=1e-3, nan_ok=True)


def _random_scene(rng: np.random.Generator) -> Scene:
    boxes = {
        number: OrientedBox.upright(
            rng.uniform([-2, -2, 0.2], [2, 2, 0.8]), rng.uniform(0.2, 1.2, 3), heading_rad=rng.uniform(-3, 3)
        )
        for number in range(6)
    }
    return scene_of(boxes)


def _within(inner: tuple[float, ...] | None, outer: tuple[float, ...] | None) -> bool:
    if inner is None:
        return True
    return outer is not None and all(
        (a >= b - 1e-9) if k < 2 else (a <= b + 1e-9) for k, (a, b) in enumerate(zip(inner, outer, strict=True))
    )


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_parts_never_exceed_wholes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera = camera_at(rng.uniform([-3, -3, 0.3], [3, 3, 2]), rng.uniform(-0.5, 0.5, 3), width=64, height=48)
    observation = observe(_random_scene(rng), fisheye_of(camera) if seed % 2 else camera)
    for one in observation.instances:
        assert 0 <= one.visible_px <= one.silhouette_px
        assert math.isnan(one.occlusion_rate) or 0 <= one.occlusion_rate <= 1
        assert 0 <= one.truncation_share <= 1
        assert _within(one.visible_box_px, one.amodal_box_px)
        assert one.visible_px == observation.mask(one.instance.id).sum()
        if one.visible_px:
            assert one.nearest_depth_m <= one.mean_depth_m


def test_filters_of_visible_objects() -> None:
    observation = observe(scene_of(BOXES), CAMERAS["ahead"])

    def ids(**limits: float) -> list[int]:
        return [one.instance.id for one in observation.visible(**limits)]  # type: ignore[arg-type]

    by_size = sorted(observation.instances, key=lambda one: one.visible_px)
    assert ids() == list(BOXES)
    assert by_size[0].instance.id not in ids(least_px=by_size[0].visible_px + 1)
    assert 7 not in ids(most_occlusion=observation.of(7).occlusion_rate - 0.01)
    assert ids(most_truncation=0.0) == [one.instance.id for one in observation.instances if not one.truncation_share]


def test_structure_is_measured_when_asked_for() -> None:
    scene = scene_of(BOXES)
    floor = Observer(scene, include_structure=True).observe(CAMERAS["ahead"]).of(1000)
    assert floor.visible_px > 500
    assert 0 < floor.truncation_share < 1
    with pytest.raises(BenchDataError, match="structure"):
        observe(scene, CAMERAS["ahead"]).of(1000)


def test_views_by_name_and_by_camera() -> None:
    scene = scene_of(BOXES, views=[CAMERAS["low"]])
    named, plain = observe(scene, "view 0"), observe(scene, CAMERAS["low"])
    assert (named.name, plain.name) == ("view 0", "camera")
    assert repr(named.instances) == repr(plain.instances)
    assert named.posed_depth.camera == CAMERAS["low"]
    with pytest.raises(BenchDataError, match="no view"):
        observe(scene, "elsewhere")


def test_what_cannot_be_observed() -> None:
    scene = scene_of(BOXES)
    with pytest.raises(BenchDataError, match="instance ids"):
        Observer(replace(scene, cloud=scene.cloud.with_instance_ids(None)))
    with pytest.raises(BenchDataError, match="engine must be"):
        Observer(scene, engine="gsplat")


def test_an_empty_view() -> None:
    observation = observe(scene_of(BOXES), camera_at((30, 0, 1), (60, 0, 1)))
    assert observation.visible() == ()
    assert np.isnan(observation.depth_m).all()
    assert observation.posed_depth.known_share == 0
    assert all(isinstance(one, InstanceView) and one.truncation_share == 1 for one in observation.instances)


def test_a_tiny_picture() -> None:
    camera = Camera(width=1, height=1, fx=1, fy=1, cx=0.5, cy=0.5, world_from_camera=CAMERAS["ahead"].world_from_camera)
    assert sum(one.visible_px for one in observe(scene_of(BOXES), camera).instances) <= 1
