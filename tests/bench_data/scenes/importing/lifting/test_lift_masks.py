"""lift_masks: rendered rooms with their true masks, with poor ones, and small made-up places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.render import render
from seeworthy.bench_data.scenes import Scene
from seeworthy.bench_data.scenes.importing import (
    ColourDepth,
    InstanceMask,
    Lifted,
    LiftSettings,
    MaskedView,
    lift_masks,
    masked_view,
)
from seeworthy.bench_data.scenes.importing.lifting import box_iou
from seeworthy.bench_data.scenes.importing.lifting.consensus import united
from seeworthy.bench_data.scenes.procedural import Lens, make_room
from seeworthy.bench_data.views import PosedDepth
from tests.bench_data.scenes.importing.places import cameras

LEAST_SEEN_PX = 250
LEAST_THICKNESS_M = 0.08


@cache
def a_room() -> tuple[Scene, list[tuple[PosedDepth, NDArray[np.int32]]]]:
    """A room and, for each view, depth and the true instance of each pixel."""
    room = make_room(3, objects=10, views=7, density=0.3, lens=Lens(320, 240))
    drawn = [render(room.cloud, v.camera, instances=True, median_depth=True, engine="numba") for v in room.views]
    truth = []
    for view, one in zip(room.views, drawn, strict=True):
        assert one.median_depth_m is not None
        assert one.instance_ids is not None
        truth.append((PosedDepth(view.camera, one.median_depth_m), one.instance_ids))
    return room, truth


def views_of(
    masks_of: list[list[tuple[int, InstanceMask]]],
) -> tuple[list[MaskedView], list[list[int]]]:
    _, truth = a_room()
    views = [
        MaskedView(f"{k}", posed, tuple(mask for _, mask in masks))
        for k, ((posed, _), masks) in enumerate(zip(truth, masks_of, strict=True))
    ]
    return views, [[number for number, _ in masks] for masks in masks_of]


def true_masks() -> list[list[tuple[int, InstanceMask]]]:
    room, truth = a_room()
    return [
        [(one.id, InstanceMask(ids == one.id)) for one in room.objects if (ids == one.id).any()] for _, ids in truth
    ]


def poor_masks(seed: int, split: float) -> list[list[tuple[int, InstanceMask]]]:
    """Grown or shrunk by a pixel, with holes and crumbs, and some cut in two."""
    rng = np.random.default_rng(seed)
    found = []
    for masks in true_masks():
        poor: list[tuple[int, InstanceMask]] = []
        for number, one in masks:
            change = cv2.dilate if rng.random() < 0.5 else cv2.erode
            mask = change(one.mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
            near = cv2.dilate(mask.astype(np.uint8), np.ones((9, 9), np.uint8)).astype(bool)
            mask ^= near & (rng.random(mask.shape) < 0.01)
            parts = [mask]
            if rng.random() < split and mask.any():
                right = np.arange(mask.shape[1])[None, :] >= np.median(np.nonzero(mask)[1])
                parts = [mask & right, mask & ~right]
            poor += [(number, InstanceMask(part)) for part in parts]
        found.append(poor)
    return found


def well_seen() -> set[int]:
    """Objects that at least three views show well."""
    room, truth = a_room()
    counts = {one.id: sum(int((ids == one.id).sum()) >= LEAST_SEEN_PX for _, ids in truth) for one in room.objects}
    return {number for number, count in counts.items() if count >= 3}


def truth_of(lifted: Lifted, owners: list[list[int]]) -> list[set[int]]:
    return [{owners[view][mask] for view, mask in masks} for masks in lifted.members]


def overlaps(lifted: Lifted, owners: list[list[int]]) -> dict[int, float]:
    """By true object, how much the best box overlaps its own; thin things are left to `shares`."""
    room, _ = a_room()
    best: dict[int, float] = {}
    for one, numbers in zip(lifted.instances, truth_of(lifted, owners), strict=True):
        for number in numbers:
            box = room.instance(number).box
            if box.size_m.min() >= LEAST_THICKNESS_M:
                best[number] = max(best.get(number, 0.0), box_iou(one.box, box))
    return best


def shares(lifted: Lifted, owners: list[list[int]]) -> dict[int, float]:
    """By true object, intersection over union of Gaussians."""
    room, _ = a_room()
    assert lifted.instance_ids is not None
    assert room.cloud.instance_ids is not None
    best: dict[int, float] = {}
    for one, numbers in zip(lifted.instances, truth_of(lifted, owners), strict=True):
        for number in numbers:
            true, ours = room.cloud.instance_ids == number, lifted.instance_ids == one.id
            best[number] = max(best.get(number, 0.0), float((true & ours).sum() / (true | ours).sum()))
    return best


def test_true_masks_give_the_true_objects() -> None:
    room, _ = a_room()
    views, owners = views_of(true_masks())
    lifted = lift_masks(views, cloud=room.cloud)
    found = truth_of(lifted, owners)
    assert all(len(numbers) == 1 for numbers in found)
    numbers = [next(iter(one)) for one in found]
    assert len(numbers) == len(set(numbers)), "an object came out twice"
    assert well_seen() <= set(numbers)
    boxes = {number: iou for number, iou in overlaps(lifted, owners).items() if number in well_seen()}
    assert len(boxes) >= 4
    assert np.mean(list(boxes.values())) > 0.5
    assert min(boxes.values()) > 0.3
    ids = [iou for number, iou in shares(lifted, owners).items() if number in well_seen()]
    assert np.mean(ids) > 0.75


def test_poor_masks_and_masks_cut_in_two_still_give_one_object_each() -> None:
    room, _ = a_room()
    views, owners = views_of(poor_masks(0, split=0.3))
    lifted = lift_masks(views, cloud=room.cloud)
    found = truth_of(lifted, owners)
    assert sum(len(numbers) > 1 for numbers in found) == 0
    numbers = [next(iter(one)) for one in found]
    large = {number for number in well_seen() if room.instance(number).box.volume_m3 > 0.01}
    assert large <= set(numbers)
    assert all(numbers.count(number) == 1 for number in large)
    iou = overlaps(lifted, owners)
    assert np.mean([iou[number] for number in large if number in iou]) > 0.5
    assert np.mean([share for number, share in shares(lifted, owners).items() if number in large]) > 0.6


def test_a_mask_over_two_things_does_not_join_them() -> None:
    masks = true_masks()
    together = sorted(well_seen())[:2]
    one_view = next(k for k, row in enumerate(masks) if set(together) <= {number for number, _ in row})
    joined = np.logical_or.reduce([mask.mask for number, mask in masks[one_view] if number in together])
    masks[one_view] = [row for row in masks[one_view] if row[0] not in together]
    masks[one_view].append((-7, InstanceMask(joined)))
    views, owners = views_of(masks)
    found = truth_of(lift_masks(views), owners)
    assert not any(set(together) <= numbers for numbers in found)


def test_a_mask_that_no_other_view_confirms_is_noise() -> None:
    masks = true_masks()
    ghost = np.zeros_like(masks[0][0][1].mask)
    ghost[80:160, 80:210] = True
    for _, mask in masks[0]:
        ghost &= ~mask.mask
    assert ghost.sum() > 500
    masks[0].append((-7, InstanceMask(ghost)))
    views, owners = views_of(masks)
    lifted = lift_masks(views)
    assert not any(-7 in numbers for numbers in truth_of(lifted, owners))
    assert lifted.dropped["no other view agrees"] >= 1


def test_labels_keep_things_apart_and_name_them() -> None:
    room, truth = a_room()
    named = [
        [(number, InstanceMask(mask.mask, room.instance(number).label)) for number, mask in row] for row in true_masks()
    ]
    views, owners = views_of(named)
    lifted = lift_masks(views)
    for one, numbers in zip(lifted.instances, truth_of(lifted, owners), strict=True):
        assert [one.label] == [room.instance(number).label for number in numbers]
    assert len({one.description for one in lifted.instances if one.description}) > 2
    assert len(truth) == 7


def test_the_same_masks_give_the_same_objects() -> None:
    views, _ = views_of(poor_masks(1, split=0.2))
    first, second = (lift_masks(views, cloud=a_room()[0].cloud) for _ in range(2))
    assert first.members == second.members
    assert [one.box.corners_m.tobytes() for one in first.instances] == [
        one.box.corners_m.tobytes() for one in second.instances
    ]
    assert first.instance_ids is not None
    assert second.instance_ids is not None
    assert first.instance_ids.tobytes() == second.instance_ids.tobytes()


def plate(camera: Camera, depth_m: float = 2.0) -> NDArray[np.float32]:
    return np.full((camera.height, camera.width), depth_m, np.float32)


def test_one_view_is_enough_and_a_source_of_masks_plugs_in() -> None:
    """A plate at 2 m, 30 pixels wide and 20 high at f = 60: 1 m by 0.67 m."""
    camera = cameras(1)[0].with_pose(np.array([[0.0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1]]))
    image = np.zeros((48, 64, 3), np.uint8)
    image[10:30, 20:50] = 255

    def bright(picture: NDArray[np.uint8]) -> Sequence[InstanceMask]:
        return [InstanceMask(picture[..., 0] > 128, "Plate")]

    view = masked_view(ColourDepth(name="a", camera=camera, image_srgb_u8=image, depth_m=plate(camera)), bright)
    (one,) = lift_masks([view], settings=LiftSettings(edge_px=0, voxel_m=0.001)).instances
    assert (one.label, one.description) == ("plate", "the plate")
    np.testing.assert_allclose(one.box.size_m, [29 / 30, 0.001, 19 / 30], atol=0.03)
    np.testing.assert_allclose(one.box.centre_m, [2, -0.1, 4 / 30], atol=0.02)
    with pytest.raises(BenchDataError, match="must give InstanceMask"):
        masked_view(
            ColourDepth(name="a", camera=camera, image_srgb_u8=image, depth_m=plate(camera)),
            lambda picture: [picture[..., 0] > 128],  # type: ignore[list-item]
        )


def test_what_spills_onto_the_wall_behind_is_cut_off() -> None:
    camera = cameras(1)[0].with_pose(np.eye(4))
    depth = plate(camera, 5.0)
    depth[10:30, 20:50] = 2.0
    mask = np.zeros(depth.shape, bool)
    mask[8:32, 18:52] = True
    (one,) = lift_masks([MaskedView("a", PosedDepth(camera, depth), (InstanceMask(mask),))]).instances
    assert one.box.top_m < 2.1


def test_overlapping_masks_leave_a_pixel_to_the_smallest() -> None:
    camera = cameras(1)[0]
    large, small = np.ones((48, 64), bool), np.zeros((48, 64), bool)
    small[4:9, 4:9] = True
    view = MaskedView("a", PosedDepth(camera, plate(camera)), (InstanceMask(small), InstanceMask(large)))
    owner = view.painted
    assert (owner[small] == 0).all()
    assert (owner[~small] == 1).all()


def test_nothing_to_lift() -> None:
    camera = cameras(1)[0]
    unknown = PosedDepth(camera, np.full((48, 64), np.nan, np.float32))
    everything = InstanceMask(np.ones((48, 64), bool))
    lifted = lift_masks([MaskedView("a", unknown, (everything,))], cloud=a_room()[0].cloud)
    assert lifted.instances == ()
    assert sum(lifted.dropped.values()) == 1
    assert lifted.instance_ids is not None
    assert (lifted.instance_ids == -1).all()
    assert lift_masks([MaskedView("a", unknown, ())]).dropped == {}
    with pytest.raises(BenchDataError, match="at least one view"):
        lift_masks([])
    with pytest.raises(BenchDataError, match="mask 0 is"):
        MaskedView("a", unknown, (InstanceMask(np.ones((2, 2), bool)),))
    with pytest.raises(BenchDataError, match="bool"):
        InstanceMask(np.ones((2, 2)))  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [{"voxel_m": 0.0}, {"contained": 1.5}, {"least_px": 0}, {"trim": 0.3}])
def test_settings_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(BenchDataError, match=next(iter(bad))):
        LiftSettings(**bad)  # type: ignore[arg-type]


@settings(deadline=None)
@given(
    labels=st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=10),
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=15),
)
def test_joining_keeps_every_fragment_once_and_never_two_labels(
    labels: list[str], pairs: list[tuple[int, int]]
) -> None:
    usable = [(i, j) for i, j in pairs if i < len(labels) and j < len(labels)]
    groups = united([[k] for k in range(len(labels))], usable, labels)
    assert sorted(k for group in groups for k in group) == list(range(len(labels)))
    assert all(len({labels[k] for k in group} - {""}) <= 1 for group in groups)
    assert groups == sorted(groups)
    if len(set(labels)) == 1:
        graph = nx.Graph()
        graph.add_nodes_from(range(len(labels)))
        graph.add_edges_from(usable)
        assert {frozenset(group) for group in groups} == {frozenset(part) for part in nx.connected_components(graph)}
