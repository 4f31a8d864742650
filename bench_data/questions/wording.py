"""English for questions: articles, plurals, capitals, lists, and the choice among wordings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .draws import Uniform
from .options import below

__all__ = ["capitalised", "chosen_wording", "listed", "plural", "with_article"]

_SPELT = "aefhilmnorsx"
"""Letters whose names begin with a vowel: an LED lamp, an X-ray, but a TV."""
_A_BEFORE_VOWEL = re.compile(r"(?:eu|ew|uni(?!n|m|den)|us[eua]|ut[eio]|ur[ai]|uku|one\b|once)")
_AN_BEFORE_H = re.compile(r"(?:hour|heir|honest|honou?r)")
_AN_BEFORE_NUMBER = re.compile(r"(?:8|1[18](?!\d))")
_INITIALS = re.compile(r"[A-Z]{2,}s?\b|[A-Z]\b")
_IRREGULAR = {
    "person": "people",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "cactus": "cacti",
    "leaf": "leaves",
    "loaf": "loaves",
    "half": "halves",
    "calf": "calves",
    "quiz": "quizzes",
}
_MEN = re.compile(r"(?:wo)?man$|child$")
_NO_MEN = frozenset({"human", "ottoman", "roman", "shaman", "talisman", "german"})
_PAIRS = frozenset({"glasses", "headphones", "jeans", "pants", "pliers", "scissors", "shorts", "trousers"})
_SETS = frozenset({"blinds", "clothes", "curtains", "drawers", "stairs", "steps"})
_PIECES = frozenset({"clothing", "furniture", "luggage"})
_SAME = _PAIRS | _SETS | _PIECES | {"aircraft", "fish", "series", "sheep"}
"""Words whose plural is the word itself."""
_HEAD_FIRST = re.compile(r" (?:of|in|with|for|on|from) ")


@cache
def with_article(noun: str) -> str:
    """The noun, or the noun with its adjectives, behind "a" or "an", by sound.

    >>> [with_article(noun) for noun in ("office chair", "utility cart", "LED lamp", "TV stand", "scissors")]
    ['an office chair', 'a utility cart', 'an LED lamp', 'a TV stand', 'a pair of scissors']
    """
    text = noun.strip()
    last = text.rpartition(" ")[2].lower()
    for words, measure in ((_PAIRS, "a pair of"), (_SETS, "a set of"), (_PIECES, "a piece of")):
        if last in words and not _HEAD_FIRST.search(text):
            return f"{measure} {text}"
    if _INITIALS.match(text):
        vowel = text[0].lower() in _SPELT
    elif text[:1] in ("a", "e", "i", "o", "u", "A", "E", "I", "O", "U"):
        vowel = not _A_BEFORE_VOWEL.match(text.lower())
    else:
        vowel = bool(_AN_BEFORE_H.match(text.lower()) or _AN_BEFORE_NUMBER.match(text))
    return f"{'an' if vowel else 'a'} {text}"


@cache
def plural(noun: str) -> str:
    """The noun in the plural; of a phrase its head: "chest of drawers" gives "chests of drawers".

    >>> [plural(noun) for noun in ("office chair", "bookshelf", "chest of drawers", "person", "bench", "TV")]
    ['office chairs', 'bookshelves', 'chests of drawers', 'people', 'benches', 'TVs']
    """
    place = _HEAD_FIRST.search(noun)
    if place:
        return plural(noun[: place.start()]) + noun[place.start() :]
    before, space, last = noun.rpartition(" ")
    return before + space + _plural_word(last)


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in _SAME:
        return word
    if low in _IRREGULAR:
        return word[:1] + _IRREGULAR[low][1:]
    if _MEN.search(low) and low not in _NO_MEN:
        return word + "ren" if low.endswith("child") else word[:-2] + "en"
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return word[:-1] + "ies"
    if low.endswith(("shelf", "wolf")):
        return word[:-1] + "ves"
    if low.endswith("knife"):
        return word[:-2] + "ves"
    return word + ("es" if low.endswith("ato") else "s")


def capitalised(text: str) -> str:
    """The text with a capital at its beginning; the rest stays as it is (unlike ``str.capitalize``)."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], conjunction: str = "and") -> str:
    """Names as a list in a sentence.

    >>> listed(["the mug", "the lamp", "the rug"], "or")
    'the mug, the lamp or the rug'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}"


def chosen_wording(rng: Uniform, wordings: Sequence[str]) -> tuple[int, str]:
    """The number of a wording and the wording, all equally likely."""
    number = below(rng, len(wordings))
    return number, wordings[number]
