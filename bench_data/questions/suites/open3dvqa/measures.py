"""Lengths, volumes and hours of the clock, and where an object is from the camera."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...answer_format import AnswerType
from ...draws import Uniform
from ...options import balanced_blocks, below, shuffled
from ...query import Axis, Distance, Exceeds, Offset, Quantity, Sector, Size, Spread, Value
from ...question import Fact, Option, Question
from ...seen import EYE, LEVEL, Seen, SeenView
from ...units import Unit
from . import reasons
from .comparisons import Pair
from .kinds import KINDS, Kind
from .maker import Asked, Maker, any_wording, dealt
from .settings import Open3DVQAMargins

__all__ = ["agent_distances", "agent_sides", "clocks", "pair_distances", "sizes"]

_MOST_HOURS, _LEAST_HOURS = 4, 2


Place = tuple[SeenView, Seen]


def sizes(maker: Maker, kind: Kind, places: Sequence[Place]) -> Iterator[Question]:
    """The size of each object that a picture shows as a whole."""
    found = []
    for view, one in places:
        if not one.whole:
            maker.refuse(kind, reasons.CUT)
        elif kind.name == "apparent_width_data" and not view.level:
            maker.refuse(kind, reasons.STEEP)
        else:
            found.append((view, one))
    rng = maker.rng(kind.name)
    for view, one in maker.limited(kind, found):
        quantity, value = _size(kind, one)
        fact = Fact(f"{kind.name.removesuffix('_data').replace('_', ' ')}: {one.name}", value, kind.unit)
        asked = Asked(view.name, {one.id: one.name}, Value(quantity), value, None, (fact,))
        yield maker.question(kind, asked, wording=any_wording(rng, kind))


def _size(kind: Kind, one: Seen) -> tuple[Quantity, float]:
    match kind.name:
        case "width_data":
            return Size(one.ref, "longer_ground"), one.longer_m
        case "height_data":
            return Size(one.ref, "height"), one.tall_m
        case "volume_data":
            return Size(one.ref, "volume"), one.volume_m3
        case _:
            return Spread(one.ref, LEVEL, "right"), one.apparent_width_m


def pair_distances(maker: Maker, kind: Kind, pairs: Sequence[Pair], least_m: float) -> Iterator[Question]:
    """Distances between the centres of two objects."""
    rng = maker.rng(kind.name)
    found = []
    for pair in pairs:
        right, up, forward = pair.a.between(pair.b)
        a, b = pair.a.ref, pair.b.ref
        quantity: Quantity
        match kind.name:
            case "distance_data":
                quantity, value = Distance(a, b), math.sqrt(right * right + up * up + forward * forward)
            case "vertical_distance_data":
                quantity, value = Distance(a, b, "height"), abs(up)
            case "horizontal_distance_data":
                quantity, value = Distance(a, b, "ground"), math.hypot(right, forward)
            case _:
                quantity, value = Offset(a, b, LEVEL, "right", absolute=True), abs(right)
                if not pair.view.level:
                    maker.refuse(kind, reasons.STEEP)
                    continue
        if value < least_m:
            maker.refuse(kind, reasons.TINY)
        else:
            found.append((pair, quantity, value))
    for pair, quantity, value in maker.limited(kind, found):
        names = {pair.a.id: pair.a.name, pair.b.id: pair.b.name}
        yield _length(maker, kind, pair.view, names, quantity, value, any_wording(rng, kind))


def agent_distances(maker: Maker, kind: Kind, places: Sequence[Place], least_m: float) -> Iterator[Question]:
    """Distances from the camera to each object."""
    rng = maker.rng(kind.name)
    found = []
    for view, one in places:
        quantity: Quantity
        match kind.name:
            case "distance2agent":
                quantity, value = Distance(EYE, one.ref), one.distance_m
            case "vertical_distance2agent":
                quantity, value = Distance(EYE, one.ref, "height"), abs(one.up_m)
            case "horizontal_distance2agent":
                quantity, value = Distance(EYE, one.ref, "ground"), one.ground_m
            case _:
                quantity, value = Offset(EYE, one.ref, LEVEL, "right", absolute=True), abs(one.right_m)
                if not view.level:
                    maker.refuse(kind, reasons.STEEP)
                    continue
        if value < least_m:
            maker.refuse(kind, reasons.TINY)
        else:
            found.append((view, one, quantity, value))
    for view, one, quantity, value in maker.limited(kind, found):
        yield _length(maker, kind, view, {one.id: one.name}, quantity, value, any_wording(rng, kind))


def _length(
    maker: Maker, kind: Kind, view: SeenView, names: dict[int, str], quantity: Quantity, value: float, wording: int
) -> Question:
    fact = Fact(kind.name.removesuffix("_data").removesuffix("2agent").replace("_", " "), value, Unit.METRE)
    return maker.question(kind, Asked(view.name, names, Value(quantity), value, None, (fact,)), wording=wording)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """An object to one side of the camera, ``value_m`` along the axis."""

    view: SeenView
    one: Seen
    value_m: float


def agent_sides(maker: Maker, kind: Kind, places: Sequence[Place], margins: Open3DVQAMargins) -> Iterator[Question]:
    """Left, right, above or below of the camera.

    Two objects on different sides make a group, of one category where there are some: lamps hang above most cameras,
    and tables stand below them. Both are asked the same way, and every other group the other way round, so that neither
    the names nor the way say yes more often than no.
    """
    rng = maker.rng(kind.name)
    axis: Axis = "right" if kind.measured == "right" else "up"
    found = [side for view, one in places if (side := _side(maker, kind, view, one, axis, margins)) is not None]
    groups, left = _opposites(rng, found)
    maker.refuse(kind, reasons.NO_PARTNER, left)
    ways = len(kind.wordings) // 2
    for group, other in zip(maker.few_enough(kind, rng, groups), dealt(rng, (True, False)), strict=False):
        positive = kind.larger != other
        for side in group:
            offset = Offset(EYE, side.one.ref, LEVEL, axis)
            query = Exceeds(offset, 0.0) if positive else Exceeds(0.0, offset)
            what = "to the right of the camera" if axis == "right" else "above the camera"
            facts = (Fact(f"{what}: {side.one.name}", side.value_m, Unit.METRE),)
            names = {side.one.id: side.one.name}
            truth = (side.value_m > 0) == positive
            asked = Asked(side.view.name, names, query, truth, abs(side.value_m), facts)
            yield maker.question(kind, asked, wording=below(rng, ways) + (ways if other else 0))


def _side(maker: Maker, kind: Kind, view: SeenView, one: Seen, axis: Axis, margins: Open3DVQAMargins) -> _Side | None:
    value, size_m, depth_m = (
        (one.right_m, one.longer_m, one.forward_m) if axis == "right" else (one.up_m, one.tall_m, one.ground_m)
    )
    if not view.level:
        maker.refuse(kind, reasons.STEEP)
        return None
    angle_deg = math.degrees(math.atan2(abs(value), depth_m))
    least_m = max(margins.position_m, margins.position_share * size_m)
    if abs(value) < least_m or angle_deg < margins.bearing_deg:
        maker.refuse(kind, reasons.AHEAD)
        return None
    return _Side(view, one, value)


def _opposites(rng: Uniform, found: Sequence[_Side]) -> tuple[list[tuple[_Side, ...]], int]:
    """Groups of two on different sides, those of one category first, and how many are left alone."""
    by_label: defaultdict[str, list[_Side]] = defaultdict(list)
    for side in found:
        by_label[side.one.label].append(side)
    groups: list[tuple[_Side, ...]] = []
    rest: list[_Side] = []
    for sides in by_label.values():
        blocks = balanced_blocks(rng, [side.value_m > 0 for side in sides], most=2)
        paired = {place for block in blocks for place in block}
        groups += [tuple(sides[place] for place in block) for block in blocks]
        rest += [side for place, side in enumerate(sides) if place not in paired]
    blocks = balanced_blocks(rng, [side.value_m > 0 for side in rest], most=2)
    groups += [tuple(rest[place] for place in block) for block in blocks]
    return shuffled(rng, groups), len(rest) - 2 * len(blocks)


def clocks(
    maker: Maker,
    kind: Kind,
    places: Sequence[Place],
    pairs: Sequence[Pair],
    margins: Open3DVQAMargins,
    *,
    answers: Literal["options", "open"],
) -> Iterator[Question]:
    """Hours of the clock, from the camera or from an object, with the camera's gaze as 12 o'clock."""
    rng = maker.rng(kind.name)
    candidates: list[Asked] = []
    starts: list[tuple[SeenView, Seen | None, Seen]] = [(view, None, one) for view, one in places]
    if kind is not KINDS["direction2agent"]:
        starts = [(pair.view, pair.a, pair.b) if rng.random() < 0.5 else (pair.view, pair.b, pair.a) for pair in pairs]
    for view, start, end in starts:
        asked = _hour(maker, kind, view, start, end, margins)
        if asked is not None:
            candidates.append(asked)
    if answers == "open":
        for one in maker.limited(kind, candidates):
            yield maker.question(kind, one, wording=any_wording(rng, kind))
        return
    blocks = balanced_blocks(rng, [one.truth for one in candidates], most=_MOST_HOURS, least=_LEAST_HOURS)
    maker.refuse(kind, reasons.NO_PARTNER, len(candidates) - sum(map(len, blocks)))
    for group in maker.few_enough(kind, rng, [tuple(candidates[place] for place in block) for block in blocks]):
        shown = [_HOURS[int(one.truth)] for one in group if not isinstance(one.truth, tuple)]
        for one in group:
            key = Asked(one.view, one.names, one.query, str(one.truth), one.margin, one.facts)
            yield maker.question(
                kind,
                key,
                wording=any_wording(rng, kind),
                options=tuple(shuffled(rng, shown)),
                answer_type=AnswerType.CHOICE,
            )


_HOURS = {hour: Option(str(hour), f"{hour} o'clock") for hour in range(1, 13)}


def _hour(
    maker: Maker, kind: Kind, view: SeenView, start: Seen | None, end: Seen, margins: Open3DVQAMargins
) -> Asked | None:
    """The nearest hour from an object, or from the camera, to another; None, counted, where it is not clear."""
    if not view.level:
        maker.refuse(kind, reasons.STEEP)
        return None
    right, _, forward = start.between(end) if start else (end.right_m, end.up_m, end.forward_m)
    if math.hypot(right, forward) < margins.bearing_reach_m:
        maker.refuse(kind, reasons.UNDER)
        return None
    bearing_deg = math.degrees(math.atan2(right, forward)) % 360
    turns = bearing_deg / 30
    margin_deg = (0.5 - abs(turns - round(turns))) * 30
    if margin_deg < margins.bearing_deg:
        maker.refuse(kind, reasons.BORDER)
        return None
    names = {start.id: start.name, end.id: end.name} if start else {end.id: end.name}
    query = Sector(start.ref if start else EYE, end.ref, LEVEL, "clock")
    fact = Fact("bearing, clockwise from the camera's direction", bearing_deg, Unit.DEGREE)
    return Asked(view.name, names, query, round(turns) % 12 or 12, margin_deg, (fact,))
