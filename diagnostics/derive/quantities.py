"""Quantities: what a number can be, by what a graph states; and differences of two that depend on each other."""

from __future__ import annotations

import math

from ...bench_data.questions.query import (
    CameraFrame,
    Count,
    Distance,
    Exceeds,
    HeightOf,
    LabelCount,
    Matches,
    Offset,
    Placed,
    Quantity,
    Related,
    Size,
    Spread,
    Turn,
)
from .context import Context, Undefined, dot
from .frames import exact_axes, parts_in
from .interval import ZERO, Interval, absolute, difference, meet, point, total
from .relations import all_of, related
from .sizes import end_offset, height_of, label_count, matches, side_of, spread_of
from .stated import Displacement
from .telling import range_text
from .turns import turn_deg

__all__ = ["gap", "is_true", "quantity_bounds"]


def quantity_bounds(quantity: Quantity, context: Context) -> Interval:
    """What a quantity can be.

    Raises:
        Undefined: the graph does not speak of it.
    """
    match quantity:
        case Distance():
            return _distance(quantity, context)
        case Offset():
            way = context.way(quantity.start, quantity.end, directed=True)
            parts = parts_in(quantity.frame, way, context)
            found = {"right": parts.right, "up": parts.up, "forward": parts.forward}[quantity.axis]
            _tell(f"along {quantity.axis} that is", found, context)
            return absolute(found) if quantity.absolute else found
        case Size():
            return side_of(quantity, context)
        case Spread():
            return spread_of(quantity, context)
        case HeightOf():
            return height_of(quantity, context)
        case Turn():
            return point(turn_deg(quantity, context))
        case LabelCount():
            return label_count(quantity, context)
        case Count():
            return _count(quantity, context)
        case Matches():
            return matches(quantity, context)


def _distance(quantity: Distance, context: Context) -> Interval:
    along = quantity.along
    way = context.way(quantity.a, quantity.b, directed=along == "height")
    if along == "straight":
        found = way.distance
    elif along == "height":
        found = absolute(way.vertical)
    elif along == "ground":
        found = context.ground(way)
    else:
        found = _camera_plane(way, context)
    imagined = isinstance(quantity.a, Placed) or isinstance(quantity.b, Placed)
    if along == "straight" and len(way.path) == 2 and not way.is_exact and not imagined:
        return found  # the step that tells of the two holds it already
    names = [context.place_name(place) for place in (quantity.a, quantity.b)]
    how = {"straight": "", "ground": " on the level", "height": " in height", "camera_plane": " in the camera's plane"}
    _tell(f"from {names[0]} to {names[1]} it is{how[along]}", found, context)
    return found


def _camera_plane(way: Displacement, context: Context) -> Interval:
    if not context.known.level_frame:
        return way.plane
    axes = exact_axes(CameraFrame(0), context)
    right, forward = (absolute(dot(axes[place], way)) for place in (0, 2))
    found = Interval(math.hypot(right.lo, forward.lo), math.hypot(right.hi, forward.hi))
    return found if way.is_exact else meet(found, Interval(0.0, way.distance.hi))


def _count(quantity: Count, context: Context) -> Interval:
    outer = context.candidate
    yes = unknown = lost = 0
    why = ""
    for one in quantity.candidates:
        context.candidate = one
        try:
            held = all_of([is_true(test, context) for test in quantity.where])
        except Undefined as reason:
            held, lost, why = None, lost + 1, why or str(reason)
        finally:
            context.candidate = outer
        yes += held is True
        unknown += held is None
    if lost and lost == len(quantity.candidates):
        raise Undefined(why)
    context.teller.say(
        f"of {len(quantity.candidates)} candidates {yes} meet the conditions"
        + (f", and {unknown} may" if unknown else "")
        + (f" ({why})" if why else "")
    )
    return Interval(yes, yes + unknown)


def is_true(query: Exceeds | Related, context: Context) -> bool | None:
    """Whether a comparison or relation holds; None where it may or may not.

    Raises:
        Undefined: the graph does not speak of it.
    """
    if isinstance(query, Related):
        return related(query, context)
    found = gap(query.left, query.right, context)
    # Sides as stated can be equal without rounding.
    return False if found == ZERO else found.sign


def _tell(what: str, found: Interval, context: Context) -> None:
    context.teller.say(f"{what} {range_text(found)} m")


def gap(first: Quantity | float, second: Quantity | float, context: Context) -> Interval:
    """first - second; of two heights, or two offsets from one place, by the way between the two ends.

    Raises:
        Undefined: the graph does not speak of one of them.
    """
    if isinstance(first, HeightOf) and isinstance(second, HeightOf):
        way = context.way(second.object, first.object, directed=True)
        return difference(total(way.vertical, end_offset(first, context)), end_offset(second, context))
    if isinstance(first, Offset) and isinstance(second, Offset) and _comparable(first, second):
        between = Offset(second.end, first.end, first.frame, first.axis)
        return quantity_bounds(between, context)
    a, b = (
        point(float(one)) if isinstance(one, int | float) else quantity_bounds(one, context) for one in (first, second)
    )
    return difference(a, b)


def _comparable(first: Offset, second: Offset) -> bool:
    same = first.start == second.start and first.frame == second.frame and first.axis == second.axis
    return same and not (first.absolute or second.absolute)
