"""Relations as the published solver reads them: by keywords anywhere in a text, and options by the words they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....bench_data.scene_graphs import Relation

__all__ = ["matching_option", "relations_in"]

_KEYWORDS: tuple[tuple[str, Relation], ...] = (
    ("left", "left"),
    ("right", "right"),
    ("front", "front"),
    ("behind", "behind"),
    ("back", "behind"),
    ("above", "above"),
    ("over", "above"),
    ("on top of", "above"),
    ("up", "above"),
    ("below", "below"),
    ("under", "below"),
    ("lower", "below"),
    ("down", "below"),
)
"""The published keywords, without those that hold another one of the same meaning ("in front of", "upper")."""


def relations_in(text: str) -> frozenset[Relation]:
    """All relations whose keyword occurs anywhere, even inside another word.

    >>> sorted(relations_in("upright")), sorted(relations_in("in the background"))
    (['above', 'right'], ['behind'])
    """
    plain = text.casefold().replace("-", " ").replace("_", " ")
    return frozenset(relation for keyword, relation in _KEYWORDS if keyword in plain)


def matching_option(
    wanted: frozenset[Relation], options: Sequence[frozenset[Relation]], *, least_jaccard: float = 0.0
) -> int | None:
    """The place of the option that the published solver takes for a set of relations; None for a mismatch.

    The same set; else the only one that holds it; else the only one that it holds; else the one that shares most words,
    a later one at a tie if it shares more than half of all words of the two.

    Args:
        wanted: the relations that were derived.
        options: those that each option speaks of.
        least_jaccard: what the last resort must share at least: words in common over all words of the two.
    """
    for place, option in enumerate(options):
        if option == wanted:
            return place
    for close in (_places(wanted < option for option in options), _places(option < wanted for option in options)):
        if len(close) == 1:
            return close[0]
    best, most = None, 0
    for place, option in enumerate(options):
        shared = len(option & wanted)
        if shared > most or (shared == most and shared > 0 and _jaccard(option, wanted) > 0.5):
            best, most = place, shared
    if best is None or _jaccard(options[best], wanted) < least_jaccard:
        return None
    return best


def _places(found: Iterable[bool]) -> list[int]:
    return [place for place, one in enumerate(found) if one]


def _jaccard(a: frozenset[Relation], b: frozenset[Relation]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0
