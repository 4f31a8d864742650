"""The key audit finds whatever is wrong with a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from seeworthy.bench_data.questions import (
    QUESTION_SUITES,
    AnswerType,
    Fact,
    Option,
    Question,
    Refusals,
    SceneTruth,
    Sight,
    Unit,
)
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.questions.audit import audit_keys
from seeworthy.bench_data.questions.derivation import answer_from_derivation

from .furnished import a_furnished_room
from .indoor import a_room


@cache
def room() -> tuple[SceneTruth, tuple[Question, ...]]:
    truth = a_room(0)
    suite = QUESTION_SUITES.get("spacedg")
    return truth, tuple(suite.generate(truth, suite.settings(), 0, Refusals()))


def one_of(sub_type: str) -> Question:
    return next(one for one in room()[1] if one.kind.endswith(f".{sub_type}"))


def test_right_keys_pass() -> None:
    truth, questions = room()
    report = audit_keys(questions, [truth])
    assert report.ok, report.as_text()
    assert report.questions == len(questions) > 200
    assert sum(report.derived.values()) == len(questions)
    assert not report.not_derived
    assert sum(report.measured.values()) == len(questions)
    assert "0 faults" in report.as_text()


def another_option(one: Question) -> Question:
    return replace(one, truth=next(option.key for option in one.options if option.key != one.truth))


def other_fact(one: Question, value: float) -> Question:
    return replace(one, derivation=(replace(one.derivation[0], value=value), *one.derivation[1:]))


TAMPERED: list[tuple[str, Callable[[Question], Question], str]] = [
    ("main_dir", another_option, "the scene gives"),
    ("single_dominant", another_option, "the derivation gives"),
    ("longest_side_compare", another_option, "the scene gives"),
    ("relpos_A_facing_B", another_option, "the scene gives"),
    ("distance_threshold", lambda one: replace(one, truth=not one.truth), "the derivation gives"),
    ("distance_exact", lambda one: replace(one, truth=float(one.truth) * 1.001), "the scene gives"),  # type: ignore[arg-type]
    ("extents", lambda one: replace(one, truth=tuple(reversed(one.truth))), "the scene gives"),  # type: ignore[arg-type]
    ("extents", lambda one: replace(one, truth=one.truth[:2]), "the scene gives"),  # type: ignore[index]
    ("visible_count", lambda one: replace(one, truth=int(one.truth) + 1), "the scene gives"),  # type: ignore[arg-type]
    ("visible_existence", lambda one: other_fact(one, 1.0 - min(one.derivation[0].value, 1.0)), "the derivation"),
    ("center_distance", lambda one: other_fact(one, one.derivation[0].value + 0.1), "the derivation gives"),
    ("proxy_object_direction", lambda one: other_fact(one, one.derivation[0].value + 90), "the derivation gives"),
    # Numbers that are wrong although they lead to the right answer.
    ("relpos_A_facing_B", lambda one: other_fact(one, one.derivation[0].value + 0.01), "the derivation says"),
    ("longest_side_compare", lambda one: other_fact(one, one.derivation[0].value + 1e-4), "the derivation says"),
    ("relpos_A_facing_B", lambda one: replace(one, margin=(one.margin or 0) + 1), "margin"),
    ("relpos_A_facing_B", lambda one: replace(one, margin=None), "margin"),
    ("main_dir", lambda one: replace(one, options=(*one.options, one.options[0])), "same key"),
    (
        "main_dir",
        lambda one: replace(one, options=tuple(replace(option, text="there") for option in one.options)),
        "same text",
    ),
    (
        "main_dir",
        lambda one: replace(one, options=tuple(option for option in one.options if option.key != one.truth)),
        "not exactly one",
    ),
    ("center_distance", lambda one: replace(one, text="How far is it?"), "does not say"),
    ("center_distance", lambda one: replace(one, scene="elsewhere"), "no truth of scene"),
    ("center_distance", lambda one: replace(one, views=("nowhere",)), "no view"),
    (
        "center_distance",
        lambda one: replace(one, query=q.Value(q.Distance(q.ObjectRef(9999), q.CameraRef(0)))),
        "no object 9999",
    ),
]


@pytest.mark.parametrize(("sub_type", "tamper", "says"), TAMPERED)
def test_a_wrong_key_is_found(sub_type: str, tamper: Callable[[Question], Question], says: str) -> None:
    report = audit_keys([tamper(one_of(sub_type))], [room()[0]])
    assert not report.ok
    assert any(says in fault.what for fault in report.faults), report.as_text()


def test_an_id_given_twice_is_found_and_long_reports_are_cut() -> None:
    one = one_of("main_dir")
    report = audit_keys([one, one], [room()[0]])
    assert [fault.what for fault in report.faults] == ["another question has this id"]
    many = audit_keys([one] * 40, [room()[0]])
    assert len(many.faults) == 39
    assert "and 19 more" in many.as_text()
    assert audit_keys([], []).questions == 0


def pointed_at(shape: str = "box") -> tuple[SceneTruth, list[Question]]:
    truth = a_furnished_room(0, objects=24)
    suite = QUESTION_SUITES.get("grounding")
    found = suite.generate(truth, suite.settings(), 0, Refusals())
    return truth, [one for one in found if one.kind.startswith(shape)]


@pytest.mark.parametrize("shape", ["box", "point"])
def test_places_are_held_against_the_projection_of_the_object(shape: str) -> None:
    truth, asked = pointed_at(shape)
    report = audit_keys(asked, [truth])
    assert report.ok, report.as_text()
    assert sum(report.projected.values()) == sum(report.derived.values()) == len(asked) > 100
    # All is seen somewhere else: keys, derivations and the stored truth agree, only the boxes in the scene do not.
    views = [
        replace(view, seen={n: _moved(sight) for n, sight in view.seen.items() if sight.truncation == 0})
        for view in truth.views
    ]
    wrong = replace(truth, views=tuple(views))
    suite = QUESTION_SUITES.get("grounding")
    asked = [one for one in suite.generate(wrong, suite.settings(), 0, Refusals()) if one.kind.startswith(shape)]
    assert asked
    report = audit_keys(asked, [wrong])
    assert len(report.faults) == len(asked)
    assert all("its box projects to" in fault.what for fault in report.faults)


def _moved(sight: Sight) -> Sight:
    x0, y0, x1, y1 = sight.box_px
    width = x1 - x0 + 10
    return replace(
        sight, box_px=(x0 + width, y0, x1 + width, y1), point_px=(sight.point_px[0] + width, sight.point_px[1])
    )


def test_a_wrong_candidate_is_found() -> None:
    truth, asked = pointed_at()
    one = next(one for one in asked if one.kind == "box.distance")
    assert isinstance(one.query, q.Locate)
    assert isinstance(one.query.object, q.Choose)
    count = len(one.query.object.among)
    values = [fact.value for fact in one.derivation[:count]]
    worst, best = values.index(max(values)), values.index(min(values))
    swapped = list(one.derivation)
    swapped[worst], swapped[best] = swapped[best], swapped[worst]
    report = audit_keys([replace(one, derivation=tuple(swapped))], [truth])
    assert any("the derivation gives" in fault.what for fault in report.faults)
    assert any("the derivation says" in fault.what for fault in report.faults)
    keys = {f"number {key}": quantity for key, quantity in one.query.object.among.items()}
    strange = replace(one, query=replace(one.query, object=replace(one.query.object, among=keys)))
    report = audit_keys([strange], [truth])
    assert any("by its number" in fault.what for fault in report.faults)


def test_only_published_keys_may_be_rounded() -> None:
    one = one_of("distance_exact")
    value = one.derivation[0].value
    rounded = replace(one, truth=round(value, 2))
    assert abs(value - round(value, 2)) > 1e-4
    assert not audit_keys([rounded], [room()[0]]).ok
    assert audit_keys([replace(rounded, published=True)], [room()[0]]).ok
    for other in (round(value, 2) + 0.01, round(value, 2) + 0.001):
        assert not audit_keys([replace(one, truth=other, published=True)], [room()[0]]).ok


def test_plain_values_as_options() -> None:
    truth = room()[0]
    first = next(iter(truth.objects))
    quantity = q.Size(q.ObjectRef(first), "longest")
    size = float(max(truth.objects[first].box.size_m))
    one = Question(
        id="x",
        suite="t",
        kind="k",
        scene=truth.scene,
        views=(truth.views[0].name,),
        query=q.Value(quantity),
        text="How long is it?",
        answer_type=AnswerType.CHOICE,
        truth=f"{size:.2f}",
        options=(Option(f"{size:.2f}", "a"), Option(f"{size + 1:.2f}", "b")),
        derivation=(Fact("longest side", size, Unit.METRE),),
    )
    assert audit_keys([one], [truth]).ok
    assert not audit_keys([replace(one, truth=f"{size + 1:.2f}")], [truth]).ok
    yes = replace(
        one,
        query=q.Exceeds(quantity, 0.0),
        margin=size,
        truth="yes",
        options=(Option("yes", "Yes"), Option("no", "No")),
    )
    assert audit_keys([yes], [truth]).ok
    assert not audit_keys([replace(yes, truth="no")], [truth]).ok


TO_CANDIDATE = q.Distance(q.CameraRef(0), q.Candidate())
NEARER = q.Locate(
    q.Choose({str(one): q.Distance(q.CameraRef(0), q.ObjectRef(one)) for one in (3, 5)}, "smallest"), 0, "point"
)


def related(*names: q.Relation, exclusive: bool = True) -> q.Related:
    return q.Related(q.ObjectRef(0), q.ObjectRef(1), names, q.LevelFrame(0), 0.1, exclusive)


def relations(*, vertical: bool) -> q.RelationSet:
    return q.RelationSet(q.ObjectRef(0), q.ObjectRef(1), q.LevelFrame(0), 0.1, vertical)


def counted(*where: q.Exceeds | q.Related) -> q.Value:
    return q.Value(q.Count((1, 2, 3), where))


@pytest.mark.parametrize(
    ("query", "values", "answer"),
    [
        (q.Ranking({k: q.HeightOf(q.ObjectRef(0), "top") for k in "abc"}, "ascending"), (2.0, 1.0, 3.0), "b < a < c"),
        (q.Ranking({k: q.HeightOf(q.ObjectRef(0), "top") for k in "abc"}, "descending"), (2.0, 1.0, 3.0), "c > a > b"),
        (q.Choose({k: q.HeightOf(q.ObjectRef(0), "top") for k in "ab"}, "smallest"), (2.0, 1.0), "b"),
        (q.Choose({k: q.HeightOf(q.ObjectRef(0), "top") for k in "ab"}, "largest", 0.1), (2.0, 2.05), "same"),
        (q.Exceeds(2.0, q.HeightOf(q.ObjectRef(0), "top")), (1.5,), True),
        (q.Exceeds(q.HeightOf(q.ObjectRef(0), "top"), q.HeightOf(q.ObjectRef(1), "top")), (1.5, 1.0), True),
        (q.Exceeds(q.HeightOf(q.ObjectRef(0), "top"), q.HeightOf(q.ObjectRef(1), "top")), (1.5,), None),
        (q.Values((q.HeightOf(q.ObjectRef(0), "top"),)), (1.0, 2.0), None),
        (q.TurnWords(0, 1), (1.0, 2.0, 3.0), None),
        (q.TurnWords(0, 1), (20.0, -10.0, 0.0), None),
        (q.TurnWords(0, 1), (20.0, -15.0, 0.0), "yaw_right+pitch_down"),
        (q.DirectionWords(q.CameraRef(0), q.CameraRef(1), q.LevelFrame(0), most=2), (1.0, 1.0, 1.0), "right+up"),
        (q.DirectionWords(q.CameraRef(0), q.CameraRef(1), q.LevelFrame(0)), (0.0, 0.0, 0.0), None),
        (q.Locate(0, 0, "point"), (1.0, 2.0), (1.0, 2.0)),
        (q.Locate(0, 0, "point"), (1.0, 2.0, 3.0, 4.0), None),
        (q.Locate(0, 0, "box"), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0)),
        (NEARER, (2.0, 1.0, 10.0, 20.0, 30.0, 40.0), (30.0, 40.0)),
        (NEARER, (1.0, 2.0, 10.0, 20.0, 30.0, 40.0), (10.0, 20.0)),
        (NEARER, (1.0, 2.0, 10.0, 20.0), None),
        (related("left"), (0.5, 0.4), True),
        (related("left"), (0.4, 0.4), False),
        (related("left"), (0.5,), None),
        (related("behind", "above"), (0.5, 0.4, 1.0, 2.0, 0.0, 1.2, 0.3), True),
        (related("behind", "above"), (0.3, 0.4, 1.0, 2.0, 0.0, 1.2, 0.3), False),
        (related("below"), (1.0, 2.0, 0.0, 1.2, 0.3), False),
        (related("below"), (0.0, 1.2, 1.0, 2.0, 0.3), True),
        # Two thin things at one height: above and below at once, unless only one of them may hold.
        (related("below", exclusive=False), (0.0, 0.1, 0.0, 0.11, 0.2), True),
        (related("above", exclusive=False), (0.0, 0.1, 0.0, 0.11, 0.2), True),
        (related("below"), (0.0, 0.1, 0.0, 0.11, 0.2), True),
        (related("above"), (0.0, 0.1, 0.0, 0.11, 0.2), False),
        (related("above"), (0.0, 0.1, 0.0, 0.1, 0.2), True),
        (relations(vertical=False), (-1.0, 2.0, 0.5), "left+behind"),
        (relations(vertical=False), (1.0, -0.4, 0.5), "right"),
        (relations(vertical=False), (0.1, -0.4, 0.5), ""),
        (relations(vertical=False), (1.0, -0.4), None),
        (relations(vertical=True), (1.0, -0.6, 0.5, 0.0, 1.0, 2.0, 3.0, 0.2), "right+below+front"),
        (counted(q.Exceeds(2.0, TO_CANDIDATE)), (1.0, 2.5, 1.5), 2),
        (counted(q.Exceeds(TO_CANDIDATE, TO_CANDIDATE)), (1.0, 2.5, 3.0, 1.5, 1.0, 0.0), 2),
        (counted(q.Exceeds(TO_CANDIDATE, TO_CANDIDATE)), (1.0, 2.5, 3.0), None),
        (counted(related("right"), q.Exceeds(2.0, TO_CANDIDATE)), (1, 0.5, 1, 1, 0.5, 3, 0, 0.5, 1), 1),
        (q.Value(q.LabelCount("mug", (0,))), (2.0,), 2),
    ],
)
def test_answers_from_derivations(query: q.Query, values: tuple[float, ...], answer: object) -> None:
    one = replace(one_of("distance_exact"), query=query, derivation=tuple(Fact("it", value) for value in values))
    assert answer_from_derivation(one) == answer
    assert answer_from_derivation(replace(one, derivation=())) is None


def test_a_clock_is_read_from_its_bearing() -> None:
    sector = q.Sector(q.CameraRef(0), q.ObjectRef(0), q.LevelFrame(0), "clock")
    one = replace(one_of("distance_exact"), query=sector)
    for bearing, hour in ((0.0, 12), (350.0, 12), (29.0, 1), (180.0, 6)):
        fact = Fact("bearing", bearing, Unit.DEGREE)
        assert answer_from_derivation(replace(one, derivation=(fact,))) == hour
    assert answer_from_derivation(replace(one, derivation=(Fact("length", 3.0, Unit.METRE),))) is None
