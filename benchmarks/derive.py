"""Counts how many answers a second are derived from scene graphs on one core, by engine, and how right they are.

    python benchmarks/derive.py [--seconds 2] [--questions 10000]

Questions of all suites over made-up rooms and streets. "exact": graphs with all positions; "bounds": stars of distances
and relations without positions, as models are asked for; "published": the flag-based solver on CRISP's published graphs
and questions. Each graph is new to its engine, as every reply of a model is: what is worked out for a graph counts. CPU
time of this process, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from seeworthy.bench_data.questions import QUESTION_SUITES, Question, Refusals, SceneTruth
from seeworthy.bench_data.scenes import SceneKind
from seeworthy.diagnostics.derive import (
    Derived,
    Deriver,
    GraphOf,
    derive,
    derive_published,
    full_graph_of,
    oracle_ceiling,
    published_graph_of,
    star_graph_of,
)
from seeworthy.diagnostics.scene_graph import SceneGraph
from tests.bench_data.questions.indoor import a_room
from tests.bench_data.questions.truths import random_truth

WANTED = 10_000
Batch = tuple[SceneGraph, Sequence[Question]]


def scenes() -> Iterator[SceneTruth]:
    """Rooms and streets without end."""
    seed = 0
    while True:
        yield a_room(1000 + seed, objects=16, views=10)
        yield random_truth(1000 + seed, kind=SceneKind.STREET, objects=14, views=6)
        seed += 1


def made(count: int) -> tuple[list[Question], list[SceneTruth]]:
    """At least so many questions of all suites and kinds."""
    questions: list[Question] = []
    truths = []
    for truth in scenes():
        truths.append(truth)
        for name in QUESTION_SUITES.names():
            suite = QUESTION_SUITES.get(name)
            questions += suite.generate(truth, suite.settings(most_per_kind=15), 5, Refusals())
        if len(questions) >= count:
            return questions, truths
    raise AssertionError("there are always more scenes")


def published_questions(truths: Sequence[SceneTruth]) -> list[Question]:
    """CRISP's, by its own rule."""
    suite = QUESTION_SUITES.get("crisp")
    settings = suite.settings(published=True)
    return [one for truth in truths for one in suite.generate(truth, settings, 5, Refusals())]


def batches(questions: Sequence[Question], truths: Sequence[SceneTruth], graph_of: GraphOf) -> list[Batch]:
    """Questions about the same pictures, with their graph."""
    by_scene = {truth.scene: truth for truth in truths}

    def pictures(one: Question) -> tuple[object, ...]:
        return one.suite, one.scene, one.views, tuple(one.marks.items())

    groups = [list(group) for _, group in groupby(sorted(questions, key=lambda one: repr(pictures(one))), pictures)]
    return [(graph_of(by_scene[group[0].scene], group[0]), group) for group in groups]


def bounds_of(graph: SceneGraph, questions: Sequence[Question]) -> None:
    """All answers by one new engine."""
    deriver = Deriver(graph)
    for question in questions:
        deriver.derive(question)


def published_of(graph: SceneGraph, questions: Sequence[Question]) -> None:
    """All answers by the published rules."""
    for question in questions:
        derive_published(graph, question)


def main() -> int:
    """Prints a table; 1 where an engine is too slow, or the exact one wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds for each engine")
    parser.add_argument("--questions", type=int, default=10_000)
    arguments = parser.parse_args()
    questions, truths = made(arguments.questions)
    crisp = published_questions(truths)
    print(f"{len(questions)} questions of {len({(one.suite, one.kind) for one in questions})} kinds")
    slow = []
    for name, asked, graph_of, run in (
        ("exact", questions, full_graph_of, bounds_of),
        ("bounds", questions, star_graph_of, bounds_of),
        ("published", crisp, published_graph_of, published_of),
    ):
        work = batches(asked, truths, graph_of)
        passes, start = 0, time.process_time()
        while time.process_time() - start < arguments.seconds or not passes:
            for graph, group in work:
                run(graph, group)
            passes += 1
        speed = passes * len(asked) / (time.process_time() - start)
        slow += [name] if speed < WANTED else []
        print(f"{name:<10} {speed:10,.0f} answers/s  (at least {WANTED:,})")
    print("\n".join(_ceilings(questions, crisp, truths)))
    exact = oracle_ceiling(questions, truths, derive, full_graph_of).overall
    print("too slow: " + ", ".join(slow) if slow else "all fast enough")
    return 1 if slow or exact.right != exact.determined else 0


def _ceilings(questions: Sequence[Question], crisp: Sequence[Question], truths: Sequence[SceneTruth]) -> Iterator[str]:
    def published(graph: SceneGraph, question: Question) -> Derived:
        return derive_published(graph, question)

    for name, asked, engine, graph_of in (
        ("exact, full true graph", questions, derive, full_graph_of),
        ("bounds, star without positions", questions, derive, star_graph_of),
        ("published, published star (CRISP)", crisp, published, published_graph_of),
    ):
        yield f"\n{name}"
        yield oracle_ceiling(asked, truths, engine, graph_of).as_text()


if __name__ == "__main__":
    raise SystemExit(main())
