"""Without positions, or with only some of what is true, what the engine calls determined is true all the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seeworthy.bench_data.questions import AnswerType, Question, SceneTruth, evaluate
from seeworthy.bench_data.questions.query import (
    CameraRef,
    Candidate,
    Choose,
    Count,
    DirectionWords,
    Distance,
    FacingFrame,
    LevelFrame,
    ObjectRef,
    Offset,
    Placed,
    Query,
    Ranking,
    Related,
    RelationSet,
    ScaledZone,
    Sector,
    Spread,
    Value,
)
from seeworthy.diagnostics.derive import Derived, Status, agrees, derive, oracle_ceiling, star_graph_of
from seeworthy.diagnostics.scene_graph import RelationReading, SceneGraph, scene_graph_of

from ...bench_data.questions.truths import random_truth
from .made import ask, edge, graph, usual

OUTRIGHT = {
    *("bigger_volume", "taller", "wider", "length", "width", "height", "camera_distance", "rank_volume"),
    *("nearer_camera", "farther_camera", "rank_camera_distance", "volume_data", "distance2agent"),
    "object_bounding_size_estimation.extents",
}
"""Kinds that are stated outright in a star without positions."""


def test_determined_answers_of_stars_without_positions_are_right() -> None:
    truths, questions = usual()
    table = oracle_ceiling(questions, truths, derive, star_graph_of)
    assert table.overall.right == table.overall.determined, table.as_text()
    assert 0.4 < table.overall.determined_share < 1
    for (_, kind), row in table.rows.items():
        if kind in OUTRIGHT:
            assert row.determined_share == 1, kind
    assert table.rows["crisp", "placed_distance"].determined == 0


def agrees_with_truth(found: Derived, question: Question) -> bool:
    """Whether the truth is among what a derivation leaves open."""
    truth = question.truth
    if found.status is Status.DETERMINED:
        assert found.value is not None
        return agrees(question, found.value)
    if found.status is Status.UNDEFINED:
        return True
    if found.interval is not None and isinstance(truth, int | float):
        return found.interval[0] - 1e-9 <= truth <= found.interval[1] + 1e-9
    return not found.possible or truth in found.possible


def forgotten(whole: SceneGraph, rng: random.Random, share: float) -> SceneGraph:
    """A graph with a share of all that it states left out; what is left is true."""

    def keep(fields: dict[str, object]) -> dict[str, object]:
        return {name: None for name in fields if rng.random() < share}

    objects = tuple(
        one.model_copy(
            update=keep(
                dict.fromkeys(
                    ("distance_to_camera_m", "length_m", "width_m", "height_m", "position_m", "heading_deg", "axes")
                )
            )
        )
        for one in whole.objects
    )
    edges = tuple(
        (one.reversed() if rng.random() < 0.3 else one).model_copy(
            update=keep(dict.fromkeys(("distance_m", "relations", "bearing_deg")))
        )
        for one in whole.edges
        if rng.random() >= share / 2
    )
    return whole.changed(objects=objects, edges=edges)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["star", "full"]), st.sampled_from([0.2, 0.5, 0.8]), st.booleans())
def test_what_is_left_of_a_true_graph_never_misleads(seed: int, plan: str, share: float, cameras: bool) -> None:
    truths, questions = usual()
    rng = random.Random(seed)
    by_scene = {truth.scene: truth for truth in truths}
    for one in rng.sample(questions, 30):
        truth = by_scene[one.scene]
        whole = scene_graph_of(
            truth,
            [truth.view_index(name) for name in one.views],
            marks=one.marks or None,
            edges=plan,  # type: ignore[arg-type]
            with_cameras=cameras,
        )
        found = derive(forgotten(whole, rng, share), one)
        assert agrees_with_truth(found, one), (one.query, one.truth, found)


_LEVEL = LevelFrame(0)


def random_query(rng: random.Random, ids: list[int]) -> Query:
    """A query about a few objects, without regard to margins."""
    a, b, c, d = (ObjectRef(one) for one in rng.sample(ids, 4))
    among = {str(one.id): Distance(one, d) for one in (a, b, c)}
    where = (Related(Candidate(), a, (rng.choice(["left", "behind", "above"]),), _LEVEL, ScaledZone()),)
    choices: list[Query] = [
        Value(Distance(a, b, rng.choice(["straight", "ground", "height"]))),
        Value(Distance(Placed(a, _LEVEL, rng.choice(["right", "forward"]), rng.uniform(-3, 3)), b, "ground")),
        Value(Distance(Placed(a, _LEVEL, "right", 1.0), b)),
        Value(Offset(a, b, rng.choice([_LEVEL, FacingFrame(c, a)]), rng.choice(["right", "up", "forward"]))),
        Value(Spread(a, _LEVEL, rng.choice(["right", "up", "volume"]))),
        Value(Count(tuple(one for one in ids if one != a.id), where)),
        Value(Distance(CameraRef(0), a, rng.choice(["straight", "ground", "height"]))),
        Related(a, b, (rng.choice(["left", "front", "below"]),), _LEVEL, rng.choice([0.0, 0.2, ScaledZone()])),
        RelationSet(a, b, _LEVEL, rng.choice([0.2, ScaledZone(), ScaledZone(0.1, 0.3, 0.2)])),
        Sector(a, b, rng.choice([_LEVEL, FacingFrame(a, c), FacingFrame(d, c)]), rng.choice(["relative", "clock"])),
        DirectionWords(a, b, _LEVEL, most=rng.choice([1, 2, 3])),
        Choose(among, rng.choice(["largest", "smallest"]), rng.choice([None, 0.5]), rank=1),
        Choose(among, "largest", rank=2),
        Ranking(among, rng.choice(["ascending", "descending"])),
    ]
    return rng.choice(choices)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["star", "full"]),
    st.sampled_from(["level", "level", "camera"]),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
)
def test_bounds_hold_the_truth_of_any_query(seed: int, plan: str, frame: str, share: float, placed: bool) -> None:
    rng = random.Random(seed)
    truth: SceneTruth = random_truth(seed, objects=7, views=1)
    ids = list(truth.objects)
    whole = scene_graph_of(truth, ids=ids, edges=plan, frame=frame, with_cameras=placed)  # type: ignore[arg-type]
    held = forgotten(whole if placed else whole.without_positions(), rng, share)
    for _ in range(25):
        query = random_query(rng, ids)
        value = evaluate(query, truth.facts([0])).value
        kind = AnswerType.YES_NO if isinstance(value, bool) else AnswerType.NUMBER
        one = ask(query, value, kind)
        found = derive(held, one)
        assert agrees_with_truth(found, one), (query, value, found)


def test_a_relation_is_taken_as_stated_where_the_rule_is_not_known() -> None:
    held = graph(edge(1, 2, "left", "behind", distance_m=2.0))
    for relation, holds in (("left", True), ("behind", True), ("right", False), ("above", False)):
        query = Related(ObjectRef(2), ObjectRef(1), (relation,), _LEVEL, 0.2)  # type: ignore[arg-type]
        assert derive(held, ask(query)).value is holds
        back = Related(ObjectRef(1), ObjectRef(2), (relation,), _LEVEL, 0.2)  # type: ignore[arg-type]
        assert derive(held, ask(back)).value is (relation in ("right", "front"))


def test_the_triangle_inequality() -> None:
    held = graph(edge(1, 2, distance_m=1.0), edge(1, 3, distance_m=4.0)).changed()
    found = derive(held, ask(Value(Distance(ObjectRef(2), ObjectRef(3))), 1.0, AnswerType.NUMBER))
    assert found.status is Status.AMBIGUOUS
    assert found.interval == pytest.approx((3.0, 5.0))
    assert found.estimate == pytest.approx(4.0)
    query = Choose(
        {"near": Distance(ObjectRef(1), ObjectRef(2)), "far": Distance(ObjectRef(3), ObjectRef(2))}, "smallest"
    )
    assert derive(held, ask(query, "near", AnswerType.CHOICE, options=("near", "far"))).value == "near"


def test_an_option_that_is_the_only_one_left_is_the_answer() -> None:
    held = graph(edge(1, 2, "right", "front", distance_m=2.0), reading=RelationReading(zone=0.2))
    query = Sector(ObjectRef(1), ObjectRef(2), _LEVEL, "relative")
    open_ = derive(held, ask(query, "right", AnswerType.CHOICE, options=("right", "front-right", "left", "back")))
    assert (open_.status, open_.possible) == (Status.AMBIGUOUS, ("back", "right"))
    assert derive(held, ask(query, "right", AnswerType.CHOICE, options=("right", "left", "front"))).value == "right"
    none = derive(held, ask(query, "left", AnswerType.CHOICE, options=("left", "front")))
    assert none.status is Status.UNDEFINED
    assert "none of the options" in none.reason


@pytest.mark.parametrize(
    ("metres", "keys", "expected"),
    [
        (2.87, ("1", "2", "3"), ("3",)),
        (2.874, ("2.86", "2.87", "2.88"), ("2.87",)),
        (2.875, ("2.87", "2.88", "3.00"), ("2.87", "2.88")),
        (9.0, ("1", "2"), ()),
    ],
)
def test_measured_numbers_are_offered_rounded(metres: float, keys: tuple[str, ...], expected: tuple[str, ...]) -> None:
    query = Value(Distance(ObjectRef(1), ObjectRef(2)))
    found = derive(graph(edge(1, 2, distance_m=metres)), ask(query, keys[0], AnswerType.CHOICE, options=keys))
    if len(expected) == 1:
        assert found.value == expected[0]
    else:
        assert found.possible == expected
        assert found.status is (Status.AMBIGUOUS if expected else Status.UNDEFINED)
