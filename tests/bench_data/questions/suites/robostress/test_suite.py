"""RoboStress questions: four options, each right equally often, and keys that the plain reference confirms."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    AnswerType,
    Question,
    Refusals,
    SceneTruth,
    SuiteSettings,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.questions.leaks import audit_leaks
from seeworthy.bench_data.questions.seen import alike
from seeworthy.bench_data.questions.suites.robostress import KINDS, RoboStressSettings
from seeworthy.bench_data.questions.suites.robostress.kinds import RANKS, TOP_RANKS

from ...furnished import a_furnished_room

SUITE = QUESTION_SUITES.get("robostress")
SEEDS = (0, 1, 2, 3)


def generated(
    truth: SceneTruth, settings: SuiteSettings | None = None, seed: int = 0
) -> tuple[list[Question], Refusals]:
    refusals = Refusals()
    return list(SUITE.generate(truth, settings or RoboStressSettings(), seed, refusals)), refusals


@cache
def rooms() -> dict[str, SceneTruth]:
    return {one.scene: one for one in (a_furnished_room(seed, objects=26, views=30) for seed in SEEDS)}


@cache
def questions() -> tuple[Question, ...]:
    return tuple(one for truth in rooms().values() for one in generated(truth)[0])


def of(kind: str) -> list[Question]:
    found = [one for one in questions() if one.kind == kind]
    assert found, kind
    return found


def test_all_kinds_are_asked_in_all_their_wordings() -> None:
    assert {one.kind for one in questions()} == set(SUITE.kinds) == set(KINDS)
    for name, kind in KINDS.items():
        assert len({one.wording for one in of(name)}) == len(kind.wordings) >= 3, name


def test_the_plain_reference_finds_the_same_answers_and_margins() -> None:
    report = audit_keys(questions(), rooms().values())
    assert report.ok, report.as_text()
    assert report.not_derived == {}


def test_form() -> None:
    for one in questions():
        assert one.answer_type is AnswerType.CHOICE
        assert len(one.options) == 4
        assert one.tags["gt_type"] == "mcq"
        assert one.tags["task"] in ("spatial_mcq", "state_mcq")
        assert one.text[0].isupper()
        assert one.text[-1] in "?."
        assert "{" not in one.text
        assert (one.margin is None) == (one.margin_unit == "")
    for kind in KINDS:
        one = of(kind)[0]
        assert question_from_json(question_to_json(one)) == one
    assert len({one.id for one in questions()}) == len(questions())


def test_letters_and_keys_are_even() -> None:
    letters = Counter(one.letter for one in questions())
    total = len(questions())
    assert all(abs(letters[letter] / total - 0.25) < 2 / total**0.5 for letter in "ABCD")
    for kind in ("spatial.relation", "spatial.count_nearer"):
        for scene in rooms():
            keys = Counter(one.truth for one in of(kind) if one.scene == scene)
            assert max(keys.values()) - min(keys.get(key, 0) for key in keys) <= 2, (kind, scene, keys)
        assert len(Counter(one.truth for one in of(kind))) == 4


@pytest.mark.parametrize(
    ("kind", "ranks"),
    [("spatial.camera_distance", RANKS), ("spatial.object_distance", RANKS), ("spatial.top_height", TOP_RANKS)],
)
def test_each_place_in_an_order_is_asked_for_equally_often(kind: str, ranks: tuple[str, ...]) -> None:
    for scene in rooms():
        found = [one for one in of(kind) if one.scene == scene]
        asked = Counter(max((rank for rank in ranks if rank in one.text), key=len) for one in found)
        assert max(asked.values()) - min(asked.get(rank, 0) for rank in ranks) <= 1
    for one in of(kind):
        rank = max((rank for rank in ranks if rank in one.text), key=len)
        values = [fact.value for fact in one.derivation]
        place = ranks.index(rank)
        right = sorted(values, reverse=kind == "spatial.top_height")[place]
        keys = ("first", "second", "third", "fourth")
        assert keys[values.index(right)] == one.truth, one
        assert one.margin >= (0.12 if kind == "spatial.top_height" else 0.25) - 1e-9  # type: ignore[operator]


def test_relations_are_clear() -> None:
    for one in of("spatial.relation"):
        truth = rooms()[one.scene]
        sides = [max(truth.objects[number].box.size_m[:2]) for number in one.names]
        zone = max(0.1, 0.25 * sum(sides) / 2)
        right, forward, dead_zone = (fact.value for fact in one.derivation)
        assert dead_zone == pytest.approx(zone)
        assert min(abs(right), abs(forward)) >= 1.25 * zone - 1e-9
        assert one.truth == f"{'right' if right > 0 else 'left'}+{'behind' if forward > 0 else 'front'}"


def test_counts_are_beyond_dispute_and_each_is_right_once_a_group() -> None:
    right: Counter[tuple[str, object, frozenset[str], object]] = Counter()
    for one in of("spatial.count_category"):
        truth = rooms()[one.scene]
        label = one.query.quantity.label  # type: ignore[union-attr]
        view = truth.views[truth.view_index(one.views[0])]
        found = [number for number in view.seen if alike(truth.objects[number].label, label)]
        assert str(len(found)) == one.truth
        assert all(truth.objects[number].label == label for number in found)
        assert all(view.seen[number].pixels >= 307 and view.seen[number].occlusion <= 0.5 for number in found)
        right[one.scene, label, frozenset(option.key for option in one.options), one.truth] += 1
    for scene, label, shown in {group[:3] for group in right}:
        assert len({right[scene, label, shown, key] for key in shown}) == 1


def test_existence() -> None:
    ways = Counter(one.wording < 3 for one in of("state.existence"))
    assert abs(ways[True] - ways[False]) <= 0.15 * sum(ways.values())
    for one in of("state.existence"):
        truth = rooms()[one.scene]
        view = truth.views[truth.view_index(one.views[0])]
        present = Counter(truth.objects[number].label for number in view.seen)
        labels = {option.key: one.query.among[option.key].label for option in one.options}  # type: ignore[union-attr]
        there = {key for key, label in labels.items() if present[label]}
        assert len(there) == (1 if one.wording < 3 else 3)
        assert one.truth in (there if one.wording < 3 else set(labels) - there)
        # What is not there is not there under another name either.
        absent = [label for label in labels.values() if not present[label]]
        assert not any(alike(label, seen) for label in absent for seen in present)


@pytest.mark.parametrize("attribute", ["colour", "material"])
def test_appearances(attribute: str) -> None:
    for one in of(f"state.{attribute}"):
        truth = rooms()[one.scene]
        view = truth.views[truth.view_index(one.views[0])]
        words = {number: truth.objects[number].attributes[attribute] for number in one.names}
        assert len(set(words.values())) == 4
        (right,) = [number for number, name in one.names.items() if name == _text_of(one, one.truth)]
        word = words[right]
        assert {"wooden": "wood"}.get(word, word) in one.text
        for number in one.names:
            label = truth.objects[number].label
            assert sum(alike(label, truth.objects[other].label) for other in view.seen) == 1
            assert words[number] not in _text_of(one, "first").split()
    assert not any(" wooden" in one.text for one in questions())


def _text_of(one: Question, key: object) -> str:
    return next(option.text for option in one.options if option.key == key)


def test_nothing_leaks() -> None:
    found = [one for seed in range(8) for one in generated(a_furnished_room(60 + seed, objects=22, views=14))[0]]
    report = audit_leaks(found)
    assert report.ok, report.as_text()
    assert report.questions > 400


def test_names_are_right_as_often_as_chance_has_it() -> None:
    """Over all sets of four, no object's name is right much more often than every fourth time."""
    shown: defaultdict[str, int] = defaultdict(int)
    right: defaultdict[str, int] = defaultdict(int)
    for kind in ("spatial.camera_distance", "spatial.top_height", "state.colour"):
        for one in of(kind):
            for option in one.options:
                shown[option.text] += 1
                right[option.text] += option.key == one.truth
    often = [(right[name], count) for name, count in shown.items() if count >= 16]
    assert len(often) > 5
    # Four standard deviations of a coin that shows heads every fourth time.
    assert all(abs(hits - count / 4) < 4 * (count * 3 / 16) ** 0.5 for hits, count in often)


def test_limits_and_reasons() -> None:
    truth = next(iter(rooms().values()))
    found, refusals = generated(truth, RoboStressSettings(most_per_kind=5))
    assert max(Counter(one.kind for one in found).values()) <= 5
    assert {kind for kind, _ in refusals.counts} <= set(SUITE.kinds)
    assert not any(character.isdigit() for _, reason in refusals.counts for character in reason)
    assert generated(truth, SuiteSettings(most_per_kind=1))[0]


def test_there_is_no_published_rule() -> None:
    truth = next(iter(rooms().values()))
    with pytest.raises(BenchDataError, match="no published rule"):
        generated(truth, RoboStressSettings(published=True))

    class Other(SuiteSettings):
        pass

    with pytest.raises(BenchDataError, match="RoboStressSettings"):
        generated(truth, Other())


def test_empty_scenes() -> None:
    bare = next(iter(rooms().values()))
    assert generated(SceneTruth(scene="e", kind=bare.kind, instances=(), views=()))[0] == []
    assert generated(replace(bare, views=tuple(replace(view, seen={}) for view in bare.views)))[0] == []
    plain = replace(bare, instances=tuple(replace(one, attributes={}) for one in bare.instances))
    kinds = {one.kind for one in generated(plain)[0]}
    assert {"spatial.relation", "spatial.top_height", "state.existence"} <= kinds
    assert kinds.isdisjoint({"state.colour", "state.material"})


def test_the_same_seed_gives_the_same_questions_in_any_process() -> None:
    code = "from tests.bench_data.questions.suites.robostress.test_suite import fingerprint\nprint(fingerprint(3))\n"
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
    lines = [question_to_json(one) for one in generated(a_furnished_room(1, views=8), seed=seed)[0]]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
