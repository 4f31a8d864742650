"""Scenes and questions of all suites that the engines are tried on, and small graphs by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from seeworthy.bench_data.questions import QUESTION_SUITES, AnswerType, Option, Question, Refusals, SceneTruth, Truth
from seeworthy.bench_data.questions.query import Query
from seeworthy.bench_data.scene_graphs import Relation
from seeworthy.bench_data.scenes import SceneKind
from seeworthy.diagnostics.scene_graph import SceneEdge, SceneGraph, SceneObject

from ...bench_data.questions.indoor import a_room
from ...bench_data.questions.truths import random_truth

PUBLISHED = ("crisp", "open3dvqa", "spacedg")
"""Suites with a published rule."""


def scenes(count: int, *, first: int = 0) -> Iterator[SceneTruth]:
    """Rooms and streets, in turn."""
    for seed in range(first, first + count):
        if seed % 2:
            yield random_truth(seed, kind=SceneKind.STREET, objects=12, views=5)
        else:
            yield a_room(seed, objects=15, views=8)


def questions_of(truth: SceneTruth, *, most_per_kind: int, published: bool = False) -> Iterator[Question]:
    """Questions of all suites about a scene."""
    for name in PUBLISHED if published else QUESTION_SUITES.names():
        suite = QUESTION_SUITES.get(name)
        yield from suite.generate(
            truth, suite.settings(most_per_kind=most_per_kind, published=published), 7, Refusals()
        )


@cache
def usual() -> tuple[tuple[SceneTruth, ...], tuple[Question, ...]]:
    """What most tests use: three scenes, and some questions of each kind."""
    truths = tuple(scenes(3))
    return truths, tuple(one for truth in truths for one in questions_of(truth, most_per_kind=6))


def ask(
    query: Query,
    truth: Truth = True,
    answer_type: AnswerType = AnswerType.YES_NO,
    *,
    options: tuple[str, ...] = (),
    names: Mapping[int, str] | None = None,
    marks: Mapping[int, int] | None = None,
    views: tuple[str, ...] = ("v0",),
) -> Question:
    """A question with nothing but a query and the form of its answer."""
    return Question(
        id="q",
        suite="made",
        kind="made",
        scene="made",
        views=views,
        query=query,
        text="",
        answer_type=answer_type,
        truth=truth,
        options=tuple(Option(key, key) for key in options),
        names=names or {},
        marks=marks or {},
    )


def edge(source: int, target: int, *relations: Relation, distance_m: float | None = None) -> SceneEdge:
    """The target is all this, seen against the source."""
    return SceneEdge(source=source, target=target, relations=relations, distance_m=distance_m)


def graph(*edges: SceneEdge, more: tuple[int, ...] = (), **fields: object) -> SceneGraph:
    """Objects without anything else, and edges."""
    ids = dict.fromkeys([end for one in edges for end in (one.source, one.target)] + list(more))
    objects = tuple(SceneObject(id=number) for number in ids)
    return SceneGraph(objects=objects, edges=edges, **fields)  # type: ignore[arg-type]
