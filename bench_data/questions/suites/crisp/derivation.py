"""What a truth rests on, for people: the quantities of `Judged.values` with their names and units."""

from __future__ import annotations

from collections.abc import Mapping

from ...question import Fact
from ...units import Unit
from .judged import Judged
from .kinds import RELATION_KINDS, RELATION_PHRASES, Ask
from .table import Table

__all__ = ["facts_of"]

Lines = tuple[tuple[str, Unit], ...]


def _each(what: str, unit: Unit, places: tuple[int, ...]) -> Lines:
    return tuple((f"{what} {{{place}}}", unit) for place in places)


_PAIR, _THREE = (0, 1), (0, 1, 2)
_FROM_CAMERA = "distance from the camera to"
_FROM_ANCHOR = "distance from {0} to"
_COUNTED: Lines = (("objects that count", Unit.COUNT),)

_LINES: Mapping[str, Lines] = {
    **{
        kind: ((f"{{0}} is {RELATION_PHRASES[relation]} {{1}} by", Unit.METRE),)
        for kind, relation in RELATION_KINDS.items()
    },
    **dict.fromkeys(
        ("is_above", "is_below"),
        tuple((f"{end} of {{{place}}}", Unit.METRE) for place in _PAIR for end in ("bottom", "top")),
    ),
    "pick_direction": (
        ("{0} is to the right of {1} by", Unit.METRE),
        ("{0} is behind {1} by", Unit.METRE),
        ("{0} is above {1} by", Unit.METRE),
    ),
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
    "count_direction": _COUNTED,
    "count_within": _COUNTED,
    "count_beyond": _COUNTED,
    "placed_distance": (("distance along the ground from the imagined object to {1}", Unit.METRE),),
    "perspective": (("bearing of {2} for someone at {0} who faces {1}, clockwise", Unit.DEGREE),),
}


def facts_of(ask: Ask, judged: Judged, table: Table) -> tuple[Fact, ...]:
    """The quantities that a truth rests on; a rule may give fewer than there are names for."""
    names = [table.names[one] for one in ask.objects]
    lines = zip(_LINES[ask.kind], judged.values, strict=False)
    return tuple([Fact(what.format(*names), value, unit) for (what, unit), value in lines])
