"""Sizes of objects: sides of their boxes, spreads along axes, heights of their ends, words that describe them."""

from __future__ import annotations

import math

from ...bench_data.questions.query import (
    CameraFrame,
    CameraRef,
    HeightOf,
    LabelCount,
    LevelFrame,
    Matches,
    Size,
    Spread,
)
from ..scene_graph import SceneObject
from .context import Context, Undefined
from .frames import exact_axes
from .interval import ZERO, Interval, hull, point, product, scaled, total
from .stated import usable, usable_length
from .telling import range_text

__all__ = ["end_offset", "height_of", "label_count", "matches", "side_of", "spread_of"]

_END_SHARES = {"top": 1.0, "bottom": -1.0, "centre": 0.0}


def side_of(quantity: Size, context: Context) -> Interval:
    """A side of an object's box, or its volume.

    Raises:
        Undefined: the graph does not state it.
    """
    one = context.object_at(quantity.object)
    name = context.teller.name(one.id)
    found = _side(quantity.side, one, name, context)
    unit = "m³" if quantity.side == "volume" else "m"
    what = quantity.side.replace("_", " ")
    context.teller.say(f"the {what} of {name} is {range_text(found)} {unit}")
    return found


def _side(side: str, one: SceneObject, name: str, context: Context) -> Interval:
    length, width, height = usable_length(one.length_m), usable_length(one.width_m), usable_length(one.height_m)
    if side == "height":
        return point(_stated(height, "height", name))
    if side == "volume":
        return point(_stated(length, "length", name) * _stated(width, "width", name) * _stated(height, "height", name))
    along, across = _stated(length, "length", name), _stated(width, "width", name)
    longer, shorter = (along, across) if along >= across else (across, along)
    if side == "longer_ground":
        return point(longer)
    if side == "shorter_ground":
        return point(shorter)
    if side in ("length", "width"):
        if context.known.graph.sides == "heading":
            return point(along if side == "length" else across)
        # Longer and shorter are stated; which of them lies along its front is not.
        return Interval(shorter, longer)
    sides = sorted((along, across, _stated(height, "height", name)))
    if side == "third_corner_distance":
        return point(_third_corner_distance(*sides))
    return point(sides[("shortest", "middle", "longest").index(side)])


def _stated(value: float | None, what: str, name: str) -> float:
    if value is None:
        raise Undefined(f"the graph does not state the {what} of {name}")
    return value


def _third_corner_distance(a: float, b: float, c: float) -> float:
    """The third smallest of the different distances between corners of a box, to the micrometre."""
    ways = [a, b, c, math.sqrt(a * a + b * b), math.sqrt(a * a + c * c), math.sqrt(b * b + c * c)]
    ways.append(math.sqrt(a * a + b * b + c * c))
    different = sorted({round(way, 6) for way in ways})
    return different[min(2, len(different) - 1)]


def spread_of(quantity: Spread, context: Context) -> Interval:
    """How far an object's box spreads along an axis of a frame.

    Raises:
        Undefined: the graph states neither enough sizes nor how the frame stands.
    """
    one = context.object_at(quantity.object)
    name = context.teller.name(one.id)
    sides = (
        _stated(usable_length(one.width_m), "width", name),
        _stated(usable_length(one.height_m), "height", name),
        _stated(usable_length(one.length_m), "length", name),
    )
    names = ("right", "up", "forward")
    axes = names if quantity.axis == "volume" else (quantity.axis,)
    own = context.known.own_axes(one) if context.known.graph.sides == "heading" else None
    if own is None:
        found = _loose_spread(quantity.frame, axes, sides, context)
    else:
        rows = exact_axes(quantity.frame, context)
        value = 1.0
        for axis in axes:
            row = rows[names.index(axis)]
            shares = (abs(sum(a * b for a, b in zip(row, mine, strict=True))) for mine in own)
            value *= sum(share * side for share, side in zip(shares, sides, strict=True))
        found = point(value)
    context.teller.say(f"along {', '.join(axes)} {name} spreads over {range_text(found)}")
    return found


def _loose_spread(
    frame: CameraFrame | LevelFrame, axes: tuple[str, ...], sides: tuple[float, float, float], context: Context
) -> Interval:
    """Of an upright box of unknown heading: on the level from its shorter side to its diagonal."""
    width, height, length = sides
    level = Interval(min(width, length), math.hypot(width, length))
    upright = isinstance(frame, LevelFrame)
    anyhow = Interval(min(sides), math.sqrt(sum(side * side for side in sides)))
    found = point(1.0)
    for axis in axes:
        found = product(found, anyhow if not upright else point(height) if axis == "up" else level)
    return found


def height_of(quantity: HeightOf, context: Context) -> Interval:
    """Height of an end of an object above the world's zero.

    Raises:
        Undefined: the graph does not say how high the first camera is.
    """
    camera_height = usable(context.known.graph.camera_height_m)
    if camera_height is None:
        raise Undefined("the graph does not say how high the camera is above the ground")
    way = context.way(CameraRef(0), quantity.object, directed=True)
    found = total(total(way.vertical, point(camera_height)), end_offset(quantity, context))
    name = context.teller.name(context.object_at(quantity.object).id)
    context.teller.say(f"the {quantity.end} of {name} is {range_text(found)} m high")
    return found


def end_offset(quantity: HeightOf, context: Context) -> Interval:
    """From the centre of an object up to the end that is asked about."""
    share = _END_SHARES[quantity.end]
    if share == 0:
        return ZERO
    return scaled(context.known.extent(context.object_at(quantity.object).id).half_height, share)


def label_count(quantity: LabelCount, context: Context) -> Interval:
    """How many objects of a category the views show; more, where the graph need not list them all.

    Raises:
        Undefined: it lists none and need not.
    """
    graph, wanted = context.known.graph, quantity.label.strip().casefold()
    least = most = 0
    for one in graph.objects:
        label = one.label.strip().casefold()
        if label and label != wanted:
            continue
        seen = one.seen_in
        shown = None if seen is None else any(view in seen for view in quantity.views)
        if shown is None and context.pictures == 1:
            shown = True  # the graph of a picture lists what is in it
        least += bool(label and shown)
        most += shown is not False
    context.teller.say(f"the graph lists {least} of the category {quantity.label!r}")
    if graph.complete:
        return Interval(least, most)
    if least == 0:
        raise Undefined(f"the graph lists no {quantity.label!r}, and does not say that it lists all objects")
    return Interval(least, math.inf)


def matches(quantity: Matches, context: Context) -> Interval:
    """1 where a word describes an object, 0 where another one does; open, where none is stated."""
    one = context.object_at(quantity.object)
    word = one.attributes.get(quantity.attribute)
    name = context.teller.name(one.id)
    if word is None:
        context.teller.say(f"the graph does not state the {quantity.attribute} of {name}")
        return hull(ZERO, point(1.0))
    context.teller.say(f"the {quantity.attribute} of {name} is {word}")
    return point(float(word.strip().casefold() == quantity.word.strip().casefold()))
