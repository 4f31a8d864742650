"""The leak audit finds planted leaks, each by the guesser that looks for it, and finds none where there is none."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.questions import QUESTION_SUITES, AnswerType, Option, Question, Refusals, Unit
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.leaks import ALL_KINDS, LeakReport, as_item, audit_leaks, pooled
from seeworthy.bench_data.questions.leaks.judging import Tally, p_values
from seeworthy.bench_data.questions.leaks.report import judged
from seeworthy.bench_data.questions.options import (
    below,
    direction_keys,
    direction_options,
    drawn,
    key_options,
    number_blocks,
    number_key,
    number_options,
    shuffled,
)

from .indoor import a_room

NAMES = ("mug", "red lamp", "office chair", "sofa", "grey wardrobe", "box", "long green rug", "stool")
SECTORS = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")
WAYS = [("left", "right"), ("down", "up"), ("backward", "forward")]
Made = tuple[str, tuple[Option, ...], str]
"""Truth, options, text."""


def a_question(number: int, truth: object, options: tuple[Option, ...], text: str, **more: object) -> Question:
    return Question(
        id=str(number),
        suite="made",
        kind="kind",
        scene=f"scene {number % 20}",
        views=("a",),
        query=q.Exists("mug", (0,)),
        text=text,
        answer_type=AnswerType.CHOICE if options else AnswerType.YES_NO,
        truth=truth,  # type: ignore[arg-type]
        options=options,
        wording=number % 3,
        **more,  # type: ignore[arg-type]
    )


def audited(make: Callable[[np.random.Generator], Made], count: int = 600) -> LeakReport:
    rng = np.random.default_rng(0)
    return audit_leaks(a_question(number, *make(rng)) for number in range(count))


def sound_names(rng: np.random.Generator) -> Made:
    truth = NAMES[below(rng, len(NAMES))]
    return truth, key_options(rng, truth, NAMES), "Which is it?"


def sound_sectors(rng: np.random.Generator) -> Made:
    truth = SECTORS[below(rng, 8)]
    return truth, key_options(rng, truth, SECTORS), "Where is it?"


def sound_directions(rng: np.random.Generator) -> Made:
    keys = direction_keys(WAYS, 2)
    truth = keys[below(rng, len(keys))]
    return truth, direction_options(rng, truth, WAYS), "Which way?"


def sound_yes(rng: np.random.Generator) -> Made:
    return (  # type: ignore[return-value]
        rng.random() < 0.5,
        (),
        f"Is the {NAMES[below(rng, 8)]} there?",
    )


@pytest.mark.parametrize("make", [sound_names, sound_sectors, sound_directions, sound_yes])
def test_sound_questions_pass(make: Callable[[np.random.Generator], Made]) -> None:
    report = audited(make)
    assert report.ok, report.as_text()
    assert report.questions == 600
    assert report.overall("words of text and options") is not None


def test_numbers_in_blocks_pass_and_single_ones_tell_only_where_values_end() -> None:
    rng = np.random.default_rng(0)
    values = [math.exp(3 * rng.random()) for _ in range(800)]
    blocks, singles = [], []
    for start in range(0, 800, 40):  # the values of one scene
        for block in number_blocks(rng, values[start : start + 40]):
            options = [Option(number_key(values[start + place], 2), "") for place in block]
            shown = [replace(option, text=option.key + " m") for option in options]
            for place in block:
                key = number_key(values[start + place], 2)
                one = a_question(len(blocks), key, tuple(shuffled(rng, shown)), "How far is it?")
                blocks.append(replace(one, scene=f"scene {start}"))
    for number, value in enumerate(values):
        options_ = number_options(rng, value, decimals=2, suffix=" m")
        singles.append(a_question(number, number_key(value, 2), options_, "How far is it?"))
    report = audit_leaks(blocks)
    assert report.ok, report.as_text()
    assert len(blocks) > 600
    alone = audit_leaks(singles)
    for name in ("middle number", "smallest number", "largest number"):
        assert not alone.overall(name).leaks  # type: ignore[union-attr]
    words = alone.overall("words of text and options")
    assert words is not None
    assert words.excess > 0.05


def pick(order: Callable[[list[str]], str]) -> Callable[[np.random.Generator], Made]:
    """The truth is what ``order`` takes out of four names."""

    def make(rng: np.random.Generator) -> Made:
        keys = drawn(rng, NAMES, 4)
        return order(keys), tuple(Option(key, key) for key in keys), "Which is it?"

    return make


def middle_number(rng: np.random.Generator) -> Made:
    truth = 1 + rng.random()
    keys = [number_key(truth * factor, 3) for factor in (0.6, 1.0, 1.4, 1.8)]
    return keys[1], tuple(Option(key, key + " m") for key in shuffled(rng, keys)), "How far is it?"


def without_neighbour(rng: np.random.Generator) -> Made:
    place = below(rng, 8)
    far = [SECTORS[(place + step) % 8] for step in range(2, 7)]
    return SECTORS[place], key_options(rng, SECTORS[place], far), "Where is it?"


def holds_others(rng: np.random.Generator) -> Made:
    keys = direction_keys(WAYS, 3)
    truth = keys[below(rng, len(keys))]
    words = truth.split("+")
    parts = ["+".join(word for word in words if word != left) for left in words]
    return truth, tuple(Option(key, key) for key in shuffled(rng, [truth, *parts])), "Which way?"


def usual(rng: np.random.Generator) -> Made:
    truth = "sofa" if rng.random() < 0.5 else NAMES[below(rng, 8)]
    return truth, key_options(rng, truth, NAMES), "Which is it?"


def told_by_the_text(rng: np.random.Generator) -> Made:
    truth = rng.random() < 0.5
    threshold = (1 if truth else 3) + rng.random()
    return truth, (), f"Is it farther than {threshold:.2f} m?"  # type: ignore[return-value]


def mostly_yes(rng: np.random.Generator) -> Made:
    return rng.random() < 0.7, (), "Is it there?"  # type: ignore[return-value]


PLANTED: dict[str, Callable[[np.random.Generator], Made]] = {
    "longest option": pick(lambda keys: max(keys, key=len)),
    "shortest option": pick(lambda keys: min(keys, key=len)),
    "first option": pick(lambda keys: keys[0]),
    "last option": pick(lambda keys: keys[-1]),
    "usual letter": pick(lambda keys: keys[2]),
    "middle number": middle_number,
    "sector without neighbour": without_neighbour,
    "option that holds others": holds_others,
    "option that shares most words": holds_others,
    "usual answer of the kind": usual,
    "usual answer of the kind and wording": usual,
    "words of text and options": told_by_the_text,
    "always yes": mostly_yes,
}


@pytest.mark.parametrize("guesser", PLANTED)
def test_a_planted_leak_is_found(guesser: str) -> None:
    report = audited(PLANTED[guesser], 400)
    assert not report.ok
    found = report.overall(guesser)
    assert found is not None
    assert found.leaks, report.as_text()
    assert found.interval is not None
    assert found.interval[0] > 0.03
    assert "LEAK" in report.as_text()


def test_an_answer_that_is_never_right_is_a_leak_too() -> None:
    def make(rng: np.random.Generator) -> Made:
        truth = NAMES[below(rng, 2)]
        return truth, key_options(rng, truth, NAMES[:4]), "Which is it?"

    found = audited(make).overall("usual answer of the kind")
    assert found is not None
    assert found.excess == pytest.approx(0.25, abs=0.06)


def test_who_avoids_what_is_never_right_leaks_and_not_who_takes_it() -> None:
    report = audited(pick(lambda keys: keys[1]))
    first, others = report.overall("first option"), report.overall("not the first option")
    assert first is not None
    assert others is not None
    assert first.excess == pytest.approx(-0.25)
    assert not first.leaks
    assert others.accuracy == pytest.approx(1 / 3)
    assert others.leaks


def test_of_two_options_the_opposite_of_a_wrong_guess_wins_by_as_much() -> None:
    def make(rng: np.random.Generator) -> Made:
        keys = drawn(rng, NAMES, 2)
        return keys[rng.random() < 0.7], tuple(Option(key, key) for key in keys), "Which is it?"

    report = audited(make, 800)
    first, last = report.overall("first option"), report.overall("not the first option")
    assert first is not None
    assert last is not None
    assert last.excess == pytest.approx(-first.excess)
    assert last.leaks
    assert not first.leaks
    no = audited(lambda rng: (rng.random() < 0.3, (), "Is it there?"))  # type: ignore[return-value, arg-type]
    assert {"always no"} < {one.guesser for one in no.leaks}
    assert "always yes" not in {one.guesser for one in no.leaks}


def test_a_learner_that_errs_is_no_leak() -> None:
    """As many left as right in all, but not in each half: what is usual in one is unusual in the other."""
    pairs = [(number, number % 20) for number in range(400)]
    base = [a_question(number, scene < 10, (), "Is it there?") for number, scene in pairs]
    report = audit_leaks(base)
    found = report.overall("usual answer of the kind")
    assert found is not None
    assert found.excess < 0
    assert report.ok, report.as_text()


def test_wordings_that_go_with_an_answer_are_found() -> None:
    rng = np.random.default_rng(0)
    questions = [
        a_question(number, number % 3 == 0 if rng.random() < 0.8 else rng.random() < 1 / 3, (), "Is it there?")
        for number in range(900)
    ]
    found = audit_leaks(questions).overall("usual answer of the kind and wording")
    assert found is not None
    assert found.excess > 0.3


def test_numbers_have_a_constant_guess_and_no_chance() -> None:
    questions = [
        replace(
            a_question(number, 0, (), "How far is it?"),
            answer_type=AnswerType.NUMBER,
            truth=(2.0 if number % 4 else 8.0),
            unit=Unit.METRE,
        )
        for number in range(200)
    ]
    counts = [
        replace(one, kind="count", unit=Unit.COUNT, truth=1 if place % 5 else 3, id=f"c{place}")
        for place, one in enumerate(questions)
    ]
    report = audit_leaks([*questions, *counts])
    assert not report.guesses
    far, count = sorted(report.constants, key=lambda one: one.kind, reverse=True)
    assert (far.answer, count.answer) == (2.0, 1.0)
    assert far.score == pytest.approx(0.75)
    assert count.score == pytest.approx(0.8)
    assert "always 2" in report.as_text()


def test_the_number_of_an_object_is_not_seen() -> None:
    """Number 7 is right in every scene, but what it is called, and where it is named, is drawn anew."""
    rng = np.random.default_rng(0)
    questions = []
    for number in range(400):
        names = {other: f"object {mark}" for other, mark in zip((7, 9), drawn(rng, range(1, 13), 2), strict=True)}
        shown = {one: names[one] for one in shuffled(rng, names)}
        options = tuple(Option(str(one), name) for one, name in shuffled(rng, shown.items()))
        text = "Which is nearer, " + " or ".join(shown.values()) + "?"
        questions.append(a_question(number, "7", options, text, names=shown))
    assert {as_item(one).keys for one in questions} == {("a", "b"), ("b", "a")}  # type: ignore[union-attr]
    report = audit_leaks(questions)
    assert report.ok, report.as_text()
    first = [replace(one, names=dict(sorted(one.names.items()))) for one in questions]
    assert not audit_leaks(first).ok, "here the right one is always named first"


def test_orders_are_seen_by_roles_and_counts_as_they_are() -> None:
    names = {4: "object 9", 8: "object 2"}
    order = (Option("8 < 4", "object 2, object 9"), Option("4 < 8", "object 9, object 2"))
    count = (Option("4", "4"), Option("8", "8"))
    found = [as_item(a_question(0, one[0].key, one, "?", names=names)) for one in (order, count)]
    assert [one.keys for one in found if one is not None] == [("b < a", "a < b"), ("4", "8")]


@pytest.mark.parametrize(("each", "scenes"), [(8, 8), (12, 7), (40, 8), (6, 30)])
def test_a_kind_that_leaks_is_found_among_many_that_do_not(each: int, scenes: int) -> None:
    rng = np.random.default_rng(0)
    questions = []
    for number in range(each * scenes * 6):
        truth, options, text = (pick(lambda keys: keys[0]) if number % 6 == 0 else sound_names)(rng)
        one = a_question(number, truth, options, text)
        questions.append(replace(one, kind=f"kind {number % 6}", scene=f"scene {number // 6 % scenes}"))
    report = audit_leaks(questions)
    assert ("first option", "made/kind 0") in {(one.guesser, one.kind) for one in report.leaks}
    assert {one.kind for one in report.leaks} <= {ALL_KINDS, "made/kind 0"}, report.as_text()


def leak_free(seed: int) -> list[Question]:
    """Many small kinds in a few scenes; the questions of a scene mostly have one answer, as those about a pair have."""
    rng = np.random.default_rng([seed, 5])
    found = []
    for scene, kind in product(range(8), range(12)):
        answer = rng.random() < 0.5
        for _ in range(below(rng, 10)):
            truth: object = answer if rng.random() < 0.7 else rng.random() < 0.5
            options: tuple[Option, ...] = ()
            if kind % 2:
                truth, options, _ = sound_names(rng)
            one = a_question(len(found), truth, options, "Is it there?")
            found.append(replace(one, kind=f"kind {kind}", scene=f"scene {scene}"))
    return found


def test_no_false_alarm_in_whole_audits() -> None:
    assert [seed for seed in range(3) if not audit_leaks(leak_free(seed)).ok] == []


def luck(rng: np.random.Generator, groups: int, alike: float) -> list[Tally]:
    """Blind guesses at so many kinds in eight scenes, whose chance differs from scene to scene by a beta law."""
    found = []
    for number in range(groups):
        chance = float(rng.choice([1 / 2, 1 / 3, 1 / 4, 1 / 12]))
        questions = rng.integers(4, 5 * 2 ** below(rng, 5), 8, endpoint=True)
        share = rng.beta(chance * (1 / alike - 1), (1 - chance) * (1 / alike - 1), 8) if alike else np.full(8, chance)
        hits, each = rng.binomial(questions, share).astype(float), questions.astype(float)
        names = tuple(f"scene {place}" for place in range(8))
        found.append(
            Tally("g", "text", f"kind {number}", names, each, hits, each * chance, each * chance * (1 - chance))
        )
    return found


@pytest.mark.parametrize("alike", [0.0, 0.1, 0.4])
def test_false_alarms_are_as_rare_as_stated(alike: float) -> None:
    """Even without any tolerance: of 100 sets with 80 small kinds each, about one may raise an alarm."""
    alarms = sum(min(p_values(luck(np.random.default_rng([seed, 6]), 80, alike), 0.0)) <= 0.01 for seed in range(100))
    # Five or more of a hundred come with a probability below 0.4 % where each has one of 1 %.
    assert alarms < 5


def test_too_few_are_said_to_be_too_few() -> None:
    rng = np.random.default_rng(0)
    make = pick(lambda keys: keys[0])
    many = [a_question(number, *make(rng)) for number in range(400)]
    few = [replace(a_question(400 + n, *sound_names(rng)), kind="rare", scene=f"scene {n % 3}") for n in range(4)]
    single = replace(a_question(500, *sound_names(rng)), kind="single")
    report = audit_leaks([*many, *few, single])
    assert report.too_few == {
        "made/rare": "4 of 30 questions, 3 of 7 scenes",
        "made/single": "1 of 30 questions, 1 of 7 scenes",
    }
    for one in report.guesses:
        if one.kind in report.too_few:
            assert one.interval is None
            assert one.p_value is None
            assert not one.leaks
        elif one.interval is not None:
            assert -one.chance <= one.interval[0] <= one.excess <= one.interval[1] <= 1 - one.chance
    assert "too few to tell: made/rare (4 of 30 questions" in report.as_text()
    alone = audit_leaks(replace(one, scene="scene 0") for one in many)
    assert alone.ok
    assert alone.too_few[ALL_KINDS] == "1 of 7 scenes"
    assert "too few to tell" in alone.as_text()


def test_over_a_whole_set_of_20000_the_distance_itself_decides() -> None:
    def tally(share: float, questions: int) -> Tally:
        each = np.full(8, questions / 8)
        # Scenes differ so much that the test alone would grant a few points.
        hits = each * (0.5 + share + np.array([0.2, -0.2] * 4))
        return Tally("first option", "options", ALL_KINDS, tuple("abcdefgh"), each, hits, each / 2, each / 4)

    for share, questions, ok in ((0.04, 20_000, False), (0.02, 20_000, True), (0.04, 16_000, True)):
        report = judged(questions, [tally(share, questions)], (), tolerance=0.03)
        assert report.ok is ok
        assert report.guesses[0].p_value == pytest.approx(1.0 if share < 0.03 else 0.5, abs=0.25)


def test_suites_are_pooled_into_a_whole() -> None:
    reports = [audited(make, 600) for make in (sound_names, pick(lambda keys: keys[0]))]
    whole = pooled(reports)
    found = whole.overall("first option")
    parts = [one.overall("first option") for one in reports]
    assert found is not None
    assert found.questions == whole.questions == 1200
    assert found.scenes == 20
    assert found.excess == pytest.approx(sum(one.excess for one in parts if one is not None) / 2)
    assert {one.kind for one in whole.guesses} == {ALL_KINDS}
    assert found.leaks


def test_p_values_agree_with_a_plain_loop_over_all_signs() -> None:
    rng = np.random.default_rng(3)
    tallies = []
    for number in range(6):
        questions = rng.integers(3, 30, 8).astype(float)
        hits = np.minimum(questions, rng.binomial(questions.astype(int), 0.4) + (6.0 if number == 2 else 0.0))
        names = tuple(f"scene {place}" for place in range(8))
        tallies.append(Tally("g", "text", str(number), names, questions, hits, questions * 0.4, questions * 0.24))
    surplus = [one.hits - one.chances for one in tallies]
    surplus = [
        one if one.sum() > 0 else one - t.questions * one.sum() / t.count
        for one, t in zip(surplus, tallies, strict=True)
    ]

    def statistic(number: int, signs: tuple[int, ...]) -> float:
        turned, questions = np.array(signs) * surplus[number], tallies[number].questions
        residual = turned - questions * turned.sum() / questions.sum()
        return float(turned.sum() / math.sqrt(max(8 / 7 * (residual**2).sum(), tallies[number].luck.sum())))

    found = [statistic(number, (1,) * 8) for number in range(6)]
    expected = [1.0] * 6
    left, so_far = sorted(range(6), key=lambda number: -found[number]), 0.0
    while left:
        flips = list(product((1, -1), repeat=8))
        rare = sum(max(statistic(n, signs) for n in left) >= found[left[0]] - 1e-9 for signs in flips) / len(flips)
        so_far = max(so_far, rare)
        expected[left.pop(0)] = so_far
    expected = [p if t.hits.sum() > t.chances.sum() else 1.0 for p, t in zip(expected, tallies, strict=True)]
    assert p_values(tallies, 0.0) == pytest.approx(expected)
    assert expected[2] < 0.02
    assert max(expected) > 0.1


def test_one_scene_or_none() -> None:
    one = [a_question(20 * number, number % 2 == 0, (), "Is it there?") for number in range(60)]
    report = audit_leaks(one)
    assert report.overall("always yes") is not None
    assert report.overall("usual answer of the kind") is None
    assert report.too_few == {ALL_KINDS: "1 of 7 scenes", "made/kind": "1 of 7 scenes"}
    assert audit_leaks([]).ok
    assert audit_leaks([]).questions == 0


def test_the_audit_is_the_same_in_each_process() -> None:
    code = "from tests.bench_data.questions.test_leaks import audited, usual\nprint(audited(usual, 200).as_text())\n"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert found.stdout.strip() == audited(usual, 200).as_text()


@pytest.fixture(scope="module")
def reports() -> dict[bool, LeakReport]:
    suite = QUESTION_SUITES.get("spacedg")
    found = {}
    for published in (False, True):
        settings = suite.settings(published=published, most_per_kind=45)  # type: ignore[call-arg]
        questions = [one for seed in range(8) for one in suite.generate(a_room(seed), settings, 0, Refusals())]
        found[published] = audit_leaks(questions)
    return found


def test_spacedg_does_not_leak(reports: dict[bool, LeakReport]) -> None:
    report = reports[False]
    assert report.questions > 2500
    assert report.ok, report.as_text()
    assert {one.guesser for one in report.guesses if one.kind == ALL_KINDS} >= set(PLANTED) - {"middle number"}
    # Each set of options is balanced within each scene, so these are at chance but for the comparisons, drawn by coin.
    for name in ("sector without neighbour", "option that holds others"):
        found = report.overall(name)
        assert found is not None
        assert found.excess == pytest.approx(0, abs=1e-9)


def test_the_published_rules_leak(reports: dict[bool, LeakReport]) -> None:
    leaks = {(one.guesser, one.kind) for one in reports[True].leaks}
    assert ("usual answer of the kind", ALL_KINDS) in leaks
    assert ("usual answer of the kind", "spacedg/object_size_comparison.longest_side_compare") in leaks
    assert ("longest option", "spacedg/object_size_comparison.top_height_compare") in leaks
    assert ("words of text and options", ALL_KINDS) in leaks
