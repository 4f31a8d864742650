"""Which of two objects is longer, or reaches higher."""

from __future__ import annotations

from collections.abc import Iterator

from ...draws import Uniform
from ...options import shuffled
from ...query import Choose, HeightOf, Quantity, Size
from ...question import Fact, Option, Question
from ...units import Unit
from .kinds import KINDS, Kind
from .maker import Candidate, Maker
from .pairs import object_pairs, view_pairs
from .tables import ObjectRow, ViewRow

__all__ = ["comparisons", "facts_of"]

SAME = "same"
_DECIDED = "decided"
_DEALT = ((True, True), (True, False), (False, True), (False, False))
_POLARITY = {
    "longest_side_compare": {True: "longer", False: "shorter"},
    "top_height_compare": {True: "higher", False: "lower"},
}

Compared = tuple[ViewRow, ViewRow, ObjectRow, ObjectRow]
"""Two pictures, an object of the first and one of the second."""


def comparisons(maker: Maker) -> Iterator[Question]:
    """Longest sides and tops. Both directions are asked for, so that no name is right more often than wrong."""
    for sub_type in ("longest_side_compare", "top_height_compare"):
        kind = KINDS[sub_type]
        rng = maker.rng(kind.name)
        decided: list[Compared] = []
        same: list[Compared] = []
        for a, b in view_pairs(maker, rng, kind, least_distance_m=maker.settings.least_baseline_m):
            for one, other in object_pairs(maker, rng, kind, a, b, same_category=True):
                verdict = _verdict(maker, kind, (a, b, one, other))
                if verdict == _DECIDED:
                    decided.append((a, b, one, other))
                elif verdict == SAME:
                    same.append((a, b, one, other))
                else:
                    maker.refuse(kind, verdict)
        yield from _grouped(maker, kind, rng, decided, same)


def facts_of(kind: Kind, one: ObjectRow, value_m: float, other: ObjectRow, other_value_m: float) -> tuple[Fact, ...]:
    """What a comparison rests on."""
    what = "height of the top of" if kind is KINDS["top_height_compare"] else "longest side of"
    return Fact(f"{what} {one.name}", value_m, Unit.METRE), Fact(f"{what} {other.name}", other_value_m, Unit.METRE)


def _quantity(kind: Kind, row: ObjectRow) -> tuple[Quantity, float]:
    """What is compared, and its value in metres."""
    if kind is KINDS["top_height_compare"]:
        return HeightOf(row.ref, "top"), row.top_m
    return Size(row.ref, "longest"), row.sides_m[2]


def _verdict(maker: Maker, kind: Kind, pair: Compared) -> str:
    """decided, same, or the reason to refuse."""
    settings = maker.settings
    a, b, one, other = pair
    if kind is KINDS["top_height_compare"]:
        gap = abs(one.top_m - other.top_m)
        enough = gap >= settings.least_height_gap_m
        if gap > settings.most_height_gap_m:
            return "so different that the names would tell"
    else:
        if one.id not in a.whole or other.id not in b.whole:
            return "cut off by the border of the picture"
        longer, shorter = max(one.sides_m[2], other.sides_m[2]), min(one.sides_m[2], other.sides_m[2])
        gap = longer - shorter
        if longer > settings.most_length_ratio * shorter:
            return "so different that the names would tell"
        enough = longer >= settings.least_length_ratio * shorter
    if gap <= settings.same_within_m:
        return SAME
    return _DECIDED if enough else "too close to call, and not the same"


def _grouped(
    maker: Maker, kind: Kind, rng: Uniform, decided: list[Compared], same: list[Compared]
) -> Iterator[Question]:
    """Groups of three are offered "the same", which is right for one of them; all others have two options."""
    triples = min(len(same), len(decided) // 2)
    wanted = maker.settings.most_per_kind
    if wanted is not None:
        triples = min(triples, wanted // 3)
    pairs = decided[2 * triples :]
    if wanted is not None and len(pairs) > wanted - 3 * triples:
        maker.refuse(kind, "more than asked for", len(pairs) - (wanted - 3 * triples))
        pairs = pairs[: wanted - 3 * triples]
    maker.refuse(kind, "no other answer to balance it", len(same) - triples)
    deal = _dealt(rng)
    for place in range(triples):
        (larger, first), (larger_2, _), (larger_3, _) = next(deal), next(deal), next(deal)
        yield _comparison(maker, kind, rng, same[place], same_offered=True, larger=larger, first=first)
        yield _comparison(maker, kind, rng, decided[2 * place], same_offered=True, larger=larger_2, first=True)
        yield _comparison(maker, kind, rng, decided[2 * place + 1], same_offered=True, larger=larger_3, first=False)
    for pair in pairs:
        larger, first = next(deal)
        yield _comparison(maker, kind, rng, pair, same_offered=False, larger=larger, first=first)


def _dealt(rng: Uniform) -> Iterator[tuple[bool, bool]]:
    """(the larger is asked for, it is named first): all four together equally often."""
    while True:
        yield from shuffled(rng, _DEALT)


def _comparison(
    maker: Maker,
    kind: Kind,
    rng: Uniform,
    pair: Compared,
    *,
    same_offered: bool,
    larger: bool,
    first: bool,
) -> Question:
    """One comparison that asks for the larger or the smaller, and names the answer first or second."""
    a, b, one, other = pair
    (_, value), (_, other_value) = _quantity(kind, one), _quantity(kind, other)
    if ((value > other_value) == larger) != first:
        one, other = other, one
    (quantity, value), (other_quantity, other_value) = _quantity(kind, one), _quantity(kind, other)
    within_m = maker.settings.same_within_m
    gap = abs(value - other_value)
    truth = SAME if same_offered and gap <= within_m else "first" if (value > other_value) == larger else "second"
    candidate = Candidate(
        (a, b),
        Choose(
            {"first": quantity, "second": other_quantity},
            "largest" if larger else "smallest",
            within_m if same_offered else None,
        ),
        truth,
        abs(gap - within_m) if same_offered else gap,
        facts_of(kind, one, value, other, other_value),
        (one, other),
        _POLARITY[kind.tags["sub_question_type"]][larger],
    )
    options = [Option("first", one.name), Option("second", other.name)]
    if same_offered:
        options.append(Option(SAME, f"the same, within {100 * within_m:g} cm"))
    return maker.question(kind, rng, candidate, tuple(shuffled(rng, options)))
