"""The sound generator on made-up rooms and streets: keys hold under audit, margins are kept, nothing can be guessed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    AnswerType,
    Question,
    Refusals,
    SceneTruth,
    SuiteSettings,
    ViewTruth,
    evaluate,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.questions.suites import crisp
from seeworthy.bench_data.questions.suites.crisp import CrispSettings, generate, picture_graphs
from seeworthy.bench_data.questions.suites.crisp.kinds import ABILITIES, KINDS, SLOTS, difficulty
from seeworthy.bench_data.scenes import SceneKind

from ...truths import random_truth

ROOT = Path(__file__).parents[5]
KINDS_OF_PLACE = (SceneKind.ROOM, SceneKind.STREET)


@cache
def made(kind: SceneKind, published: bool = False) -> tuple[tuple[SceneTruth, tuple[Question, ...]], ...]:
    settings = CrispSettings(published=published)
    scenes = [random_truth(seed, kind=kind, views=20, objects=5 + seed, occluded=0.3) for seed in range(8)]
    return tuple((truth, tuple(generate(truth, settings, 7, Refusals()))) for truth in scenes)


def all_questions(kind: SceneKind, published: bool = False) -> list[Question]:
    return [question for _, questions in made(kind, published) for question in questions]


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
@pytest.mark.parametrize("published", [False, True])
def test_every_key_is_what_the_slow_reference_finds(place: SceneKind, published: bool) -> None:
    for truth, questions in made(place, published):
        for question in questions[::2]:
            found = evaluate(question.query, truth.facts([truth.view_index(name) for name in question.views]))
            if question.answer_type is AnswerType.CHOICE:
                assert str(found.value) == question.truth
            elif isinstance(question.truth, float):
                assert question.truth == pytest.approx(found.value, abs=0.00501 if published else 1e-6)
            else:
                assert found.value == question.truth
                assert type(found.value) is type(question.truth)
            if question.margin != 0:
                assert question.margin == (None if found.margin is None else pytest.approx(found.margin, abs=1e-9))


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
@pytest.mark.parametrize("published", [False, True])
def test_every_key_follows_from_its_derivation(place: SceneKind, published: bool) -> None:
    for truth, questions in made(place, published):
        report = audit_keys(questions, [truth])
        assert report.ok, report.as_text()
        assert report.not_derived == {}


def test_the_generator_keeps_its_name() -> None:
    """Its parts are imported when they are needed, and none may take its place in the package."""
    list(crisp.generate(random_truth(0), CrispSettings(), 0, Refusals()))
    assert crisp.generate is generate


def test_all_kinds_occur_and_are_well_formed() -> None:
    assert len(KINDS) == 27
    assert sum(len(kinds) for kinds in ABILITIES.values()) == 27
    assert all(len(set(kind.wordings)) >= 3 for kind in KINDS.values())
    rooms, streets = (all_questions(place) for place in KINDS_OF_PLACE)
    assert {question.kind for question in rooms} == set(KINDS)
    assert {question.kind for question in streets} == set(KINDS) - {"is_above", "is_below"}
    wordings: defaultdict[str, set[int]] = defaultdict(set)
    for question in rooms + streets:
        kind = KINDS[question.kind]
        wordings[question.kind].add(question.wording)
        assert question.suite == "crisp"
        assert not question.published
        assert question.tags["ability"] == kind.ability
        assert "{" not in question.text
        assert question.text[0].isupper()
        assert all(name in question.text for name in question.names.values())
        assert all(name == f"object {question.marks[one]}" for one, name in question.names.items())
        assert all(fact.what for fact in question.derivation)
        assert question.derivation
        assert question.answer_format.answer_type is question.answer_type
        assert question_from_json(question_to_json(question)) == question
        if question.options:
            assert question.letter is not None
            assert len({option.text for option in question.options}) == len(question.options)
        if question.margin is not None:
            assert question.margin > 0
            assert question.margin_unit
    assert all(numbers == {0, 1, 2} for kind, numbers in wordings.items() if kind != "count_within")
    ids = [question.id for question in rooms + streets]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
def test_pictures_get_the_questions_of_their_difficulty(place: SceneKind) -> None:
    for _, questions in made(place):
        views = defaultdict(list)
        for question in questions:
            views[question.views].append(question)
        for group in views.values():
            numbers = sorted(group[0].marks.values())
            assert numbers == list(range(1, len(numbers) + 1))
            assert all(question.marks == group[0].marks for question in group)
            level = difficulty(len(numbers) - 1)
            assert level is not None
            found = Counter(question.tags["ability"] for question in group)
            for ability, count in found.items():
                assert count <= SLOTS[level][ability]  # type: ignore[index]
            assert len({(question.query, question.kind).__repr__() for question in group}) == len(group)


def test_numbers_say_nothing_about_the_order_of_objects() -> None:
    first = [list(question.marks.values()) for question in all_questions(SceneKind.ROOM)]
    rising = sum(marks == sorted(marks) for marks in first if len(marks) > 4)
    assert rising < 0.05 * len(first)


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
def test_margins_are_kept(place: SceneKind) -> None:
    margins = CrispSettings().margins(place)
    for truth, questions in made(place):
        for question in questions:
            if question.kind in ("nearer_camera", "farther_camera", "nearer_anchor", "farther_anchor"):
                assert question.margin is not None
                assert question.margin >= margins.distance_m
            if question.kind == "perspective":
                assert question.margin is not None
                assert question.margin >= margins.sector_deg
            if question.kind in ("bigger_volume", "taller"):
                small, large = sorted(fact.value for fact in question.derivation)
                ratio = margins.volume_ratio if question.kind == "bigger_volume" else margins.size_ratio
                assert large >= ratio * small
            if question.kind.startswith("is_"):
                # "No" means the opposite.
                assert isinstance(question.query, q.Related)
                facts = truth.facts([truth.view_index(question.views[0])])
                opposite = {"left": "right", "right": "left", "front": "behind", "behind": "front"}
                other = {**opposite, "above": "below", "below": "above"}[question.query.relations[0]]
                turned = q.Related(
                    question.query.of,
                    question.query.against,
                    (other,),  # type: ignore[arg-type]
                    question.query.frame,
                    question.query.dead_zone_m,
                )
                assert evaluate(turned, facts).value is not question.truth


def test_the_same_seed_gives_the_same_bytes_in_any_process() -> None:
    code = (
        "from seeworthy.bench_data.questions import *\n"
        "from seeworthy.bench_data.questions.suites.crisp import generate, CrispSettings\n"
        "from tests.bench_data.questions.truths import random_truth\n"
        "import hashlib\n"
        "h = hashlib.sha256()\n"
        "for question in generate(random_truth(3, views=6), CrispSettings(), 5, Refusals()):\n"
        "    h.update(question_to_json(question).encode())\n"
        "print(h.hexdigest())"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=ROOT, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1
    one = [question.text for question in generate(random_truth(3, views=6), CrispSettings(), 5, Refusals())]
    other = [question.text for question in generate(random_truth(3, views=6), CrispSettings(), 6, Refusals())]
    assert one != other


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
def test_options_alone_tell_nothing(place: SceneKind) -> None:
    questions = [
        question
        for seed in range(30, 62)
        for question in generate(
            random_truth(seed, kind=place, views=20, objects=6 + seed % 7), CrispSettings(), seed, Refusals()
        )
    ]
    yes = [question.truth for question in questions if question.answer_type is AnswerType.YES_NO]
    assert abs(sum(bool(truth) for truth in yes) / len(yes) - 0.5) < 0.05
    choices = [question for question in questions if question.options]
    chance = sum(1 / len(question.options) for question in choices) / len(choices)

    def gain(pick: str) -> float:
        return sum(_guess(question, pick) == question.truth for question in choices) / len(choices) - chance

    # 3,000 choices: a standard error of about 0.8 points.
    assert len(choices) > 2500
    for pick in ("first", "last", "longest", "shortest"):
        assert abs(gain(pick)) < 0.03, pick
    counts = [question for question in choices if question.kind.startswith("count")]
    for rank in range(4):
        hits = sum(sorted(question.options, key=_number)[rank].key == question.truth for question in counts)
        assert abs(hits / len(counts) - 0.25) < 0.08, rank
    sectors = [question for question in choices if question.kind == "perspective"]
    names = Counter(question.truth for question in sectors)
    offered = Counter(option.key for question in sectors for option in question.options)
    for name, count in names.items():
        assert abs(count / offered[str(name)] - 0.25) < 0.1
    directions = [question for question in choices if question.kind == "pick_direction"]
    for question in directions:
        sets = [set(option.key.split("+")) for option in question.options]
        assert not any(one < other for one in sets for other in sets)
    orders = [question for question in choices if question.kind.startswith("rank")]
    assert all(len(question.options) == 6 for question in orders)


def _guess(question: Question, pick: str) -> str:
    if pick == "first":
        return question.options[0].key
    if pick == "last":
        return question.options[-1].key
    return (max if pick == "longest" else min)(question.options, key=lambda option: len(option.text)).key


def _number(option: object) -> int:
    return int(option.key)  # type: ignore[attr-defined]


def test_objects_that_cannot_be_seen_well_are_not_asked_about() -> None:
    truth = random_truth(11, views=6, objects=12, occluded=0.9)
    settings = CrispSettings(least_pixels=2000, most_occlusion=0.4, most_truncation=0.2)
    questions = list(generate(truth, settings, 0, Refusals()))
    assert questions
    for question in questions:
        view = truth.views[truth.view_index(question.views[0])]
        for one in question.marks:
            sight = view.seen[one]
            assert sight.pixels >= 2000
            assert sight.occlusion <= 0.4
            assert sight.truncation <= 0.2


def test_of_too_many_objects_the_most_visible_are_marked() -> None:
    truth = random_truth(2, views=4, objects=30)
    questions = list(generate(truth, CrispSettings(most_objects=6), 0, Refusals()))
    view = truth.views[truth.view_index(questions[0].views[0])]
    marked = questions[0].marks
    assert len(marked) == 6
    clear = [one for one, s in view.seen.items() if s.pixels >= 308 and s.truncation <= 0.5]
    others = [view.seen[one].pixels for one in clear if one not in marked]
    assert others
    assert min(view.seen[one].pixels for one in marked) >= max(others)
    refusals = Refusals()
    assert not list(generate(truth, CrispSettings(published=True, most_objects=6), 0, refusals))
    assert refusals.counts["picture", "too many objects seen well enough"] == 4


def test_refusals_are_few_and_say_why() -> None:
    refusals = Refusals()
    truth = random_truth(1, views=12, objects=9)
    empty = ViewTruth("empty", truth.views[0].camera, {})
    twin = ViewTruth("twin", truth.views[0].camera, truth.views[0].seen)
    scene = SceneTruth(scene="s", kind=truth.kind, instances=truth.instances, views=(*truth.views, empty, twin))
    questions = list(generate(scene, CrispSettings(), 0, refusals))
    assert "empty" not in {question.views[0] for question in questions}
    assert not {"v0", "twin"} <= {question.views[0] for question in questions}
    assert refusals.counts["picture", "too few objects seen well enough"] >= 1
    assert refusals.counts["picture", "nearly the same graph as another picture"] >= 1
    reasons = {reason for _, reason in refusals.counts}
    assert len(reasons) < 20
    assert {kind for kind, _ in refusals.counts} <= {*KINDS, *ABILITIES, "picture"}
    both = list(generate(scene, CrispSettings(near_duplicate_share=None), 0, Refusals()))
    assert {"v0", "twin"} <= {question.views[0] for question in both}


def test_a_steep_camera_is_asked_nothing_that_needs_a_level() -> None:
    truth = random_truth(6, views=5, objects=8)
    questions = list(generate(truth, CrispSettings(steepest_pitch_deg=1.0), 0, Refusals()))
    assert questions
    for question in questions:
        assert not KINDS[question.kind].level
        assert question.kind != "perspective"
        found = evaluate(question.query, truth.facts([truth.view_index(question.views[0])]))
        assert str(found.value) == str(question.truth) or question.truth == pytest.approx(found.value, abs=1e-6)


@pytest.mark.parametrize("place", KINDS_OF_PLACE)
def test_the_graph_of_a_picture_answers_its_questions(place: SceneKind) -> None:
    """By the numbers drawn on the picture, and from sizes, distances and relations alone."""
    settings = CrispSettings()
    answered = 0
    for truth, questions in made(place):
        graphs = picture_graphs(truth, settings, 7)
        assert {question.views[0] for question in questions} <= set(graphs)
        for question in questions:
            graph = graphs[question.views[0]].without_positions()
            assert {node.id for node in graph.nodes} == set(question.marks.values())
            numbers = [question.marks[one] for one in question.names]
            if question.kind in ("is_left_of", "is_right_of", "is_in_front_of", "is_behind", "is_above", "is_below"):
                assert isinstance(question.query, q.Related)
                edge = graph.edge(numbers[1], numbers[0])
                assert edge is not None
                assert (question.query.relations[0] in edge.relations) == question.truth
            elif question.kind == "pick_direction":
                edge = graph.edge(numbers[1], numbers[0])
                assert edge is not None
                held = edge.relations if settings.asks_vertical(place) else set(edge.relations) - {"above", "below"}
                assert set(held) == set(str(question.truth).split("+"))
            elif question.kind == "pair_distance":
                edge = graph.edge(*numbers)
                assert edge is not None
                assert edge.distance_m == pytest.approx(question.truth, abs=1e-6)
            elif question.kind == "count_direction":
                assert numbers == [graph.centre]
                relation = question.query.quantity.where[0].relations[0]  # type: ignore[union-attr]
                count = sum(relation in edge.relations for edge in graph.edges)
                assert str(count) == str(question.truth)
            elif question.kind in ("length", "width", "height", "camera_distance"):
                node = graph.node(numbers[0])
                assert node is not None
                name = "distance_m" if question.kind == "camera_distance" else f"{question.kind}_m"
                assert getattr(node, name) == pytest.approx(question.truth, abs=1e-6)
            else:
                continue
            answered += 1
    assert answered > 200


def test_the_suite_is_registered_and_takes_plain_settings() -> None:
    suite = QUESTION_SUITES.get("crisp")
    assert suite.kinds == tuple(KINDS)
    truth = random_truth(1, views=8)
    few = list(suite.generate(truth, SuiteSettings(most_per_kind=1), 0, Refusals()))
    assert max(Counter(question.kind for question in few).values()) == 1
    published = list(suite.generate(truth, SuiteSettings(published=True, most_per_kind=1), 0, Refusals()))
    assert max(Counter(question.kind for question in published).values()) == 1
    assert all(question.published for question in published)
