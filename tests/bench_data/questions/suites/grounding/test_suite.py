"""Grounding: what a text calls an object is true of that one alone, and its place is the one that the picture shows."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    AnswerType,
    Question,
    Refusals,
    SceneTruth,
    Sight,
    SuiteSettings,
    ViewTruth,
    measure,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.questions.seen import alike
from seeworthy.bench_data.questions.suites.grounding import KINDS, GroundingSettings
from seeworthy.bench_data.scenes import Instance, OrientedBox, SceneKind

from ...furnished import a_furnished_room

SUITE = QUESTION_SUITES.get("grounding")
SEEDS = (0, 1, 2)


def generated(truth: SceneTruth, settings: SuiteSettings | None = None, seed: int = 0) -> list[Question]:
    return list(SUITE.generate(truth, settings or GroundingSettings(), seed, Refusals()))


@cache
def room(seed: int) -> SceneTruth:
    return a_furnished_room(seed, objects=24)


@cache
def questions() -> tuple[tuple[SceneTruth, Question], ...]:
    return tuple((room(seed), one) for seed in SEEDS for one in generated(room(seed)))


def test_all_kinds_are_asked_in_all_their_wordings() -> None:
    assert {one.kind for _, one in questions()} == set(SUITE.kinds) == set(KINDS)
    for name, kind in KINDS.items():
        assert len({one.wording for _, one in questions() if one.kind == name}) == len(kind.wordings) >= 3


def test_the_plain_reference_finds_the_same_places() -> None:
    report = audit_keys([one for _, one in questions()], [room(seed) for seed in SEEDS])
    assert report.ok, report.as_text()


def test_places_are_those_of_the_sight() -> None:
    for truth, one in questions():
        view = truth.views[truth.view_index(one.views[0])]
        target = next(iter(one.names))
        sight = view.seen[target]
        box = sight.box_px
        if one.answer_type is AnswerType.BOX:
            assert one.truth == box
            assert one.tags["gt_type"] == "bbox"
        else:
            assert one.truth == sight.point_px
            assert one.tags["gt_type"] == "mask"
        assert one.margin == min(box[2] - box[0], box[3] - box[1]) >= (20 if one.answer_type is AnswerType.BOX else 8)
        assert sight.pixels >= 307
        assert sight.occlusion <= 0.5
        assert sight.truncation <= 0.5


def test_only_one_object_in_the_picture_is_what_the_text_says() -> None:
    """Each phrase is read anew, from its words, against everything with a pixel."""
    for truth, one in questions():
        view = truth.views[truth.view_index(one.views[0])]
        facts = truth.facts([truth.view_index(one.views[0])])
        seen = {number: truth.objects[number] for number in view.seen}
        target, phrase = next(iter(one.names.items()))
        way = KINDS[one.kind].way
        label = seen[target].label
        rivals = {number for number, other in seen.items() if alike(other.label, label)} - {target}
        if way == "description":
            assert phrase == truth.objects[target].description
        elif way == "category":
            assert not rivals
        elif way == "attribute":
            word = phrase.split()[1]
            attribute = next(name for name, value in seen[target].attributes.items() if value == word)
            for number in rivals:
                other = seen[number].attributes
                assert other.get(attribute, word if f"{attribute}_may_be" not in other else "") != word
                assert word not in other.get(f"{attribute}_may_be", "").split()
        elif way == "side":
            middles = {n: (view.seen[n].box_px[0] + view.seen[n].box_px[2]) / 2 for n in {target, *rivals}}
            sign = 1 if "leftmost" in phrase else -1
            assert all(sign * (middles[n] - middles[target]) >= 20 for n in rivals)
        else:
            values = {number: _value(way, number, one, facts) for number in {target, *rivals}}
            low = any(word in phrase for word in ("nearest", "shortest"))
            best = (min if low else max)(values, key=lambda number: values[number])
            assert best == target, one.text


def _value(way: str, number: int, one: Question, facts: object) -> float:
    ref = q.ObjectRef(number)
    quantity: q.Quantity
    if way == "height":
        quantity = q.Size(ref, "height")
    elif way == "distance":
        quantity = q.Distance(q.CameraRef(0), ref)
    else:
        quantity = q.Distance(q.ObjectRef(list(one.names)[1]), ref)
    return measure(quantity, facts)  # type: ignore[arg-type]


def a_row(*things: tuple[str, float, dict[str, str]], pixels: int = 2000) -> SceneTruth:
    """Things beside each other, 4 m before a camera: label, place to the right in metres, attributes."""
    pose = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 1], [0, 0, 0, 1]])
    camera = Camera(width=640, height=480, fx=400, fy=400, cx=320, cy=240, world_from_camera=pose)
    instances, seen = [], {}
    for number, (label, right_m, attributes) in enumerate(things):
        box = OrientedBox.upright((right_m, 4.0, 0.3), (0.4, 0.4, 0.6))
        instances.append(Instance(id=number, label=label, box=box, attributes=attributes))
        u = 320 + 100 * right_m
        seen[number] = Sight(
            pixels=pixels, occlusion=0.0, truncation=0.0, box_px=(u - 20, 280, u + 20, 340), point_px=(u + 0.5, 310.5)
        )
    return SceneTruth(
        scene="row", kind=SceneKind.ROOM, instances=tuple(instances), views=(ViewTruth("a", camera, seen),)
    )


def phrases(truth: SceneTruth) -> set[str]:
    return {next(iter(one.names.values())) for one in generated(truth)}


def test_what_things_may_be_called() -> None:
    red, blue = {"colour": "red"}, {"colour": "blue"}
    assert phrases(a_row(("chair", 0, red))) == {"the chair"}
    both = phrases(a_row(("chair", -1, red), ("chair", 1, blue)))
    assert both == {
        "the red one of the chairs",
        "the blue one of the chairs",
        "the leftmost chair",
        "the rightmost chair",
    }
    # With an armchair about, no chair is the chair; but an armchair is the armchair, and a chair.
    mixed = phrases(a_row(("chair", -1, red), ("armchair", 1, blue)))
    assert {"the chair", "the armchair"}.isdisjoint(mixed)
    assert "the red one of the chairs" in mixed
    assert "the rightmost chair" in mixed
    assert "the leftmost armchair" not in mixed
    # Of what may be red as well, neither is "the red one".
    maybe = phrases(a_row(("chair", -1, red), ("chair", 1, {"colour_may_be": "red brown"})))
    assert "the red one of the chairs" not in maybe
    assert "the red one of the chairs" not in phrases(a_row(("chair", -1, red), ("chair", 1, {})))
    assert "the red one of the chairs" in phrases(a_row(("chair", -1, red), ("chair", 1, {"colour_may_be": "brown"})))
    # Two red ones cannot be told apart by colour, nor two at one place by side.
    assert phrases(a_row(("chair", 0, red), ("chair", 0.1, red))) == set()


def test_what_shows_little_is_a_rival_but_not_asked_about() -> None:
    truth = a_row(("stool", -1, {"colour": "red"}), ("stool", 1, {"colour": "blue"}))
    view = truth.views[0]
    sliver = replace(view.seen[0], pixels=20)
    found = phrases(replace(truth, views=(replace(view, seen={**view.seen, 0: sliver}),)))
    assert found == {"the blue one of the stools", "the rightmost stool"}


def test_left_and_right_need_the_world_and_the_picture_to_agree() -> None:
    truth = a_row(("stool", -1, {}), ("stool", 1, {}))
    view = truth.views[0]
    crossed = {0: view.seen[1], 1: view.seen[0]}
    assert phrases(replace(truth, views=(replace(view, seen=crossed),))) == set()


def test_json_and_limits() -> None:
    kinds = set()
    for _, one in questions():
        if one.kind not in kinds:
            kinds.add(one.kind)
            assert question_from_json(question_to_json(one)) == one
    found = generated(room(0), GroundingSettings(most_per_kind=3))
    assert max(Counter(one.kind for one in found).values()) == 3
    assert len({one.id for one in found}) == len(found)
    assert generated(room(0), SuiteSettings(most_per_kind=1))


def test_there_is_no_published_rule() -> None:
    with pytest.raises(BenchDataError, match="no published rule"):
        generated(room(0), GroundingSettings(published=True))

    class Other(SuiteSettings):
        pass

    with pytest.raises(BenchDataError, match="GroundingSettings"):
        generated(room(0), Other())


def test_empty_scenes() -> None:
    bare = room(0)
    assert generated(SceneTruth(scene="e", kind=bare.kind, instances=(), views=())) == []
    assert generated(replace(bare, views=tuple(replace(view, seen={}) for view in bare.views))) == []


def test_the_same_seed_gives_the_same_questions_in_any_process() -> None:
    code = "from tests.bench_data.questions.suites.grounding.test_suite import fingerprint\nprint(fingerprint(3))\n"
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[5],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert other.stdout.strip() == fingerprint(3) != fingerprint(4)


def fingerprint(seed: int) -> str:
    """SHA-256 of all questions of a room."""
    lines = [question_to_json(one) for one in generated(a_furnished_room(1, views=5), seed=seed)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
