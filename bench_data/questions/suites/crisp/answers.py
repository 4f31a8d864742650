"""What the options of a choice are and how they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import permutations, product

from ....scene_graphs.relations import OPPOSITE, RELATIONS, Relation
from ...draws import Uniform
from ...options import arranged, below
from ...question import Option
from .kinds import Ask
from .table import Table

__all__ = ["key_options", "mirrored_keys", "option_texts", "sector_keys", "sound_options"]

_PHRASES: dict[Relation, str] = {
    "left": "to the left",
    "right": "to the right",
    "above": "above",
    "below": "below",
    "front": "in front",
    "behind": "behind",
}
_SECTORS = ("front", "front-right", "right", "back-right", "back", "back-left", "left", "front-left")


def sound_options(rng: Uniform, ask: Ask, truth: str, table: Table) -> tuple[Option, ...]:
    """The options of a choice other than a count, in a random order, from which nothing can be guessed.

    Objects: both. Orders: all six. Relations: the truth and its mirror images along each of its axes, none of which is
    a part of another. Sectors: two pairs of neighbours, each of the four equally likely to be the true one.
    """
    if ask.kind.startswith("rank"):
        separator = " > " if " > " in truth else " < "
        pairs = [(str(one), table.names[one]) for one in ask.objects]
        return arranged(
            rng,
            [
                Option(f"{a}{separator}{b}{separator}{c}", f"{one}, {two}, {three}")
                for (a, one), (b, two), (c, three) in permutations(pairs)
            ],
        )
    if ask.kind == "perspective":
        return key_options(rng, sector_keys(rng, truth))
    if ask.kind == "pick_direction":
        texts = option_texts(ask, mirrored_keys(truth), table)
        return arranged(rng, [_option(key, text) for key, text in texts.items()])
    return arranged(rng, [_option(str(one), table.names[one]) for one in ask.objects[-2:]])


@lru_cache(maxsize=1024)
def _option(key: str, text: str) -> Option:
    """Options are immutable, and the same few are offered over and over."""
    return Option(key, text)


def mirrored_keys(truth: str) -> list[str]:
    """A set of relations with each of them turned round or not: as many options as it has mirror images.

    >>> mirrored_keys("left+front")
    ['left+front', 'left+behind', 'right+front', 'right+behind']
    """
    names = [name for name in RELATIONS if name in truth.split("+")]
    return ["+".join(choice) for choice in product(*((name, OPPOSITE[name]) for name in names))]


def sector_keys(rng: Uniform, truth: str) -> list[str]:
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


def key_options(rng: Uniform, keys: Sequence[str]) -> tuple[Option, ...]:
    """Keys that read as they are (numbers, sectors) as options, in a random order."""
    return arranged(rng, [_option(key, key) for key in keys])
