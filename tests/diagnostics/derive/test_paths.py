"""Relations are followed along paths, distances added up, and contradictions named instead of raised."""

from __future__ import annotations

import pytest

from seeworthy.bench_data.questions import AnswerType, Question
from seeworthy.bench_data.questions.query import Distance, LevelFrame, ObjectRef, Related, RelationSet, Value
from seeworthy.bench_data.scene_graphs import Relation
from seeworthy.diagnostics.derive import Status, derive
from seeworthy.diagnostics.scene_graph import RelationReading, SceneObject

from .made import ask, edge, graph

RULE = RelationReading(zone=0.2)


def related(of: int, relation: Relation, against: int) -> Question:
    return ask(Related(ObjectRef(of), ObjectRef(against), (relation,), LevelFrame(0), 0.2))


def apart(a: int, b: int) -> Question:
    return ask(Value(Distance(ObjectRef(a), ObjectRef(b))), 1.0, AnswerType.NUMBER)


def test_left_of_and_left_of_is_left_of() -> None:
    chain = graph(*(edge(number, number + 1, "left") for number in range(1, 9)), reading=RULE)
    found = derive(chain, related(9, "left", 1))
    assert found.value is True
    assert derive(chain, related(1, "left", 9)).value is False
    assert derive(chain, related(1, "right", 9)).value is True
    assert "object 2 is to its left (object 1)" in found.steps
    assert any("through object 2, object 3" in step for step in found.steps)


@pytest.mark.parametrize(("relation", "opposite"), [("right", "left"), ("behind", "front"), ("above", "below")])
def test_orders_are_transitive_on_each_axis(relation: Relation, opposite: Relation) -> None:
    held = graph(edge(1, 2, relation), edge(3, 2, opposite), edge(3, 4, relation), reading=RULE)
    held = held.changed(objects=tuple(SceneObject(id=one.id, height_m=0.5) for one in held.objects))
    assert derive(held, related(4, relation, 2)).value is True
    assert derive(held, related(3, relation, 2)).value is True
    assert derive(held, related(3, relation, 1)).value is True
    assert derive(held, related(4, opposite, 1)).value is False


def test_against_the_order_nothing_follows() -> None:
    held = graph(edge(1, 2, "left"), edge(2, 3, "right"), reading=RULE)
    found = derive(held, related(3, "left", 1))
    assert found.status is Status.AMBIGUOUS
    assert found.possible == (False, True)


def test_what_is_within_the_dead_zone_keeps_to_it() -> None:
    held = graph(edge(1, 2, "left"), edge(2, 3), reading=RULE)
    # 2 is more than 0.2 m left of 1, and 3 within 0.2 m of 2.
    assert derive(held, related(3, "right", 1)).value is False
    assert derive(held, related(3, "left", 1)).status is Status.AMBIGUOUS


def test_a_circle_is_named() -> None:
    held = graph(edge(1, 2, "left"), edge(2, 3, "left"), edge(3, 1, "left"), edge(3, 4, "left", "behind"), reading=RULE)
    found = derive(held, related(2, "left", 1))
    assert found.status is Status.AMBIGUOUS
    assert "left or right" in found.reason
    assert all(f"object {number}" in found.reason for number in (1, 2, 3))
    assert "circle" in found.reason
    # Other axes, and objects off the circle, are not spoilt.
    assert derive(held, related(4, "behind", 3)).value is True
    assert derive(held, related(4, "left", 3)).value is True
    assert derive(held, related(2, "behind", 1)).value is False


def test_two_edges_that_contradict_each_other() -> None:
    held = graph(edge(1, 2, "left", "behind"), edge(2, 1, "left", "front"), reading=RULE)
    found = derive(held, related(2, "left", 1))
    assert found.status is Status.AMBIGUOUS
    assert "object 1" in found.reason
    assert "object 2" in found.reason
    assert "contradicts itself" in found.reason
    assert derive(held, related(2, "behind", 1)).value is True


def test_one_edge_that_contradicts_itself() -> None:
    held = graph(edge(1, 2, "left", "right", "behind"), reading=RULE)
    found = derive(held, ask(RelationSet(ObjectRef(2), ObjectRef(1), LevelFrame(0), 0.2), "", AnswerType.NUMBER))
    assert found.status is Status.AMBIGUOUS
    assert "contradicts itself" in found.reason


def test_numbers_that_cannot_all_hold() -> None:
    held = graph(
        edge(1, 2, "left", distance_m=1.0), edge(1, 3, "right", distance_m=1.0), reading=RelationReading(zone=5.0)
    )
    found = derive(held, related(3, "right", 2))
    assert found.status is Status.AMBIGUOUS
    assert "contradict" in found.reason


def test_a_length_too_short_for_its_relation_leaves_both_as_stated() -> None:
    held = graph(edge(1, 2, "left", distance_m=0.05), reading=RULE)
    assert derive(held, related(2, "left", 1)).value is True
    assert derive(held, apart(1, 2)).value == 0.05


def test_distances_along_a_chain() -> None:
    held = graph(edge(1, 2, distance_m=1.0), edge(2, 3, distance_m=2.0), edge(3, 4, distance_m=10.0))
    found = derive(held, apart(1, 4))
    assert found.interval == pytest.approx((7.0, 13.0))
    assert derive(held, apart(3, 4)).value == 10.0
    assert derive(graph(edge(1, 2, distance_m=1.0), edge(3, 4, distance_m=1.0)), apart(1, 4)).status is Status.UNDEFINED


def test_a_stated_distance_stands_even_where_others_contradict_it() -> None:
    held = graph(edge(1, 2, distance_m=1.0), edge(2, 3, distance_m=1.0), edge(1, 3, distance_m=9.0))
    assert derive(held, apart(1, 3)).value == 9.0
    twice = graph(edge(1, 2, distance_m=1.0), edge(2, 1, distance_m=3.0))
    assert derive(twice, apart(1, 2)).interval == (1.0, 3.0)


def test_distances_to_the_camera_bound_the_distance_between_two_objects() -> None:
    held = graph().changed(
        objects=(SceneObject(id=1, distance_to_camera_m=2.0), SceneObject(id=2, distance_to_camera_m=5.0))
    )
    assert derive(held, apart(1, 2)).interval == (3.0, 7.0)
    found = derive(held, related(1, "left", 2))
    assert found.status is Status.UNDEFINED
    assert "in which direction" in found.reason


def test_objects_with_and_without_positions_are_joined() -> None:
    held = graph(edge(2, 3, "right", distance_m=1.0), edge(1, 2, "left"), reading=RULE).changed(
        objects=(
            SceneObject(id=1, position_m=(0.0, 0.0, 5.0)),
            SceneObject(id=2, position_m=(4.0, 0.0, 5.0)),
            SceneObject(id=3),
        )
    )
    # Positions win over the edge from 1 to 2, and 3 is right of 2.
    assert derive(held, related(2, "left", 1)).value is False
    assert derive(held, related(3, "right", 1)).value is True
    assert derive(held, apart(1, 3)).interval == pytest.approx((4.2, 5.0))
