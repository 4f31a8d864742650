"""Questions of made-up rooms: every truth is found again by the plain reference, and the rules are kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    AnswerType,
    Question,
    Refusals,
    SceneTruth,
    SuiteSettings,
    evaluate,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions.suites.spacedg import KINDS, SpaceDGSettings
from seeworthy.bench_data.questions.suites.spacedg.kinds import BEARINGS
from seeworthy.bench_data.questions.wording import plural, with_article

from ...indoor import a_room

SUITE = QUESTION_SUITES.get("spacedg")
SEEDS = (0, 1, 2)


@cache
def room(seed: int) -> SceneTruth:
    return a_room(seed)


def generated(truth: SceneTruth, settings: SuiteSettings, seed: int = 0) -> tuple[list[Question], Refusals]:
    refusals = Refusals()
    return list(SUITE.generate(truth, settings, seed, refusals)), refusals


@cache
def questions(published: bool) -> tuple[tuple[SceneTruth, Question], ...]:
    settings = SpaceDGSettings(published=published)
    return tuple((room(seed), one) for seed in SEEDS for one in generated(room(seed), settings)[0])


def of_kind(sub_type: str, published: bool = False) -> list[tuple[SceneTruth, Question]]:
    found = [(truth, one) for truth, one in questions(published) if one.kind == KINDS[sub_type].name]
    assert found, f"no question of kind {sub_type}"
    return found


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("sub_type", KINDS)
def test_the_plain_reference_finds_the_same_truth_and_margin(sub_type: str, published: bool) -> None:
    for truth, one in of_kind(sub_type, published):
        found = evaluate(one.query, truth.facts([truth.view_index(name) for name in one.views]))
        assert type(found.value) is type(one.truth), one
        if isinstance(one.truth, float | tuple):
            assert found.value == pytest.approx(one.truth, abs=1e-9)
        else:
            assert found.value == one.truth, one
        assert found.margin == pytest.approx(one.margin, abs=1e-6)


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("sub_type", KINDS)
def test_questions_are_well_formed(sub_type: str, published: bool) -> None:
    kind = KINDS[sub_type]
    assert len(kind.wordings) >= 3
    found = of_kind(sub_type, published)
    assert len({one.wording for _, one in found}) >= 3
    for truth, one in found:
        assert one.published is published
        assert one.suite == "spacedg"
        assert one.answer_format.answer_type is kind.answer_type
        assert all(name in one.text for name in one.names.values())
        assert all(truth.objects[number].description == name for number, name in one.names.items())
        assert "{" not in one.text
        assert one.text[0].isupper()
        assert one.text[-1] in "?.]"
        assert (one.margin is None) == (one.margin_unit == "")
        assert one.derivation
        if kind.answer_type is AnswerType.CHOICE:
            keys = [option.key for option in one.options]
            assert one.truth in keys
            assert 2 <= len(keys) == len(set(keys)) == len({option.text for option in one.options}) <= 4
        else:
            assert not one.options
    ids = [one.id for _, one in questions(published)]
    assert len(set(ids)) == len(ids)


def test_questions_survive_json() -> None:
    seen = set()
    for _, one in questions(False):
        if one.kind not in seen:
            seen.add(one.kind)
            assert question_from_json(question_to_json(one)) == one
    assert seen == set(SUITE.kinds)


def test_answers_of_choices_are_balanced_in_each_set_of_options() -> None:
    """However skewed a room is: within a scene each option of a set is right equally often."""
    right: Counter[tuple[str, str, frozenset[str], str]] = Counter()
    for truth, one in questions(False):
        if one.answer_type is AnswerType.CHOICE and "size" not in one.kind:
            # Compass questions with one declared direction are balanced by themselves.
            declared = next((word for word, _ in BEARINGS if f" {word}" in one.text.split("{")[0]), "")
            declared = declared if "cardinal" in one.kind else ""
            shown = frozenset(option.key for option in one.options)
            right[truth.scene, one.kind + declared, shown, str(one.truth)] += 1
    groups = {(scene, kind, shown) for scene, kind, shown, _ in right}
    assert len(groups) > 50
    for scene, kind, shown in groups:
        assert len({right[scene, kind, shown, key] for key in shown}) == 1, (scene, kind, shown)


def test_directions_of_one_question_have_equally_many_words() -> None:
    for sub_type in ("main_dir", "single_dominant", "dual_dominant", "bbox_center_direction"):
        for _, one in of_kind(sub_type):
            assert len({option.key.count("+") for option in one.options}) == 1
    assert any("+" in str(one.truth) for _, one in of_kind("main_dir"))


def test_each_threshold_is_asked_twice_with_different_answers() -> None:
    answers: defaultdict[tuple[str, object], list[object]] = defaultdict(list)
    factors = []
    for truth, one in of_kind("distance_threshold"):
        threshold = one.query.right  # type: ignore[union-attr]
        assert f"{threshold:.2f}" in one.text
        answers[truth.scene, threshold].append(one.truth)
        factors.append(float(threshold) / one.derivation[0].value)  # type: ignore[arg-type]
    assert all(2 * sum(map(bool, said)) == len(said) for said in answers.values())
    assert all(0.6 <= factor <= 0.85 or 1.15 <= factor <= 1.4 for factor in factors)
    # No pile-up at the ends, as 37.5 % of the published draws have.
    assert sum(abs(factor - 0.85) < 1e-3 or abs(factor - 1.15) < 1e-3 for factor in factors) < 0.05 * len(factors)
    piled = [
        float(one.query.right) / one.derivation[0].value  # type: ignore[union-attr, arg-type]
        for _, one in of_kind("distance_threshold", published=True)
    ]
    share = sum(min(abs(factor - 0.85), abs(factor - 1.15)) < 0.01 for factor in piled) / len(piled)
    assert 0.25 < share < 0.5


def test_existence_says_yes_and_no_equally_often_for_each_category() -> None:
    answers: defaultdict[str, list[object]] = defaultdict(list)
    for _, one in of_kind("visible_existence"):
        label = one.query.label  # type: ignore[union-attr]
        assert with_article(label) in one.text
        answers[label].append(one.truth)
    assert len(answers) > 4
    assert all(2 * said.count(True) == len(said) for said in answers.values())


def test_existence_across_scenes_follows_the_shares() -> None:
    truths = [a_room(seed, objects=8, views=6) for seed in range(40)]
    held = Counter(label for truth in truths for label in {one.label for one in truth.objects.values()})
    shares = {label: count / len(truths) for label, count in held.items()}
    settings = SpaceDGSettings(label_shares=shares)
    answers: defaultdict[str, list[object]] = defaultdict(list)
    absent = 0
    for truth in truths:
        labels = {one.label for one in truth.objects.values()}
        for one in generated(truth, settings)[0]:
            if one.kind == KINDS["visible_existence"].name:
                answers[one.query.label].append(one.truth)  # type: ignore[union-attr]
                absent += one.query.label not in labels  # type: ignore[union-attr]
    assert absent > 20
    said = [answer for several in answers.values() for answer in several]
    assert abs(said.count(True) / len(said) - 0.5) < 2 / len(said) ** 0.5


def test_counts_are_beyond_dispute() -> None:
    for truth, one in of_kind("visible_count"):
        view = truth.views[truth.view_index(one.views[0])]
        label = one.query.quantity.label  # type: ignore[union-attr]
        sights = [sight for number, sight in view.seen.items() if truth.objects[number].label == label]
        assert len(sights) == one.truth
        assert all(s.occlusion <= 0.6 and s.truncation <= 0.5 and s.pixels >= 307 for s in sights)
        assert plural(label) in one.text
    values = Counter(one.truth for _, one in of_kind("visible_count"))
    assert max(values.values()) <= len(of_kind("visible_count")) / 2


def test_objects_are_seen_well_where_they_are_asked_about() -> None:
    for truth, one in questions(False):
        views = [truth.views[truth.view_index(name)] for name in one.views]
        for number in one.names:
            sights = [view.seen[number] for view in views if number in view.seen]
            assert any(s.occlusion <= 0.6 and s.truncation <= 0.5 and s.pixels >= 307 for s in sights), one
            assert truth.objects[number].description


def test_the_direction_of_an_object_is_asked_where_only_the_first_picture_shows_it() -> None:
    for truth, one in of_kind("bbox_center_direction"):
        first, second = (truth.views[truth.view_index(name)] for name in one.views)
        (number,) = one.names
        assert number in first.seen
        assert number not in second.seen
    for truth, one in of_kind("bbox_center_direction", published=True):
        assert all(set(one.names) <= truth.views[truth.view_index(name)].seen.keys() for name in one.views)


def test_triplets_need_both_pictures_and_do_not_touch() -> None:
    for sub_type in ("relpos_A_facing_B", "proxy_object_direction"):
        for truth, one in of_kind(sub_type):
            for name in one.views:
                assert not set(one.names) <= truth.views[truth.view_index(name)].seen.keys()
            boxes = [truth.objects[number].box for number in one.names]
            low, high = ([getattr(b.corners_m, m)(axis=0) for b in boxes] for m in ("min", "max"))
            for i, j in ((0, 1), (0, 2), (1, 2)):
                assert (low[i] > high[j]).any() or (low[j] > high[i]).any()
            assert len({truth.objects[number].label for number in one.names}) == 3


def test_borders_are_kept_clear_of() -> None:
    for sub_type in ("relpos_A_facing_B", "cross_image_assumed_dir", "proxy_object_direction"):
        assert all(one.margin >= 5 for _, one in of_kind(sub_type))  # type: ignore[operator]
        assert any(one.margin < 5 for _, one in of_kind(sub_type, published=True)) or sub_type != "relpos_A_facing_B"  # type: ignore[operator]
    assert all(one.margin >= 0.1 for _, one in of_kind("main_dir"))  # type: ignore[operator]


def test_comparisons_ask_both_ways_and_offer_the_same_to_groups_of_three() -> None:
    for sub_type in ("longest_side_compare", "top_height_compare"):
        found = of_kind(sub_type)
        picks = Counter(one.query.pick for _, one in found)  # type: ignore[union-attr]
        # Dealt in fours, so that a scene has at most one or two more of one kind.
        assert abs(picks["largest"] - picks["smallest"]) <= 2 * len(SEEDS)
        three = Counter(str(one.truth) for _, one in found if len(one.options) == 3)
        assert len(set(three.values())) <= 1
        assert not three or set(three) == {"first", "second", "same"}
        two = [one for _, one in found if len(one.options) == 2]
        firsts = sum(one.truth == "first" for one in two)
        assert abs(2 * firsts - len(two)) <= 4 * len(SEEDS)
    tops = [one for _, one in of_kind("top_height_compare")]
    assert any(one.truth == "same" for one in tops)
    for _, one in of_kind("longest_side_compare"):
        values = sorted(fact.value for fact in one.derivation)
        assert one.truth == "same" or 1.15 <= values[1] / values[0] <= 1.6


def test_published_comparisons_offer_four_options() -> None:
    for sub_type in ("longest_side_compare", "top_height_compare"):
        for _, one in of_kind(sub_type, published=True):
            assert {option.key for option in one.options} == {"first", "second", "same", "unknown"}


def test_the_same_seed_gives_the_same_questions_and_another_seed_others() -> None:
    first, again, other = (generated(room(0), SpaceDGSettings(), seed)[0] for seed in (0, 0, 1))
    assert first == again
    assert [one.text for one in first] != [one.text for one in other]


def test_questions_are_the_same_in_another_process() -> None:
    code = "from tests.bench_data.questions.suites.spacedg.test_suite import fingerprint\nprint(fingerprint())\n"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[5],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert found.stdout.strip() == fingerprint()


def fingerprint() -> str:
    """SHA-256 of all questions of a room."""
    lines = [question_to_json(one) for one in generated(room(1), SpaceDGSettings())[0]]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_no_more_than_wanted_of_a_kind() -> None:
    found, refusals = generated(room(0), SpaceDGSettings(most_per_kind=7))
    counts = Counter(one.kind for one in found)
    assert max(counts.values()) <= 7
    assert min(counts[kind.name] for kind in KINDS.values()) >= 1
    assert any(reason == "more than asked for" for _, reason in refusals.counts)


def test_few_fixed_reasons() -> None:
    _, refusals = generated(room(0), SpaceDGSettings())
    assert {kind for kind, _ in refusals.counts} <= set(SUITE.kinds)
    assert len({reason for _, reason in refusals.counts}) < 25
    assert not any(character.isdigit() for _, reason in refusals.counts for character in reason)


def test_empty_and_lonely_scenes_give_no_questions_or_only_fitting_ones() -> None:
    bare = room(0)
    assert generated(SceneTruth(scene="e", kind=bare.kind, instances=(), views=()), SpaceDGSettings())[0] == []
    one_view = SceneTruth(scene="e", kind=bare.kind, instances=bare.instances, views=bare.views[:1])
    assert {len(one.views) for one in generated(one_view, SpaceDGSettings())[0]} <= {1}
    nameless = tuple(one.described("") for one in bare.instances)
    found, _ = generated(replace(bare, instances=nameless), SpaceDGSettings())
    assert found
    assert all(not one.names for one in found)


def test_without_co_visibility_pictures_that_share_an_object_are_paired() -> None:
    truth = replace(room(0), co_visibility=None)
    found, _ = generated(truth, SpaceDGSettings())
    assert {one.kind for one in found} == set(SUITE.kinds)


def test_a_camera_that_looks_straight_down_has_no_level_directions() -> None:
    truth = room(0)
    pose = np.eye(4)
    pose[:3, :3] = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
    pose[:3, 3] = (0, 0, 2)
    down = tuple(replace(view, camera=replace(view.camera, world_from_camera=pose)) for view in truth.views)
    found, refusals = generated(replace(truth, views=down), SpaceDGSettings())
    assert KINDS["bbox_center_direction"].name not in {one.kind for one in found}
    assert KINDS["visible_existence"].name in {one.kind for one in found}
    assert refusals.counts


def test_settings() -> None:
    found, _ = generated(room(0), SuiteSettings(most_per_kind=2))
    assert found
    wrong: list[dict[str, object]] = [
        {"least_pixel": 3},
        {"threshold_factors": (0.6, 1.1, 1.2, 1.4)},
        {"direction_co_visibility": (0.3, 0.2)},
        {"most_length_ratio": 1.1},
        {"most_height_gap_m": 0.01},
        {"label_shares": {"mug": 1.5}},
        {"least_options": 5},
        {"most_occlusion": float("nan")},
    ]
    for values in wrong:
        with pytest.raises(ValidationError):
            SpaceDGSettings(**values)  # type: ignore[arg-type]

    class Other(SuiteSettings):
        pass

    with pytest.raises(BenchDataError, match="SpaceDGSettings"):
        generated(room(0), Other())
