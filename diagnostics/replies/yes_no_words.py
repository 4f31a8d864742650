"""Words that say yes or no, standing where an answer can stand; "no table", "notice" and "not sure" hold none."""

from __future__ import annotations

import re
from functools import lru_cache

from .claims import Claim
from .context import is_asked, is_conditional, is_denied_before
from .declared_text import final_cue
from .result import Rule

__all__ = ["meaning", "yes_no_claims"]

_YES = r"yes|yeah|yep|yup|affirmative"
_SURE = r"true|correct|certainly|definitely|absolutely|of course|indeed|i (?:think|believe) so"
_NO = (
    r"nope|nah|(?:definitely|certainly|absolutely|of course|probably) not|not (?:really|at all|quite|exactly)|"
    r"i (?:do not|don't) (?:think|believe) so"
)
_BARE_NO = r"no|false|negative|incorrect"
_ZH_YES = r"是的|对的|有的|没错|正确|是|对|有"
_ZH_NO = r"不是的?|不对|没有|错误|否|不|错"

_END = r"\s{0,4}(?:[.,;:!?)\]\"'}>|\n—–-]|\Z)"
_NEXT = r"(?:it|the|there|they|he|she|this|that|these|those|because|since|as|i|we|you|not|both|only|its|in)\b"
_WORD = re.compile(
    rf"(?<![\w-])(?<!\w')(?:(?P<yes>{_YES})(?={_END}|[ ]{{1,2}}{_NEXT}|[ ]?[\u3000-\u9fff])"
    rf"|(?P<no>{_NO})(?={_END}|[ ]{{1,2}}{_NEXT})"
    rf"|(?P<bare_no>{_BARE_NO})(?={_END}|[ ]{{1,2}}{_NEXT}|[ ]?[\u3000-\u9fff])"
    rf"|(?P<sure>{_SURE})(?={_END}|[ ](?:because|since|as)\b))"
    r"|(?:(?:\A|[\n.,;:!])\s{0,4}|答案(?:应该)?(?:是|为)?:?\s?|回答(?:是|为)?:?\s?|(?:所以|因此),?\s?)"
    rf"(?:(?P<zh_no>{_ZH_NO})|(?P<zh_yes>{_ZH_YES}))(?={_END})"
)
"""Words that can answer, each standing where an answer can stand."""

_NEEDS_LEAD = frozenset({"bare_no", "sure"})
_LEAD_REACH = 24
_LEAD = re.compile(
    r"(?:\b(?:so|answer|is|be|say|therefore|thus|hence|think|conclude|then|wait|actually|final)\b[\s:,\"'(=]{0,4}"
    r"|[,;:.!?>\n]\s{0,4}[\"'(]{0,2}|\A[^\w]{0,24})\Z"
)
"""What stands before a word that is often no answer: a cue, the end of a clause, or the beginning of the reply."""

_ECHO = re.compile(
    r"\byes[ ]?(?:or|/)[ ]?no\b|\bno[ ]?(?:or|/)[ ]?yes\b|\btrue[ ]?(?:or|/)[ ]?false\b|是(?:或|还是|/)否"
)
_MEANS_YES = re.compile(rf"(?:{_YES}|{_SURE}|{_ZH_YES})|yes[,.;:].*", re.DOTALL)
_MEANS_NO = re.compile(rf"(?:{_NO}|{_BARE_NO}|{_ZH_NO})|no[,.;:].*", re.DOTALL)


@lru_cache(maxsize=8)
def yes_no_claims(lower: str) -> tuple[Claim[bool], ...]:
    """What small-letter text answers, in order; "yes or no" answers nothing."""
    echoes = [match.span() for match in _ECHO.finditer(lower)]
    claims: list[Claim[bool]] = []
    for match in _WORD.finditer(lower):
        kind = match.lastgroup or ""
        at, end = match.span(kind)
        if any(a <= at < b for a, b in echoes) or is_asked(lower, at, end) or is_conditional(lower, at):
            continue
        if kind in _NEEDS_LEAD and not _LEAD.search(lower[max(0, at - _LEAD_REACH) : at]):
            continue
        denied = not kind.startswith("zh") and is_denied_before(lower, at)
        rule = Rule.DENIED if denied else Rule.WORD
        claims.append(Claim(kind in ("yes", "sure", "zh_yes"), at, end, rule, final_cue(lower, at), denied=denied))
    return tuple(claims)


def meaning(text: str) -> bool | None:
    """What a text means that is nothing but a yes or a no, or begins with one."""
    word = text.strip(" \n\"'.,;:!()[]{}").lower()
    if _MEANS_YES.fullmatch(word):
        return True
    return False if _MEANS_NO.fullmatch(word) else None
