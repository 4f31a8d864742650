"""What the options of a choice are and how they read, and what the truth rests on, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations, product

import numpy as np

from ....scene_graphs.relations import OPPOSITE, RELATIONS, Relation
from ...options import arranged, below
from ...question import Fact, Option
from ...units import Unit
from .judged import Judged
from .kinds import Ask
from .table import Table

__all__ = ["facts_of", "key_options", "mirrored_keys", "option_texts", "sector_keys", "sound_options"]

_PHRASES: dict[Relation, str] = {
    "left": "to the left",
    "right": "to the right",
    "above": "above",
    "below": "below",
    "front": "in front",
    "behind": "behind",
}
_SECTORS = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")


def sound_options(rng: np.random.Generator, ask: Ask, truth: str, table: Table) -> tuple[Option, ...]:
    """The options of a choice other than a count, in a random order, from which nothing can be guessed.

    Objects: both. Orders: all six. Relations: the truth and its mirror images along each of its axes, none of which is
    a part of another. Sectors: two pairs of neighbours, each of the four equally likely to be the true one.
    """
    if ask.kind.startswith("rank"):
        keys = order_keys(ask, truth)
    elif ask.kind == "pick_direction":
        keys = mirrored_keys(truth)
    elif ask.kind == "perspective":
        keys = sector_keys(rng, truth)
    else:
        keys = [str(one) for one in ask.objects[-2:]]
    texts = option_texts(ask, keys, table)
    return arranged(rng, [Option(key, texts[key]) for key in keys])


def order_keys(ask: Ask, truth: str) -> list[str]:
    """All orders of the objects."""
    separator = " > " if " > " in truth else " < "
    return [separator.join(order) for order in permutations([str(one) for one in ask.objects])]


def mirrored_keys(truth: str) -> list[str]:
    """A set of relations with each of them turned round or not: as many options as it has mirror images.

    >>> mirrored_keys("left+front")
    ['left+front', 'left+behind', 'right+front', 'right+behind']
    """
    names = [name for name in RELATIONS if name in truth.split("+")]
    return ["+".join(choice) for choice in product(*((name, OPPOSITE[name]) for name in names))]


def sector_keys(rng: np.random.Generator, truth: str) -> list[str]:
    """Two pairs of neighbouring sectors, one of which holds the truth; seen alone, each of the four is as likely."""
    place = _SECTORS.index(truth)
    start = (place - below(rng, 2)) % 8
    # The second pair leaves the first one free: it starts 2 to 6 sectors later.
    other = (start + 2 + below(rng, 5)) % 8
    return [_SECTORS[one % 8] for one in (start, start + 1, other, other + 1)]


def option_texts(ask: Ask, keys: Sequence[str], table: Table) -> Mapping[str, str]:
    """Key -> how it reads."""
    if ask.kind.startswith("rank"):
        names = {str(one): table.names[one] for one in ask.objects}
        separator = " > " if " > " in keys[0] else " < "
        return {key: ", ".join(names[one] for one in key.split(separator)) for key in keys}
    if ask.kind == "pick_direction":
        return {key: " and ".join(_PHRASES[name] for name in RELATIONS if name in key.split("+")) for key in keys}
    if ask.kind == "perspective" or ask.kind.startswith("count"):
        return {key: key for key in keys}
    return {str(one): table.names[one] for one in ask.objects[-2:]}


def key_options(rng: np.random.Generator, keys: Sequence[str]) -> tuple[Option, ...]:
    """Keys that read as they are (numbers, sectors) as options, in a random order."""
    return arranged(rng, [Option(key, key) for key in keys])


def facts_of(ask: Ask, judged: Judged, table: Table) -> tuple[Fact, ...]:
    """The quantities that a truth rests on."""
    values = judged.values
    names = [table.names[one] for one in ask.objects]
    match ask.kind:
        case "bigger_volume" | "rank_volume":
            return tuple(Fact(f"volume of {name}", v, Unit.CUBIC_METRE) for name, v in zip(names, values, strict=True))
        case "taller" | "rank_height" | "wider":
            what = "width" if ask.kind == "wider" else "height"
            return tuple(Fact(f"{what} of {name}", v, Unit.METRE) for name, v in zip(names, values, strict=True))
        case "nearer_camera" | "farther_camera" | "rank_camera_distance":
            return tuple(
                Fact(f"distance from the camera to {name}", v, Unit.METRE)
                for name, v in zip(names, values, strict=True)
            )
        case "nearer_anchor" | "farther_anchor":
            return tuple(
                Fact(f"distance from {names[0]} to {name}", v, Unit.METRE)
                for name, v in zip(names[1:], values, strict=True)
            )
        case "placed_distance":
            return (
                Fact(f"distance along the ground from {names[0]} to {names[1]}", values[0], Unit.METRE),
                Fact(f"distance along the ground from the imagined object to {names[1]}", values[1], Unit.METRE),
            )
        case "perspective":
            what = f"bearing of {names[2]} for someone at {names[0]} who faces {names[1]}, clockwise"
            return (Fact(what, values[0], Unit.DEGREE),)
        case "length" | "width" | "height":
            return (Fact(f"{ask.kind} of {names[0]}", values[0], Unit.METRE),)
        case _:
            return tuple(Fact(what, v, unit) for (what, unit), v in zip(_other(ask, names), values, strict=False))


def _other(ask: Ask, names: list[str]) -> tuple[tuple[str, Unit], ...]:
    metre = Unit.METRE
    match ask.kind:
        case "camera_distance":
            return ((f"distance from the camera to {names[0]}", metre),)
        case "pair_distance":
            return ((f"distance from {names[0]} to {names[1]}", metre),)
        case "pick_direction":
            return (
                (f"{names[0]} is to the right of {names[1]} by", metre),
                (f"{names[0]} is behind {names[1]} by", metre),
            )
        case "is_above" | "is_below":
            return tuple((f"{end} of {name}", metre) for name in names for end in ("bottom", "top"))
        case "count_direction" | "count_within" | "count_beyond":
            return (("objects that count", Unit.COUNT), ("the one nearest to changing sides is off by", metre))
        case _:
            return ((f"{names[0]} is on that side of {names[1]} by", metre),)
