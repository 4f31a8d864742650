"""What suites read of a picture agrees with the plain reference, and says what is seen well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.questions import SceneTruth, measure
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.seen import EYE, LEVEL, SeenSettings, alike, seen_views
from seeworthy.bench_data.scenes import SceneKind

from .indoor import a_room
from .truths import random_truth


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(SceneKind))
def test_the_numbers_are_those_of_the_reference(seed: int, kind: SceneKind) -> None:
    truth = random_truth(seed, kind=kind, objects=6, views=2)
    views = seen_views(truth, SeenSettings())
    for place, view in enumerate(views):
        facts = truth.facts([place])
        assert view.level
        assert [one.id for one in view.objects] == sorted(truth.views[place].seen)
        for one in view.objects:
            pairs = [
                (q.Offset(EYE, one.ref, LEVEL, "right"), one.right_m),
                (q.Offset(EYE, one.ref, LEVEL, "up"), one.up_m),
                (q.Offset(EYE, one.ref, LEVEL, "forward"), one.forward_m),
                (q.Distance(EYE, one.ref, "ground"), one.ground_m),
                (q.Distance(EYE, one.ref), one.distance_m),
                (q.HeightOf(one.ref, "centre"), one.height_m),
                (q.HeightOf(one.ref, "top"), one.top_m),
                (q.Size(one.ref, "longer_ground"), one.longer_m),
                (q.Size(one.ref, "height"), one.tall_m),
                (q.Size(one.ref, "volume"), one.volume_m3),
                (q.Spread(one.ref, LEVEL, "right"), one.apparent_width_m),
            ]
            for quantity, value in pairs:
                assert value == pytest.approx(measure(quantity, facts), abs=1e-9), quantity
        for one, other in zip(view.objects, view.objects[1:], strict=False):
            right, up, forward = one.between(other)
            for axis, value in (("right", right), ("up", up), ("forward", forward)):
                assert value == pytest.approx(measure(q.Offset(one.ref, other.ref, LEVEL, axis), facts), abs=1e-9)  # type: ignore[arg-type]


def fullest(truth: SceneTruth) -> SceneTruth:
    """The truth with the picture alone that shows most objects."""
    return replace(truth, views=(max(truth.views, key=lambda view: len(view.seen)),), co_visibility=None)


def changed(truth: SceneTruth, number: int, **sight: object) -> SceneTruth:
    """The truth with another sight of an object in the only picture."""
    (view,) = truth.views
    seen = {**view.seen, number: replace(view.seen[number], **sight)}  # type: ignore[arg-type]
    return replace(truth, views=(replace(view, seen=seen),))


def test_what_counts_as_seen_well() -> None:
    truth = fullest(a_room(0))
    (first,) = seen_views(truth, SeenSettings())
    clear = next(one for one in first.named if one.whole)

    def well(**sight: object) -> tuple[bool, bool]:
        (view,) = seen_views(changed(truth, clear.id, **sight), SeenSettings())
        one = next(one for one in view.objects if one.id == clear.id)
        assert (one in view.named) == one.well
        return one.well, one.whole

    least = 640 * 480 // 1000 + 1
    assert well(pixels=least) == (True, True)
    assert well(pixels=least - 1) == (False, True)
    assert well(occlusion=0.5) == (True, True)
    assert well(occlusion=0.51) == (False, True)
    assert well(truncation=0.5) == (True, False)
    assert well(truncation=0.51) == (False, False)
    nameless = replace(truth, instances=tuple(one.described("") for one in truth.instances))
    assert all(view.named == () and view.objects for view in seen_views(nameless, SeenSettings()))


def test_what_reaches_behind_the_camera_is_not_asked_about() -> None:
    truth = fullest(a_room(1))
    (view,) = truth.views
    number = next(one.id for one in seen_views(truth, SeenSettings())[0].named)
    pose = view.camera.world_from_camera.copy()
    pose[:3, 3] = truth.objects[number].box.centre_m
    inside = replace(view, camera=replace(view.camera, world_from_camera=pose))
    (found,) = seen_views(replace(truth, views=(inside,)), SeenSettings())
    assert not next(one for one in found.objects if one.id == number).well


def test_a_camera_that_looks_down_has_no_level_frame() -> None:
    truth = a_room(2, views=1)
    view = truth.views[0]
    for degrees, level in ((0, True), (74, True), (76, False), (90, False)):
        angle = np.deg2rad(degrees)
        down = np.array([[1, 0, 0], [0, -np.sin(angle), np.cos(angle)], [0, -np.cos(angle), -np.sin(angle)]])
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = down, (0, 0, 2)
        tilted = replace(view, camera=replace(view.camera, world_from_camera=pose))
        (found,) = seen_views(replace(truth, views=(tilted,)), SeenSettings())
        assert found.level is level, degrees
        assert all(np.isfinite(one.right_m) for one in found.objects)


def test_nouns_that_may_mean_one_another() -> None:
    assert alike("chair", "chair")
    assert alike("office chair", "chair")
    assert alike("chair", "armchair")
    assert not alike("office chair", "armchair")
    assert not alike("car", "carpet")


def test_empty_scenes() -> None:
    bare = a_room(0, views=1)
    assert seen_views(SceneTruth(scene="e", kind=bare.kind, instances=(), views=()), SeenSettings()) == ()
    (view,) = seen_views(
        SceneTruth(scene="e", kind=bare.kind, instances=(), views=(replace(bare.views[0], seen={}),)), SeenSettings()
    )
    assert view.objects == ()
