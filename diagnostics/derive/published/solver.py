"""The published solver: from flags, distances and sizes of a graph to an answer, by one rule for each ability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ....bench_data.questions import Question, Truth
from ....bench_data.questions.query import (
    CameraRef,
    Candidate,
    Choose,
    Count,
    Distance,
    Exceeds,
    FacingFrame,
    ObjectRef,
    Place,
    Placed,
    Quantity,
    Ranking,
    Related,
    RelationSet,
    Sector,
    Size,
    Value,
)
from ....bench_data.questions.suites.crisp.published import published_sector
from ....bench_data.scene_graphs import Relation
from ...errors import DiagnosticsError
from ...scene_graph import SceneGraph
from ..derived import Derived, Status
from ..numbering import Numbering, numbers_of
from .graph import PublishedEdge, PublishedGraph, PublishedNode, published_graph_from
from .words import matching_option, relations_in

__all__ = ["MISMATCH", "MISSING", "derive_published"]

MISSING = "FAILED: Missing Data"
MISMATCH = "FAILED: Option Mismatch"
NO_RULE = "the published solver has no rule for this kind of question"

_LONGEST_EDGE_M = 25.0
_LEAST_JACCARD = 0.5
_STEPS: Mapping[Relation, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "front": (0, -1), "behind": (0, 1)}
"""Right and forward of each level relation."""
_SIDES: Mapping[str, str] = {
    "volume": "volume_m3",
    "height": "height_m",
    "width": "width_m",
    "shorter_ground": "width_m",
    "length": "length_m",
    "longer_ground": "length_m",
}


class _Failed(Exception):  # noqa: N818 - ends one derivation, whose result says why
    """No answer, by the published rule."""


def derive_published(
    graph: SceneGraph | PublishedGraph, question: Question, *, numbering: Numbering = "auto"
) -> Derived:
    """The answer by the published rules; determined or undefined, never ambiguous.

    Works on the structured question, not on its text; options are compared by their texts, as published. Its faults are
    kept: what is not stated counts as 0, a tie goes to the object named last, only edges shorter than 25 m are counted,
    an object without any relation cannot be asked about, and an object lies in one of eight directions at the whole
    distance of its edge, so that imagined objects and changes of viewpoint are only approximate. One is not: a value
    that is no number gives no answer instead of an exception.

    Args:
        graph: what is known.
        question: of CRISP's kinds, or put in the same way.
        numbering: see `derive`.

    Raises:
        DiagnosticsError: objects of a `PublishedGraph` are to be found by names.
    """
    if isinstance(graph, PublishedGraph):
        held, numbers = graph, _numbers(question, numbering)
    else:
        held, numbers = published_graph_from(graph), numbers_of(graph, question, numbering)
    solver = _Solver(held, numbers, question)
    try:
        value = solver.answer()
    except _Failed as failure:
        return Derived(status=Status.UNDEFINED, steps=tuple(solver.steps), reason=str(failure))
    exact = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return Derived(
        status=Status.DETERMINED,
        value=value,
        interval=None if exact is None else (exact, exact),
        steps=tuple(solver.steps),
    )


def _numbers(question: Question, numbering: Numbering) -> Mapping[int, int] | None:
    if numbering == "names":
        raise DiagnosticsError("a published graph has no labels to find objects by; give their numbers")
    return numbers_of(SceneGraph(), question, numbering)


class _Solver:
    def __init__(self, graph: PublishedGraph, numbers: Mapping[int, int] | None, question: Question) -> None:
        self.graph = graph
        self.question = question
        self.steps: list[str] = []
        self._numbers = numbers

    def answer(self) -> Truth:
        """By the form of the query."""
        match self.question.query:
            case Related(of=of, against=against, relations=relations):
                return set(relations) <= self._flags(of, against)
            case RelationSet(of=of, against=against):
                return self._option(self._flags(of, against), least_jaccard=0.0)
            case Choose(among=among, pick=pick):
                return self._choose(among, largest=pick == "largest")
            case Ranking(among=among, order=order):
                return self._rank(among, descending=order == "descending")
            case Value(quantity=Count() as count):
                return self._count(count)
            case Value(quantity=Distance(a=Placed() as placed, b=ObjectRef() as to)):
                return self._imagined(placed, to)
            case Value(quantity=quantity):
                return self._measure(quantity)
            case Sector(start=ObjectRef() as stand, end=end, frame=FacingFrame() as frame) if frame.at == stand:
                return self._viewpoint(stand, frame.towards, end)
        raise _Failed(NO_RULE)

    def _number(self, place: Place) -> int:
        if not isinstance(place, ObjectRef):
            raise _Failed(NO_RULE)
        number = place.id if self._numbers is None else self._numbers.get(place.id)
        if number is None or number not in self.graph.nodes:
            raise _Failed(MISSING)
        return number

    def _node(self, place: Place) -> PublishedNode:
        return self.graph.nodes[self._number(place)]

    def _edge(self, source: Place, target: Place) -> PublishedEdge:
        a, b = self._number(source), self._number(target)
        found = self.graph.edge(a, b)
        if found is None:
            raise _Failed(MISSING)
        words = " and ".join(sorted(found.relations)) or "without relations"
        self.steps.append(f"edge from object {a} to object {b}: {found.distance_m} m, {words}")
        return found

    def _flags(self, of: Place, against: Place) -> frozenset[Relation]:
        flags = self._edge(against, of).relations
        if not flags:
            raise _Failed(MISSING)
        return flags

    def _measure(self, quantity: Quantity) -> float:
        found: float | None
        match quantity:
            case Size(object=ObjectRef() as one, side=side) if side in _SIDES:
                found = getattr(self._node(one), _SIDES[side])
                self.steps.append(f"{side.replace('_', ' ')} of object {self._number(one)}: {found}")
            case (
                Distance(a=CameraRef(view=0), b=ObjectRef() as one)
                | Distance(a=ObjectRef() as one, b=CameraRef(view=0))
            ):
                found = self._node(one).distance_m
                self.steps.append(f"object {self._number(one)} from the camera: {found} m")
            case Distance(a=ObjectRef() as a, b=ObjectRef() as b):
                found = self._edge(b, a).distance_m
            case _:
                raise _Failed(NO_RULE)
        if found is None or not math.isfinite(found):
            raise _Failed(MISSING)
        return found

    def _choose(self, among: Mapping[str, Quantity], *, largest: bool) -> str:
        if len(among) != 2:
            raise _Failed(NO_RULE)
        first, second = among
        a, b = (self._measure(one) for one in among.values())
        return first if (a > b if largest else a < b) else second

    def _rank(self, among: Mapping[str, Quantity], *, descending: bool) -> str:
        values = {key: self._measure(one) for key, one in among.items()}
        order = sorted(values, key=lambda key: -values[key] if descending else values[key])
        key = (" > " if descending else " < ").join(order)
        return self._offered(key)

    def _offered(self, key: str) -> str:
        if self.question.options and all(option.key != key for option in self.question.options):
            raise _Failed(MISMATCH)
        return key

    def _count(self, quantity: Count) -> Truth:
        if len(quantity.where) != 1:
            raise _Failed(NO_RULE)
        (test,) = quantity.where
        anchor = _anchor(test)
        middle = self._number(anchor)
        count = 0
        for number in self.graph.nodes:
            edge = self.graph.edge(middle, number)
            if number == middle or edge is None or edge.distance_m is None or edge.distance_m >= _LONGEST_EDGE_M:
                continue
            count += _meets(test, edge, edge.distance_m)
        self.steps.append(f"{count} objects with an edge to object {middle} shorter than {_LONGEST_EDGE_M:g} m meet it")
        return self._offered(str(count)) if self.question.options else count

    def _imagined(self, placed: Placed, to: ObjectRef) -> float:
        if placed.axis == "up":
            raise _Failed(NO_RULE)
        edge = self._edge(placed.anchor, to)
        right, forward = _unit(edge.relations)
        if edge.distance_m is None:
            raise _Failed(MISSING)
        right, forward = right * edge.distance_m, forward * edge.distance_m
        if placed.axis == "right":
            right -= placed.distance_m
        else:
            forward -= placed.distance_m
        found = math.hypot(right, forward)
        if not math.isfinite(found):
            raise _Failed(MISSING)
        return round(found, 2)

    def _viewpoint(self, stand: ObjectRef, face: Place, target: Place) -> str:
        headings = [math.atan2(*_unit(self._edge(stand, one).relations)) for one in (face, target)]
        sector = published_sector(headings[1] - headings[0])
        self.steps.append(f"seen from there it lies {sector}")
        return self._option(relations_in(sector), least_jaccard=_LEAST_JACCARD)

    def _option(self, flags: frozenset[Relation], *, least_jaccard: float) -> str:
        options = self.question.options
        place = matching_option(flags, [relations_in(option.text) for option in options], least_jaccard=least_jaccard)
        if place is None:
            raise _Failed(MISMATCH)
        return options[place].key


def _anchor(test: Exceeds | Related) -> Place:
    """The object that the candidates of a count are compared with."""
    if isinstance(test, Related):
        return test.against
    for side in (test.left, test.right):
        if isinstance(side, Distance):
            return side.b if isinstance(side.a, Candidate) else side.a
    raise _Failed(NO_RULE)


def _meets(test: Exceeds | Related, edge: PublishedEdge, distance_m: float) -> bool:
    if isinstance(test, Related):
        return set(test.relations) <= edge.relations
    if isinstance(test.left, int | float):
        return distance_m <= test.left
    if isinstance(test.right, int | float):
        return distance_m > test.right
    raise _Failed(NO_RULE)


def _unit(relations: Sequence[Relation] | frozenset[Relation]) -> tuple[float, float]:
    """Right and forward of one of eight directions."""
    steps = [_STEPS[one] for one in relations if one in _STEPS]
    right, forward = sum(step[0] for step in steps), sum(step[1] for step in steps)
    if not right and not forward:
        raise _Failed(MISSING)
    length = math.hypot(right, forward)
    return right / length, forward / length
