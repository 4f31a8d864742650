"""Option letters in a reply: which characters are letters of this question at all.

The article "a", the pronoun "I" and letters inside words, units and abbreviations are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["LetterMention", "find_letters", "group_letters", "joined_by_or"]

_CONNECTIVE = (
    r"(?:because|since|as|and|or|not|is|isn't|was|are|would|should|must|can|cannot|seems|looks|appears|for|due|given|but|"
    r"so|which|while|than|by|if|when|here|it|its|it's|the|this|that|these|there|he|she|they|my|we|you|i|option|choice|"
    r"fits|matches|based|instead|rather)\b"
)
"""Words that follow a letter used as a name, and never the article "a"."""

MAX_MENTIONS = 2_000
_WORD = "0-9A-Za-zÀ-ɏ"
_FOLLOW_REACH = 24
_ARTICLE_FOLLOWS = re.compile(r"[ ]{1,3}(?!" + _CONNECTIVE + r")[\"']?[a-z]{2}|-[a-z]{2}")
_PRONOUN_FOLLOWS = re.compile(r"'|[ ]{1,3}(?!(?:is|because|since|or|and)\b)[a-z]|,")
_NAMES_LETTER = re.compile(r"\b(?:option|choice|answer|letter|alternative)[ ]{0,2}[\"'(\[]{0,2}$|选项?[ ]?$|答案[ ]?$")
_JOINT = r"[\s\"'(\[]{0,4}(?:option |choice |选项)?[\"'(\[]{0,2}"
_GAP_OR = re.compile(r"[\s\"')\].]{0,4}(?:,?[ ](?:or|and/or|vs\.?|versus)[ ]|/|\||或者?|还是)" + _JOINT)
_GAP_AND = re.compile(r"[\s\"')\]]{0,4}(?:,?[ ](?:and|as well as)[ ]|&|,|和|及|与)" + _JOINT)
_GAP_CHARS = 24


@dataclass(frozen=True, slots=True)
class LetterMention:
    """An option letter at ``position`` of the text.

    Attributes:
        value: the option's letter, a capital.
        capital: whether it was written as one.
    """

    value: str
    position: int
    capital: bool

    @property
    def end(self) -> int:
        return self.position + 1


@lru_cache(maxsize=256)
def _letter_pattern(letters: str) -> re.Pattern[str]:
    small = "".join(letter.lower() for letter in letters if letter not in "AI")
    rare = "".join(letter.lower() for letter in letters if letter in "AI")
    cases = f"[{letters}{small}]"
    if rare:  # "a" and "i" only where no article or pronoun can stand
        cases += f"|[{rare}](?=[ ]?[)\\]:]|[.]?\\s{{0,80}}\\Z|[.]?\\n|[.][ ][a-z])|(?<=[(\\[])[{rare}]"
    before = f"(?<![{_WORD}°])(?<![{_WORD}]')(?<![^A-Za-z][A-Za-z][.])"
    after = f"(?![{_WORD}])(?!'[a-z])(?!-[A-Za-z])(?![.][A-Za-z]\\b)"
    return re.compile(f"{before}(?:{cases}){after}")


def find_letters(text: str, letters: str, start: int = 0) -> list[LetterMention]:
    """Stand-alone letters of the options ``letters`` (capitals, such as "ABCD"), from ``start`` on.

    Of more than ``MAX_MENTIONS`` only the first and the last ones count.

    >>> [one.value for one in find_letters("A chair is near B, I think.", "ABI")]
    ['B']
    """
    matches = list(_letter_pattern(letters).finditer(text, start))
    if len(matches) > MAX_MENTIONS:
        matches = matches[: MAX_MENTIONS // 4] + matches[-(MAX_MENTIONS - MAX_MENTIONS // 4) :]
    found = []
    for match in matches:
        char, at = match[0], match.start()
        if char in "AaIi" and not _NAMES_LETTER.search(text[max(0, at - 16) : at].lower()):
            follows = _ARTICLE_FOLLOWS if char in "Aa" else _PRONOUN_FOLLOWS
            if follows.match(text[at + 1 : at + _FOLLOW_REACH].lower()):
                continue
        found.append(LetterMention(char.upper(), at, char.isupper()))
    return found


def group_letters(lower: str, mentions: list[LetterMention]) -> list[list[LetterMention]]:
    """Letters that are joined by "or", "and", a comma or a slash stand in one group."""
    if len(mentions) < 2:
        return [mentions] if mentions else []
    groups: list[list[LetterMention]] = []
    for mention in mentions:
        if groups and _joined(lower, groups[-1][-1].end, mention.position):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    return [part for group in groups for part in _split_at_comma(lower, group)]


def joined_by_or(lower: str, group: list[LetterMention]) -> bool:
    """Whether the last two letters of a group are alternatives."""
    return _GAP_OR.fullmatch(lower, group[-2].end, group[-1].position) is not None


def _joined(lower: str, start: int, end: int) -> bool:
    if not 0 < end - start <= _GAP_CHARS:
        return False
    return any(gap.fullmatch(lower, start, end) is not None for gap in (_GAP_OR, _GAP_AND))


def _split_at_comma(lower: str, group: list[LetterMention]) -> list[list[LetterMention]]:
    """ "B, C is wrong" is no list: after a comma the last letter begins a clause of its own if a verb follows it."""
    if len(group) == 1:
        return [group]
    gap = lower[group[-2].end : group[-1].position]
    following = lower[group[-1].end : group[-1].end + 2]
    if gap.strip(" \"')]") == "," and following[:1] == " " and following[1:].isalpha():
        return [group[:-1], group[-1:]]
    return [group]
