"""Which two pictures are shown together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from ...draws import Uniform
from ...options import below, shuffled
from .kinds import Kind
from .maker import Maker
from .tables import ObjectRow, ViewRow, subtract

__all__ = ["SHARED", "object_pairs", "view_distance_m", "view_pairs"]

SHARED = None
"""For ``view_pairs``: pictures that share as much as the settings ask of two."""


def view_distance_m(a: ViewRow, b: ViewRow) -> float:
    """Metres between two cameras."""
    x, y, z = subtract(b.centre_m, a.centre_m)
    return math.sqrt(x * x + y * y + z * z)


def view_pairs(
    maker: Maker,
    rng: Uniform,
    kind: Kind,
    *,
    co_visibility: tuple[float, float] | None = SHARED,
    least_distance_m: float = 0.0,
    least_turn_deg: float = 0.0,
) -> list[tuple[ViewRow, ViewRow]]:
    """Pairs of pictures drawn from all that fit, each pair once and in a random order.

    Drawn uniformly, every picture has its turn; the published sampling stays with one first picture as long as it
    finds partners for it.

    Args:
        kind: whose refusals these are.
        co_visibility: least and most, or as the settings say.
        least_distance_m: between the cameras.
        least_turn_deg: about the main axis.
    """
    tables, settings = maker.tables, maker.settings
    least, most = co_visibility or (settings.least_co_visibility, 1.0)
    turns = tables.turns_deg if least_turn_deg > 0 else None
    count = len(tables.views)
    kept: list[tuple[ViewRow, ViewRow]] = []
    apart = near = 0
    pairs = shuffled(rng, combinations(range(count), 2))
    if settings.published:
        pairs = list(combinations(shuffled(rng, range(count)), 2))
    for i, j in pairs:
        if len(kept) == settings.view_pairs:
            break
        a, b = tables.views[i], tables.views[j]
        if not least <= tables.shared_views(a, b) <= most:
            apart += 1
        elif view_distance_m(a, b) < least_distance_m or (
            turns is not None and max(map(abs, turns[i][j])) < least_turn_deg
        ):
            near += 1
        else:
            kept.append((a, b) if rng.random() < 0.5 else (b, a))
    maker.refuse(kind, "co-visibility of the pictures", apart)
    maker.refuse(kind, "too little movement between the pictures", near)
    return kept


def object_pairs(
    maker: Maker,
    rng: Uniform,
    kind: Kind,
    a: ViewRow,
    b: ViewRow,
    *,
    same_category: bool = False,
) -> Iterator[tuple[ObjectRow, ObjectRow]]:
    """Pairs of objects, the first seen well in one picture, the second in the other.

    Of different categories, as published, unless ``same_category``: two things of one name are fine where each has its
    own description, and nothing but the pictures tells which is larger.
    """
    if not a.named or not b.named:
        maker.refuse(kind, "no object with a name seen well")
        return
    done: set[tuple[int, int]] = set()
    same = 0
    # A few more draws than pairs make up for those that do not fit.
    for _ in range(3 * maker.settings.objects_per_view_pair):
        first, second = a.named[below(rng, len(a.named))], b.named[below(rng, len(b.named))]
        if first is second or (first.label == second.label and not same_category):
            same += 1
        elif (first.id, second.id) not in done:
            done.add((first.id, second.id))
            yield first, second
            if len(done) == maker.settings.objects_per_view_pair:
                break
    maker.refuse(kind, "one object twice, or two of one category", same)
