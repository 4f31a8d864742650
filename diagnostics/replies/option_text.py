"""Options recognised by their text: "The lamp is to the left of the sofa." names option A, "left of the sofa".

Texts are compared word by word, without case, articles and punctuation; a longer text wins over a shorter one that it
contains; a text inside a compound ("front-left" for "left") is no match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from ..errors import DiagnosticsError
from .claims import Claim
from .context import is_asked, is_conditional, is_denied_before, is_intention
from .number_words import spelled
from .result import Rule
from .yes_no_words import meaning, yes_no_claims

__all__ = ["OptionTexts", "option_texts"]

_WORD = re.compile(
    r"[0-9]+(?:\.[0-9]+)?|[A-Za-zÀ-ɏ]+|[\u3040-\u9fff\uac00-\ud7af]|[^\W\d_A-Za-zÀ-ɏ\u3040-\u9fff\uac00-\ud7af]+|[^\s\w]"
)
_ARTICLES = frozenset({"a", "an", "the"})
_IGNORED = frozenset("\"'.,;:!?()[]{}<>-/\\|`~")
_GAP = r"[\s\"'()\[\]{},:;-]{1,4}(?:(?:the|an?)[\s]{1,2})?"
_LEFT_EDGE = r"(?<![0-9A-Za-zÀ-ɏ])(?<![0-9A-Za-z]-)(?<![0-9]\.)"
_RIGHT_EDGE = r"(?![0-9A-Za-zÀ-ɏ])(?!-(?!hand|most|side|ward)[A-Za-z])(?!\.[0-9])(?!'[a-z])"
_NONE_WORDS = frozenset(
    {
        "none",
        "none of above",
        "none of these",
        "none of them",
        "neither",
        "neither of them",
        "neither of these",
        "no one",
    }
)
_INABILITY = frozenset({"cannot", "can't", "unable", "unclear", "impossible", "undetermined", "unknown"})
_SEPARATOR = re.compile(r"[\"')\]]{0,2}[ ]{0,2}(?:[.:)\]=-]|[ ]?[(-])?[ ]{0,3}[\"'(\[]{0,2}(?:(?:the|an?)[ ])?")
_CLAUSE_ENDS = re.compile(r"[ ]{0,2}(?:[.,;:!?)\]\"']|\n|$)")


class OptionTexts:
    """The texts of one question's options, compiled once.

    Attributes:
        letters: the options' letters, in the order of the prompt.
        single_letters: letters that are the whole text of an option, with that option.
        name_inability: an option says "cannot tell", so that such words choose it and refuse nothing.
    """

    def __init__(self, options: tuple[tuple[str, str], ...]) -> None:
        self.letters = "".join(letter for letter, _ in options)
        if not options or not all(len(letter) == 1 and "A" <= letter <= "Z" for letter, _ in options):
            raise DiagnosticsError(f"options must map single capitals A-Z to texts, got {[one for one, _ in options]}")
        words = {letter: _words(text) for letter, text in options}
        self._letters_of: dict[str, set[str]] = {}
        for letter, text in words.items():
            self._letters_of.setdefault(" ".join(text), set()).add(letter)
        self._label_pattern = _pattern(words)
        self._yes_no = _yes_no_letters(options)
        self.pattern = _pattern({letter: text for letter, text in words.items() if letter not in self._yes_no.values()})
        self._cores = _cores(words)
        self.core_pattern = _pattern(self._cores) if self._cores else None
        self.single_letters = {
            text[0].upper(): letter for letter, text in words.items() if len(text) == 1 and len(text[0]) == 1
        }
        self._none = [letter for letter, text in words.items() if " ".join(text) in _NONE_WORDS]
        self.name_inability = any(_INABILITY & set(text) for text in words.values())

    def exact(self, text: str) -> str | None:
        """The option whose text is all that ``text`` says."""
        said = " ".join(_words(text))
        letters = self._letters_of.get(said, set())
        if len(letters) == 1:
            return next(iter(letters))
        if not letters and said in _NONE_WORDS and len(self._none) == 1:
            return self._none[0]
        return None

    def follows(self, lower: str, position: int) -> tuple[str, int] | None:
        """The option whose text stands right after a label that ends at ``position`` and fills the clause; its end."""
        if self._label_pattern is None:
            return None
        gap = _SEPARATOR.match(lower, position)
        match = self._label_pattern.match(lower, gap.end() if gap else position)
        if match is None or not _CLAUSE_ENDS.match(lower, match.end()):
            return None
        return (match.lastgroup, match.end()) if match.lastgroup else None

    def claims(self, lower: str, start: int = 0, end: int | None = None, *, core: bool = False) -> list[Claim[str]]:
        """One claim for each mention of an option's text outside questions, conditions and plans."""
        pattern = self.core_pattern if core else self.pattern
        rule = Rule.OPTION_CORE if core else Rule.OPTION_TEXT
        found = self._yes_no_claims(lower, start, end)
        if pattern is None:
            return found
        for match in pattern.finditer(lower, start, len(lower) if end is None else end):
            at = match.start()
            if is_asked(lower, at, match.end()) or is_conditional(lower, at) or is_intention(lower, at):
                continue
            denied = is_denied_before(lower, at)
            if match.lastgroup is not None:
                found.append(Claim(match.lastgroup, at, match.end(), Rule.DENIED if denied else rule, denied=denied))
        return found

    def _yes_no_claims(self, lower: str, start: int, end: int | None) -> list[Claim[str]]:
        """Options that say yes or no are chosen by an answer, not by the "no" of "no table"."""
        if not self._yes_no:
            return []
        stop = len(lower) if end is None else end
        return [
            Claim(self._yes_no[one.value], one.start, one.end, Rule.OPTION_TEXT, one.final, denied=one.denied)
            for one in yes_no_claims(lower)
            if start <= one.start < stop
        ]


def _yes_no_letters(options: tuple[tuple[str, str], ...]) -> dict[bool, str]:
    """The option that means yes and the one that means no, if there is one of each."""
    meanings = [(said, letter) for letter, text in options if (said := meaning(text)) is not None]
    return dict(meanings) if sorted(said for said, _ in meanings) == [False, True] else {}


@lru_cache(maxsize=512)
def _compiled(options: tuple[tuple[str, str], ...]) -> OptionTexts:
    return OptionTexts(options)


def option_texts(options: Mapping[str, str]) -> OptionTexts:
    """The compiled texts of ``options`` (letter to text)."""
    return _compiled(tuple(options.items()))


def _words(text: str) -> tuple[str, ...]:
    words = [word.lower() for word in _WORD.findall(text) if word not in _IGNORED]
    if len(words) > 1:
        words = [word for word in words if word not in _ARTICLES] or words
    return tuple(words)


def _pattern(words: Mapping[str, tuple[str, ...]]) -> re.Pattern[str] | None:
    """One alternative an option, the longest first; options of equal text cannot be told apart and are left out."""
    texts = list(words.values())
    usable = {
        letter: text
        for letter, text in words.items()
        if text and texts.count(text) == 1 and "".join(text) not in ("a", "i")
    }
    if not usable:
        return None
    ordered = sorted(usable.items(), key=lambda item: (-len(item[1]), -len(" ".join(item[1]))))
    return re.compile("|".join(f"(?P<{letter}>{_alternative(text)})" for letter, text in ordered))


_DIRECTIONS = frozenset({"left", "right", "front", "back", "above", "below", "behind", "up", "down", "top", "bottom"})
_COMPOUND_BEFORE = "".join(
    f"(?<!{word}[ -])" for word in ("upper", "lower", "front", "back", "rear", "top", "bottom", "all")
)
_COMPOUND_AFTER = r"(?![ -](?:front|back|rear|top|bottom|upper|lower)\b)"
_OTHER_SENSE = {  # "that's right", "right next to it", "left the room", "all of the above" name no side
    "above": r"(?<!the )(?<!as )above",
    "below": r"(?<!the )(?<!as )(?<!see )(?<!image )(?<!options )below(?! ?:)",
    "right": r"(?<!that's )(?<!that is )(?<!you're )(?<!is it )right"
    r"(?! (?:now|away|here|there|next|before|behind|in front|above|below|beside|on top|under|answer|option|choice)\b)",
    "left": r"left(?! (?:the|an?|his|her|their|it|for|over|behind)\b)",
}


def _alternative(words: tuple[str, ...]) -> str:
    if len(words) == 1 and words[0] in _DIRECTIONS:
        word = _OTHER_SENSE.get(words[0], words[0])
        return _LEFT_EDGE + _COMPOUND_BEFORE + word + _RIGHT_EDGE + _COMPOUND_AFTER
    pieces = [_word(words[0])]
    for before, word in pairwise(words):
        joined = _is_cjk(before) or _is_cjk(word) or not (before[-1].isalnum() and word[0].isalnum())
        pieces.append((r"[\s]{0,2}" if joined else _GAP) + _word(word))
    left = "" if _is_cjk(words[0]) else _LEFT_EDGE
    right = "" if _is_cjk(words[-1]) else _RIGHT_EDGE
    return left + "".join(pieces) + right


def _word(word: str) -> str:
    names = spelled(word)
    return "(?:" + "|".join(map(re.escape, (word, *names))) + ")" if names else re.escape(word)


def _is_cjk(word: str) -> bool:
    return word[0] >= "\u3000"


def _cores(words: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """What tells the options apart: their words without the common beginning and end; {} if there is none."""
    texts = list(words.values())
    shortest = min(map(len, texts))
    head = 0
    while head < shortest and len({text[head] for text in texts}) == 1:
        head += 1
    tail = 0
    while tail < shortest - head and len({text[-1 - tail] for text in texts}) == 1:
        tail += 1
    if not head and not tail:
        return {}
    cores = {letter: text[head : len(text) - tail] for letter, text in words.items()}
    return cores if all(cores.values()) else {}
