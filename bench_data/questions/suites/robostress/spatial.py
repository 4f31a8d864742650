"""Where things are: relations of two, orders of four, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...options import balanced_blocks, shuffled
from ...query import (
    Candidate,
    Choose,
    Count,
    Distance,
    Exceeds,
    HeightOf,
    LabelCount,
    Quantity,
    RelationSet,
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

Measured = Callable[[Seen], float]
Clear = Callable[[float, float], bool]
"""Whether two neighbouring values of an order, the smaller one first, are far enough apart."""


@dataclass(frozen=True, slots=True, eq=False)
class _Relation:
    view: str
    a: Seen
    b: Seen
    key: str
    margin_m: float
    right_m: float
    forward_m: float


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
            one = _relation(view, a, b, margins)
            if one is None:
                maker.refuse(kind, CLOSE)
            else:
                asked += 1
                found.append(one)
    # Which of the two is asked about decides between opposite answers; those of the two diagonals are paired.
    blocks = balanced_blocks(rng, [one.key in ("left+front", "right+behind") for one in found], most=2)
    maker.refuse(kind, NO_PARTNER, len(found) - 2 * len(blocks))
    turns = dealt(rng, (True, False))
    for block in maker.few_enough(kind, rng, blocks):
        turn = next(turns)
        for place in block:
            one = found[place]
            # The reversed answer is the opposite one: turning both or neither keeps all four in balance.
            yield maker.question(
                kind, rng, _relation_asked(one, reverse=(one.key[:4] == "left") != turn, margins=margins)
            )


def _relation(view: SeenView, a: Seen, b: Seen, margins: RoboStressMargins) -> _Relation | None:
    right, _, forward = b.between(a)
    zone = max(margins.zone_least_m, margins.zone_side_share * (a.longer_m + b.longer_m) / 2)
    margin = min(abs(right), abs(forward)) - zone
    if margin < margins.zone_guard * zone:
        return None
    key = f"{'right' if right > 0 else 'left'}+{'behind' if forward > 0 else 'front'}"
    return _Relation(view.name, a, b, key, margin, right, forward)


def _relation_asked(one: _Relation, *, reverse: bool, margins: RoboStressMargins) -> Asked:
    a, b = (one.b, one.a) if reverse else (one.a, one.b)
    sign = -1 if reverse else 1
    right, forward = sign * one.right_m, sign * one.forward_m
    key = f"{'right' if right > 0 else 'left'}+{'behind' if forward > 0 else 'front'}"
    return Asked(
        view=one.view,
        query=RelationSet(a.ref, b.ref, LEVEL, margins.zone, vertical=False),
        truth=key,
        margin=one.margin_m,
        facts=(
            Fact(f"{a.name} to the right of {b.name}", right, Unit.METRE),
            Fact(f"{a.name} farther ahead than {b.name}", forward, Unit.METRE),
        ),
        options=list(RELATIONS.values()),
        names={a.id: a.name, b.id: b.name},
        words={"a": a.name, "b": b.name},
    )


def camera_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to the camera, second nearest, ..."""
    kind = KINDS["spatial.camera_distance"]

    def distance_m(one: Seen) -> float:
        return one.distance_m

    yield from _ordered(
        maker, kind, views, 4, lambda _: (distance_m, lambda one: Distance(EYE, one.ref)), _apart(margins), RANKS
    )


def object_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to a fifth object, second nearest, ..."""
    kind = KINDS["spatial.object_distance"]

    def from_anchor(anchor: Seen | None) -> tuple[Measured, Callable[[Seen], Quantity]]:
        def distance_m(one: Seen) -> float:
            right, up, forward = anchor.between(one) if anchor else (0.0, 0.0, 0.0)
            return math.sqrt(right * right + up * up + forward * forward)

        return distance_m, lambda one: Distance(anchor.ref if anchor else EYE, one.ref)

    yield from _ordered(maker, kind, views, 5, from_anchor, _apart(margins), RANKS)


def top_heights(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Whose top is highest, second highest, ..."""
    kind = KINDS["spatial.top_height"]

    def top_m(one: Seen) -> float:
        return one.top_m

    def clear(lower: float, higher: float) -> bool:
        return higher - lower >= margins.top_m

    yield from _ordered(
        maker, kind, views, 4, lambda _: (top_m, lambda one: HeightOf(one.ref, "top")), clear, TOP_RANKS[::-1]
    )


def _apart(margins: RoboStressMargins) -> Clear:
    return lambda nearer, farther: farther - nearer >= max(margins.distance_m, margins.distance_share * farther)


def _ordered(
    maker: Maker,
    kind: Kind,
    views: Sequence[SeenView],
    size: int,
    measuring: Callable[[Seen | None], tuple[Measured, Callable[[Seen], Quantity]]],
    clear: Clear,
    places: tuple[str, ...],
) -> Iterator[Question]:
    """Orders of four objects by something; each place in the order is asked for equally often.

    Args:
        size: 4, or 5 where the first object of a set is what the others are measured from.
        measuring: that object, or None -> how to measure.
        places: names of the places, from the smallest value on.
    """
    rng = maker.rng(kind)
    found: list[tuple[SeenView, Seen | None, tuple[Seen, ...]]] = []
    for view in views:
        asked = 0
        for chosen in maker.sets(rng, kind, view.named, size):
            if asked == maker.settings.questions_per_view:
                break
            anchor = chosen[0] if size == 5 else None
            four = chosen[-4:]
            value, _ = measuring(anchor)
            if all(clear(a, b) for a, b in pairwise(sorted(map(value, four)))):
                asked += 1
                found.append((view, anchor, four))
            else:
                maker.refuse(kind, CLOSE)
    for (view, anchor, four), place in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        value, quantity = measuring(anchor)
        yield maker.question(kind, rng, _place_asked(view, anchor, four, value, quantity, place, places))


def _place_asked(
    view: SeenView,
    anchor: Seen | None,
    four: tuple[Seen, ...],
    value: Measured,
    quantity: Callable[[Seen], Quantity],
    place: int,
    places: tuple[str, ...],
) -> Asked:
    """The object in one place of an order, from 0 for the smallest value."""
    values = [value(one) for one in four]
    order = sorted(values)
    # From the middle on one counts from the other end, as the words do: "second farthest".
    pick, rank = ("smallest", place + 1) if place < 2 else ("largest", 4 - place)
    margin = min(abs(order[place] - order[other]) for other in (place - 1, place + 1) if 0 <= other < 4)
    names = {one.id: one.name for one in four}
    words = {"x": places[place]}
    if anchor is not None:
        names[anchor.id] = words["a"] = anchor.name
    return Asked(
        view=view.name,
        query=Choose(
            dict(zip(KEYS, map(quantity, four), strict=True)),
            "smallest" if pick == "smallest" else "largest",
            rank=rank,
        ),
        truth=KEYS[values.index(order[place])],
        margin=margin,
        facts=tuple([Fact(f"of {one.name}", value, Unit.METRE) for one, value in zip(four, values, strict=True)]),
        options=[Option(key, one.name) for key, one in zip(KEYS, four, strict=True)],
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
            order = sorted(chosen, key=lambda one: one.distance_m)
            if all(clear(a.distance_m, b.distance_m) for a, b in pairwise(order)):
                asked += 1
                found.append((view, order))
            else:
                maker.refuse(kind, CLOSE)
    for (view, order), count in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        target = order[count]
        others = shuffled(rng, [one for one in order if one is not target])
        test = Exceeds(Distance(EYE, target.ref), Distance(EYE, Candidate()))
        yield maker.question(
            kind,
            rng,
            Asked(
                view=view.name,
                query=Value(Count(tuple([one.id for one in others]), (test,))),
                truth=str(count),
                margin=min(abs(one.distance_m - target.distance_m) for one in others),
                facts=(Fact(f"nearer than {target.name}", count, Unit.COUNT),),
                options=COUNTS,
                names={one.id: one.name for one in (target, *others)},
                words={"a": target.name, "x": listed([one.name for one in others])},
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    view: str
    label: str
    count: int


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
        blocks = balanced_blocks(rng, [one.count for one in found], most=4, least=4)
        maker.refuse(kind, NO_PARTNER, len(found) - 4 * len(blocks))
        groups += [tuple(found[place] for place in block) for block in blocks]
    for group in maker.few_enough(kind, rng, groups):
        options = [Option(str(one.count), str(one.count)) for one in group]
        for one in group:
            asked = Asked(
                view=one.view,
                query=Value(LabelCount(one.label, (0,))),
                truth=str(one.count),
                margin=None,
                facts=(Fact(f"{plural(one.label)} in the picture", one.count, Unit.COUNT),),
                options=options,
                words={"x": plural(one.label)},
            )
            yield maker.question(kind, rng, asked)
