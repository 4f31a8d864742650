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
    # Asked of the other of the two, the answer is the opposite one: with both diagonals equally often, and either of
    # their ends, all four answers are in balance.
    blocks = balanced_blocks(rng, [one.key in ("left+front", "right+behind") for one in found], most=2)
    maker.refuse(kind, NO_PARTNER, len(found) - 2 * len(blocks))
    for block, left in zip(maker.few_enough(kind, rng, blocks), dealt(rng, (True, False)), strict=False):
        for place in block:
            one = found[place]
            reverse = one.key.startswith("left") != left
            yield maker.question(kind, rng, _relation_asked(one, reverse=reverse, margins=margins))


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


@dataclass(frozen=True, slots=True, eq=False)
class _Four:
    """Four objects that can be put in order.

    Args:
        values: what they are ordered by, one each.
        quantity: the same as a quantity of a query.
        anchor: the object that distances are measured from, if it is not the camera.
    """

    view: str
    four: tuple[Seen, ...]
    values: tuple[float, ...]
    quantity: Callable[[Seen], Quantity]
    anchor: Seen | None = None


def camera_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to the camera, second nearest, ..."""

    def measured(view: str, chosen: tuple[Seen, ...]) -> _Four:
        return _Four(view, chosen, tuple([one.distance_m for one in chosen]), lambda one: Distance(EYE, one.ref))

    kind = KINDS["spatial.camera_distance"]
    yield from _ordered(maker, kind, views, measured, objects=4, clear=_apart(margins), places=RANKS)


def object_distances(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Which of four is nearest to a fifth object, second nearest, ..."""

    def measured(view: str, chosen: tuple[Seen, ...]) -> _Four:
        anchor, four = chosen[0], chosen[1:]
        return _Four(
            view,
            four,
            tuple([math.hypot(*anchor.between(one)) for one in four]),
            lambda one: Distance(anchor.ref, one.ref),
            anchor,
        )

    kind = KINDS["spatial.object_distance"]
    yield from _ordered(maker, kind, views, measured, objects=5, clear=_apart(margins), places=RANKS)


def top_heights(maker: Maker, views: Sequence[SeenView], margins: RoboStressMargins) -> Iterator[Question]:
    """Whose top is highest, second highest, ..."""

    def measured(view: str, chosen: tuple[Seen, ...]) -> _Four:
        return _Four(view, chosen, tuple([one.top_m for one in chosen]), lambda one: HeightOf(one.ref, "top"))

    def clear(lower: float, higher: float) -> bool:
        return higher - lower >= margins.top_m

    kind = KINDS["spatial.top_height"]
    yield from _ordered(maker, kind, views, measured, objects=4, clear=clear, places=TOP_RANKS[::-1])


def _apart(margins: RoboStressMargins) -> Clear:
    return lambda nearer, farther: farther - nearer >= max(margins.distance_m, margins.distance_share * farther)


def _ordered(
    maker: Maker,
    kind: Kind,
    views: Sequence[SeenView],
    measured: Callable[[str, tuple[Seen, ...]], _Four],
    *,
    objects: int,
    clear: Clear,
    places: tuple[str, ...],
) -> Iterator[Question]:
    """Orders of four objects by something; each place in the order is asked for equally often.

    Args:
        measured: name of the picture and some of its objects -> what is put in order.
        objects: how many of them that takes.
        clear: neighbours in an order must be.
        places: names of the places, from the smallest value on.
    """
    rng = maker.rng(kind)
    found: list[_Four] = []
    for view in views:
        asked = 0
        for chosen in maker.sets(rng, kind, view.named, objects):
            if asked == maker.settings.questions_per_view:
                break
            one = measured(view.name, chosen)
            if all(clear(a, b) for a, b in pairwise(sorted(one.values))):
                asked += 1
                found.append(one)
            else:
                maker.refuse(kind, CLOSE)
    for one, place in zip(maker.limited(kind, rng, found), dealt(rng, range(4)), strict=False):
        yield maker.question(kind, rng, _place_asked(one, place, places))


def _place_asked(one: _Four, place: int, places: tuple[str, ...]) -> Asked:
    """The object in one place of an order, from 0 for the smallest value."""
    order = sorted(one.values)
    among = dict(zip(KEYS, map(one.quantity, one.four), strict=True))
    # From the middle on one counts from the other end, as the words do: "second farthest".
    query = Choose(among, "smallest", rank=place + 1) if place < 2 else Choose(among, "largest", rank=4 - place)
    names = {object_.id: object_.name for object_ in one.four}
    words = {"x": places[place]}
    if one.anchor is not None:
        names[one.anchor.id] = words["a"] = one.anchor.name
    return Asked(
        view=one.view,
        query=query,
        truth=KEYS[one.values.index(order[place])],
        margin=min(abs(order[place] - order[other]) for other in (place - 1, place + 1) if 0 <= other < 4),
        facts=tuple(
            [Fact(f"of {object_.name}", value, Unit.METRE) for object_, value in zip(one.four, one.values, strict=True)]
        ),
        options=[Option(key, object_.name) for key, object_ in zip(KEYS, one.four, strict=True)],
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
