"""Descriptions that pick out one object from any side: "the tall red floor lamp".

Never a place in the room and never left or right: a description must hold in every view. Objects that cannot be told
apart get no description, and no question names them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..errors import BenchDataError
from .scene import Instance, Scene

__all__ = ["AmbiguityJudge", "Captioner", "described", "described_by", "rivals_of"]

Captioner = Callable[[Scene, Instance], str]
"""Gives a description of one object of a scene; "" when it cannot."""

AmbiguityJudge = Callable[[Scene, Instance, str, Sequence[Instance]], str]
"""Says "keep" when a description fits one object and none of its rivals, "drop" otherwise."""

_ORDER = ("size", "colour", "pattern", "shape", "material")
"""Adjectives in the order of English."""

_AFTER = {"wearing": "in {}"}
"""What is said after the noun."""

_PREFERRED = ("colour", "wearing", "size", "material", "pattern", "shape")
"""What people mention first when one word is enough."""

_MOST_WORDS = 15
_PLACE_WORDS = frozenset(
    word
    for line in (
        "left right front behind beside near next between above below under over",
        "leftmost rightmost nearest farthest closest middle centre center corner",
        "top bottom foreground background side",
    )
    for word in line.split()
)


def rivals_of(target: Instance, instances: Sequence[Instance]) -> tuple[Instance, ...]:
    """Other objects that the same noun might mean: an office chair is also a chair, structure is not an object."""
    return tuple(
        one for one in instances if one is not target and not one.is_structure and _same_noun(one.label, target.label)
    )


def described(instances: Sequence[Instance]) -> tuple[Instance, ...]:
    """All instances, objects with the shortest description that fits them alone, or "" where none does.

    Words come from the attributes "size", "colour", "pattern", "shape" and "material", and "wearing" (a colour). Where
    people would not agree on one, "colour_may_be" lists what they might say. A rival without either may have any, so
    that word does not tell it apart.
    """
    return tuple(one if one.is_structure else one.described(_shortest(one, instances)) for one in instances)


def described_by(scene: Scene, captioner: Captioner, judge: AmbiguityJudge | None = None) -> Scene:
    """A scene under the descriptions of a captioner (a model, say), as far as they hold.

    Dropped are: what is empty, longer than 15 words, names a place, or equals the description of another object; with a
    judge also whatever it does not clearly say "keep" to. Objects without rivals need no judge.

    Raises:
        BenchDataError: the captioner or the judge gave something else than text.
    """
    captions = {one.id: _tidy(captioner(scene, one), "captioner", one) for one in scene.objects}
    counts: dict[str, int] = {}
    for caption in captions.values():
        counts[caption.lower()] = counts.get(caption.lower(), 0) + 1
    instances = []
    for one in scene.instances:
        caption = captions.get(one.id, "")
        if not caption or counts[caption.lower()] > 1 or not _allowed(caption):
            caption = ""
        rivals = rivals_of(one, scene.instances)
        if caption and judge is not None and rivals and not _keeps(judge(scene, one, caption, rivals)):
            caption = ""
        instances.append(one if one.is_structure else one.described(caption))
    return replace(scene, instances=tuple(instances))


def _shortest(target: Instance, instances: Sequence[Instance]) -> str:
    rivals = rivals_of(target, instances)
    known = [name for name in _PREFERRED if target.attributes.get(name)]
    for count in range(len(known) + 1):
        for names in itertools.combinations(known, count):
            if not any(_fits(target, rival, names) for rival in rivals):
                words = [target.attributes[name] for name in _ORDER if name in names]
                after = [_AFTER[name].format(target.attributes[name]) for name in _AFTER if name in names]
                return " ".join(["the", *words, target.label, *after])
    return ""


def _fits(target: Instance, rival: Instance, names: Sequence[str]) -> bool:
    """Whether the words for these attributes of the target might be said of the rival too."""
    return all(_might_be(rival, name, target.attributes[name]) for name in names)


def _might_be(one: Instance, name: str, word: str) -> bool:
    """Whether that word might be said of something: it is its own, or may be, or nothing is known."""
    if name in one.attributes:
        return one.attributes[name] == word
    maybe = one.attributes.get(f"{name}_may_be")
    return maybe is None or word in maybe.split()


def _same_noun(a: str, b: str) -> bool:
    return a == b or a.endswith(" " + b) or b.endswith(" " + a)


def _allowed(caption: str) -> bool:
    words = [word.strip(".,;:!?\"'()").lower() for word in caption.split()]
    return len(words) <= _MOST_WORDS and not _PLACE_WORDS.intersection(words)


def _tidy(value: object, who: str, one: Instance) -> str:
    if not isinstance(value, str):
        raise BenchDataError(f"the {who} gave {type(value).__name__} for instance {one.id}, not text")
    return " ".join(value.split()).rstrip(".")


def _keeps(verdict: object) -> bool:
    """Strict: exactly the word "keep", whatever its case; anything else, a list of reasons included, is a drop."""
    return isinstance(verdict, str) and verdict.strip().lower() == "keep"
