"""What is asked about each picture of a room."""

from __future__ import annotations

from collections import Counter

import pytest

from seeworthy.bench_data.building.sights import scene_truth
from seeworthy.bench_data.questions import QUESTION_SUITES, Refusals, SceneTruth
from seeworthy.bench_data.questions.suites.spacedg import SpaceDGSettings
from seeworthy.bench_data.scenes.procedural import Lens, make_room
from seeworthy.bench_data.views import Observer
from seeworthy.diagnostics.nano.lessons import Lesson, lessons_of

EXISTS = "spacedg/object_existence_estimation.visible_existence"
COUNT = "spacedg/object_counting.visible_count"
TWO_OBJECTS = "spacedg/camera_object_relative_direction.two_objects"
ELSEWHERE = "aquarium"


@pytest.fixture(scope="module")
def truth() -> SceneTruth:
    scene = make_room(7, objects=14, views=6, lens=Lens(96, 72), density=0.1)
    return scene_truth(scene, [Observer(scene).observe(view, threads=1) for view in scene.views])


def plain_lessons(truth: SceneTruth, shares: dict[str, float]) -> list[tuple[Lesson, ...]]:
    """Of each view without numbers."""
    found = lessons_of(truth, seed=5, numberings=1, label_shares=shares)
    assert [one.view for one in found[: len(truth.views)]] == list(range(len(truth.views)))
    return [one.lessons for one in found if not one.numbers]


def test_what_other_rooms_hold_is_looked_for_in_every_picture(truth: SceneTruth) -> None:
    # Nearly all rooms hold the first, and hardly one the others: so that yes and no are as likely of each category.
    present = {one.label: 0.0 for one in truth.objects.values()}
    for lessons in plain_lessons(truth, {ELSEWHERE: 1.0, **present}):
        asked = [one.answer for one in lessons if one.kind == EXISTS and ELSEWHERE in one.prompt]
        assert set(asked) == {"no"}
        shown = {one.answer for one in lessons if one.kind == EXISTS and ELSEWHERE not in one.prompt}
        assert "yes" in shown


def test_no_lesson_is_given_twice_about_a_picture(truth: SceneTruth) -> None:
    for lessons in plain_lessons(truth, {ELSEWHERE: 0.5}):
        assert max(Counter(lessons).values()) == 1


def test_pictures_are_also_asked_about_as_if_each_were_the_only_one(truth: SceneTruth) -> None:
    """There, two things of a picture are compared with others of it, and its counts differ from one another."""
    settings, kinds = SpaceDGSettings(), (COUNT, TWO_OBJECTS)
    together = Counter(
        f"spacedg/{one.kind}" for one in QUESTION_SUITES.get("spacedg").generate(truth, settings, 5, Refusals())
    )
    found = Counter(one.kind for lessons in plain_lessons(truth, {}) for one in lessons)
    for kind in kinds:
        assert found[kind] > together[kind] > 0
