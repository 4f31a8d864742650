"""Boxes of other data sets, names, and whose Gaussian is whose."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.scenes import Instance, OrientedBox
from seeworthy.bench_data.scenes.importing import WorldChange
from seeworthy.bench_data.scenes.importing.boxes_file import instances_of, read_boxes
from seeworthy.bench_data.scenes.importing.objects import box_from_axes, ids_in_boxes, plain_label
from tests.bench_data.scenes.importing.places import write_json


@given(seed=st.integers(0, 2**31), order=st.permutations([0, 1, 2]), signs=st.tuples(*[st.sampled_from([-1, 1])] * 3))
@settings(deadline=None, max_examples=50)
def test_a_box_is_the_same_whatever_its_axes_are_called(
    seed: int, order: list[int], signs: tuple[int, int, int]
) -> None:
    """Any order and direction of the axes, left-handed ones too, gives one box: the same corners, upright."""
    rng = np.random.default_rng(seed)
    turn = Rotation.from_euler("ZYX", rng.uniform([-3, -0.5, -0.5], [3, 0.5, 0.5])).as_matrix()
    centre, size = rng.normal(size=3), rng.uniform(0.1, 3, 3)
    box = box_from_axes(centre, size[order], turn[:, order] * signs)
    signs8 = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    wanted = centre + (signs8 * size) @ turn.T

    def rows(corners: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return corners[np.lexsort(corners.round(6).T)]

    np.testing.assert_allclose(rows(box.corners_m), rows(wanted), atol=1e-6)
    assert box.world_from_box[2, 2] > 0.7
    assert box.size_m[0] >= box.size_m[1]
    again = box_from_axes(box.centre_m, box.size_m, box.world_from_box)
    np.testing.assert_allclose(again.world_from_box, box.world_from_box, atol=1e-9)


def test_flat_boxes_get_a_thickness_and_nonsense_is_refused() -> None:
    assert box_from_axes(np.zeros(3), np.array([1.0, 2.0, 0.0]), np.eye(3)).size_m.tolist() == [2, 1, 1e-3]
    with pytest.raises(BenchDataError, match="0 or more"):
        box_from_axes(np.zeros(3), np.array([1.0, -2.0, 1.0]), np.eye(3))
    with pytest.raises(BenchDataError, match="three directions"):
        box_from_axes(np.zeros(3), np.ones(3), np.zeros((3, 3)))
    with pytest.raises(BenchDataError):
        box_from_axes(np.zeros(3), np.ones(3), np.ones((3, 3)))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Office_Chair 02", "office chair"),
        ("SM_StreetLamp_12", "street lamp"),
        ("TV", "tv"),
        ("bookshelf", "bookshelf"),
        ("  wall-clock ", "wall clock"),
        ("SM_7", "sm"),
    ],
)
def test_names(text: str, label: str) -> None:
    assert plain_label(text) == label


def test_no_name() -> None:
    with pytest.raises(BenchDataError, match="no name"):
        plain_label("_12")


def test_a_gaussian_belongs_to_the_smallest_box_around_it_and_to_things_before_structure() -> None:
    def one(number: int, centre: tuple[float, ...], size: float, *, structure: bool = False) -> Instance:
        box = OrientedBox.upright(centre, (size, size, size), heading_rad=0.3)
        return Instance(id=number, label="thing", box=box, is_structure=structure)

    instances = [
        one(0, (0, 0, 0), 4),
        one(1, (0, 0, 0), 1),
        one(2, (0, 0, 0), 0.2, structure=True),
        one(9, (8, 0, 0), 1),
    ]
    points = np.array([[0, 0, 0], [0.3, 0, 0], [1.5, 0, 0], [8, 0, 0.2], [20, 0, 0]])
    assert ids_in_boxes(points, instances).tolist() == [1, 1, 0, 9, -1]
    assert ids_in_boxes(points, instances[2:]).tolist() == [2, -1, -1, 9, -1]
    assert ids_in_boxes(points, instances[::-1]).tolist() == [1, 1, 0, 9, -1]


def test_boxes_of_a_file_turn_with_the_world(tmp_path: Path) -> None:
    """A world whose y points down, in decimetres: a lamp 1.8 m high that stands 2 m in front of the first camera."""
    write_json(
        tmp_path / "boxes.json",
        {
            "boxes": [
                {"label": "Floor_Lamp", "centre": [0, 1, 20], "size": [3, 18, 4]},
                {
                    "label": "car",
                    "centre": [0, 0, 0],
                    "size": [40, 20, 15],
                    "quat_wxyz": [0.5**0.5, -(0.5**0.5), 0, 0],
                    "has_front": True,
                    "description": "the old car",
                },
            ]
        },
    )
    change = WorldChange.upright([0, -1, 0], scale=0.1)
    lamp, car = instances_of(read_boxes(tmp_path / "boxes.json"), change, "boxes.json")
    assert (lamp.label, lamp.description, lamp.is_structure) == ("floor lamp", "the floor lamp", False)
    np.testing.assert_allclose(lamp.box.size_m, [0.4, 0.3, 1.8])
    np.testing.assert_allclose(lamp.box.centre_m, [0, 2, -0.1], atol=1e-12)
    assert lamp.box.world_from_box[2, 2] == pytest.approx(1)
    # Its file says x is its front; y down became z up, so a quarter turn about x undoes it.
    np.testing.assert_allclose(np.abs(car.box.world_from_box), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(car.box.size_m, [4, 2, 1.5])
    assert car.description == "the old car"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({}, "boxes"),
        ([{"label": "a", "centre": [0, 0], "size": [1, 1, 1]}], "0.centre"),
        ([{"label": "a", "centre": [0, 0, 0], "size": [1, 0, 1]}], "0.size.1"),
        ([{"label": "a", "centre": [0, 0, 0], "size": [1, 1, 1], "colour": "red"}], "0.colour"),
    ],
)
def test_bad_box_files_name_the_field(tmp_path: Path, content: object, what: str) -> None:
    write_json(tmp_path / "boxes.json", content)
    with pytest.raises(BenchDataError, match=what):
        read_boxes(tmp_path / "boxes.json")


def test_a_bad_box_is_named_by_its_number(tmp_path: Path) -> None:
    entry = {"label": "a", "centre": [0, 0, 0], "size": [1, 1, 1]}
    write_json(tmp_path / "boxes.json", [entry, entry | {"quat_wxyz": [0, 0, 0, 0]}])
    with pytest.raises(BenchDataError, match="box 1"):
        instances_of(read_boxes(tmp_path / "boxes.json"), WorldChange(), "boxes.json")


def test_descriptions_are_those_of_all_compared_with_all() -> None:
    from seeworthy.bench_data.scenes.describing import described
    from seeworthy.bench_data.scenes.importing.boxes_file import with_descriptions

    box = OrientedBox.upright((0, 0, 0), (1, 1, 1))
    labels = ["chair", "office chair", "lamp", "floor lamp", "table", "vase", "vase", "armchair"]
    attributes = [{}, {}, {"colour": "red"}, {"colour": "blue"}, {}, {"colour": "red"}, {"colour": "blue"}, {}]
    instances = [
        Instance(id=k, label=label, box=box, attributes=words)
        for k, (label, words) in enumerate(zip(labels, attributes, strict=True))
    ]
    found = [one.description for one in with_descriptions(instances)]
    assert found == [one.description for one in described(instances)]
    assert found[3:6] == ["the blue floor lamp", "the table", "the red vase"]


def test_descriptions_that_are_given_twice_are_dropped() -> None:
    entries = [{"label": "a", "centre": [0, 0, 0], "size": [1, 1, 1], "description": "the one"}] * 2

    from seeworthy.bench_data.scenes.importing.boxes_file import BoxEntry

    found = instances_of([BoxEntry.model_validate(one) for one in entries], WorldChange(), "x")
    assert [one.description for one in found] == ["", ""]
