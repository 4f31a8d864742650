"""The words around a mention: is it denied, conditional, asked, doubted, or taken back later?

All look-ups read a bounded window of the small-letter text of ``clean``; no pattern nests repetitions.
"""

from __future__ import annotations

import re
from enum import Enum, auto

__all__ = [
    "DENIAL",
    "REVISION",
    "WITHDRAWAL",
    "Condition",
    "clause_before",
    "condition_after",
    "is_asked",
    "is_conditional",
    "is_denied_before",
    "is_intention",
    "sentence_bounds",
]

_REACH = 160

DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|hardly|rather than|instead of|as opposed to|other than|except|"
    r"exclud(?:e|es|ed|ing)|eliminat(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|reject(?:s|ed|ing)?|discard(?:s|ed|ing)?|"
    r"dismiss(?:es|ed|ing)?|unsure|doubt(?:s|ed|ing)?)\b|n't\b|不是|并非|不在|不选|而非|没有|不能|无法|排除|不应",
)
"""Words that deny what follows them in the same clause."""

REVISION = re.compile(
    r"\b(?:wait|actually|correction|corrected|correcting|on second thoughts?|on reflection|scratch that|i mean|sorry|"
    r"apolog(?:y|ies|ise|ize)|my mistake|mistaken|i was wrong|oops|hmm+|upon (?:closer|further)|looking again|"
    r"on (?:closer|further) (?:look|inspection)|let me (?:re|double|correct|fix|look again|check)|"
    r"re-?(?:check|examin|consider|evaluat|think|calculat|count|measur|look)\w*|revis(?:e|ed|ing)|"
    r"changed? my mind|no[,.!]|that'?s (?:wrong|not right|incorrect))(?![a-z])|"
    r"等等|等一下|更正|不对|重新|抱歉|我错了|修正|其实|实际上|再想",
)
"""Words that take back what was said before them."""

WITHDRAWAL = re.compile(
    r"(?:^|[.!?,;:\n]\s{0,3}|\bno,? |\bwait,? |\bbut )(?:that|this)(?:'s| is| was| can't be| cannot be|isn't| isn't) ?"
    r"(?:wrong|incorrect|not (?:right|correct|true)|false|right|correct|true)(?=\s{0,3}(?:[.!,;:\n]|$))(?<!is right)"
    r"(?<!'s right)(?<!is correct)(?<!'s correct)(?<!is true)(?<!'s true)(?<!was right)(?<!was correct)(?<!was true)|"
    r"\bi was wrong\b|这不对|那不对|我错了",
)
"""Phrases that withdraw the last statement without giving another."""

_SENTENCE_END = re.compile(r"[.!?](?=[\s\"')\]]|$)|[\n;。]")
_CLAUSE_END = re.compile(r"[,:;!?()\n]|[.](?=\s|$)|\s--?\s|—|–")
_CONJUNCTION = re.compile(
    r"\b(?:but|so|yet|however|therefore|hence|thus|although|though|because|since|while|whereas|then|"
    r"which means|meaning)\b|但|所以|因此|而是|因为|故",
)
_CONDITION = re.compile(r"\b(?:if|unless|otherwise|suppose|supposing|assuming|were it|had it)\b|如果|假如|否则")
_CONDITION_AFTER = re.compile(r"\b(?:only )?if (?!i\b|i'm|my\b|not mistaken|forced|asked|you ask)|\bunless\b|如果")
_FORCED = re.compile(
    r"\b(?:if (?:i|you|we)(?:'m| am| are)? ?(?:had|have|must|need|were|was|forced|really)|if forced)\b"
)
_INTENTION = re.compile(
    r"\s*(?:(?:first|okay|ok|alright|now|so|to begin)[, ]{1,3})?(?:let me|let's|let us|i'll (?:look|check|"
    r"examine|start|analy)|"
    r"i (?:will|need to|have to|should|am going to) (?:look|check|examine|start|analy|find|determine|compare)|"
    r"we need to|to (?:answer|determine|solve|find)|looking at)\b",
)
_OPENS_QUESTION = re.compile(r"\s*(?:is|are|was|does|do|could|can|should|would|what|which|how|where)\b")


def sentence_bounds(lower: str, start: int, end: int) -> tuple[int, int]:
    """Bounds of the sentence around lower[start:end], looking at most ``_REACH`` characters each way."""
    begin = max(0, start - _REACH)
    for match in _SENTENCE_END.finditer(lower, begin, start):
        begin = match.end()
    stop = _SENTENCE_END.search(lower, end, end + _REACH)
    return begin, stop.end() if stop else min(len(lower), end + _REACH)


def clause_before(lower: str, start: int) -> str:
    """What stands before ``start`` in the same clause."""
    begin = max(0, start - _REACH)
    for match in _CLAUSE_END.finditer(lower, begin, start):
        begin = match.end()
    for match in _CONJUNCTION.finditer(lower, begin, start):
        begin = match.end()
    return lower[begin:start]


def is_denied_before(lower: str, start: int) -> bool:
    """Whether the clause that leads to ``start`` holds a word of denial."""
    if DENIAL.search(lower, max(0, start - _REACH), start) is None:
        return False
    return DENIAL.search(clause_before(lower, start)) is not None


def is_conditional(lower: str, start: int) -> bool:
    """Whether the sentence so far began with a condition; "if I had to choose" is none."""
    if _CONDITION.search(lower, max(0, start - _REACH), start) is None:
        return False
    begin, _ = sentence_bounds(lower, start, start)
    return _CONDITION.search(lower, begin, start) is not None and _FORCED.search(lower, begin, start) is None


class Condition(Enum):
    """A condition that follows a statement."""

    NONE = auto()
    OPEN = auto()
    COUNTERFACTUAL = auto()


def condition_after(lower: str, start: int, end: int) -> Condition:
    """ "B if the lamp is lit" is open, "it would be B if it were lit" says the contrary, "B, if I see it" has none."""
    begin, stop = sentence_bounds(lower, start, end)
    if _CONDITION_AFTER.search(lower, end, stop) is None:
        return Condition.NONE
    return Condition.COUNTERFACTUAL if "would" in lower[begin:stop] else Condition.OPEN


def is_asked(lower: str, start: int, end: int) -> bool:
    """Whether the sentence is a question and not merely an answer with a question mark."""
    if "?" not in lower[end : end + _REACH]:
        return False
    begin, stop = sentence_bounds(lower, start, end)
    return lower[stop - 1 : stop] == "?" and _OPENS_QUESTION.match(lower, begin, stop) is not None


def is_intention(lower: str, start: int) -> bool:
    """Whether the sentence says what will be looked at, not what was found."""
    begin, _ = sentence_bounds(lower, start, start)
    return _INTENTION.match(lower, begin) is not None
