"""What a truth rests on, in the order that `answer_from_derivation` reads: quantities with their names and units."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ....scene_graphs import PlacedObject
from ....scene_graphs.relations import Relation, zones_m
from ...question import Fact
from ...units import Unit
from .judged import Judged
from .kinds import RELATION_KINDS, RELATION_PHRASES, Ask
from .queries import AXES, Rule
from .table import Table

__all__ = ["facts_of"]

Lines = tuple[tuple[str, Unit], ...]


def _each(what: str, unit: Unit, places: tuple[int, ...]) -> Lines:
    return tuple((f"{what} {{{place}}}", unit) for place in places)


_PAIR, _THREE = (0, 1), (0, 1, 2)
_FROM_CAMERA = "distance from the camera to"
_FROM_ANCHOR = "distance from {0} to"

_LINES: Mapping[str, Lines] = {
    "bigger_volume": _each("volume of", Unit.CUBIC_METRE, _PAIR),
    "taller": _each("height of", Unit.METRE, _PAIR),
    "wider": _each("width of", Unit.METRE, _PAIR),
    "length": _each("length of", Unit.METRE, (0,)),
    "width": _each("width of", Unit.METRE, (0,)),
    "height": _each("height of", Unit.METRE, (0,)),
    "rank_volume": _each("volume of", Unit.CUBIC_METRE, _THREE),
    "rank_height": _each("height of", Unit.METRE, _THREE),
    "rank_camera_distance": _each(_FROM_CAMERA, Unit.METRE, _THREE),
    "nearer_camera": _each(_FROM_CAMERA, Unit.METRE, _PAIR),
    "farther_camera": _each(_FROM_CAMERA, Unit.METRE, _PAIR),
    "nearer_anchor": _each(_FROM_ANCHOR, Unit.METRE, (1, 2)),
    "farther_anchor": _each(_FROM_ANCHOR, Unit.METRE, (1, 2)),
    "camera_distance": _each(_FROM_CAMERA, Unit.METRE, (0,)),
    "pair_distance": _each(_FROM_ANCHOR, Unit.METRE, (1,)),
    "placed_distance": (("distance along the ground from the imagined object to {1}", Unit.METRE),),
    "perspective": (("bearing of {2} for someone at {0} who faces {1}, clockwise", Unit.DEGREE),),
}
"""Of the kinds whose quantities are `Judged.values`."""


def facts_of(ask: Ask, judged: Judged, table: Table, rule: Rule) -> tuple[Fact, ...]:
    """The quantities that a truth rests on."""
    lines = _LINES.get(ask.kind)
    if lines is None:
        return _COMPARED.get(ask.kind, _one_relation)(ask, table, rule)
    names = [table.names[one] for one in ask.objects]
    return tuple(
        [Fact(what.format(*names), value, unit) for (what, unit), value in zip(lines, judged.values, strict=True)]
    )


def _one_relation(ask: Ask, table: Table, rule: Rule) -> tuple[Fact, ...]:
    relation = RELATION_KINDS[ask.kind]
    if relation in ("above", "below"):
        return _heights(ask, table, rule)
    of, against = ask.objects
    return _beside(table, of, against, relation, rule)


def _beside(table: Table, of: int, against: int, relation: Relation, rule: Rule) -> tuple[Fact, ...]:
    """How far one object is along the axis of a relation, and how far it has to be."""
    one, other = table.objects[of], table.objects[against]
    name, other_name = table.names[of], table.names[against]
    axis, sign = AXES[relation]
    value = sign * ((one.right_m - other.right_m) if axis == "right" else (one.forward_m - other.forward_m))
    return (
        Fact(f"{name} is {RELATION_PHRASES[relation]} {other_name} by", value, Unit.METRE),
        Fact(f"dead zone of {name} and {other_name}", zones_m(one, other, rule.zone)[0], Unit.METRE),
    )


def _heights(ask: Ask, table: Table, rule: Rule) -> tuple[Fact, ...]:
    """Bottom and top of both, and how much they may overlap."""
    of, against = ask.objects
    one, other = table.objects[of], table.objects[against]
    return (
        *_bottom_and_top(one, table.names[of]),
        *_bottom_and_top(other, table.names[against]),
        _overlap(one, other, rule),
    )


def _bottom_and_top(one: PlacedObject, name: str) -> tuple[Fact, Fact]:
    return Fact(f"bottom of {name}", one.bottom_m, Unit.METRE), Fact(f"top of {name}", one.top_m, Unit.METRE)


def _overlap(one: PlacedObject, other: PlacedObject, rule: Rule) -> Fact:
    return Fact("overlap in height that above and below allow", zones_m(one, other, rule.zone)[1], Unit.METRE)


def _all_relations(ask: Ask, table: Table, rule: Rule) -> tuple[Fact, ...]:
    of, against = ask.objects
    right, zone = _beside(table, of, against, "right", rule)
    behind, _ = _beside(table, of, against, "behind", rule)
    return (right, behind, zone, *(_heights(ask, table, rule) if rule.vertical else ()))


def _counted_beside(ask: Ask, table: Table, rule: Rule) -> tuple[Fact, ...]:
    (anchor,) = ask.objects
    relation = ask.relation or "left"
    return tuple([fact for one in table.neighbours for fact in _beside(table, one, anchor, relation, rule)])


def _counted_near(ask: Ask, table: Table, rule: Rule) -> tuple[Fact, ...]:
    anchor = table.names[ask.objects[0]]
    return tuple(
        [
            Fact(f"distance from {anchor} to {table.names[one]}", distance, Unit.METRE)
            for one, distance in table.edge_m.items()
        ]
    )


_COMPARED: Mapping[str, Callable[[Ask, Table, Rule], tuple[Fact, ...]]] = {
    "pick_direction": _all_relations,
    "count_direction": _counted_beside,
    "count_within": _counted_near,
    "count_beyond": _counted_near,
}
