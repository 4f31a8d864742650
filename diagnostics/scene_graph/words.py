"""One vocabulary of relation words, for reading graphs, scoring them and deriving answers from them.

Words are read whole: "overlapping" is not "over", "upright" is neither "up" nor "right", "background" is not "back".
What is not understood is said to be so; nothing is guessed from a part of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...bench_data.scene_graphs import RELATIONS, Relation

__all__ = ["MAX_RELATION_CHARS", "RelationWords", "read_relation_words"]

MAX_RELATION_CHARS = 200
_MAX_WORDS = 16


@dataclass(frozen=True, slots=True)
class RelationWords:
    """What a phrase says.

    Attributes:
        relations: in the order of `RELATIONS`; () when the phrase says that none holds, or nothing of the kind.
        unknown: the words that are no relation and no filler; a phrase of which nothing is understood has only these.
        stated: whether the phrase was understood, "none" included.
        unsure: it could also be read another way: "right behind" may be "directly behind" or "to the right and behind".
    """

    relations: tuple[Relation, ...] = ()
    unknown: tuple[str, ...] = ()
    stated: bool = True
    unsure: bool = False


_ALIASES: dict[Relation, str] = {
    "left": "left|leftward|leftwards|lefthand|left hand|left side|leftmost|左",
    "right": "right|rightward|rightwards|righthand|right hand|right side|rightmost|右",
    "above": "above|up|over|upper|higher|higher up|higher than|on top|atop|upward|upwards|上",
    "below": "below|down|under|underneath|beneath|lower|lower down|lower than|downward|downwards|下",
    "front": "front|in front|infront|ahead|nearer|closer|nearer than|closer than|forward of|前",
    "behind": "behind|back|rear|farther|further|farther away|further away|farther back|further back|beyond|后|後|背后",
}
_PHRASES: dict[tuple[str, ...], Relation] = {
    tuple(phrase.split()): relation for relation, phrases in _ALIASES.items() for phrase in phrases.split("|")
}
_LONGEST = max(len(phrase) for phrase in _PHRASES)
_NONE_TEXT = (
    "|none|no relation|no relations|none of them|none of these|null|n a|empty|unrelated|same position|same place"
    "|无|没有|無"
)
_NONE = frozenset(_NONE_TEXT.split("|"))
_FILLER_TEXT = (
    "a an the to on at in of is it its and side direction directly slightly far much bit little somewhat just also "
    "towards toward from than camera viewer observer object obj target centre center located positioned placed lies "
    "that this one relative with respect as seen away"
)
_FILLERS = frozenset(_FILLER_TEXT.split())
_UNREADABLE = frozenset({"not", "no", "never", "neither", "nor", "isn't", "isnt", "without", "non", "or"})
_ADVERB = re.compile(r"\bright +(?=(?:behind|above|below|under|underneath|beneath|over|in front|on top)\b)")
"""A "right" that may mean "exactly"."""
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[^\s\w]|[^\x00-\x7f]+")
_MARKS = re.compile(r"[_\-/\\+&|,;.:()\[\]\"*`]+")
_HAN = re.compile("[\u4e00-\u9fff]")
_HAN_SIDE = re.compile(
    "(?P<way>背后|背後|左|右|上|下|前|后|後)(?:手边|邊|边|側|侧|方|面|部|头|端)?|(?P<filler>正|偏|稍|略|位于|位於|处于|在|的|它|目标|中心|物体|对象|"
    "于|於|之|和|与|且|并|及|斜|[0-9、,，·/ ])"
)


def read_relation_words(text: str) -> RelationWords:
    """The relations that a phrase names.

    >>> read_relation_words("Front-left of object 3").relations
    ('left', 'front')
    >>> read_relation_words("右后方").relations, read_relation_words("upright").unknown
    (('right', 'behind'), ('upright',))
    >>> read_relation_words("not left").stated
    False
    """
    if len(text) > MAX_RELATION_CHARS:
        return RelationWords(unknown=(text[:40],), stated=False)
    return _read(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=4096)
def _read(text: str) -> RelationWords:
    certain = _ADVERB.sub("", text)
    plain = " ".join(_MARKS.sub(" ", certain.replace("’", "'")).split())
    if plain in _NONE:
        return RelationWords()
    if _HAN.search(plain):
        return _read_chinese(plain)
    words = _WORD.findall(plain)
    if len(words) > _MAX_WORDS or _UNREADABLE & set(words):
        return RelationWords(unknown=(plain[:40],), stated=False)
    return _read_english(words, unsure=certain != text)


def _read_english(words: list[str], *, unsure: bool) -> RelationWords:
    found: set[Relation] = set()
    unknown: list[str] = []
    at = 0
    while at < len(words):
        length = next((n for n in range(_LONGEST, 0, -1) if tuple(words[at : at + n]) in _PHRASES), 0)
        if length:
            found.add(_PHRASES[tuple(words[at : at + length])])
        elif words[at] not in _FILLERS and not words[at].isdigit():
            unknown.append(words[at])
        at += length or 1
    return RelationWords(in_order(found), tuple(unknown), stated=bool(found), unsure=unsure)


def _read_chinese(text: str) -> RelationWords:
    found: set[Relation] = set()
    at = 0
    while at < len(text):
        match = _HAN_SIDE.match(text, at)
        if match is None:
            return RelationWords(unknown=(text[:40],), stated=False)
        if match["way"]:
            found.add(_PHRASES[({"背後": "背后"}.get(match["way"], match["way"]),)])
        at = match.end()
    return RelationWords(in_order(found), stated=bool(found))


def in_order(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Each once, in the order of `RELATIONS`."""
    held = set(relations)
    return tuple(one for one in RELATIONS if one in held)
