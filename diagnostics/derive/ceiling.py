"""Oracle ceiling: how far an engine gets on true graphs; beside it every value derived from a model's graph is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ...bench_data.questions import Question, SceneTruth, Truth
from ..errors import DiagnosticsError
from ..scene_graph import SceneGraph
from .derived import Derived, Status

__all__ = ["CeilingRow", "CeilingTable", "Engine", "GraphOf", "agrees", "oracle_ceiling"]

Engine = Callable[[SceneGraph, Question], Derived]
"""What derives an answer: `derive`, `derive_published`, or one's own."""

GraphOf = Callable[[SceneTruth, Question], SceneGraph]
"""The true graph that an engine is given for a question."""

_RELATIVE, _ABSOLUTE = 1e-6, 1e-6
_ROUNDED = 0.00501
"""Published numbers are stored with two decimals."""


@dataclass(frozen=True, slots=True)
class CeilingRow:
    """One kind of question.

    Args:
        questions: in all.
        determined, ambiguous, undefined: how many of them were.
        right: how many of the determined ones agree with the key.
    """

    questions: int
    determined: int
    ambiguous: int
    undefined: int
    right: int

    @property
    def determined_share(self) -> float:
        """Of all questions, from 0 to 1; higher is better."""
        return self.determined / self.questions if self.questions else math.nan

    @property
    def right_share(self) -> float:
        """Of the determined ones, from 0 to 1; 1 for a sound engine on true graphs, nan where none is determined."""
        return self.right / self.determined if self.determined else math.nan

    @property
    def ceiling(self) -> float:
        """Right answers of all questions, from 0 to 1: what a model with a perfect graph would get."""
        return self.right / self.questions if self.questions else math.nan

    def __add__(self, other: CeilingRow) -> CeilingRow:
        return CeilingRow(
            self.questions + other.questions,
            self.determined + other.determined,
            self.ambiguous + other.ambiguous,
            self.undefined + other.undefined,
            self.right + other.right,
        )


_NONE = CeilingRow(0, 0, 0, 0, 0)


@dataclass(frozen=True)
class CeilingTable:
    """(suite, kind) -> row, sorted."""

    rows: Mapping[tuple[str, str], CeilingRow]

    @property
    def overall(self) -> CeilingRow:
        """All kinds together."""
        return sum(self.rows.values(), _NONE)

    def as_text(self) -> str:
        """A line a kind, and one for all."""
        lines = [f"{'suite':<11} {'kind':<62} {'n':>6} {'determined':>10} {'right':>6} {'ceiling':>7}"]
        for (suite, kind), row in (*self.rows.items(), (("all", ""), self.overall)):
            right = f"{row.right_share:6.3f}" if row.determined else f"{'-':>6}"
            lines.append(
                f"{suite:<11} {kind:<62} {row.questions:>6} {row.determined_share:>10.3f} {right} {row.ceiling:>7.3f}"
            )
        return "\n".join(lines)


def oracle_ceiling(
    questions: Iterable[Question], truths: Iterable[SceneTruth], engine: Engine, graph_of: GraphOf
) -> CeilingTable:
    """What an engine derives from true graphs, by kind.

    Args:
        questions: of any suites.
        truths: of all scenes that they speak of.
        engine: derives an answer from a graph.
        graph_of: the graph that it is given, such as `full_graph_of` or `star_graph_of`; consecutive questions about
            the same pictures and marks share one.

    Raises:
        DiagnosticsError: there is no truth of a question's scene.
    """
    scenes = {truth.scene: truth for truth in truths}
    rows: dict[tuple[str, str], CeilingRow] = {}
    last: tuple[object, SceneGraph] | None = None
    for question in questions:
        truth = scenes.get(question.scene)
        if truth is None:
            raise DiagnosticsError(f"question {question.id}: there is no truth of scene {question.scene!r}")
        pictures = (question.suite, question.scene, question.views, tuple(question.marks.items()))
        if last is None or last[0] != pictures:
            last = pictures, graph_of(truth, question)
        derived = engine(last[1], question)
        status = derived.status
        row = CeilingRow(
            1,
            int(derived.is_determined),
            int(status is Status.AMBIGUOUS),
            int(status is Status.UNDEFINED),
            int(derived.value is not None and agrees(question, derived.value)),
        )
        key = question.suite, question.kind
        rows[key] = rows.get(key, _NONE) + row
    return CeilingTable(dict(sorted(rows.items())))


def agrees(question: Question, value: Truth) -> bool:
    """Whether a derived answer is the question's key: numbers within rounding, all else exactly."""
    truth = question.truth
    if isinstance(truth, bool | str) or isinstance(value, bool | str):
        return type(truth) is type(value) and truth == value
    expected = truth if isinstance(truth, tuple) else (truth,)
    got = value if isinstance(value, tuple) else (value,)
    absolute = _ROUNDED if question.published else _ABSOLUTE
    return len(expected) == len(got) and all(
        math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=absolute) for a, b in zip(expected, got, strict=True)
    )
