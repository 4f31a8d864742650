"""Comparisons: which of several quantities is the largest, and their order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations

from ...bench_data.questions.query import Choose, HeightOf, Offset, Quantity, Ranking
from .context import Context, Undefined
from .interval import SLACK, ZERO, Interval, difference, meet
from .quantities import gap, quantity_bounds

__all__ = ["choice_keys", "ranking_keys"]

_MOST_LISTED = 6
"""All orders of so many things are tried."""
_MOST_RIVALS = 24
"""More things that may be the best are not compared with each other."""


class _Contest:
    """Bounds on several quantities and on the leads that one has over another.

    Args:
        among: key -> quantity.
        largest: the largest is best; otherwise the smallest.
        context: of the derivation.

    Raises:
        Undefined: the graph does not speak of one of them.
    """

    def __init__(self, among: Mapping[str, Quantity], context: Context, *, largest: bool) -> None:
        self.keys = tuple(among)
        self.places = range(len(self.keys))
        self._quantities = tuple(among.values())
        self._context = context
        self._largest = largest
        # What depends on one unknown, such as the height of the camera, is compared without it.
        self._dependent = all(isinstance(one, HeightOf) for one in self._quantities) or all(
            isinstance(one, Offset) and not one.absolute for one in self._quantities
        )
        self._bounds: list[Interval] | None = None
        try:
            self._bounds = [quantity_bounds(one, context) for one in self._quantities]
        except Undefined:
            if not self._dependent or len(self.keys) < 2:
                raise
            for one in self._quantities[1:]:
                gap(one, self._quantities[0], context)

    def lead(self, a: int, b: int) -> Interval:
        """By how much ``a`` is better than ``b``."""
        if a == b:
            return ZERO
        return self._gap(a, b) if self._largest else self._gap(b, a)

    def _gap(self, a: int, b: int) -> Interval:
        if self._bounds is None:
            return gap(self._quantities[a], self._quantities[b], self._context)
        found = difference(self._bounds[a], self._bounds[b])
        if self._dependent and found.sign is None and not found.is_exact:
            try:
                found = meet(found, gap(self._quantities[a], self._quantities[b], self._context))
            except Undefined:
                return found
        return found

    def best_first(self) -> list[int]:
        """The places from the best to the worst, by the middles of what they may be."""
        sign = 1 if self._largest else -1
        if self._bounds is None:
            middles = [_middle(self._gap(place, 0)) for place in self.places]
        else:
            middles = [_middle(one) for one in self._bounds]
        return sorted(self.places, key=lambda place: -sign * middles[place])


def _middle(one: Interval) -> float:
    ends = [end for end in one if math.isfinite(end)]
    return sum(ends) / len(ends) if ends else 0.0


def choice_keys(query: Choose, context: Context) -> set[str]:
    """The keys that may be best, or in the place that is asked for; "same" where the best two may be as good as equal.

    Raises:
        Undefined: the graph does not speak of one of them.
    """
    contest = _Contest(query.among, context, largest=query.pick == "largest")
    if query.rank > 1:
        return _in_place(query.rank, contest)
    best, *others = contest.best_first()
    if not others:
        return {contest.keys[best]}
    winners = [best, *(place for place in others if contest.lead(best, place).lo <= SLACK)]
    if len(winners) <= _MOST_RIVALS:
        # Of these, some may be beaten for certain by another one than the first.
        winners = [a for a in winners if all(contest.lead(a, b).hi >= -SLACK for b in winners if b != a)] or winners
    found = {contest.keys[place] for place in winners}
    equal = len(winners) > 1 and all(contest.lead(winners[0], place) == ZERO for place in winners[1:])
    if query.same_within is not None:
        return _or_same(query.same_within, contest, winners, found)
    if query.equal is not None and len(winners) > 1:
        return {query.equal} if equal else found | {query.equal}
    return found


def _in_place(rank: int, contest: _Contest) -> set[str]:
    """The keys that may be number ``rank`` from the best: neither too many are certainly better, nor too many worse."""
    count = len(contest.keys)
    if rank > count:
        raise Undefined(f"there are {count} to choose from; none of them is number {rank}")
    found = set()
    for place in contest.places:
        leads = [contest.lead(place, other) for other in contest.places if other != place]
        better = sum(lead.hi < -SLACK for lead in leads)
        worse = sum(lead.lo > SLACK for lead in leads)
        if better <= rank - 1 and worse <= count - rank:
            found.add(contest.keys[place])
    return found


def _or_same(within: float, contest: _Contest, winners: Sequence[int], found: set[str]) -> set[str]:
    """Best or "same": by what may lie between the best and the second."""
    leads = [_lead_over_second(contest, place) for place in (winners if len(winners) <= _MOST_RIVALS else winners[:1])]
    most = max(lead.hi for lead in leads) if len(winners) <= _MOST_RIVALS else math.inf
    least = max(0.0, leads[0].lo) if len(winners) == 1 else 0.0
    if most <= within - SLACK or most == 0:
        return {"same"}
    return found if least > within + SLACK else found | {"same"}


def _lead_over_second(contest: _Contest, best: int) -> Interval:
    leads = [contest.lead(best, place) for place in contest.places if place != best]
    return Interval(min(lead.lo for lead in leads), min(lead.hi for lead in leads))


def ranking_keys(query: Ranking, context: Context, options: Sequence[str]) -> set[str]:
    """The orders that may be right, as keys; of ``options``, if there are any.

    Raises:
        Undefined: the graph does not speak of one of them, or leaves more orders open than can be listed.
    """
    separator = " < " if query.order == "ascending" else " > "
    contest = _Contest(query.among, context, largest=query.order == "descending")
    order = contest.best_first()
    if all(contest.lead(a, b).lo > SLACK for a, b in pairwise(order)):
        return {separator.join(contest.keys[place] for place in order)}
    orders: Iterable[Sequence[int]] = permutations(contest.places)
    if options:
        place_of = {key: place for place, key in enumerate(contest.keys)}
        split = [option.split(separator) for option in options]
        orders = [[place_of[key] for key in keys] for keys in split if sorted(keys) == sorted(contest.keys)]
    elif len(contest.keys) > _MOST_LISTED:
        raise Undefined("the graph leaves more orders open than can be listed")
    behind = {(a, b) for a in contest.places for b in contest.places if contest.lead(a, b).hi < -SLACK}
    return {
        separator.join(contest.keys[place] for place in one)
        for one in orders
        if not any((a, b) in behind for number, a in enumerate(one) for b in one[number + 1 :])
    }
