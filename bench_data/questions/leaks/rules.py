"""Guessers that look at the options and know a trick."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..evaluate import COMPASS_NAMES, RELATIVE_NAMES
from .items import Item

__all__ = ["AVOIDING", "RULES", "Scores", "avoiding"]

Scores = Callable[[Item], Sequence[float] | None]
"""How much a guesser likes each option; None where its trick does not apply. It takes the one that it likes most."""

_ANGLES = {name: 45.0 * place for names in (RELATIVE_NAMES, COMPASS_NAMES) for place, name in enumerate(names)}
_PLANE = ("forward", "right+forward", "right", "right+backward", "backward", "left+backward", "left", "left+forward")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def _angles(item: Item) -> list[float] | None:
    """Directions of the options in degrees, if all of them are on one circle."""
    for circle in (_ANGLES, {name: 45.0 * place for place, name in enumerate(_PLANE)}):
        if all(key in circle for key in item.keys):
            return [circle[key] for key in item.keys]
    return None


def _numbers(item: Item) -> list[float] | None:
    """Numbers that the options are, if all of them are one."""
    found = [_NUMBER.match(text) for text in item.texts]
    if any(one is None for one in found) or len(item.keys) < 3:
        return None
    return [float(one.group()) for one in found if one is not None]


def _apart(a: float, b: float) -> float:
    return min((a - b) % 360, (b - a) % 360)


def _nearest(angles: list[float]) -> list[float]:
    return [min(_apart(a, b) for j, b in enumerate(angles) if j != i) for i, a in enumerate(angles)]


def _isolated(item: Item) -> list[float] | None:
    angles = _angles(item)
    return _nearest(angles) if angles and len(angles) > 2 else None


def _crowded(item: Item) -> list[float] | None:
    angles = _angles(item)
    if not angles or len(angles) < 3:
        return None
    return [-sum(_apart(a, b) for b in angles) for a in angles]


def _middle(item: Item) -> list[float] | None:
    numbers = _numbers(item)
    if numbers is None:
        return None
    order = sorted(numbers)
    middle = {order[(len(order) - 1) // 2], order[len(order) // 2]}
    return [float(number in middle) for number in numbers]


def _smallest(item: Item) -> list[float] | None:
    numbers = _numbers(item)
    return [-number for number in numbers] if numbers else None


def _largest(item: Item) -> list[float] | None:
    return _numbers(item)


def _parts(item: Item) -> list[frozenset[str]] | None:
    """The words of the options, if some are made of several."""
    parts = [frozenset(re.split(r"[+<>]", key)) for key in item.keys]
    return parts if len(parts) > 2 and any(len(one) > 1 for one in parts) else None


def _superset(item: Item) -> list[float] | None:
    parts = _parts(item)
    return [float(sum(other < one for other in parts)) for one in parts] if parts else None


def _shared_words(item: Item) -> list[float] | None:
    parts = _parts(item)
    return [float(sum(len(one & other) for other in parts)) for one in parts] if parts else None


def _options_only(item: Item) -> bool:
    return item.keys != ("yes", "no") and len(item.keys) <= 8


def _longest(item: Item) -> list[float] | None:
    return [float(len(text)) for text in item.texts] if _options_only(item) else None


def _shortest(item: Item) -> list[float] | None:
    return [-float(len(text)) for text in item.texts] if _options_only(item) else None


def _first(item: Item) -> list[float] | None:
    return [-float(place) for place in range(len(item.keys))] if _options_only(item) else None


def _last(item: Item) -> list[float] | None:
    return [float(place) for place in range(len(item.keys))] if _options_only(item) else None


def _yes(item: Item) -> list[float] | None:
    return [1.0, 0.0] if item.keys == ("yes", "no") else None


def _no(item: Item) -> list[float] | None:
    return [0.0, 1.0] if item.keys == ("yes", "no") else None


def avoiding(rule: Scores) -> Scores:
    """Takes any option but those that the rule takes; all of them where it takes all.

    What is far below chance gives something away to those who turn it round. Of two options that is the other one, and
    its gain the same; of four, to know one that is never right lifts a guess from 25 % to 33 %.
    """

    def scores(item: Item) -> list[float] | None:
        liked = rule(item)
        return None if liked is None else [-float(one == max(liked)) for one in liked]

    return scores


_TRICKS: dict[str, Scores] = {
    "first option": _first,
    "last option": _last,
    "longest option": _longest,
    "shortest option": _shortest,
    "middle number": _middle,
    "smallest number": _smallest,
    "largest number": _largest,
    "sector without neighbour": _isolated,
    "sector amid the others": _crowded,
    "option that holds others": _superset,
    "option that shares most words": _shared_words,
}
AVOIDING: dict[str, Scores] = {f"not the {name}": avoiding(rule) for name, rule in _TRICKS.items()}
"""The same tricks the other way round."""
RULES: dict[str, Scores] = {
    **_TRICKS,
    **AVOIDING,
    "always yes": _yes,
    "always no": _no,
}
"""Name -> guesser."""
