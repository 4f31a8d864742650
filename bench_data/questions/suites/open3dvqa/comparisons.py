"""Which of two objects is farther to a side, higher, nearer or larger, asked in four forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from operator import attrgetter

from ...draws import Uniform
from ...options import below, drawn, shuffled
from ...query import Choose, Exceeds, HeightOf, ObjectRef, Offset, Quantity, Size
from ...question import Fact, Option, Question
from ...seen import EYE, LEVEL, Seen, SeenView
from ...units import Unit
from . import reasons
from .kinds import Kind, Measured
from .maker import Asked, Maker, any_wording, dealt
from .settings import Open3DVQAMargins

__all__ = ["Clearness", "Pair", "chosen", "claimed", "drawn_pairs", "multichoice", "predicates", "quantity"]


SAME = "same"
_YES_NO = (Option("yes", "Yes"), Option("no", "No"))
_MOST_UNEVEN = 2
"""Appearances by which a category may be off the even share, see `_evened`."""
_LOOKED_AT = 60
"""Pairs that are tried as partners of one pair of equals, which bounds the time."""
_DEALT = ((True, True), (True, False), (False, True), (False, False))

VALUES: Mapping[Measured, Callable[[Seen], float]] = {
    "right": attrgetter("right_m"),
    "up": attrgetter("height_m"),
    "forward": attrgetter("forward_m"),
    "volume": attrgetter("volume_m3"),
    "width": attrgetter("longer_m"),
    "height": attrgetter("tall_m"),
}
_WHAT: Mapping[Measured, str] = {
    "right": "to the right of the camera",
    "up": "centre above the ground",
    "forward": "ahead of the camera",
    "volume": "volume",
    "width": "longer level side",
    "height": "height",
}
_SIZES: frozenset[Measured] = frozenset({"volume", "width", "height"})


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two objects in a picture."""

    view: SeenView
    a: Seen
    b: Seen


@cache
def quantity(measured: Measured, ref: ObjectRef) -> Quantity:
    """What is compared of an object in the only picture of a question."""
    match measured:
        case "right" | "forward":
            return Offset(EYE, ref, LEVEL, measured)
        case "up":
            return HeightOf(ref, "centre")
        case "volume" | "height":
            return Size(ref, measured)
        case "width":
            return Size(ref, "longer_ground")


def drawn_pairs(rng: Uniform, views: Sequence[SeenView], most: int) -> list[Pair]:
    """Some pairs of each picture, all in a random order, so that any number of them is a fair sample."""
    found = []
    for view in views:
        found += [Pair(view, a, b) for a, b in drawn(rng, list(combinations(view.named, 2)), most)]
    return shuffled(rng, found)


class Clearness:
    """Says what is clear enough to be asked."""

    def __init__(self, margins: Open3DVQAMargins) -> None:
        self.margins = margins

    def why_not(self, kind: Kind, pair: Pair) -> str | None:
        """Why two objects cannot be compared; None if they can."""
        measured = kind.measured
        value = VALUES[measured]
        first, second = value(pair.a), value(pair.b)
        gap = abs(first - second)
        margins = self.margins
        if measured not in _SIZES:
            if measured != "up" and not pair.view.level:
                return reasons.STEEP
            size_m = pair.a.tall_m + pair.b.tall_m if measured == "up" else pair.a.longer_m + pair.b.longer_m
            return reasons.CLOSE if gap < max(margins.position_m, margins.position_share * size_m / 2) else None
        if not (pair.a.whole and pair.b.whole):
            return reasons.CUT
        larger, smaller = max(first, second), min(first, second)
        least, most = margins.size_ratio, margins.most_size_ratio
        if measured == "volume":
            least, most = margins.volume_ratio, margins.most_volume_ratio
        elif gap < margins.size_m:
            return reasons.CLOSE
        return reasons.CLOSE if larger < least * smaller else reasons.OBVIOUS if larger > most * smaller else None

    def clear(self, maker: Maker, kind: Kind, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs that can be compared; the others are counted as refused."""
        found = []
        for pair in pairs:
            why_not = self.why_not(kind, pair)
            if why_not is None:
                found.append(pair)
            else:
                maker.refuse(kind, why_not)
        return found


def _fact(kind: Kind, one: Seen) -> Fact:
    measured = kind.measured
    unit = Unit.CUBIC_METRE if measured == "volume" else Unit.METRE
    return Fact(f"{_WHAT[measured]}: {one.name}", VALUES[measured](one), unit)


def _statement(kind: Kind, pair: Pair, *, true: bool) -> Asked:
    """The claim that {a} is more than {b}, true or not; of the two, the order makes it so."""
    value = VALUES[kind.measured]
    a, b = pair.a, pair.b
    if ((value(a) > value(b)) == kind.larger) != true:
        a, b = b, a
    greater, smaller = (a, b) if kind.larger else (b, a)
    query = Exceeds(quantity(kind.measured, greater.ref), quantity(kind.measured, smaller.ref))
    margin = abs(value(a) - value(b))
    facts = (_fact(kind, greater), _fact(kind, smaller))
    return Asked(pair.view.name, {a.id: a.name, b.id: b.name}, query, true, margin, facts)


def predicates(maker: Maker, kind: Kind, pairs: Sequence[Pair], clearness: Clearness) -> Iterator[Question]:
    """Yes or no, equally often; which of the two is named first decides it, so that the names say nothing."""
    rng = maker.rng(kind.name)
    for pair, true in zip(
        maker.limited(kind, clearness.clear(maker, kind, pairs)), dealt(rng, (True, False)), strict=False
    ):
        yield maker.question(kind, _statement(kind, pair, true=true), wording=any_wording(rng, kind))


def claimed(maker: Maker, kind: Kind, pairs: Sequence[Pair], clearness: Clearness) -> Iterator[Question]:
    """The same as a choice between Yes and No, in either order."""
    rng = maker.rng(kind.name)
    for pair, true in zip(
        maker.limited(kind, clearness.clear(maker, kind, pairs)), dealt(rng, (True, False)), strict=False
    ):
        asked = replace(_statement(kind, pair, true=true), truth="yes" if true else "no")
        options = _YES_NO if rng.random() < 0.5 else _YES_NO[::-1]
        yield maker.question(kind, asked, wording=any_wording(rng, kind), options=options)


def chosen(maker: Maker, kind: Kind, pairs: Sequence[Pair], clearness: Clearness) -> Iterator[Question]:
    """Which of the two; asked for the one and for the other, so that no name is right more often than wrong."""
    rng = maker.rng(kind.name)
    for pair, (other, first) in zip(
        maker.limited(kind, clearness.clear(maker, kind, pairs)), dealt(rng, _DEALT), strict=False
    ):
        yield _choice(maker, kind, rng, pair, other=other, first=first, same_within_m=None)


def multichoice(
    maker: Maker, kind: Kind, pairs: Sequence[Pair], views: Sequence[SeenView], clearness: Clearness
) -> Iterator[Question]:
    """Which of the two, or about the same: in groups of three, so that each of the options is right equally often."""
    rng = maker.rng(kind.name)
    within_m = clearness.margins.same_within_m
    value = VALUES[kind.measured]
    clear = [
        pair for pair in clearness.clear(maker, kind, pairs) if abs(value(pair.a) - value(pair.b)) >= 1.5 * within_m
    ]
    same = shuffled(
        rng,
        [
            Pair(view, a, b)
            for view in views
            if view.level or kind.measured == "up"
            for a, b in combinations(view.named, 2)
            if abs(value(a) - value(b)) <= within_m / 2
        ],
    )
    groups = _evened(same, clear)
    maker.refuse(kind, reasons.NO_PARTNER, len(clear) - 2 * len(groups))
    deal = dealt(rng, (True, False))
    for equal, one, two in maker.few_enough(kind, rng, groups):
        for pair, first in ((equal, rng.random() < 0.5), (one, True), (two, False)):
            yield _choice(maker, kind, rng, pair, other=next(deal), first=first, same_within_m=within_m)


def _evened(same: Sequence[Pair], clear: Sequence[Pair]) -> list[tuple[Pair, Pair, Pair]]:
    """Groups of a pair of equals and two clear pairs, such that each category is in about as many as fits its answers.

    A lamp under the ceiling is as high up as hardly anything, and what is named with it would tell that the answer is
    not "the same". So each category may be in twice as many clear pairs as in pairs of equals, give or take a few.
    """
    with_equals = {one.label for pair in same for one in (pair.a, pair.b)}
    left = [pair for pair in clear if pair.a.label in with_equals and pair.b.label in with_equals]
    balance: Counter[str] = Counter()
    groups = []

    def fits(pair: Pair, weight: int) -> bool:
        after = Counter(balance)
        for one in (pair.a, pair.b):
            after[one.label] += weight
        return all(abs(after[one.label]) <= _MOST_UNEVEN for one in (pair.a, pair.b))

    def take(pair: Pair, weight: int) -> None:
        for one in (pair.a, pair.b):
            balance[one.label] += weight

    for equal in same:
        if not fits(equal, 2):
            continue
        take(equal, 2)
        partners: list[Pair] = []
        for pair in left[:_LOOKED_AT]:
            if len(partners) < 2 and fits(pair, -1):
                take(pair, -1)
                partners.append(pair)
        if len(partners) == 2:
            groups.append((equal, partners[0], partners[1]))
            left = [pair for pair in left if pair not in partners]
        else:
            take(equal, -2)
            for pair in partners:
                take(pair, 1)
    return groups


def _choice(
    maker: Maker,
    kind: Kind,
    rng: Uniform,
    pair: Pair,
    *,
    other: bool,
    first: bool,
    same_within_m: float | None,
) -> Question:
    """One choice that asks for the ``other`` one of the two or not, and names the answer first or second."""
    value = VALUES[kind.measured]
    largest = kind.larger != other
    a, b = pair.a, pair.b
    if ((value(a) > value(b)) == largest) != first:
        a, b = b, a
    gap = abs(value(a) - value(b))
    truth, margin = ("first" if first else "second"), gap
    options = [Option("first", a.name), Option("second", b.name)]
    if same_within_m is not None:
        truth, margin = (SAME if gap <= same_within_m else truth), abs(gap - same_within_m)
        options.append(Option(SAME, f"about the same, within {same_within_m:g} m"))
    asked = Asked(
        pair.view.name,
        {a.id: a.name, b.id: b.name},
        Choose(
            {"first": quantity(kind.measured, a.ref), "second": quantity(kind.measured, b.ref)},
            "largest" if largest else "smallest",
            same_within_m,
        ),
        truth,
        margin,
        (_fact(kind, a), _fact(kind, b)),
    )
    ways = len(kind.wordings) // 2
    wording = below(rng, ways) + (ways if other else 0)
    return maker.question(kind, asked, wording=wording, options=tuple(shuffled(rng, options)))
