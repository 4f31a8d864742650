"""Which items a limit keeps: every kind under every condition first, then all in proportion or evenly."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from ...bench_data.suites import SuiteItem

__all__ = ["stratified"]


def stratified(
    items: Sequence[SuiteItem], *, seed: int, limit: int | None = None, even: bool = False
) -> list[SuiteItem]:
    """Items in the order in which they are asked, cut off after ``limit``.

    The order decides what a limit, or a budget that runs out, leaves: the first item of each stratum (suite, kind,
    condition), then all strata side by side, so that after any number of items each has its share. A smaller limit
    keeps a part of what a larger one keeps. Within a kind the questions come in one order under all conditions, so that
    pairs stay together. The order of the file decides nothing.

    Args:
        items: with unique ids.
        seed: another one draws other items.
        limit: items in all; None for all.
        even: the same number of every stratum, as far as it goes, in place of the same share: rare kinds are then
            judged as well as common ones, and a score over all is no longer one of the whole.
    """
    strata: dict[tuple[str, str, str], list[tuple[bytes, str, SuiteItem]]] = defaultdict(list)
    for item in items:
        drawn = _rank(seed, item.suite, item.kind, item.question_id)
        strata[item.suite, item.kind, item.condition].append((drawn, item.id, item))
    ordered: list[tuple[float, bytes, str, str, SuiteItem]] = []
    for (suite, kind, condition), members in strata.items():
        members.sort(key=lambda member: member[:2])
        place_of_kind = _rank(seed, suite, kind)
        for place, (_, name, item) in enumerate(members):
            share = place if even else 0.0 if place == 0 else (place + 0.5) / len(members)
            ordered.append((share, place_of_kind, condition, name, item))
    ordered.sort(key=lambda entry: entry[:4])
    return [entry[4] for entry in ordered[:limit]]


def _rank(seed: int, *names: str) -> bytes:
    text = "\x1f".join((str(seed), *names))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
