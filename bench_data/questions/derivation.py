"""Derivations: what a stored truth rests on, and the way from there to the answer without the scene.

The facts of a question stand in the order of its query: for a value or values the quantities; for "exceeds" the sides
that are quantities; for a choice or a ranking the quantities in the order of ``among``; for direction words the parts
along the query's axes; for a sector the bearing clockwise from ahead or north; for turn words yaw, pitch and roll; for
existence the count. Where a question's facts do not fit this pattern, nothing is derived from them.
"""

from __future__ import annotations

from collections.abc import Sequence

from .evaluate import (
    COMPASS_NAMES,
    DUAL_RATIO,
    LEAST_SECOND_TURN_DEG,
    RELATIVE_NAMES,
    SINGLE_RATIO,
)
from .query import (
    Choose,
    Count,
    DirectionWords,
    Exceeds,
    Exists,
    LabelCount,
    Query,
    Ranking,
    Sector,
    TurnWords,
    Value,
    Values,
)
from .question import Fact, Question, Truth
from .units import Unit

__all__ = ["answer_from_derivation"]

_OPPOSITES = {"right": ("left", "right"), "up": ("down", "up"), "forward": ("backward", "forward")}
_TURNS = (("yaw_left", "yaw_right"), ("pitch_down", "pitch_up"), ("roll_anticlockwise", "roll_clockwise"))


def answer_from_derivation(question: Question) -> Truth | None:
    """The answer that the stored facts give; None where they do not fit the pattern, or the query has none."""
    query, facts = question.query, question.derivation
    if not facts:
        return None
    values = [fact.value for fact in facts]
    match query:
        case Value() | Values() | Exists():
            return _counted_or_measured(query, values)
        case Exceeds(left=left, right=right):
            sides = [one for one in (left, right) if not isinstance(one, int | float)]
            if len(values) != len(sides):
                return None
            measured = iter(values)
            first, second = (one if isinstance(one, int | float) else next(measured) for one in (left, right))
            return first > second
        case Choose() | Ranking():
            return _picked(query, values) if len(values) == len(query.among) else None
        case DirectionWords():
            return _direction(query, values) if len(values) == len(query.axes) else None
        case Sector():
            return _sector(query, facts[0]) if len(facts) == 1 else None
        case TurnWords():
            return _turn(values) if len(values) == 3 else None
    return None


def _counted_or_measured(query: Query, values: Sequence[float]) -> Truth | None:
    if isinstance(query, Values):
        return tuple(values) if len(values) == len(query.quantities) else None
    if len(values) != 1:
        return None
    if isinstance(query, Exists):
        return values[0] > 0
    counted = isinstance(query, Value) and isinstance(query.quantity, LabelCount | Count)
    return round(values[0]) if counted else values[0]


def _picked(query: Choose | Ranking, values: Sequence[float]) -> str:
    """Written with max, min and sorting by value alone, unlike the reference."""
    by_key = dict(zip(query.among, values, strict=True))
    if isinstance(query, Ranking):
        order = sorted(by_key, key=lambda key: by_key[key], reverse=query.order == "descending")
        return (" < " if query.order == "ascending" else " > ").join(order)
    if query.rank > 1:
        return sorted(by_key, key=lambda key: by_key[key], reverse=query.pick == "largest")[query.rank - 1]
    best = (max if query.pick == "largest" else min)(by_key, key=lambda key: by_key[key])
    others = [abs(by_key[best] - value) for key, value in by_key.items() if key != best]
    if query.equal is not None and min(others) == 0:
        return query.equal
    return "same" if query.same_within is not None and min(others) <= query.same_within else best


def _direction(query: DirectionWords, values: Sequence[float]) -> str | None:
    parts = dict(zip(query.axes, values, strict=True))
    largest = max(map(abs, values))
    if largest == 0:
        return query.still
    large = [axis for axis in _OPPOSITES if axis in parts and abs(parts[axis]) >= query.share * largest]
    while len(large) > query.most:
        # Of equal parts the later axis goes.
        large.remove(min(reversed(large), key=lambda axis: abs(parts[axis])))
    return "+".join(_OPPOSITES[axis][parts[axis] > 0] for axis in large)


def _sector(query: Sector, fact: Fact) -> Truth | None:
    if fact.unit is not Unit.DEGREE:
        return None
    if query.naming == "floored_clock":
        return int(round(fact.value, 2) % 360 / 30) or 12
    count = 12 if query.naming == "clock" else 8
    index = round(fact.value * count / 360) % count
    if query.naming == "clock":
        return index or 12
    return (RELATIVE_NAMES if query.naming == "relative" else COMPASS_NAMES)[index]


def _turn(values: Sequence[float]) -> str | None:
    largest = max(map(abs, values))
    if largest < LEAST_SECOND_TURN_DEG:
        return None
    second = sorted(map(abs, values))[1]
    if second < LEAST_SECOND_TURN_DEG or second <= SINGLE_RATIO * largest:
        least = largest
    elif second >= DUAL_RATIO * largest:
        least = second
    else:
        return None
    return "+".join(names[value > 0] for names, value in zip(_TURNS, values, strict=True) if abs(value) >= least)
