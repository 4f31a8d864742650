"""The numbers of a derivation, measured anew in the scene: what `answer_from_derivation` starts from has to hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..errors import BenchDataError
from .evaluate import measure, object_number
from .facts import SceneFacts
from .query import (
    Candidate,
    Choose,
    Count,
    DirectionWords,
    Exceeds,
    Exists,
    LabelCount,
    Locate,
    ObjectRef,
    Place,
    Query,
    Ranking,
    Related,
    RelationSet,
    ScaledZone,
    Sector,
    Turn,
    TurnWords,
    Value,
    Values,
)

__all__ = ["measured_anew"]

_TOWARDS = {"left": ("right", -1), "right": ("right", 1), "front": ("forward", -1), "behind": ("forward", 1)}


def measured_anew(query: Query, facts: SceneFacts) -> tuple[float, ...]:
    """The values that the facts of a derivation must have, in the order that `derivation` states.

    Args:
        query: of the question.
        facts: of its scene and its pictures.

    Raises:
        BenchDataError: the query speaks of what is not there.
    """
    return tuple(_values(query, facts))


def _values(query: Query, facts: SceneFacts) -> Iterator[float]:
    match query:
        case Value(quantity=Count() as count):
            for one in count.candidates:
                for test in count.where:
                    yield from _condition(test, facts, one)
        case Value(quantity=quantity):
            yield measure(quantity, facts)
        case Values(quantities=quantities):
            yield from (measure(one, facts) for one in quantities)
        case Exists(label=label, views=views):
            yield measure(LabelCount(label, views), facts)
        case Exceeds() | Related():
            yield from _condition(query, facts, None)
        case Choose(among=among) | Ranking(among=among):
            yield from (measure(one, facts) for one in among.values())
        case DirectionWords():
            axes = facts.axes(query.frame)
            between = facts.point(query.end) - facts.point(query.start)
            yield from (float(getattr(axes, axis) @ between) for axis in query.axes)
        case Sector():
            right, _, forward = facts.axes(query.frame).of(facts.point(query.end) - facts.point(query.start))
            yield math.degrees(math.atan2(right, forward))
        case TurnWords(first=first, second=second):
            yield from (measure(Turn(first, second, about), facts) for about in ("yaw", "pitch", "roll"))
        case RelationSet():
            right, _, forward = facts.axes(query.frame).of(facts.point(query.of) - facts.point(query.against))
            level_m, overlap_m = _zones_m(query, facts, None)
            yield from (right, forward, level_m)
            if query.vertical:
                yield from (*_heights_m(query, facts, None), overlap_m)
        case Locate():
            yield from _places(query, facts)


def _condition(test: Exceeds | Related, facts: SceneFacts, candidate: int | None) -> Iterator[float]:
    if isinstance(test, Exceeds):
        sides = (test.left, test.right)
        yield from (measure(one, facts, candidate) for one in sides if not isinstance(one, int | float))
        return
    between = facts.point(test.of, candidate) - facts.point(test.against, candidate)
    level_m, overlap_m = _zones_m(test, facts, candidate)
    for relation in test.relations:
        if relation in _TOWARDS:
            axis, sign = _TOWARDS[relation]
            yield from (sign * float(getattr(facts.axes(test.frame, candidate), axis) @ between), level_m)
        else:
            yield from (*_heights_m(test, facts, candidate), overlap_m)


def _zones_m(query: Related | RelationSet, facts: SceneFacts, candidate: int | None) -> tuple[float, float]:
    """Dead zone on the level, and allowed overlap in height."""
    zone = query.dead_zone_m
    if not isinstance(zone, ScaledZone):
        return zone, zone
    bottom, top, other_bottom, other_top = _heights_m(query, facts, candidate)
    sides = [_longer_side_m(place, facts, candidate) for place in (query.of, query.against)]
    return max(zone.least_m, zone.side_share * sum(sides) / 2), zone.height_share * min(
        top - bottom, other_top - other_bottom
    )


def _longer_side_m(place: Place, facts: SceneFacts, candidate: int | None) -> float:
    if not isinstance(place, ObjectRef | Candidate):
        return 0.0
    length, width, _ = facts.box(facts.candidate_id(place, candidate)).size_m.tolist()
    return float(max(length, width))


def _heights_m(
    query: Related | RelationSet, facts: SceneFacts, candidate: int | None
) -> tuple[float, float, float, float]:
    """Bottom and top of the one and of the other, from the corners of their boxes."""
    ends: list[float] = []
    for place in (query.of, query.against):
        if isinstance(place, ObjectRef | Candidate):
            heights = facts.box(facts.candidate_id(place, candidate)).corners_m[:, 2]
            ends += [float(heights.min()), float(heights.max())]
        else:
            ends += [float(facts.point(place, candidate)[2])] * 2
    return ends[0], ends[1], ends[2], ends[3]


def _places(query: Locate, facts: SceneFacts) -> Iterator[float]:
    if isinstance(query.object, int):
        numbers = [query.object]
    else:
        numbers = [object_number(key) for key in query.object.among]
        yield from (measure(one, facts) for one in query.object.among.values())
    places: Mapping[int, tuple[float, ...]] = (facts.image_boxes if query.shape == "box" else facts.image_points)[
        query.view
    ]
    for number in numbers:
        if number not in places:
            raise BenchDataError(f"object {number} is not seen in view {query.view}")
        yield from places[number]
