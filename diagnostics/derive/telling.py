"""Steps in words: what a derivation looked up, with the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise

from .interval import Interval
from .knowledge import Knowledge
from .stated import Displacement, Eye, Node

__all__ = ["Teller", "number_text", "range_text"]

_MOST_STAGES = 12
_MOST_NAMED = 12
"""So many stages of a path, and names in a row, are told."""

_PHRASES = {
    "left": "to its left",
    "right": "to its right",
    "above": "above it",
    "below": "below it",
    "front": "in front of it",
    "behind": "behind it",
}


class Teller:
    """Collects the steps of one derivation, each once."""

    def __init__(self, knowledge: Knowledge, names: Mapping[int, str]) -> None:
        self._knowledge = knowledge
        self._names = names
        self._steps: dict[str, None] = {}

    @property
    def steps(self) -> tuple[str, ...]:
        """All so far."""
        return tuple(self._steps)

    def name(self, node: Node) -> str:
        """What the question calls an object or a camera."""
        if isinstance(node, Eye):
            return "the camera" if node.view == 0 else f"camera {node.view + 1}"
        return self._names.get(node) or f"object {node}"

    def say(self, step: str) -> None:
        """Adds a sentence."""
        self._steps[step] = None

    def say_way(self, way: Displacement) -> None:
        """Tells what the bounds of a way rest on."""
        path = way.path
        if len(path) < 2:
            return
        if len(path) == 2 and way.is_exact:
            right, up, forward = way.right.lo, way.up.lo, way.forward.lo
            aside = f"{abs(right):.2f} m {'right' if right >= 0 else 'left'}"
            rise = f"{abs(up):.2f} m {'up' if up >= 0 else 'down'}"
            depth = f"{abs(forward):.2f} m {'ahead' if forward >= 0 else 'back'}"
            self.say(f"from {self.name(path[0])}, {self.name(path[1])} is {aside}, {rise} and {depth}")
            return
        for a, b in islice(pairwise(path), _MOST_STAGES):
            self._say_stage(a, b)
        if len(path) - 1 > _MOST_STAGES:
            self.say(f"and so on through {len(path) - 2} objects")
        if len(path) > 2:
            low, high = (number_text(value) for value in way.distance)
            self.say(
                f"so from {self.name(path[0])} to {self.name(path[-1])} it is {low} to {high} m"
                if math.isfinite(way.distance.hi)
                else f"so {self.name(path[-1])} is related to {self.name(path[0])} through {self.names(path[1:-1])}"
            )

    def _say_stage(self, a: Node, b: Node) -> None:
        known = self._knowledge
        if a in known.places and b in known.places:
            self.say_way(known.way(a, b))
            return
        words = known.words.get((a, b))
        if words is None:
            words = known.words[a, b] = _stage_words(known, a, b)
        if words:
            before, after = words
            self.say(f"{self.name(b)} is {before}{self.name(a)}{after}")

    def names(self, nodes: Iterable[Node]) -> str:
        """Several places; of very many the first ones."""
        some = list(islice(nodes, _MOST_NAMED + 1))
        shown = ", ".join(self.name(node) for node in some[:_MOST_NAMED])
        return f"{shown} and more" if len(some) > _MOST_NAMED else shown


def _stage_words(known: Knowledge, a: Node, b: Node) -> tuple[str, str] | tuple[()]:
    """What is stated of ``b`` seen from ``a``: the words before and after the name of ``a``."""
    stated = known.lengths.get(a, {}).get(b)
    told = [
        " and ".join(phrase for name, phrase in _PHRASES.items() if name in relations) or "nowhere beyond its dead zone"
        for relations in dict.fromkeys(known.stated_relations(a, b))
    ]
    if stated is not None:
        return f"{range_text(stated)} m from ", "".join(f" and {one}" for one in told)
    return (f"{' and '.join(told)} (", ")") if told else ()


def range_text(length: Interval) -> str:
    """Bounds as steps show them."""
    return number_text(length.lo) if length.is_exact else f"{number_text(length.lo)} to {number_text(length.hi)}"


def number_text(value: float) -> str:
    """A number as steps show it: two decimals, or "any number" where it has no bound."""
    return f"{value + 0.0:.2f}" if math.isfinite(value) else "any number of"
