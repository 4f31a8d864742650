"""The counts that scores of graphs are made of. Each can be added up over pictures and then read off as a score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

from ...bench_data.scene_graphs import Relation

__all__ = [
    "AXES",
    "INVERTED_CHANCE",
    "INVERTED_SHARE",
    "AxisName",
    "AxisTally",
    "Found",
    "RatioTally",
    "Side",
    "side_on",
]

AxisName = Literal["left_right", "front_behind", "above_below"]

AXES: Mapping[AxisName, tuple[Relation, Relation]] = {
    "left_right": ("left", "right"),
    "front_behind": ("front", "behind"),
    "above_below": ("above", "below"),
}
"""The three axes of relations with their two ends."""

Side = Literal["first", "second", "none", "both", "unsaid"]
"""Where a relation lies on an axis: at its first end (left, front, above), its second, at none, at both at once (a
contradiction, but for the published rule of above and below), or not stated."""


def side_on(axis: AxisName, relations: tuple[Relation, ...] | None) -> Side:
    """Where these relations lie on an axis.

    >>> side_on("left_right", ("right", "behind")), side_on("above_below", ("right",)), side_on("left_right", None)
    ('second', 'none', 'unsaid')
    """
    if relations is None:
        return "unsaid"
    first, second = (end in relations for end in AXES[axis])
    if first and second:
        return "both"
    return "first" if first else "second" if second else "none"


INVERTED_SHARE = 0.75
INVERTED_CHANCE = 1 / 16
"""An axis is told the wrong way round when at least this share of it is opposed, and a guesser would get there with at
most this chance: four of four, seven of eight."""

_EXACT_UP_TO = 500


@dataclass(frozen=True, slots=True)
class Found:
    """How many of the true nodes or edges were found, and how many were invented. All in [0, 1], higher is better.

    Attributes:
        found: in both graphs.
        told: in the predicted one.
        true: in the true one.
    """

    found: int = 0
    told: int = 0
    true: int = 0

    def __add__(self, other: Self) -> Found:
        return Found(self.found + other.found, self.told + other.told, self.true + other.true)

    @property
    def precision(self) -> float:
        """The share of what was told that is true; 1 where nothing was told and nothing is true."""
        return self.found / self.told if self.told else float(not self.true)

    @property
    def recall(self) -> float:
        """The share of what is true that was told; 1 where nothing is true."""
        return self.found / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        both = self.told + self.true
        return 2 * self.found / both if both else 1.0


@dataclass(frozen=True, slots=True)
class RatioTally:
    """How close told lengths are to true ones: the mean of smaller over larger, which treats half and double alike.

    Attributes:
        total: sum of the ratios.
        stated: how many of the asked lengths were told.
        asked: how many there are.
    """

    total: float = 0.0
    stated: int = 0
    asked: int = 0

    def __add__(self, other: Self) -> RatioTally:
        return RatioTally(self.total + other.total, self.stated + other.stated, self.asked + other.asked)

    @property
    def score(self) -> float | None:
        """In [0, 1], higher is better; what was not told counts 0. None where nothing was asked."""
        return self.total / self.asked if self.asked else None

    @property
    def score_of_stated(self) -> float | None:
        """The same over what was told alone; None where nothing was."""
        return self.total / self.stated if self.stated else None


@dataclass(frozen=True)
class AxisTally:
    """What was said on one axis of relations, against the truth.

    Attributes:
        counts: (true side, told side) -> edges.
    """

    counts: Mapping[tuple[Side, Side], int] = field(default_factory=dict)

    def __add__(self, other: Self) -> AxisTally:
        pairs = dict.fromkeys((*self.counts, *other.counts))
        return AxisTally({pair: self.counts.get(pair, 0) + other.counts.get(pair, 0) for pair in pairs})

    @property
    def edges(self) -> int:
        """True edges."""
        return sum(self.counts.values())

    def _of(self, true: Side) -> int:
        return sum(count for (side, _), count in self.counts.items() if side == true)

    @property
    def _sides(self) -> list[Side]:
        return [side for side in ("first", "second", "none", "both") if self._of(side)]

    @property
    def accuracy(self) -> float | None:
        """The share of edges whose side is right; higher is better. None without edges."""
        return sum(self.counts.get((one, one), 0) for one in self._sides) / self.edges if self.edges else None

    @property
    def balanced(self) -> float | None:
        """The mean over the sides that occur of the share told right, so that no frequent side outweighs others.

        In [0, 1], higher is better; what was not told is wrong. None without edges.
        """
        sides = self._sides
        if not sides:
            return None
        return sum(self.counts.get((one, one), 0) / self._of(one) for one in sides) / len(sides)

    @property
    def empty_answer(self) -> float | None:
        """`balanced` of a graph that says of every edge that no relation holds."""
        sides = self._sides
        return ("none" in sides) / len(sides) if sides else None

    @property
    def empty_answer_accuracy(self) -> float | None:
        """`accuracy` of that graph."""
        return self._of("none") / self.edges if self.edges else None

    @property
    def agreeing(self) -> int:
        """Edges at one end, told so."""
        return self.counts.get(("first", "first"), 0) + self.counts.get(("second", "second"), 0)

    @property
    def opposed(self) -> int:
        """Edges at one end, told to be at the other."""
        return self.counts.get(("first", "second"), 0) + self.counts.get(("second", "first"), 0)

    @property
    def chance_of_opposed(self) -> float:
        """Chance that a guesser between the two ends is opposed at least this often: a sign test, one-sided."""
        count = self.agreeing + self.opposed
        if count > _EXACT_UP_TO:
            return math.erfc((2 * self.opposed - 1 - count) / math.sqrt(2 * count)) / 2
        return float(sum(math.comb(count, n) for n in range(self.opposed, count + 1)) / 2**count)

    @property
    def is_inverted(self) -> bool:
        """Whether the two ends are consistently told the wrong way round."""
        count = self.agreeing + self.opposed
        return self.opposed >= INVERTED_SHARE * count > 0 and self.chance_of_opposed <= INVERTED_CHANCE

    @property
    def inverted(self) -> AxisTally:
        """The same with the two ends of what was told swapped."""
        swap: dict[Side, Side] = {"first": "second", "second": "first"}
        return AxisTally({(true, swap.get(told, told)): count for (true, told), count in self.counts.items()})
