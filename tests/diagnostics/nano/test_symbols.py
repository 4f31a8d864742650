"""Dense labels: what each patch of a picture shows."""

from __future__ import annotations

import numpy as np
import pytest

from seeworthy.bench_data.building.sights import scene_truth
from seeworthy.bench_data.marks import Mark
from seeworthy.bench_data.questions.scene_truth import SceneTruth
from seeworthy.bench_data.scenes.procedural import ROOM_CATEGORIES, Lens, make_room
from seeworthy.bench_data.views import Observation, Observer
from seeworthy.diagnostics.nano.symbols import BINS, GRID, GROUPS, SYMBOLS, mirrored, patch_symbols, placements


@pytest.fixture(scope="module")
def seen() -> tuple[SceneTruth, list[Observation]]:
    scene = make_room(5, objects=8, views=2, lens=Lens(96, 72), density=0.1)
    observer = Observer(scene)
    looks = [observer.observe(view, threads=1) for view in scene.views]
    return scene_truth(scene, looks), looks


def _structure(truth: SceneTruth) -> dict[int, str]:
    return {one.id: one.label for one in truth.instances if one.is_structure}


def test_places_agree_with_the_cameras_own_projection(seen: tuple[SceneTruth, list[Observation]]) -> None:
    truth, _ = seen
    camera = truth.views[0].camera
    for number, one in placements(truth, 0).items():
        box = truth.objects[number].box
        assert one.numbers["distance"] == pytest.approx(float(np.linalg.norm(box.centre_m - camera.centre_m)))
        level = np.hypot(one.numbers["right"], one.numbers["forward"])
        assert np.hypot(level, one.numbers["up"]) == pytest.approx(one.numbers["distance"])
        assert one.numbers["up"] == pytest.approx(float(box.centre_m[2] - camera.centre_m[2]))
        in_camera = np.linalg.inv(camera.world_from_camera) @ [*box.centre_m, 1.0]
        assert np.sign(in_camera[0]) == np.sign(one.numbers["right"])
        assert ROOM_CATEGORIES[one.category] == truth.objects[number].label


def test_groups_agree_with_a_plain_count_of_pixels(seen: tuple[SceneTruth, list[Observation]]) -> None:
    truth, looks = seen
    ids, objects = looks[0].instance_ids, placements(truth, 0)
    symbols = patch_symbols(ids, looks[0].depth_m, objects, _structure(truth)).astype(np.float64)
    height, width = ids.shape[0] // GRID, ids.shape[1] // GRID
    for row in range(GRID):
        for column in range(GRID):
            patch = symbols[row * GRID + column]
            inside = ids[row * height : (row + 1) * height, column * width : (column + 1) * width].ravel().tolist()
            present = {objects[one].category for one in set(inside) & set(objects) if inside.count(one) >= 8}
            assert set(np.flatnonzero(patch[GROUPS["present"]]).tolist()) == present
            assert patch[GROUPS["row"]].argmax() == row
            assert patch[GROUPS["column"]].argmax() == column
            assert patch[GROUPS["mark"]].argmax() == 0
            assert patch[GROUPS["owner"]].sum() == 1
            for group in ("depth", *BINS):
                assert patch[GROUPS[group]].sum() == pytest.approx(
                    1.0 if group == "depth" else patch[GROUPS["right"]].sum(), abs=2e-3
                )


def test_numbers_are_spread_so_that_their_mean_is_exact(seen: tuple[SceneTruth, list[Observation]]) -> None:
    truth, looks = seen
    objects = placements(truth, 0)
    ids = looks[0].instance_ids
    symbols = patch_symbols(ids, looks[0].depth_m, objects, _structure(truth)).astype(np.float64)
    number, one = max(objects.items(), key=lambda item: int((ids == item[0]).sum()))
    owned = symbols[:, GROUPS["owner"]].argmax(1) == one.category
    assert owned.any()
    for group, value in one.numbers.items():
        told = symbols[:, GROUPS[group]] @ BINS[group]
        inside = np.clip(value, BINS[group][0], BINS[group][-1])
        assert np.abs(told[owned] - inside).min() < 0.01, (number, group)


def test_a_mark_makes_its_object_the_owner(seen: tuple[SceneTruth, list[Observation]]) -> None:
    truth, looks = seen
    objects = placements(truth, 0)
    number = next(iter(objects))
    mark = Mark(object=number, number=3, centre_px=(40.5, 30.5), radius_px=6.0)
    symbols = patch_symbols(looks[0].instance_ids, looks[0].depth_m, objects, _structure(truth), (mark,))
    under = np.flatnonzero(symbols[:, GROUPS["mark"].start + 3])
    assert (30 * GRID // 72) * GRID + 40 * GRID // 96 in under
    assert (symbols[under][:, GROUPS["owner"].start + objects[number].category] == 1).all()
    assert (symbols[under][:, GROUPS["owned"].start + 3] == 1).all()


def test_a_mirror_swaps_left_and_right_and_nothing_else(seen: tuple[SceneTruth, list[Observation]]) -> None:
    truth, looks = seen
    ids, depth, objects = looks[0].instance_ids, looks[0].depth_m, placements(truth, 0)
    symbols = patch_symbols(ids, depth, objects, _structure(truth))
    assert symbols.shape == (GRID * GRID, SYMBOLS)
    np.testing.assert_array_equal(mirrored(mirrored(symbols)), symbols)
    swapped = {
        number: type(one)(one.category, one.colours, {**one.numbers, "right": -one.numbers["right"]})
        for number, one in objects.items()
    }
    expected = patch_symbols(ids[:, ::-1], depth[:, ::-1], swapped, _structure(truth))
    np.testing.assert_allclose(mirrored(symbols), expected, atol=2e-3)
