"""Which questions no one could answer any more, on records made by hand; and where places moved, on drawn ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from seeworthy.bench_data.building import DataSet, ObjectRecord, PictureRecord
from seeworthy.bench_data.building.needs import Needs, Shown, why_unanswerable
from seeworthy.bench_data.marks import Mark
from seeworthy.bench_data.questions import AnswerType, Question
from seeworthy.bench_data.questions.query import (
    CameraRef,
    Candidate,
    Choose,
    Count,
    Distance,
    Exceeds,
    Exists,
    FacingFrame,
    LabelCount,
    Locate,
    ObjectRef,
    Query,
    RelationSet,
    Size,
    Turn,
    Value,
)
from seeworthy.bench_data.scenes import Instance, OrientedBox

pytestmark = pytest.mark.xdist_group("building")

BOX = OrientedBox.upright((0, 0, 0), (1, 1, 1))
OBJECTS = {
    number: Instance(id=number, label=label, box=BOX, description=f"the {colour} {label}")
    for number, label, colour in (
        (1, "chair", "red"),
        (2, "chair", "blue"),
        (3, "lamp", "tall"),
        (4, "chair", "green"),
        (5, "vase", "old"),
    )
}


def picture(view: str, before: set[int], after: set[int], **more: object) -> PictureRecord:
    """A picture that showed some objects and shows others now."""
    records = [
        ObjectRecord(
            id=one,
            clean_pixels=100 * (one in before),
            pixels=100 * (one in after),
            clean_ratio=5.0 * (one in before),
            ratio=5.0 * (one in after),
            was_visible=one in before,
            is_visible=one in after,
            box_px=(0.0, 0.0, 10.0, 10.0) if one in after else None,
            point_px=(5.0, 5.0) if one in after else None,
        )
        for one in sorted(before | after)
    ]
    values: dict[str, object] = {
        "condition": "haze-3",
        "scene": "s",
        "view": view,
        "picture": "p.png",
        "pixels_sha256": "0",
        "degradations": (),
        "moves_pixels": False,
        "depth": "d.png",
        "instances": "i.png",
        "objects": tuple(records),
    }
    return PictureRecord.model_validate({**values, **more})


def question(query: Query, *, views: int = 1, truth: bool | float = 1.0, **more: object) -> Question:
    values: dict[str, object] = {
        "id": "q",
        "suite": "crisp",
        "kind": "k",
        "scene": "s",
        "views": tuple(f"v{at}" for at in range(views)),
        "query": query,
        "text": "?",
        "answer_type": AnswerType.NUMBER,
        "truth": truth,
    }
    return Question(**{**values, **more})  # type: ignore[arg-type]


def why(asked: Question, *pictures: PictureRecord) -> str:
    return why_unanswerable(asked, Needs.of(asked), Shown.of(pictures), OBJECTS)


APART = Value(Distance(ObjectRef(1), ObjectRef(3)))
FROM_CAMERA = Value(Distance(ObjectRef(1), CameraRef(1)))
TURNED = Value(Turn(0, 1, "yaw"))
CHAIRS = Value(LabelCount("chair", (0,)))
CHAIR = Exists("chair", (0,))
BEHIND = Value(Count((1, 3), (Exceeds(Distance(Candidate(), CameraRef(0)), 1.0),)))


@pytest.mark.parametrize(
    ("query", "truth", "views", "says"),
    [
        (APART, 1.0, [({1, 3}, {1, 3})], ""),
        (APART, 1.0, [({1, 3}, {3})], "chair can no longer be seen"),
        (APART, 1.0, [({3}, {3})], ""),
        (APART, 1.0, [({1, 3}, {3}), ({1}, {1})], ""),
        (APART, 1.0, [({1}, {1}), ({3}, {1})], "lamp can no longer be seen"),
        (BEHIND, 1.0, [({1, 3}, {1})], "lamp can no longer be seen"),
        (CHAIRS, 2, [({1, 2, 3}, {1, 2})], ""),
        (CHAIRS, 2, [({1, 2, 3}, {1, 3})], "1 of 2 objects of the category chair"),
        (CHAIRS, 2, [({1, 2}, {1, 2, 4})], "another chair came into the picture"),
        (CHAIRS, 2, [({1, 2}, {1, 2, 5})], ""),
        (CHAIR, True, [({1, 2}, {1})], ""),
        (CHAIR, True, [({1, 2, 3}, {3})], "2 of 2 objects of the category chair"),
        (CHAIR, True, [({1}, {1, 2})], ""),
        (CHAIR, False, [({3}, {3})], ""),
        (CHAIR, False, [({3}, {3, 4})], "another chair came into the picture"),
        (CHAIR, False, [({3}, set())], "no object can be seen any more in v0"),
        (TURNED, 20.0, [({1, 3}, {1}), ({1, 3}, {1})], ""),
        (TURNED, 20.0, [({1, 3}, {1}), ({1, 3}, {3})], "seen in all of the pictures"),
        (TURNED, 20.0, [({1, 3}, {1}), ({2}, {2})], ""),
        (TURNED, 20.0, [({1, 3}, {1, 3}), ({3}, set())], "no object can be seen any more in v1"),
        (FROM_CAMERA, 2.0, [({1, 3}, {1}), ({3}, {3})], "seen in all of the pictures"),
    ],
)
def test_what_can_be_answered(query: Query, truth: float, views: list[tuple[set[int], set[int]]], says: str) -> None:
    pictures = [picture(f"v{at}", before, after) for at, (before, after) in enumerate(views)]
    found = why(question(query, views=len(views), truth=truth), *pictures)
    assert (says in found) if says else found == ""


def test_needs_are_found_wherever_they_stand_in_a_query() -> None:
    frame = FacingFrame(at=ObjectRef(5), towards=CameraRef(0))
    found = Needs.of(question(RelationSet(ObjectRef(1), ObjectRef(3), frame, 0.2)))
    assert (found.objects, found.uses_cameras) == ({1, 3, 5}, True)
    choose = Choose({"1": Size(ObjectRef(1), "height"), "2": Distance(ObjectRef(2), ObjectRef(4))}, "largest")
    assert Needs.of(question(Locate(choose, 0, "box"))).objects == {1, 2, 4}
    assert Needs.of(question(Locate(3, 0, "point"))).objects == {3}
    assert Needs.of(question(BEHIND)).objects == {1, 3}


def test_places_by_category_suffer_from_newcomers_and_descriptions_do_not() -> None:
    newcomer = picture("v0", {1}, {1, 2})
    by_category = question(Locate(1, 0, "box"), names={1: "the chair"})
    assert "another chair" in why(by_category, newcomer)
    assert why(replace(by_category, names={1: "the red chair"}), newcomer) == ""


def test_marks_that_could_not_be_drawn() -> None:
    asked = question(APART, marks={1: 4, 3: 2, 5: 1})
    drawn = [Mark(one, number, (9.0, 9.0), 6.0) for one, number in ((1, 4), (3, 2))]
    assert why(asked, picture("v0", {1, 3}, {1, 3}, marks={"crisp": drawn})) == ""
    assert "mark 2 could not be drawn" in why(asked, picture("v0", {1, 3}, {1, 3}, marks={"crisp": drawn[:1]}))
    assert "no room" in why(asked, picture("v0", {1, 3}, {1, 3}, unmarked={"crisp": "there is no room"}))


def test_places_move_with_their_objects(built: DataSet) -> None:
    """Under another lens the answer lies on the same object in the stored ids, and its box is that of its pixels."""

    def ids(condition: str, scene: str, view: str) -> np.ndarray:
        name = built.record(condition, scene, view).instances
        return np.asarray(Image.open(built.root / name)).astype(int)

    clean = {one.question.id: one for one in built.asked("grounding", "clean")}
    moved = points = boxes = 0
    for one in built.asked("grounding", "distortion-3"):
        before, after = clean[one.question.id].question, one.question
        if not one.has_truth:
            assert not one.answerable
            continue
        scene, view = after.scene, after.views[0]
        old_ids, new_ids = ids("clean", scene, view), ids("distortion-3", scene, view)
        assert isinstance(before.truth, tuple)
        assert isinstance(after.truth, tuple)
        moved += before.truth != after.truth
        if after.answer_type is AnswerType.POINT:
            (x0, y0), (x1, y1) = before.truth, after.truth
            assert old_ids[int(y0), int(x0)] == new_ids[int(y1), int(x1)] > 0
            points += 1
        else:
            seen = built.truth(scene).views[built.truth(scene).view_index(view)].seen
            candidates = [number for number, sight in seen.items() if sight.box_px == before.truth]
            assert any(_box(new_ids == number + 1) == after.truth for number in candidates)
            boxes += 1
    assert moved
    assert points
    assert boxes
    for one in built.asked("grounding", "haze-3"):
        assert one.question.truth == clean[one.question.id].question.truth


def _box(mask: np.ndarray) -> tuple[float, ...]:
    rows, columns = np.nonzero(mask)
    return tuple(map(float, (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))) if len(rows) else ()
