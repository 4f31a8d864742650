"""Left, right, above, below, front and behind: how one object stands to another, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..questions.query import ScaledZone

if TYPE_CHECKING:
    from .placed import PlacedObject

__all__ = [
    "OPPOSITE",
    "RELATIONS",
    "DeadZone",
    "Relation",
    "opposites",
    "relation_scores",
    "relations_between",
    "scores_beyond",
    "zones_m",
]

Relation = Literal["left", "right", "above", "below", "front", "behind"]
"""Front: nearer to the camera. See `RelationSet` for what each one means."""

RELATIONS: tuple[Relation, ...] = ("left", "right", "above", "below", "front", "behind")

OPPOSITE: dict[Relation, Relation] = {
    "left": "right",
    "right": "left",
    "above": "below",
    "below": "above",
    "front": "behind",
    "behind": "front",
}

DeadZone = float | ScaledZone
"""How far apart two objects must be along an axis before one is left of, or behind, the other; metres, or scaled."""

Scores = tuple[float, float, float, float, float, float]


def opposites(relations: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """The relations of B to A from those of A to B.

    >>> opposites(("left", "behind"))
    ('right', 'front')
    """
    turned = {OPPOSITE[one] for one in relations}
    return tuple(one for one in RELATIONS if one in turned)


def zones_m(of: PlacedObject, against: PlacedObject, zone: DeadZone) -> tuple[float, float]:
    """The dead zone of two objects on the level, and how much they may overlap in height."""
    if not isinstance(zone, ScaledZone):
        return zone, zone
    side = zone.side_share * (of.longer_side_m + against.longer_side_m) / 2
    height, other = of.top_m - of.bottom_m, against.top_m - against.bottom_m
    return (side if side > zone.least_m else zone.least_m), zone.height_share * (height if height < other else other)


def relation_scores(of: PlacedObject, against: PlacedObject, zone: DeadZone, *, exclusive: bool = True) -> Scores:
    """Metres by which each of `RELATIONS` holds of one object seen against another; negative where it does not.

    Args:
        of, against: objects placed in the same frame.
        zone: the dead zone.
        exclusive: of above and below only one holds; without it both do of two things thinner than the dead zone.
    """
    level, height = zones_m(of, against, zone)
    return scores_beyond(of, against, level, height, exclusive=exclusive)


def scores_beyond(
    of: PlacedObject, against: PlacedObject, level: float, height: float, *, exclusive: bool = True
) -> Scores:
    """`relation_scores` with the zone of these two objects already known, see `zones_m`."""
    right, forward = of.right_m - against.right_m, of.forward_m - against.forward_m
    above = of.bottom_m - against.top_m + height
    below = against.bottom_m - of.top_m + height
    if exclusive:
        if above >= below:
            below = below if above < 0 else below - above
        else:
            above = above if below < 0 else above - below
    return -right - level, right - level, above, below, -forward - level, forward - level


def relations_between(
    of: PlacedObject, against: PlacedObject, zone: DeadZone, *, exclusive: bool = True
) -> tuple[Relation, ...]:
    """The relations that hold of one object seen against another, in the order of `RELATIONS`."""
    scores = scores_beyond(of, against, *zones_m(of, against, zone), exclusive=exclusive)
    return tuple([name for name, score in zip(RELATIONS, scores, strict=True) if score > 0])
