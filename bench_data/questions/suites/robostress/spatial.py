"""Where things are: relations of two, orders of four, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from ...options import balanced_blocks, shuffled
from ...query import (
    Candidate,
    Choose,
    Count,
    Distance,
    Exceeds,
    HeightOf,
    LabelCount,
    ObjectRef,
    Quantity,
    RelationSet,
    ScaledZone,
    Value,
)
from ...question import Fact, Option, Question
from ...seen import EYE, LEVEL, Seen, SeenView, alike
from ...units import Unit
from ...wording import listed, plural
from .kinds import COUNTS, KEYS, KINDS, RANKS, RELATIONS, TOP_RANKS, Kind
from .maker import Asked, Maker, dealt
from .settings import RoboStressMargins

__all__ = ["camera_distances", "category_counts", "nearer_counts", "object_distances", "relations", "top_heights"]

CLOSE = "too close to call"
STEEP = "the camera looks too steeply up or down"
NO_PARTNER = "no other answer to balance it"
DISPUTED = "objects of which it is open whether they count"

_DISTANCE = attrgetter("distance_m")
_TO_CANDIDATE = Distance(EYE, Candidate())

Clear = Callable[[Sequence[float]], bool]
"""Whether the values of an order, the smallest one first, are far enough apart."""


# All of these are immutable, and the same few hundred come back in every set of objects.
@lru_cache(maxsize=1024)
def _from_camera(one: int) -> Distance:
    return Distance(EYE, ObjectRef(one))


@lru_cache(maxsize=1024)
def _top(one: int) -> HeightOf:
    return HeightOf(ObjectRef(one), "top")


@lru_cache(maxsize=4096)
def _metres(what: str, name: str, value: float) -> Fact:
    return Fact(f"{what} {name}", value, Unit.METRE)


@lru_cache(maxsize=1024)
def _option(key: str, text: str) -> Option:
    return Option(key, text)


class _Relation(NamedTuple):
    view: str
    a: Seen
    b: Seen
    key: str
    margin_m: float
    right_m: float
    forward_m: float
    zone_m: float


def relations(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Left or right and nearer or farther at once; all four answers equally often."""
    kind = KINDS["spatial.relation"]
    rng = maker.rng(kind)
    found: list[_Relation] = []
    for view in views:
        if not view.level:
            maker.refuse(kind, STEEP)
            continue
        asked = 0
        for a, b in maker.sets(rng, kind, view.named, 2):
            if asked == maker.settings.questions_per_view:
                break
            one = _relation(view.name, a, b, margins)
            if one is None:
                maker.refuse(kind, CLOSE)
            else:
                asked += 1
                found.append(one)
    # Asked of the other of the two, the answer is the opposite one: with both diagonals equally often, and either of
    # their ends, all four answers are in balance.
    zone = margins.zone
    blocks = balanced_blocks(rng, [one.key in ("left+front", "right+behind") for one in found], most=2)
    maker.refuse(kind, NO_PARTNER, len(found) - 2 * len(blocks))
    for block, left in zip(maker.few_enough(kind, rng, blocks), dealt(rng, (True, False)), strict=False):
        for place in block:
            one = found[place]
            reverse = one.key.startswith("left") != left
            yield maker.question(kind, rng, _relation_asked(one, zone, reverse=reverse))


def _relation(view: str, a: Seen, b: Seen, margins: RoboStressMargins) -> _Relation | None:
    right, _, forward = b.between(a)
    zone = max(margins.zone_least_m, margins.zone_side_share * (a.longer_m + b.longer_m) / 2)
    margin = min(abs(right), abs(forward)) - zone
    if margin < margins.zone_guard * zone:
        return None
    key = f"{'right' if right > 0 else 'left'}+{'behind' if forward > 0 else 'front'}"
    return _Relation(view, a, b, key, margin, right, forward, zone)


def _relation_asked(one: _Relation, zone: ScaledZone, *, reverse: bool) -> Asked:
    a, b = (one.b, one.a) if reverse else (one.a, one.b)
    sign = -1 if reverse else 1
    right, forward = sign * one.right_m, sign * one.forward_m
    key = f"{'right' if right > 0 else 'left'}+{'behind' if forward > 0 else 'front'}"
    return Asked(
        view=one.view,
        query=RelationSet(a.ref, b.ref, LEVEL, zone, vertical=False),
        truth=key,
        margin=one.margin_m,
        facts=(
            Fact(f"{a.name} to the right of {b.name}", right, Unit.METRE),
            Fact(f"{a.name} farther ahead than {b.name}", forward, Unit.METRE),
            Fact(f"dead zone of {a.name} and {b.name}", one.zone_m, Unit.METRE),
        ),
        options=tuple(RELATIONS.values()),
        names={a.id: a.name, b.id: b.name},
        words={"a": a.name, "b": b.name},
    )


class _Four(NamedTuple):
    """Four objects that can be put in order.

    Args:
        values: what they are ordered by, one each.
        anchor: the object that distances are measured from, if it is not the camera.
    """

    four: tuple[Seen, ...]
    values: tuple[float, ...]
    anchor: Seen | None = None


class _Order(NamedTuple):
    """What four objects are put in order by.

    Args:
        measured: some objects of a picture -> what is put in order.
        quantity: an object and the anchor -> what it is ordered by, as a quantity of a query.
        objects: how many objects it takes.
        clear: the values of an order must be.
        places: names of the places, from the smallest value on.
    """

    measured: Callable[[tuple[Seen, ...]], _Four]
    quantity: Callable[[Seen, Seen | None], Quantity]
    objects: int
    clear: Clear
    places: tuple[str, ...]


def camera_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to the camera, second nearest, ..."""

    def measured(chosen: tuple[Seen, ...]) -> _Four:
        return _Four(chosen, tuple([one.distance_m for one in chosen]))

    def quantity(one: Seen, _: Seen | None) -> Quantity:
        return _from_camera(one.id)

    yield from _ordered(
        maker, KINDS["spatial.camera_distance"], views, _Order(measured, quantity, 4, _apart(margins), RANKS)
    )


def object_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to a fifth object, second nearest, ..."""

    def measured(chosen: tuple[Seen, ...]) -> _Four:
        anchor, four = chosen[0], chosen[1:]
        return _Four(four, tuple([math.hypot(*anchor.between(one)) for one in four]), anchor)

    def quantity(one: Seen, anchor: Seen | None) -> Quantity:
        return Distance(EYE if anchor is None else anchor.ref, one.ref)

    yield from _ordered(
        maker, KINDS["spatial.object_distance"], views, _Order(measured, quantity, 5, _apart(margins), RANKS)
    )


def top_heights(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Whose top is highest, second highest, ..."""

    def measured(chosen: tuple[Seen, ...]) -> _Four:
        return _Four(chosen, tuple([one.top_m for one in chosen]))

    def quantity(one: Seen, _: Seen | None) -> Quantity:
        return _top(one.id)

    def clear(order: Sequence[float]) -> bool:
        return all(higher - lower >= margins.top_m for lower, higher in pairwise(order))

    yield from _ordered(
        maker, KINDS["spatial.top_height"], views, _Order(measured, quantity, 4, clear, TOP_RANKS[::-1])
    )


def _apart(margins: RoboStressMargins) -> Clear:
    least_m, share = margins.distance_m, margins.distance_share

    def clear(order: Sequence[float]) -> bool:
        for nearer, farther in pairwise(order):
            gap = farther - nearer
            if gap < least_m or gap < share * farther:
                return False
        return True

    return clear


def _ordered(maker: Maker, kind: Kind, views: Sequence[SeenView], by: _Order) -> Iterator[Question]:
    """Orders of four objects by something; each place in the order is asked for equally often."""
    rng = maker.rng(kind)
    measured, clear = by.measured, by.clear
    found: list[tuple[str, _Four]] = []
    for view in views:
        asked = 0
        for chosen in maker.sets(rng, kind, view.named, by.objects):
            if asked == maker.settings.questions_per_view:
                break
            one = measured(chosen)
            if clear(sorted(one.values)):
                asked += 1
                found.append((view.name, one))
            else:
                maker.refuse(kind, CLOSE)
    for (view_name, one), place in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        yield maker.question(kind, rng, _place_asked(view_name, one, place, by))


def _place_asked(view: str, one: _Four, place: int, by: _Order) -> Asked:
    """The object in one place of an order, from 0 for the smallest value."""
    order = sorted(one.values)
    among = {key: by.quantity(object_, one.anchor) for key, object_ in zip(KEYS, one.four, strict=True)}
    # From the middle on one counts from the other end, as the words do: "second farthest".
    query = Choose(among, "smallest", rank=place + 1) if place < 2 else Choose(among, "largest", rank=4 - place)
    names = {object_.id: object_.name for object_ in one.four}
    words = {"x": by.places[place]}
    if one.anchor is not None:
        names[one.anchor.id] = words["a"] = one.anchor.name
    return Asked(
        view=view,
        query=query,
        truth=KEYS[one.values.index(order[place])],
        margin=min([abs(order[place] - order[other]) for other in (place - 1, place + 1) if 0 <= other < 4]),
        facts=tuple([_metres("of", object_.name, value) for object_, value in zip(one.four, one.values, strict=True)]),
        options=[_option(key, object_.name) for key, object_ in zip(KEYS, one.four, strict=True)],
        names=names,
        words=words,
    )


def nearer_counts(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """How many of three are nearer to the camera than a fourth: 0 to 3, equally often."""
    kind = KINDS["spatial.count_nearer"]
    rng = maker.rng(kind)
    clear = _apart(margins)
    found: list[tuple[SeenView, list[Seen]]] = []
    for view in views:
        asked = 0
        for chosen in maker.sets(rng, kind, view.named, 4):
            if asked == maker.settings.questions_per_view:
                break
            order = sorted(chosen, key=_DISTANCE)
            if clear([one.distance_m for one in order]):
                asked += 1
                found.append((view, order))
            else:
                maker.refuse(kind, CLOSE)
    for (view, order), count in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        target = order[count]
        others = shuffled(rng, [one for one in order if one is not target])
        test = Exceeds(_from_camera(target.id), _TO_CANDIDATE)
        limit = _metres("distance from the camera to", target.name, target.distance_m)
        distances = [_metres("distance from the camera to", one.name, one.distance_m) for one in others]
        yield maker.question(
            kind,
            rng,
            Asked(
                view=view.name,
                query=Value(Count(tuple([one.id for one in others]), (test,))),
                truth=str(count),
                margin=min([abs(one.distance_m - target.distance_m) for one in others]),
                facts=tuple([fact for distance in distances for fact in (limit, distance)]),
                options=COUNTS,
                names={one.id: one.name for one in (target, *others)},
                words={"a": target.name, "x": listed([one.name for one in others])},
            ),
        )


class _Counted(NamedTuple):
    view: str
    label: str
    number: int


def category_counts(maker: Maker, views: Sequence[SeenView]) -> Iterator[Question]:
    """How many of a category; the options are the counts in four pictures, so that each is right for one of them."""
    kind = KINDS["spatial.count_category"]
    rng = maker.rng(kind)
    groups: list[tuple[_Counted, ...]] = []
    labels = sorted({one.label for view in views for one in view.objects})
    for label in labels:
        found: list[_Counted] = []
        kin = {other for other in labels if alike(other, label)}
        for view in views:
            several = [one for one in view.objects if one.label in kin]
            if all(one.well and one.label == label for one in several):
                found.append(_Counted(view.name, label, len(several)))
            else:
                maker.refuse(kind, DISPUTED)
        blocks = balanced_blocks(rng, [one.number for one in found], most=4, least=4)
        maker.refuse(kind, NO_PARTNER, len(found) - 4 * len(blocks))
        groups += [tuple(found[place] for place in block) for block in blocks]
    for group in maker.few_enough(kind, rng, groups):
        options = [Option(str(one.number), str(one.number)) for one in group]
        for one in group:
            asked = Asked(
                view=one.view,
                query=Value(LabelCount(one.label, (0,))),
                truth=str(one.number),
                margin=None,
                facts=(Fact(f"{plural(one.label)} in the picture", one.number, Unit.COUNT),),
                options=options,
                words={"x": plural(one.label)},
            )
            yield maker.question(kind, rng, asked)
