"""Distances to and between objects, and their extents."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...options import drawn, shuffled
from ...query import Distance, Size, Value, Values
from ...question import Fact, Question
from ...units import Unit
from .kinds import KINDS
from .maker import Candidate, Maker
from .pairs import object_pairs, view_pairs
from .tables import FIRST, SECOND, Triple, subtract

__all__ = ["between_objects", "camera_distances", "extents", "length_m"]

_NO_OBJECT = "no object with a name seen well"


def length_m(vector: Triple) -> float:
    """Length of a vector."""
    x, y, z = vector
    return math.sqrt(x * x + y * y + z * z)


def camera_distances(maker: Maker) -> Iterator[Question]:
    """Distances from the second camera to what both pictures show, and from the only camera."""
    kind = KINDS["bbox_center_distance"]
    rng = maker.rng(kind.name)
    settings = maker.settings
    found: list[Candidate] = []
    pairs = view_pairs(
        maker,
        rng,
        kind,
        least_distance_m=settings.least_baseline_m,
        least_turn_deg=settings.least_rotation_deg,
    )
    query = {row.id: Value(Distance(SECOND, row.ref)) for row in maker.tables.objects.values()}
    for a, b in pairs:
        both = [row for row in b.named if row.id in a.well]
        if not both:
            maker.refuse(kind, "no object with a name seen well in both")
        for row in drawn(rng, both, settings.objects_per_view_pair):
            distance_m = length_m(subtract(row.centre_m, b.centre_m))
            facts = (Fact("distance from the second camera to the centre", distance_m, Unit.METRE),)
            found.append(Candidate((a, b), query[row.id], distance_m, None, facts, (row,)))
    yield from maker.numbers(kind, rng, found)
    yield from _single_view_distances(maker)


def _single_view_distances(maker: Maker) -> Iterator[Question]:
    kind = KINDS["single_view"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for view in maker.tables.views:
        if not view.named:
            maker.refuse(kind, _NO_OBJECT)
        for row in view.named:
            distance_m = length_m(subtract(row.centre_m, view.centre_m))
            facts = (Fact("distance from the camera to the centre", distance_m, Unit.METRE),)
            found.append(Candidate((view,), Value(Distance(FIRST, row.ref)), distance_m, None, facts, (row,)))
    yield from maker.numbers(kind, rng, shuffled(rng, found))


def between_objects(maker: Maker) -> Iterator[Question]:
    """Distances between an object of the first picture and one of the second."""
    kind = KINDS["center_distance"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_baseline_m):
        for one, other in object_pairs(maker, rng, kind, a, b):
            distance_m = length_m(subtract(other.centre_m, one.centre_m))
            facts = (Fact("distance between the two centres", distance_m, Unit.METRE),)
            query = Value(Distance(one.ref, other.ref))
            found.append(Candidate((a, b), query, distance_m, None, facts, (one, other)))
    yield from maker.numbers(kind, rng, found)


def extents(maker: Maker) -> Iterator[Question]:
    """The three sides of an object that the picture shows as a whole."""
    kind = KINDS["extents"]
    rng = maker.rng(kind.name)
    found: list[Candidate] = []
    for view in maker.tables.views:
        for row in view.named:
            if row.id not in view.whole:
                maker.refuse(kind, "cut off by the border of the picture")
                continue
            shortest, middle, longest = row.sides_m
            facts = (
                Fact("shortest side", shortest, Unit.METRE),
                Fact("middle side", middle, Unit.METRE),
                Fact("longest side", longest, Unit.METRE),
            )
            query = Values((Size(row.ref, "shortest"), Size(row.ref, "middle"), Size(row.ref, "longest")))
            found.append(Candidate((view,), query, row.sides_m, None, facts, (row,)))
    yield from maker.numbers(kind, rng, shuffled(rng, found))
