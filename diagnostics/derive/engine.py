"""The symbolic engine: what follows from a scene graph for a question."""

from __future__ import annotations

from ...bench_data.questions import Question, Truth
from ...bench_data.questions.query import (
    Choose,
    Count,
    DirectionWords,
    Exceeds,
    Exists,
    LabelCount,
    Locate,
    Query,
    Ranking,
    Related,
    RelationSet,
    Sector,
    TurnWords,
    Value,
    Values,
)
from ..scene_graph import SceneGraph
from .answers import among_answers, number_answer, numbers_answer
from .comparisons import choice_keys, ranking_keys
from .context import Context, Undefined
from .derived import Derived, Status
from .directions import direction_keys, sector_keys
from .knowledge import Knowledge
from .numbering import Numbering, numbers_of
from .quantities import is_true, quantity_bounds
from .relations import relation_keys
from .sizes import label_count
from .stated import AXIS_WORDS, usable
from .turns import turn_words

__all__ = ["Deriver", "derive"]

_MOST_KEPT = 8
_kept: list[Deriver] = []


def derive(graph: SceneGraph, question: Question, *, numbering: Numbering = "auto") -> Derived:
    """The answer that follows from a graph, with the argument in words; whatever the graph holds, it does not raise.

    Where the graph states the positions of all that the question speaks of, and the cameras it speaks of, the answer is
    worked out exactly. Where it only states distances, sizes and relations, bounds are followed: those of single edges,
    sums along paths, the triangle inequality. The answer is determined where the bounds leave only one.

    Statements of one pair come first: a length that is stated is not corrected by others that contradict it. Relations
    that lead round in a circle (a left of b, b left of c, c left of a) leave open what they are about, and the reason
    names the circle.

    Args:
        graph: what a model, or the truth, says of a picture or several; the pictures are those of the question, in the
            same order.
        question: whose query is answered.
        numbering: which numbers the graph uses for the objects of the question.
    """
    for deriver in _kept:
        if deriver.graph is graph:
            return deriver.derive(question, numbering=numbering)
    deriver = Deriver(graph)
    # The questions of a picture follow each other.
    _kept.insert(0, deriver)
    del _kept[_MOST_KEPT:]
    return deriver.derive(question, numbering=numbering)


class Deriver:
    """`derive` for many questions about one graph: what is found of a pair of objects is kept.

    Args:
        graph: what is known.
    """

    def __init__(self, graph: SceneGraph) -> None:
        self.graph = graph
        self._known = Knowledge(graph)

    def derive(self, question: Question, *, numbering: Numbering = "auto") -> Derived:
        """The answer to a question; see `derive`."""
        numbers = numbers_of(self.graph, question, numbering)
        context = Context(self._known, numbers, question.names, max(1, len(question.views)))
        try:
            return _answer(question, context)
        except Undefined as reason:
            cycle = _cycle_text(context)
            status = Status.AMBIGUOUS if cycle else Status.UNDEFINED
            return Derived(status=status, steps=context.teller.steps, reason=cycle or str(reason))


def _answer(question: Question, context: Context) -> Derived:
    query = question.query
    match query:
        case Value(quantity=quantity):
            found = quantity_bounds(quantity, context)
            whole = isinstance(quantity, LabelCount | Count)
            return number_answer(question, found, context.teller.steps, _cycle_text(context), whole=whole)
        case Values(quantities=quantities):
            several = [quantity_bounds(one, context) for one in quantities]
            return numbers_answer(several, context.teller.steps, _cycle_text(context))
        case Locate():
            return _locate(question, query, context)
    possible = _possible(query, question, context)
    return among_answers(question, possible, context.teller.steps, _cycle_text(context))


def _possible(query: Query, question: Question, context: Context) -> set[Truth]:
    """All answers that agree with the graph."""
    match query:
        case Exceeds() | Related():
            held = is_true(query, context)
            return {True, False} if held is None else {held}
        case Choose():
            return set(choice_keys(query, context))
        case Ranking():
            return set(ranking_keys(query, context, [option.key for option in question.options]))
        case DirectionWords():
            return set(direction_keys(query, context))
        case Sector():
            return set(sector_keys(query, context))
        case RelationSet():
            return set(relation_keys(query, context))
        case TurnWords(first=first, second=second):
            return set(turn_words(first, second, context))
        case Exists(label=label, views=views):
            count = label_count(LabelCount(label, views), context)
            return {True} if count.lo > 0 else {False} if count.hi == 0 else {True, False}
        case _:
            raise Undefined(f"there is no rule for a query of type {query.type!r}")


def _locate(question: Question, query: Locate, context: Context) -> Derived:
    number = query.object
    if isinstance(number, Choose):
        keys = choice_keys(number, context)
        if len(keys) > 1:
            return Derived(
                status=Status.AMBIGUOUS,
                steps=context.teller.steps,
                reason=_cycle_text(context) or f"{len(keys)} objects may be the one that is asked for",
            )
        number = int(next(iter(keys)))
    one = context.object_at(number)
    sight = one.sight(query.view)
    place: tuple[float, ...] | None = None
    if sight is not None:
        place = sight.box_px if query.shape == "box" else sight.point_px
    name = context.teller.name(one.id)
    if place is None or any(usable(value) is None for value in place):
        raise Undefined(f"the graph does not say where picture {query.view + 1} shows {name}")
    context.teller.say(f"{name} is at {', '.join(f'{value:.1f}' for value in place)} px")
    return among_answers(question, [tuple(float(value) for value in place)], context.teller.steps, "")


def _cycle_text(context: Context) -> str:
    """What contradicts itself, of all that was looked up; "" where nothing does."""
    for cycle, axis in context.cycles.items():
        words = " or ".join(AXIS_WORDS[axis])
        if len(cycle) <= 3:
            return f"what the graph says of {context.teller.names(cycle[:2])} ({words}) contradicts itself"
        return f"what the graph says of {context.teller.names(cycle)} ({words}) contradicts itself in a circle"
    return ""
