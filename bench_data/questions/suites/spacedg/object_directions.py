"""Where an object is: from a camera, from another object, and by a compass that the question declares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...draws import Uniform
from ...options import below, drawn, shuffled
from ...query import CompassFrame, DirectionWords, FacingFrame, LevelFrame, Place, Sector
from ...question import Fact, Question
from ...units import Unit
from .camera_kinds import way_facts
from .directions import azimuth_deg, direction_words, sector
from .kinds import BEARINGS, COMPASS_OPTIONS, KINDS, PLACES, PLACES_IN_VIEW, RELATIVE_OPTIONS, Kind
from .maker import Candidate, Maker
from .pairs import object_pairs, view_pairs
from .tables import FIRST, SECOND, ObjectRow, Triple, ViewRow, subtract

__all__ = [
    "camera_directions",
    "cross_view_compass",
    "directions_in_view",
    "object_compass",
    "object_triplets",
    "relative_positions",
]

_LEVEL = LevelFrame(1)


def camera_directions(maker: Maker) -> Iterator[Question]:
    """Where, from the second camera, an object lies that only the first picture shows."""
    kind = KINDS["bbox_center_direction"]
    rng = maker.rng(kind.name)
    settings = maker.settings
    by_words: dict[int, list[Candidate]] = {1: [], 2: []}
    shared = maker.settings.direction_co_visibility if maker.tables.co_visibility is not None else (0.0, 0.0)
    for a, b in view_pairs(maker, rng, kind, co_visibility=shared, least_distance_m=settings.least_baseline_m):
        if b.level_forward is None:
            maker.refuse(kind, "the camera looks straight up or down")
            continue
        x, y = b.level_forward
        only_first = [row for row in a.named if row.id not in b.seen]
        if not only_first:
            maker.refuse(kind, "no object with a name seen in the first picture only")
        for row in drawn(rng, only_first, settings.objects_per_view_pair):
            dx, dy, dz = subtract(row.centre_m, b.centre_m)
            parts = (dx * y - dy * x, dz, dx * x + dy * y)
            named = direction_words(parts)
            words = 3 if named is None else named[0].count("+") + 1
            if named is None or words == 3 or named[1] < settings.axis_guard:
                maker.refuse(kind, "between two main directions" if words < 3 else "a direction of three parts")
                continue
            query = DirectionWords(SECOND, row.ref, _LEVEL)
            by_words[words].append(Candidate((a, b), query, named[0], named[1], way_facts(parts), (row,)))
    yield from maker.choices(kind, rng, by_words.values(), PLACES)


def directions_in_view(maker: Maker) -> Iterator[Question]:
    """Where, for someone at the camera, one object of a picture lies compared with another."""
    kind = KINDS["two_objects"]
    rng = maker.rng(kind.name)
    by_words: dict[int, list[Candidate]] = {1: [], 2: []}
    for view in maker.tables.views:
        if view.level_forward is None:
            maker.refuse(kind, "the camera looks straight up or down")
            continue
        x, y = view.level_forward
        pairs = shuffled(rng, [(a, b) for a in view.named for b in view.named if a is not b])
        for a, b in pairs[: maker.settings.objects_per_view_pair]:
            dx, dy, dz = subtract(b.centre_m, a.centre_m)
            parts = (dx * y - dy * x, dz, dx * x + dy * y)
            named = direction_words(parts)
            words = 3 if named is None else named[0].count("+") + 1
            if a.touches(b):
                maker.refuse(kind, "boxes touch")
            elif named is None or words == 3 or named[1] < maker.settings.axis_guard:
                maker.refuse(kind, "between two main directions" if words < 3 else "a direction of three parts")
            else:
                query = DirectionWords(a.ref, b.ref, LevelFrame(0))
                by_words[words].append(Candidate((view,), query, named[0], named[1], way_facts(parts), (a, b)))
    yield from maker.choices(kind, rng, by_words.values(), PLACES_IN_VIEW)


def _why_not_level(maker: Maker, vector: Triple) -> str | None:
    """Why a direction is no level one, if so."""
    ground = math.hypot(vector[0], vector[1])
    if ground < maker.settings.least_ground_distance_m:
        return "too near on the ground"
    if abs(vector[2]) >= maker.settings.steepest * ground:
        return "too steep"
    return None


def object_triplets(
    maker: Maker, rng: Uniform, kind: Kind
) -> Iterator[tuple[ViewRow, ViewRow, ObjectRow, ObjectRow, ObjectRow]]:
    """Three objects of different categories whose boxes do not touch, seen well in two pictures, but not all in one."""
    settings = maker.settings
    for a, b in view_pairs(maker, rng, kind, least_distance_m=settings.least_baseline_m):
        # One that only the first picture shows, one that only the second shows, and any third: never all in one.
        only_first = [row for row in a.named if row.id not in b.seen]
        only_second = [row for row in b.named if row.id not in a.seen]
        if not only_first or not only_second:
            maker.refuse(kind, "all in one picture")
            continue
        rows = [*a.named, *(row for row in b.named if row.id not in a.well)]
        done: set[tuple[int, int, int]] = set()
        alike = touching = 0
        for _ in range(2 * settings.triplets_per_view_pair):
            needed = only_first[below(rng, len(only_first))], only_second[below(rng, len(only_second))]
            one, two, three = shuffled(rng, (*needed, rows[below(rng, len(rows))]))
            ids = one.id, two.id, three.id
            if ids in done or three is two or three is one or two is one:
                continue
            done.add(ids)
            if one.label == two.label or one.label == three.label or two.label == three.label:
                alike += 1
            elif one.touches(two) or one.touches(three) or two.touches(three):
                touching += 1
            else:
                yield a, b, one, two, three
                if len(done) - alike - touching == settings.triplets_per_view_pair:
                    break
        maker.refuse(kind, "two objects of one category", alike)
        maker.refuse(kind, "boxes touch", touching)


def relative_positions(maker: Maker) -> Iterator[Question]:
    """At one object, facing another: where is the third?"""
    kind = KINDS["relpos_A_facing_B"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    guard = maker.settings.border_guard_deg
    for a, b, one, two, three in object_triplets(maker, rng, kind):
        gaze, way = subtract(two.centre_m, one.centre_m), subtract(three.centre_m, one.centre_m)
        why_not = _why_not_level(maker, gaze) or _why_not_level(maker, way)
        if why_not:
            maker.refuse(kind, why_not)
            continue
        bearing = (azimuth_deg(way[0], way[1]) - azimuth_deg(gaze[0], gaze[1])) % 360
        index, margin = sector(bearing)
        if margin < guard:
            maker.refuse(kind, "near the border of a sector")
            continue
        query = Sector(one.ref, three.ref, FacingFrame(one.ref, two.ref), "relative")
        facts = (Fact("bearing, clockwise from the line of sight", bearing, Unit.DEGREE),)
        found.append(Candidate((a, b), query, RELATIVE_OPTIONS[index].key, margin, facts, (one, two, three)))
    yield from maker.choices(kind, rng, [found], {option.key: option for option in RELATIVE_OPTIONS})


@dataclass(frozen=True, slots=True, eq=False)
class _Bearing:
    """What a compass question is about, before a direction is declared; degrees clockwise from the reference."""

    views: tuple[ViewRow, ViewRow]
    at: Place
    reference: Place
    start: Place
    end: Place
    objects: tuple[ObjectRow, ...]
    relative_deg: float
    index: int
    margin_deg: float


def _bearing(
    maker: Maker,
    kind: Kind,
    to_reference: Triple,
    to_target: Triple,
) -> tuple[float, int, float] | None:
    why_not = _why_not_level(maker, to_reference) or _why_not_level(maker, to_target)
    if why_not:
        maker.refuse(kind, why_not)
        return None
    relative = (azimuth_deg(to_target[0], to_target[1]) - azimuth_deg(to_reference[0], to_reference[1])) % 360
    index, margin = sector(relative)
    if margin < maker.settings.border_guard_deg:
        maker.refuse(kind, "near the border of a sector")
        return None
    return relative, index, margin


def cross_view_compass(maker: Maker) -> Iterator[Question]:
    """An object of the first picture gives the compass by which an object of the second is looked up."""
    kind = KINDS["cross_image_assumed_dir"]
    rng = maker.rng(kind.name)
    found: list[_Bearing] = []
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_baseline_m):
        for one, two in object_pairs(maker, rng, kind, a, b):
            to_reference, to_target = subtract(one.centre_m, a.centre_m), subtract(two.centre_m, b.centre_m)
            bearing = _bearing(maker, kind, to_reference, to_target)
            if bearing:
                found.append(_Bearing((a, b), FIRST, one.ref, SECOND, two.ref, (one, two), *bearing))
    yield from _declared(maker, kind, rng, found)


def object_compass(maker: Maker) -> Iterator[Question]:
    """The direction between two objects gives the compass by which a third is looked up."""
    kind = KINDS["proxy_object_direction"]
    rng = maker.rng(kind.name)
    found: list[_Bearing] = []
    for a, b, one, two, three in object_triplets(maker, rng, kind):
        to_reference, to_target = subtract(one.centre_m, two.centre_m), subtract(three.centre_m, two.centre_m)
        bearing = _bearing(maker, kind, to_reference, to_target)
        if bearing:
            found.append(_Bearing((a, b), two.ref, one.ref, two.ref, three.ref, (one, two, three), *bearing))
    yield from _declared(maker, kind, rng, found)


def _declared(maker: Maker, kind: Kind, rng: Uniform, found: list[_Bearing]) -> Iterator[Question]:
    """Groups with different bearings share one declared direction, so that it says nothing about the answer."""
    for group in maker.few_enough(kind, rng, maker.balanced(kind, rng, found, [one.index for one in found])):
        word, declared_deg = BEARINGS[below(rng, 4)]
        turn = round(declared_deg / 45)
        shown = [COMPASS_OPTIONS[(one.index + turn) % 8] for one in group]
        for one, option in zip(group, shown, strict=True):
            candidate = Candidate(
                one.views,
                Sector(one.start, one.end, CompassFrame(one.at, one.reference, declared_deg), "compass"),
                option.key,
                one.margin_deg,
                (Fact("bearing, clockwise from north", (one.relative_deg + declared_deg) % 360, Unit.DEGREE),),
                one.objects,
                word,
            )
            yield maker.question(kind, rng, candidate, tuple(shuffled(rng, shown)))
