"""Yes or no, read as an answer and never as a piece of a word or a determiner ("no table", "notice").

Rules:

1. with lettered options, whatever ``parse_choice`` reads, by the meaning of the chosen option's text;
2. an answer tag, box or JSON field; then yes/no words that stand as an answer of their own: at the end of a clause
   or before a pronoun, as in "No, it is not", "so yes", "I would say no". "No table is visible" answers nothing;
3. "not sure", "yes or no" and a denied yes answer nothing; "yes and no" is ambiguous;
4. the whole reply is one short clause: "It is.", "They do not."
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .choice import parse_choice
from .claims import Claim, conclude, settle
from .reading import Reading, nothing_found, read
from .result import Candidate, ParsedReply, ParseStatus, Rule
from .structured import answer_regions
from .yes_no_words import meaning, yes_no_claims

__all__ = ["parse_yes_no"]

_BOTH = re.compile(r"\byes and no\b|\bno and yes\b|既是又不是")
_SUBJECT = r"[^\w]{0,8}(?:i think |i believe )?(?:it|they|he|she|there|this|that|these|those) "
_VERB = r"(?:is|are|does|do|has|have|can|was|were|will|did)"
_CLAUSE_YES = re.compile(_SUBJECT + _VERB + r"[^\w]{0,8}")
_CLAUSE_NO = re.compile(_SUBJECT + rf"(?:{_VERB}(?:n't| not)|cannot|can't|won't)[^\w]{{0,8}}")


def parse_yes_no(text: str, options: Mapping[str, str] | None = None, *, cut: bool = False) -> ParsedReply[bool]:
    """The answer to a yes/no question: True for yes.

    Args:
        options: letter to text where the prompt shows lettered options, such as ``{"A": "Yes", "B": "No"}``.
        cut: the server stopped the reply at its token limit.

    >>> parse_yes_no("I notice another chair, yes.").value, parse_yes_no("Not sure.").status.value
    (True, 'no_answer')
    """
    if options:
        chosen = parse_choice(text, options, cut=cut)
        meanings = {letter: meaning(option) for letter, option in options.items()}
        if None not in meanings.values() and chosen.status not in (ParseStatus.NO_ANSWER, ParseStatus.REFUSAL):
            return _translated(chosen, {letter: bool(one) for letter, one in meanings.items()})
    return read(text, _decide, cut=cut)


def _decide(reading: Reading) -> ParsedReply[bool]:
    lower = reading.lower
    both = _BOTH.search(lower)
    if both:
        span = reading.text.span(*both.span())
        candidates = (Candidate(True, span, Rule.WORD), Candidate(False, span, Rule.WORD))
        return ParsedReply(ParseStatus.AMBIGUOUS, span=span, rule=Rule.WORD, candidates=candidates)
    claims: list[Claim[bool]] = []
    for region in answer_regions(lower):
        said = meaning(lower[region.start : region.end])
        if said is not None:
            claims.append(Claim(said, region.start, region.end, region.rule, final=True))
    covered = [(claim.start, claim.end) for claim in claims]
    claims += [claim for claim in yes_no_claims(lower) if not any(a <= claim.start < b for a, b in covered)]
    result = conclude(settle(claims, lower), reading.text, cut=reading.cut)
    if result is not None:
        return result
    for pattern, value in ((_CLAUSE_YES, True), (_CLAUSE_NO, False)):
        match = pattern.fullmatch(lower)
        if match and not reading.cut:
            return ParsedReply(ParseStatus.OK, value, reading.text.span(*match.span()), Rule.SHORT_CLAUSE)
    return nothing_found(reading)


def _translated(chosen: ParsedReply[str], meanings: Mapping[str, bool]) -> ParsedReply[bool]:
    return ParsedReply(
        chosen.status,
        None if chosen.value is None else meanings[chosen.value],
        chosen.span,
        chosen.rule,
        chosen.flags,
        tuple(Candidate(meanings[one.value], one.span, one.rule) for one in chosen.candidates if one.value in meanings),
        chosen.detail,
    )
