"""Directions in words: sectors of a bearing, hours of the clock, main directions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product as combinations

from ...bench_data.questions.query import Axis, DirectionWords, Sector
from .context import Context, Undefined
from .frames import bearing_in, parts_in
from .interval import SLACK, Interval, absolute

__all__ = ["direction_keys", "sector_keys"]

_RELATIVE = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")
_COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
_WORDS: dict[Axis, tuple[str, str]] = {
    "right": ("left", "right"),
    "up": ("down", "up"),
    "forward": ("backward", "forward"),
}
_SLACK_DEG = 1e-6


def sector_keys(query: Sector, context: Context) -> set[str] | set[int]:
    """The sectors that a bearing may lie in: names, or hours.

    Raises:
        Undefined: nothing says in which direction it is, or it is straight above or below.
    """
    way = context.way(query.start, query.end, directed=True)
    angle, length = bearing_in(query.frame, way, context)
    if query.naming == "floored_clock":
        low_deg, high_deg = (math.degrees(end) for end in angle)
        _tell(low_deg, high_deg, context)
        # Rounded to a hundredth before the hour is taken.
        first = math.floor((low_deg + 0.005 - _SLACK_DEG) / 30)
        last = math.floor((high_deg + 0.005 + _SLACK_DEG) / 30)
        return {hour % 12 or 12 for hour in range(first, min(last, first + 11) + 1)}
    if length.hi < SLACK:
        raise Undefined("the place is straight above or below; it has no bearing")
    count = 12 if query.naming == "clock" else 8
    _tell(math.degrees(angle.lo), math.degrees(angle.hi), context)
    low, high = (end / (2 * math.pi) * count for end in angle)
    first, last = math.ceil(low - 0.5 - SLACK), math.floor(high + 0.5 + SLACK)
    places = [place % count for place in range(first, min(last, first + count - 1) + 1)]
    if query.naming == "clock":
        return {place or 12 for place in places}
    names = _RELATIVE if query.naming == "relative" else _COMPASS
    return {names[place] for place in places}


def _tell(low_deg: float, high_deg: float, context: Context) -> None:
    if high_deg - low_deg >= 360 - SLACK:
        context.teller.say("so its bearing can be anything")
    elif high_deg - low_deg < _SLACK_DEG:
        context.teller.say(f"so its bearing is {(low_deg + 180) % 360 - 180:.1f}° clockwise")
    else:
        context.teller.say(f"so its bearing is {low_deg:.1f}° to {high_deg:.1f}° clockwise")


def direction_keys(query: DirectionWords, context: Context) -> set[str]:
    """The main directions that the way may have, joined by "+" in the order of the axes.

    Raises:
        Undefined: nothing says in which direction it is, or the two places are one.
    """
    way = context.way(query.start, query.end, directed=True)
    found = parts_in(query.frame, way, context)
    parts = {"right": found.right, "up": found.up, "forward": found.forward}
    kept: dict[Axis, Interval] = {axis: parts[axis] for axis in _WORDS if axis in query.axes}
    sizes = {axis: absolute(part) for axis, part in kept.items()}
    if max(size.hi for size in sizes.values()) < SLACK:
        if query.still is not None:
            context.teller.say("the two places are the same")
            return {query.still}
        raise Undefined("the two places are the same; there is no direction between them")
    context.teller.say(
        "so it lies " + ", ".join(f"{part.lo:.2f} to {part.hi:.2f} m along {axis}" for axis, part in kept.items())
    )
    choices = [_choices(axis, kept[axis], sizes, query.share) for axis in kept]
    keys = set()
    for choice in combinations(*choices):
        named = [(axis, word) for axis, word in zip(kept, choice, strict=True) if word]
        for group in _largest(named, sizes, query.most):
            keys.add("+".join(word for _, word in group))
    return keys - {""}


def _choices(axis: Axis, part: Interval, sizes: dict[Axis, Interval], share: float) -> list[str]:
    """The words that an axis may be named by; "" where it may be too small a part to be named."""
    size = sizes[axis]
    others = [other for name, other in sizes.items() if name != axis]
    scale = max(1.0, size.hi) * SLACK
    may_be_large = size.hi >= share * max((other.lo for other in others), default=0.0) - scale
    may_be_small = size.lo < share * max((other.hi for other in others), default=0.0) + scale
    words = []
    if may_be_large:
        negative, positive = _WORDS[axis]
        words += [positive] if part.hi > 0 else []
        words += [negative] if part.lo <= 0 else []
    return words + ([""] if may_be_small else [])


def _largest(named: Sequence[tuple[Axis, str]], sizes: dict[Axis, Interval], most: int) -> list[list[tuple[Axis, str]]]:
    """The groups of ``most`` that may be the largest, in the order of the axes."""
    if len(named) <= most:
        return [list(named)]
    groups = []
    for dropped in combinations(*([False, True] for _ in named)):
        kept = [one for one, out in zip(named, dropped, strict=True) if not out]
        left = [one for one, out in zip(named, dropped, strict=True) if out]
        if len(kept) == most and all(
            sizes[a].hi >= sizes[b].lo - SLACK * max(1.0, sizes[b].lo) for a, _ in kept for b, _ in left
        ):
            groups.append(kept)
    return groups
