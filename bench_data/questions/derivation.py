"""Derivations: what a stored truth rests on, and the way from there to the answer without the scene.

The facts of a question stand in the order of its query:

* a value or values, existence: the quantities; existence is a count.
* "exceeds": the sides that are quantities.
* a choice or a ranking: the quantities in the order of ``among``.
* direction words: the parts along the query's axes. Turn words: yaw, pitch and roll.
* a sector: the bearing clockwise from ahead or north.
* a relation: how far one place is from the other in its direction, and the dead zone; of above and below the bottom and
  top of the one, those of the other, and how much the two may overlap. Several relations: one after the other.
* a set of relations: to the right by, behind by, the dead zone; where height counts, then heights and overlap as above.
* a count: the facts of its conditions, candidate by candidate; of a category's objects their number.
* a place in a picture: (x0, y0, x1, y1) or (x, y); of an object found by a choice the quantities of the choice, then
  the place of each in the same order.

Where a question's facts do not fit this pattern, nothing is derived from them.
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
    Locate,
    Quantity,
    Query,
    Ranking,
    Related,
    RelationSet,
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
_HEIGHTS = ("above", "below")
_FACTS_OF_HEIGHT, _FACTS_OF_SIDE = 5, 2


def answer_from_derivation(question: Question) -> Truth | None:
    """The answer that the stored facts give; None where they do not fit the pattern, or the query has none."""
    facts = question.derivation
    if not facts:
        return None
    query = question.query
    if isinstance(query, Sector):
        return _sector(query, facts[0]) if len(facts) == 1 else None
    return _answer(query, [fact.value for fact in facts])


def _answer(query: Query, values: Sequence[float]) -> Truth | None:
    match query:
        case Value(quantity=Count() as count):
            return _counted(count, values)
        case Value(quantity=quantity):
            return _measured(quantity, values)
        case Values(quantities=quantities):
            return tuple(values) if len(values) == len(quantities) else None
        case Exists():
            return values[0] > 0 if len(values) == 1 else None
        case Exceeds() | Related():
            return _holds(query, values) if len(values) == _facts_of_condition(query) else None
        case Choose() | Ranking():
            return _picked(query, values) if len(values) == len(query.among) else None
        case DirectionWords():
            return _direction(query, values) if len(values) == len(query.axes) else None
        case RelationSet():
            return _relations(query, values)
        case TurnWords():
            return _turn(values) if len(values) == 3 else None
        case Locate():
            return _place(query, values)
    return None


def _measured(quantity: Quantity, values: Sequence[float]) -> Truth | None:
    if len(values) != 1:
        return None
    return round(values[0]) if isinstance(quantity, LabelCount) else values[0]


def _counted(count: Count, values: Sequence[float]) -> int | None:
    sizes = [_facts_of_condition(one) for one in count.where]
    if len(values) != sum(sizes) * len(count.candidates):
        return None
    left = iter(values)
    number = 0
    for _ in count.candidates:
        parts = [[next(left) for _ in range(size)] for size in sizes]
        number += all(_holds(one, part) for one, part in zip(count.where, parts, strict=True))
    return number


def _facts_of_condition(condition: Exceeds | Related) -> int:
    if isinstance(condition, Exceeds):
        return sum(not isinstance(one, int | float) for one in (condition.left, condition.right))
    return sum(_FACTS_OF_HEIGHT if one in _HEIGHTS else _FACTS_OF_SIDE for one in condition.relations)


def _holds(condition: Exceeds | Related, values: Sequence[float]) -> bool:
    left = iter(values)
    if isinstance(condition, Exceeds):
        first, second = (
            one if isinstance(one, int | float) else next(left) for one in (condition.left, condition.right)
        )
        return first > second
    for relation in condition.relations:
        if relation in _HEIGHTS:
            heights = [next(left) for _ in range(_FACTS_OF_HEIGHT)]
            if relation not in _above_or_below(heights, exclusive=condition.exclusive):
                return False
        elif not next(left) > next(left):
            return False
    return True


def _above_or_below(heights: Sequence[float], *, exclusive: bool) -> list[str]:
    """Of two objects that both may be said to be above the other, the higher one is; of two alike the first."""
    bottom, top, other_bottom, other_top, overlap = heights
    above, below = bottom + overlap > other_top, other_bottom + overlap > top
    if exclusive and above and below:
        # The middles decide: bottom - other top >= other bottom - top.
        return ["above"] if bottom + top >= other_bottom + other_top else ["below"]
    return [name for name, held in zip(_HEIGHTS, (above, below), strict=True) if held]


def _relations(query: RelationSet, values: Sequence[float]) -> str | None:
    if len(values) != 3 + _FACTS_OF_HEIGHT * query.vertical:
        return None
    right, behind, zone, *heights = values
    names = ["right"] if right > zone else ["left"] if -right > zone else []
    if query.vertical:
        names += _above_or_below(heights, exclusive=query.exclusive)
    names += ["behind"] if behind > zone else ["front"] if -behind > zone else []
    return "+".join(names)


def _place(query: Locate, values: Sequence[float]) -> tuple[float, ...] | None:
    size = 4 if query.shape == "box" else 2
    if isinstance(query.object, int):
        return tuple(values) if len(values) == size else None
    among = list(query.object.among)
    if len(values) != (1 + size) * len(among):
        return None
    found = _picked(query.object, values[: len(among)])
    if found not in among:
        return None
    start = len(among) + size * among.index(found)
    return tuple(values[start : start + size])


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
