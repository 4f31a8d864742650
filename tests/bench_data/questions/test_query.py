"""Queries on a small room whose answers can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from seeworthy.bench_data.camera_paths import look_at
from seeworthy.bench_data.cameras import Camera
from seeworthy.bench_data.errors import BenchDataError
from seeworthy.bench_data.questions import (
    AnswerType,
    Evaluated,
    Option,
    Question,
    SceneFacts,
    Unit,
    evaluate,
    measure,
    question_from_json,
    question_to_json,
)
from seeworthy.bench_data.questions import query as q
from seeworthy.bench_data.scenes import OrientedBox

SOFA, LAMP, MUG, RUG = 0, 1, 2, 3


def a_camera(pose: np.ndarray) -> Camera:
    return Camera(width=64, height=48, fx=50, fy=50, cx=32, cy=24, world_from_camera=pose)


# The first camera looks along +y from 1.5 m height, tilted down; the second stands east of everything and looks west.
FACTS = SceneFacts(
    boxes={
        SOFA: OrientedBox.upright((0, 4, 0.4), (1, 2, 0.8), heading_rad=-math.pi / 2),
        LAMP: OrientedBox.upright((2, 4, 0.9), (0.3, 0.4, 1.8)),
        MUG: OrientedBox.upright((0, 4, 0.85), (0.1, 0.1, 0.1)),
        RUG: OrientedBox.upright((-1, 2, 0.01), (1, 2, 0.02), heading_rad=0.5),
    },
    labels={SOFA: "sofa", LAMP: "lamp", MUG: "mug", RUG: "rug"},
    cameras=(a_camera(look_at((0, 0, 1.5), (0, 4, 0.5))), a_camera(look_at((6, 4, 1.5), (0, 4, 1.5)))),
    visible=(frozenset({SOFA, LAMP, RUG}), frozenset({LAMP})),
    image_boxes=({SOFA: (10.0, 11.0, 20.0, 21.5)}, {}),
    image_points=({SOFA: (15.0, 16.0)}, {}),
    attributes={SOFA: {"colour": "red"}, RUG: {"colour": "blue", "material": "wool"}},
)


def obj(object_id: int) -> q.ObjectRef:
    return q.ObjectRef(object_id)


EYE = q.CameraRef(0)
LEVEL = q.LevelFrame(0)
COSINE = 4 / math.hypot(4, 1)

MEASURES: list[tuple[q.Quantity, float]] = [
    (q.Distance(obj(SOFA), obj(LAMP)), math.hypot(2, 0.5)),
    (q.Distance(obj(SOFA), obj(LAMP), "ground"), 2),
    (q.Distance(obj(LAMP), obj(SOFA), "height"), 0.5),
    (q.Distance(EYE, q.CameraRef(1)), math.hypot(6, 4)),
    (q.Offset(EYE, obj(LAMP), LEVEL, "right"), 2),
    (q.Offset(EYE, obj(LAMP), LEVEL, "up"), -0.6),
    (q.Offset(EYE, obj(LAMP), LEVEL, "forward"), 4),
    (q.Offset(EYE, obj(RUG), LEVEL, "right", absolute=True), 1),
    (q.Offset(EYE, obj(LAMP), q.CameraFrame(0), "forward"), COSINE * 4 + math.sqrt(1 - COSINE**2) * 0.6),
    (q.Offset(obj(SOFA), obj(LAMP), q.FacingFrame(obj(SOFA), q.CameraRef(0)), "right"), -2),
    (q.Offset(obj(SOFA), obj(LAMP), q.OwnFrame(SOFA), "right"), -2),
    (q.Offset(obj(SOFA), EYE, q.OwnFrame(SOFA), "forward"), 4),
    (q.Size(obj(SOFA), "length"), 1),
    (q.Size(obj(SOFA), "width"), 2),
    (q.Size(obj(SOFA), "longest"), 2),
    (q.Size(obj(SOFA), "shortest"), 0.8),
    (q.Size(obj(SOFA), "volume"), 1.6),
    (q.Size(obj(LAMP), "middle"), 0.4),
    (q.Size(obj(LAMP), "shorter_ground"), 0.3),
    (q.Spread(obj(SOFA), LEVEL, "right"), 2),
    (q.Spread(obj(RUG), LEVEL, "forward"), math.sin(0.5) * 1 + math.cos(0.5) * 2),
    (q.Spread(obj(SOFA), LEVEL, "volume"), 1.6),
    (q.HeightOf(obj(LAMP), "top"), 1.8),
    (q.HeightOf(obj(MUG), "bottom"), 0.8),
    (q.LabelCount("lamp", (0, 1)), 1),
    (q.LabelCount("mug", (0, 1)), 0),
    (q.Count((LAMP, MUG, RUG), (q.Exceeds(q.Distance(q.Candidate(), obj(SOFA)), 1.0),)), 2),
    (q.Count((SOFA, MUG, RUG), (q.Related(q.Candidate(), obj(LAMP), ("left",), LEVEL, 0.2),)), 3),
    (q.Distance(q.Placed(obj(SOFA), LEVEL, "right", 2.0), obj(LAMP), "ground"), 0),
    # The optical axis meets the sofa's plane at (0, 4, 0.5): sofa and lamp differ by 2 m across and 0.5 m in height.
    (q.Distance(obj(SOFA), obj(LAMP), "camera_plane"), math.hypot(2, 0.5 * math.sqrt(1 - COSINE**2))),
    (q.Count((LAMP, MUG, RUG), (q.Exceeds(2.0, q.Distance(q.Candidate(), obj(SOFA))),)), 1),
]


@pytest.mark.parametrize(("quantity", "expected"), MEASURES, ids=lambda value: type(value).__name__)
def test_quantities(quantity: q.Quantity, expected: float) -> None:
    assert measure(quantity, FACTS) == pytest.approx(expected, abs=1e-12)


ANSWERS: list[tuple[q.Query, object]] = [
    (q.Value(q.LabelCount("sofa", (0,))), 1),
    (q.Values((q.Size(obj(SOFA), "shortest"), q.Size(obj(SOFA), "longest"))), (0.8, 2.0)),
    (q.Exceeds(q.Size(obj(LAMP), "height"), q.Size(obj(SOFA), "height")), True),
    (q.Exceeds(q.Distance(EYE, obj(LAMP)), 10.0), False),
    (q.Choose({"a": q.Distance(EYE, obj(SOFA)), "b": q.Distance(EYE, obj(RUG))}, "smallest"), "b"),
    (q.Choose({"a": q.Size(obj(SOFA), "volume"), "b": q.Size(obj(RUG), "volume")}, "largest"), "a"),
    (q.Choose({"a": q.Size(obj(SOFA), "width"), "b": q.Size(obj(RUG), "width")}, "largest", 0.01), "same"),
    (
        q.Ranking({k: q.HeightOf(obj(i), "top") for k, i in (("s", SOFA), ("l", LAMP), ("r", RUG))}, "descending"),
        "l > s > r",
    ),
    (
        q.Ranking({k: q.HeightOf(obj(i), "top") for k, i in (("s", SOFA), ("l", LAMP), ("r", RUG))}, "ascending"),
        "r < s < l",
    ),
    (q.DirectionWords(EYE, obj(LAMP), LEVEL), "forward"),
    (q.DirectionWords(EYE, q.CameraRef(1), LEVEL), "right+forward"),
    (q.DirectionWords(obj(SOFA), obj(RUG), LEVEL, axes=("right", "forward")), "backward"),
    (q.Sector(EYE, obj(LAMP), LEVEL, "relative"), "front-right"),
    (q.Sector(EYE, obj(LAMP), LEVEL, "clock"), 1),
    (q.Sector(EYE, obj(SOFA), LEVEL, "clock"), 12),
    (q.Sector(obj(SOFA), obj(LAMP), q.FacingFrame(obj(SOFA), EYE), "relative"), "left"),
    (q.Sector(obj(SOFA), obj(LAMP), q.CompassFrame(EYE, obj(SOFA), 0.0), "compass"), "E"),
    (q.Sector(obj(SOFA), obj(LAMP), q.CompassFrame(EYE, obj(SOFA), 90.0), "compass"), "S"),
    (q.Sector(obj(LAMP), q.CameraRef(1), q.CompassFrame(EYE, obj(SOFA), 270.0), "compass"), "N"),
    (q.RelationSet(obj(LAMP), obj(SOFA), LEVEL, 0.2), "right"),
    (q.RelationSet(obj(MUG), obj(SOFA), LEVEL, 0.2), "above"),
    (q.RelationSet(obj(SOFA), obj(MUG), LEVEL, 0.2), "below"),
    (q.RelationSet(obj(RUG), obj(LAMP), LEVEL, 0.2, vertical=False), "left+front"),
    (q.Related(obj(RUG), obj(LAMP), ("left", "front"), LEVEL, 0.2), True),
    (q.Related(obj(RUG), obj(LAMP), ("left", "behind"), LEVEL, 0.2), False),
    # A rug beside a lamp stand is neither under nor over it, by a zone that is a share of its own height.
    (q.RelationSet(obj(RUG), obj(LAMP), LEVEL, q.ScaledZone(0.25, 0.1, 0.5)), "left+front"),
    (q.RelationSet(obj(MUG), obj(SOFA), LEVEL, q.ScaledZone(0.25, 0.1, 0.5)), "above"),
    (q.RelationSet(obj(LAMP), obj(SOFA), LEVEL, q.ScaledZone(2.0, 0.1, 0.5)), ""),
    (q.Related(obj(RUG), obj(RUG), ("above", "below"), LEVEL, 0.2), False),
    (q.Related(obj(RUG), obj(RUG), ("above", "below"), LEVEL, 0.2, exclusive=False), True),
    (q.Exists("lamp", (1,)), True),
    (q.Exists("mug", (0, 1)), False),
    (q.Locate(SOFA, 0, "box"), (10.0, 11.0, 20.0, 21.5)),
    (q.Locate(SOFA, 0, "point"), (15.0, 16.0)),
    (
        q.Locate(q.Choose({str(one): q.Distance(EYE, obj(one)) for one in (SOFA, RUG)}, "largest"), 0, "point"),
        (15.0, 16.0),
    ),
    (q.Choose({k: q.Matches(obj(i), "colour", "red") for k, i in (("s", SOFA), ("r", RUG))}, "largest"), "s"),
    (q.Value(q.Count((SOFA, LAMP, RUG), (q.Exceeds(q.Matches(q.Candidate(), "material", "wool"), 0.5),))), 1),
    (q.Choose({k: q.HeightOf(obj(SOFA), "top") for k in "ab"}, "largest", equal="b"), "b"),
    (
        q.Choose(
            {k: q.HeightOf(obj(i), "top") for k, i in zip("slr", (SOFA, LAMP, RUG), strict=True)}, "largest", rank=2
        ),
        "s",
    ),
    (
        q.Choose(
            {k: q.HeightOf(obj(i), "top") for k, i in zip("slr", (SOFA, LAMP, RUG), strict=True)}, "smallest", rank=3
        ),
        "l",
    ),
    (q.Sector(EYE, obj(LAMP), LEVEL, "floored_clock"), 12),
    (q.Sector(EYE, EYE, LEVEL, "floored_clock"), 12),
    (q.Sector(obj(LAMP), EYE, LEVEL, "floored_clock"), 6),
]


@pytest.mark.parametrize(("query", "expected"), ANSWERS, ids=lambda value: type(value).__name__)
def test_answers(query: q.Query, expected: object) -> None:
    found = evaluate(query, FACTS)
    assert found.value == expected
    assert type(found.value) is type(expected)
    assert found.margin is None or found.margin >= 0


def test_the_margin_of_a_count_is_that_of_the_candidate_nearest_to_changing_sides() -> None:
    # Distances to the sofa: lamp 2.06, mug 0.45, rug 2.27.
    near = q.Count((LAMP, MUG, RUG), (q.Exceeds(2.0, q.Distance(q.Candidate(), obj(SOFA))),))
    assert evaluate(q.Value(near), FACTS).margin == pytest.approx(math.hypot(2, 0.5) - 2)
    # Left of the lamp are rug (by 3 m) and mug (by 2 m), behind it nothing: a failed test is all that matters then.
    left = q.Related(q.Candidate(), obj(LAMP), ("left",), LEVEL, 0.2)
    assert evaluate(q.Value(q.Count((MUG, RUG), (left,))), FACTS).margin == pytest.approx(1.8)
    behind = q.Related(q.Candidate(), obj(LAMP), ("behind",), LEVEL, 0.2)
    found = evaluate(q.Value(q.Count((RUG,), (left, behind))), FACTS)
    assert (found.value, found.margin) == (0, pytest.approx(2.2))
    assert evaluate(q.Value(q.Count((), (left,))), FACTS).margin is None


def test_a_person_can_face_somebody_in_the_plane_of_the_camera() -> None:
    frame = q.FacingFrame(obj(SOFA), obj(LAMP), camera_plane=True)
    axes = FACTS.axes(frame)
    up = -FACTS.camera(0).world_from_camera[:3, 1]
    assert axes.up == pytest.approx(up)
    assert abs(axes.forward @ up) < 1e-12
    assert axes.forward @ np.array([2, 0, 0.5]) > 0
    assert np.cross(axes.right, axes.up) == pytest.approx(-axes.forward)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        (q.Value(q.Distance(obj(9), EYE)), "no object 9"),
        (q.Value(q.Distance(obj(SOFA), q.CameraRef(2))), "no view 2"),
        (q.Value(q.Distance(q.Candidate(), EYE)), "candidate"),
        (q.Choose({"a": q.Size(obj(SOFA), "width"), "b": q.Size(obj(RUG), "width")}, "largest"), "equal"),
        (q.Choose({k: q.HeightOf(obj(SOFA), "top") for k in "ab"}, "largest", rank=2), "equal"),
        (
            q.Choose(
                {k: q.HeightOf(obj(i), "top") for k, i in zip("sl", (SOFA, LAMP), strict=True)}, "largest", rank=3
            ),
            "number 3",
        ),
        (q.DirectionWords(obj(SOFA), obj(SOFA), LEVEL), "no direction"),
        (q.Sector(obj(SOFA), obj(MUG), LEVEL, "clock"), "above or below"),
        (q.Value(q.Offset(EYE, obj(LAMP), q.FacingFrame(obj(SOFA), obj(MUG)), "right")), "above or below"),
        (q.TurnWords(0, 0), "too little"),
        (q.Locate(MUG, 0, "box"), "not seen"),
    ],
)
def test_what_has_no_answer_says_why(query: q.Query, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        evaluate(query, FACTS)


@pytest.mark.parametrize(
    ("axis", "degrees", "expected"),
    [
        ("y", 30, "yaw_right"),
        ("y", -30, "yaw_left"),
        ("x", 20, "pitch_up"),
        ("x", -20, "pitch_down"),
        ("z", 25, "roll_clockwise"),
        ("z", -25, "roll_anticlockwise"),
    ],
)
def test_turns_are_named_as_a_person_would(axis: str, degrees: float, expected: str) -> None:
    first = np.eye(4)
    second = np.eye(4)
    second[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    facts = SceneFacts(boxes={}, labels={}, cameras=(a_camera(first), a_camera(second)))
    # To the right is +x; up is -y; a camera rolled clockwise has its right axis turned down (+y).
    looks = second[:3, 2]
    if expected.startswith("yaw"):
        assert (looks[0] > 0) == (expected == "yaw_right")
    if expected.startswith("pitch"):
        assert (looks[1] < 0) == (expected == "pitch_up")
    if expected.startswith("roll"):
        assert (second[1, 0] > 0) == (expected == "roll_clockwise")
    found = evaluate(q.TurnWords(0, 1), facts)
    assert found.value == expected
    assert found.margin == pytest.approx(abs(degrees))


def test_two_equal_turns_are_both_named_and_one_half_as_large_is_refused() -> None:
    def facts(yaw: float, pitch: float) -> SceneFacts:
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler("YXZ", [yaw, pitch, 0], degrees=True).as_matrix()
        return SceneFacts(boxes={}, labels={}, cameras=(a_camera(np.eye(4)), a_camera(pose)))

    assert evaluate(q.TurnWords(0, 1), facts(-20, 18)).value == "yaw_left+pitch_up"
    assert evaluate(q.TurnWords(0, 1), facts(20, 4)).value == "yaw_right"
    with pytest.raises(BenchDataError, match="neither single nor dual"):
        evaluate(q.TurnWords(0, 1), facts(20, 10))


def test_the_margin_of_a_ranked_choice_is_the_gap_to_its_nearest_neighbour() -> None:
    tops = {k: q.HeightOf(obj(i), "top") for k, i in zip("slrm", (SOFA, LAMP, RUG, MUG), strict=True)}
    # 1.8, 0.9, 0.8, 0.02
    assert evaluate(q.Choose(tops, "largest", rank=2), FACTS) == Evaluated("m", pytest.approx(0.1))
    assert evaluate(q.Choose(tops, "largest", rank=4), FACTS) == Evaluated("r", pytest.approx(0.78))
    assert evaluate(q.Choose(tops, "smallest", rank=3), FACTS) == Evaluated("m", pytest.approx(0.1))


def test_the_margin_of_a_place_in_a_picture_is_the_smaller_side_of_its_box() -> None:
    assert evaluate(q.Locate(SOFA, 0, "box"), FACTS).margin == 10.0
    assert evaluate(q.Locate(SOFA, 0, "point"), FACTS).margin == 10.0


@given(st.floats(-math.pi, math.pi), st.integers(0, 11))
def test_sectors_turn_with_the_world(heading_rad: float, hour: int) -> None:
    """A person at the origin who faces heading_rad sees an object at the hour where it was put."""
    at_rad = heading_rad - math.radians(30 * hour)
    boxes = {
        0: OrientedBox.upright((0, 0, 0), (1, 1, 1), heading_rad=heading_rad),
        1: OrientedBox.upright((3 * math.cos(at_rad), 3 * math.sin(at_rad), 1), (1, 1, 1)),
    }
    facts = SceneFacts(boxes=boxes, labels={0: "a", 1: "b"}, cameras=())
    found = evaluate(q.Sector(q.ObjectRef(0), q.ObjectRef(1), q.OwnFrame(0), "clock"), facts)
    assert found.value == (hour or 12)
    assert found.margin == pytest.approx(15, abs=1e-6)


@pytest.mark.parametrize("query", [query for query, _ in ANSWERS], ids=lambda value: type(value).__name__)
def test_questions_survive_json(query: q.Query) -> None:
    truth = evaluate(query, FACTS)
    kinds = {bool: AnswerType.YES_NO, int: AnswerType.CLOCK, float: AnswerType.NUMBER, str: AnswerType.CHOICE}
    kind = kinds.get(type(truth.value), AnswerType.LIST)
    if isinstance(query, q.Locate):
        kind = AnswerType.BOX if query.shape == "box" else AnswerType.POINT
    question = Question(
        id="room-0/a/1",
        suite="spacedg",
        kind="test",
        scene="room-0",
        views=("a",),
        query=query,
        text="What is it?",
        answer_type=kind,
        truth=truth.value,
        unit=Unit.METRE if kind in (AnswerType.LIST, AnswerType.NUMBER) else None,
        options=(Option(str(truth.value), "it"), Option("other", "other")) if kind is AnswerType.CHOICE else (),
        margin=truth.margin,
        names={SOFA: "the sofa"},
        marks={SOFA: 1},
    )
    back = question_from_json(question_to_json(question))
    assert back == question
    assert type(back.truth) is type(question.truth)
    assert evaluate(back.query, FACTS) == truth
    assert back.answer_format.answer_type is kind
    assert (back.letter == "A") == (kind is AnswerType.CHOICE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a question"),
        ("[]", "not a question"),
        ('{"id": "x"}', "not a question"),
        ("null", "not a question"),
    ],
)
def test_what_is_no_question_is_refused(text: str, says: str) -> None:
    with pytest.raises(BenchDataError, match=says):
        question_from_json(text)
