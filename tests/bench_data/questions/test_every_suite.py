"""What holds for the questions of every suite, those of plug-ins included."""

from __future__ import annotations

from functools import cache

import pytest

from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    Question,
    Refusals,
    SceneTruth,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.scenes import SceneKind

from .indoor import a_room
from .truths import random_truth


@cache
def scenes() -> tuple[SceneTruth, ...]:
    return a_room(4), a_room(5, views=10), random_truth(0, kind=SceneKind.STREET, objects=14, views=6)


@cache
def questions(name: str) -> tuple[Question, ...]:
    suite = QUESTION_SUITES.get(name)
    settings = suite.settings(most_per_kind=12)
    return tuple(one for truth in scenes() for one in suite.generate(truth, settings, 3, Refusals()))


@pytest.mark.parametrize("name", QUESTION_SUITES.names())
def test_all_keys_are_right(name: str) -> None:
    report = audit_keys(questions(name), scenes())
    assert report.questions > 0
    assert report.ok, report.as_text()
    assert report.not_derived == {}
    assert sum(report.measured.values()) == report.questions


@pytest.mark.parametrize("name", QUESTION_SUITES.names())
def test_questions_say_what_they_are_and_survive_json(name: str) -> None:
    kinds = set(QUESTION_SUITES.get(name).kinds)
    for one in questions(name):
        assert one.suite == name
        assert one.kind in kinds
        assert not one.published
        assert one.answer_format.answer_type is one.answer_type
        assert question_from_json(question_to_json(one)) == one
    counts = [
        sum(one.kind == kind and one.scene == truth.scene for one in questions(name))
        for kind in kinds
        for truth in scenes()
    ]
    assert max(counts) <= 12


@pytest.mark.parametrize("name", QUESTION_SUITES.names())
def test_the_same_seed_gives_the_same_questions(name: str) -> None:
    suite = QUESTION_SUITES.get(name)
    settings = suite.settings(most_per_kind=12)
    again = [one for truth in scenes() for one in suite.generate(truth, settings, 3, Refusals())]
    assert tuple(again) == questions(name)
