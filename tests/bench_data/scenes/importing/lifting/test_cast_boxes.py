"""lift_masks on boxes at which rays are cast: exact depth and masks, so the boxes must come out almost as they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.scenes import OrientedBox
from seeworthy.bench_data.scenes.importing import InstanceMask, LiftSettings, MaskedView, lift_masks
from seeworthy.bench_data.scenes.importing.lifting import box_iou
from seeworthy.bench_data.views import PosedDepth
from tests.bench_data.views.boxes import FLOOR, camera_at, cast_rays

EYES = [(3.2, 0.5, 1.9), (0.4, 3.1, 2.1), (-3.0, -0.6, 1.8), (-0.3, -3.2, 2.0), (2.3, 2.3, 2.4)]
FLOOR_ID = 1000
SETTINGS = LiftSettings(least_px=40, edge_px=0, tolerance_m=0.02, trim=0.0)
Seed = st.integers(0, 2**31)


def some_boxes(seed: int) -> dict[int, OrientedBox]:
    """Four boxes in the quarters of a square, each turned its own way."""
    rng = np.random.default_rng(seed)
    places = [(0.8, 0.8), (-0.8, 0.8), (-0.8, -0.8), (0.8, -0.8)]
    return {
        number: OrientedBox.upright(
            (*(np.array(place) + rng.uniform(-0.1, 0.1, 2)), size[2] / 2),
            size,
            heading_rad=float(rng.uniform(-1.5, 1.5)),
        )
        for number, place in enumerate(places)
        for size in [rng.uniform([0.4, 0.3, 0.3], [0.9, 0.6, 0.8])]
    }


def seen(boxes: dict[int, OrientedBox], *, halves: bool = False) -> tuple[list[MaskedView], list[list[int]]]:
    """Views with exact masks; with ``halves`` the second view has each of them in two parts."""
    views, owners = [], []
    for k, eye in enumerate(EYES):
        camera = camera_at(eye, width=120, height=90)
        ids, depths = cast_rays(camera, {**boxes, FLOOR_ID: FLOOR})
        depth = depths.min(axis=0)
        masks, names = [], []
        for number in boxes:
            mask = ids == number
            if not mask.any():
                continue
            parts = [mask]
            if halves and k == 1:
                left = np.arange(mask.shape[1])[None] < np.median(np.nonzero(mask)[1])
                parts = [mask & left, mask & ~left]
            masks += [InstanceMask(part) for part in parts]
            names += [number] * len(parts)
        posed = PosedDepth(camera, np.where(np.isfinite(depth), depth, np.nan).astype(np.float32))
        views.append(MaskedView(f"{k}", posed, tuple(masks)))
        owners.append(names)
    return views, owners


@given(seed=Seed, halves=st.booleans())
@settings(max_examples=8, deadline=None)
def test_exact_depth_gives_nearly_exact_boxes(seed: int, halves: bool) -> None:
    boxes = some_boxes(seed)
    views, owners = seen(boxes, halves=halves)
    lifted = lift_masks(views, settings=SETTINGS)
    assert len(lifted.instances) == len(boxes)
    for one, members in zip(lifted.instances, lifted.members, strict=True):
        (number,) = {owners[view][mask] for view, mask in members}
        assert len({view for view, _ in members}) >= 3
        assert box_iou(one.box, boxes[number]) > 0.75
        assert abs(one.box.top_m - boxes[number].top_m) < 0.03


@given(seed=Seed)
@settings(max_examples=4, deadline=None)
def test_the_order_of_views_and_masks_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    views, _ = seen(some_boxes(seed))
    shuffled = [
        MaskedView(view.name, view.posed, tuple(view.masks[j] for j in rng.permutation(len(view.masks))))
        for view in (views[k] for k in rng.permutation(len(views)))
    ]
    one, other = (
        sorted(tuple(x.box.centre_m.round(4)) for x in lift_masks(v, settings=SETTINGS).instances)
        for v in (views, shuffled)
    )
    np.testing.assert_allclose(one, other, atol=0.01)


@given(seed=Seed)
@settings(max_examples=4, deadline=None)
def test_boxes_go_along_when_the_world_turns_and_shifts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    angle, shift = float(rng.uniform(-3, 3)), rng.uniform(-5, 5, 3)
    move = np.eye(4)
    move[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    move[:3, 3] = shift
    views, _ = seen(some_boxes(seed))
    moved = [
        MaskedView(
            view.name,
            PosedDepth(view.posed.camera.with_pose(move @ view.posed.camera.world_from_camera), view.posed.depth_m),
            view.masks,
        )
        for view in views
    ]
    before, after = lift_masks(views, settings=SETTINGS), lift_masks(moved, settings=SETTINGS)
    assert before.members == after.members
    for one, other in zip(before.instances, after.instances, strict=True):
        np.testing.assert_allclose(move[:3, :3] @ one.box.centre_m + shift, other.box.centre_m, atol=0.03)
        np.testing.assert_allclose(np.sort(one.box.size_m), np.sort(other.box.size_m), atol=0.05)
