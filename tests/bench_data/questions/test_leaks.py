"""The leak audit finds planted leaks, each by the guesser that looks for it, and finds none where there is none."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seeworthy.bench_data.questions import QUESTION_SUITES, AnswerType, Option, Question, Refusals, Unit
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.leaks import ALL_KINDS, LeakReport, audit_leaks
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
        assert not alone.overall(name).leaks(0.03)  # type: ignore[union-attr]
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
    assert found.leaks(report.tolerance), report.as_text()
    assert found.interval[0] > 0.03
    assert "LEAK" in report.as_text()


def test_an_answer_that_is_never_right_is_a_leak_too() -> None:
    def make(rng: np.random.Generator) -> Made:
        truth = NAMES[below(rng, 2)]
        return truth, key_options(rng, truth, NAMES[:4]), "Which is it?"

    found = audited(make).overall("usual answer of the kind")
    assert found is not None
    assert found.excess == pytest.approx(0.25, abs=0.06)


def test_a_guesser_that_is_always_wrong_leaks() -> None:
    report = audited(pick(lambda keys: keys[1]))
    first = report.overall("first option")
    assert first is not None
    assert first.excess == pytest.approx(-0.25)
    assert first.leaks(report.tolerance)


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


def test_one_scene_or_none() -> None:
    one = [a_question(20 * number, number % 2 == 0, (), "Is it there?") for number in range(60)]
    report = audit_leaks(one)
    assert report.overall("always yes") is not None
    assert report.overall("usual answer of the kind") is None
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
        env={"PYTHONHASHSEED": "7"},
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
