"""Context of one derivation: the graph's knowledge, the question's objects, and the steps so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...bench_data.questions.query import (
    Axis,
    CameraRef,
    Candidate,
    ObjectRef,
    Place,
    Placed,
)
from ..scene_graph import SceneObject
from .interval import Interval, absolute, meet, point, scaled, total
from .knowledge import Knowledge, ground_length
from .stated import Displacement, Eye, Node, Vec
from .telling import Teller

__all__ = ["Context", "Spot", "Undefined", "dot"]


_PLACED: dict[Axis, tuple[str, str]] = {
    "right": ("left of", "right of"),
    "up": ("below", "above"),
    "forward": ("in front of", "behind"),
}


class Undefined(Exception):  # noqa: N818 - not an error: it ends one derivation, whose result says why
    """The graph does not speak of what is asked."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place: an object or a camera, and a shift from it (right, up, forward; metres)."""

    node: Node
    shift: Vec | None = None


@dataclass(slots=True)
class Context:
    """What a derivation works with.

    Args:
        known: the graph.
        numbers: the scene's numbers of objects -> the graph's; None where they are the same.
        names: the scene's numbers -> what the question calls them.
        pictures: how many the question shows.
        teller: collects the steps.
        cycles: contradictions that were met on the way.
        candidate: the object that a count is at, by its number in the scene.
    """

    known: Knowledge
    numbers: Mapping[int, int] | None
    names: Mapping[int, str]
    pictures: int = 1
    teller: Teller = field(init=False)
    cycles: dict[tuple[Node, ...], int] = field(default_factory=dict)
    candidate: int | None = None

    def __post_init__(self) -> None:
        by_graph = self.names
        if self.numbers is not None:
            by_graph = {self.numbers[one]: name for one, name in self.names.items() if one in self.numbers}
        self.teller = Teller(self.known, by_graph)

    def object_at(self, reference: ObjectRef | Candidate | int) -> SceneObject:
        """The object that a query means.

        Raises:
            Undefined: the graph has none.
        """
        if isinstance(reference, int):
            number: int | None = reference
        else:
            number = self.candidate if isinstance(reference, Candidate) else reference.id
        if number is None:
            raise Undefined("the question speaks of a candidate outside of a count")
        mapped = number if self.numbers is None else self.numbers.get(number)
        found = None if mapped is None else self.known.node(mapped)
        if found is None:
            name = self.names.get(number) or f"object {number if mapped is None else mapped}"
            raise Undefined(f"{name} is not in the graph")
        return found

    def spot(self, place: Place) -> Spot:
        """Where a place of a query is.

        Raises:
            Undefined: the graph has no such object.
        """
        if isinstance(place, CameraRef):
            return Spot(Eye(place.view))
        if isinstance(place, Placed):
            from .frames import exact_axes

            anchor = self.spot(place.anchor)
            axes = exact_axes(place.frame, self)
            row = axes[("right", "up", "forward").index(place.axis)]
            right, up, forward = (part * place.distance_m for part in row)
            where = _PLACED[place.axis][place.distance_m >= 0]
            self.teller.say(
                f"the imagined object is {abs(place.distance_m):.2f} m {where} {self.teller.name(anchor.node)}"
            )
            return Spot(anchor.node, (right, up, forward))
        return Spot(self.object_at(place).id)

    def place_name(self, place: Place) -> str:
        """What the steps call a place.

        Raises:
            Undefined: the graph has no such object.
        """
        return "the imagined object" if isinstance(place, Placed) else self.teller.name(self.spot(place).node)

    def way(self, start: Place, end: Place, *, directed: bool = False) -> Displacement:
        """What is known of the way between two places of a query; told as a step.

        Args:
            start, end: the places.
            directed: its direction matters, not only its length.

        Raises:
            Undefined: nothing is known of it.
        """
        a, b = self.spot(start), self.spot(end)
        way = self.known.way(a.node, b.node)
        self.teller.say_way(way)
        for axis, cycle in way.conflicts:
            self.cycles.setdefault(cycle, axis)
        if not way.directed and (directed or not math.isfinite(way.distance.hi)) and not way.conflicts:
            first, second = self.teller.name(a.node), self.teller.name(b.node)
            if directed:
                raise Undefined(f"nothing says in which direction {second} lies from {first}")
            raise Undefined(f"nothing connects {first} and {second}")
        if a.shift is None and b.shift is None:
            return way
        moved = tuple((b.shift[place] if b.shift else 0.0) - (a.shift[place] if a.shift else 0.0) for place in range(3))
        return self._shifted(way, (moved[0], moved[1], moved[2]))

    def _shifted(self, way: Displacement, by: Vec) -> Displacement:
        """A way whose end was moved; lengths by the law of cosines, |v + w|² = |v|² + 2 v·w + |w|²."""
        up = self.known.world_up
        right, rise, forward = (total(part, point(step)) for part, step in zip(way.parts[:3], by, strict=True))
        vertical = way.vertical
        if up is not None:
            vertical = total(vertical, point(by[0] * up[0] + by[1] * up[1] + by[2] * up[2]))
        along = dot(by, way)
        distance = _lengthened(way.distance, along, sum(part * part for part in by))
        level = _lengthened(
            way.plane, total(scaled(way.right, by[0]), scaled(way.forward, by[2])), by[0] * by[0] + by[2] * by[2]
        )
        sides = absolute(right), absolute(forward)
        level = meet(level, _norm(*sides))
        distance = meet(distance, _norm(*sides, absolute(rise)))
        return way._replace(parts=(right, rise, forward, vertical), distance=distance, plane=level)

    def ground(self, way: Displacement) -> Interval:
        """The level length of a way."""
        return ground_length(way, level_frame=self.known.level_frame)


def dot(row: Vec, way: Displacement) -> Interval:
    """The part of a way along a vector."""
    right, up, forward = row
    if way.right.lo == way.right.hi and way.up.lo == way.up.hi and way.forward.lo == way.forward.hi:
        return point(right * way.right.lo + up * way.up.lo + forward * way.forward.lo)
    return total(total(scaled(way.right, right), scaled(way.up, up)), scaled(way.forward, forward))


def _lengthened(length: Interval, along: Interval, square: float) -> Interval:
    low = length.lo * length.lo + 2 * along.lo + square
    high = length.hi * length.hi + 2 * along.hi + square
    return Interval(low**0.5 if low > 0 else 0.0, high**0.5 if high > 0 else 0.0)


def _norm(*sizes: Interval) -> Interval:
    return Interval(sum(size.lo * size.lo for size in sizes) ** 0.5, sum(size.hi * size.hi for size in sizes) ** 0.5)
