"""Questions as a guesser sees them: a text and options, of which one is right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..answer_format import AnswerType
from ..question import Question

__all__ = ["Item", "as_item"]

_YES_NO = (("yes", "yes"), ("no", "no"))
_ROLES = "abcdefghijklmnopqrstuvwxyz"
_ORDER = re.compile(r"( [<>] )")
_HOURS = tuple((str(hour), f"{hour} o'clock") for hour in range(1, 13))


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A question with a closed set of answers, without its pictures.

    Args:
        scene, kind, wording: as of the question; a guesser may know the kind, and is tried on other scenes.
        keys, texts: of the options, in the order shown. A key says only what can be seen: where ours is the number of
            an object in its scene, it is its role in the question, "a" for the first of the names.
        right: the place of the right one.
    """

    scene: str
    kind: str
    wording: int
    text: str
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    right: int

    @property
    def chance(self) -> float:
        """How often a blind guess is right."""
        return 1 / len(self.keys)


def as_item(question: Question) -> Item | None:
    """The question as an item; None where the answer is open (a number, a list, a place)."""
    match question.answer_type:
        case AnswerType.CHOICE:
            options = tuple((option.key, option.text) for option in question.options)
            truth = str(question.truth)
        case AnswerType.YES_NO:
            options, truth = _YES_NO, "yes" if question.truth else "no"
        case AnswerType.CLOCK:
            options, truth = _HOURS, str(question.truth)
        case _:
            return None
    keys = [key for key, _ in options]
    if truth not in keys:
        return None
    return Item(
        scene=question.scene,
        kind=f"{question.suite}/{question.kind}",
        wording=question.wording,
        text=question.text,
        keys=tuple(_as_seen(key, text, question.names) for key, text in options),
        texts=tuple(text for _, text in options),
        right=keys.index(truth),
    )


def _as_seen(key: str, text: str, names: Mapping[int, str]) -> str:
    """A key of one or more objects by their roles; any other key as it is, a count that looks like a number too."""
    roles = dict(zip(map(str, names), _ROLES, strict=False))
    parts = _ORDER.split(key)
    if all(part in roles and names[int(part)] in text for part in parts[::2]):
        return "".join(roles.get(part, part) for part in parts)
    return key
