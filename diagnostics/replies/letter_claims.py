"""What a reply claims about its option letters; a letter that is only mentioned claims nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from .claims import Claim
from .context import (
    Condition,
    clause_before,
    condition_after,
    is_asked,
    is_conditional,
    is_denied_before,
    sentence_bounds,
)
from .letter_cues import (
    affirmed_after,
    begins_reply,
    declared_before,
    denied_after,
    is_approved_label,
    is_label,
    is_past_thought,
    opens_reply,
    stands_alone,
)
from .letters import LetterMention, group_letters, joined_by_or
from .option_text import OptionTexts
from .result import Flag, Rule

__all__ = ["letter_claims"]

_EITHER = re.compile(r"\b(?:both|either|all of)\b|都")


def letter_claims(lower: str, mentions: list[LetterMention], texts: OptionTexts) -> list[Claim[str]]:
    """Claims and denials, in the order of the text.

    Letters joined by "or" or "and" give one weak claim each, so that settling finds the conflict unless something
    plainer is said. A label whose text belongs to another option claims both.
    """
    labels = [mention for mention in mentions if is_label(lower, mention)]
    echoed = {mention.position for mention in labels} if len({one.value for one in labels}) > 1 else set()
    echoed |= {one.position for one, other in pairwise(mentions) if not lower[one.end : other.position].strip(" ()[]")}
    claims: list[Claim[str]] = []
    said_to = 0
    for group in group_letters(lower, mentions):
        last = group[-1]
        if last.position < said_to:  # the letter is part of an option's text
            continue
        named, said_to = texts.follows(lower, last.end) or (None, 0)
        if (named is None and denied_after(lower, last)) or is_denied_before(lower, group[0].position):
            claims += [Claim(one.value, one.position, one.end, Rule.DENIED, denied=True) for one in group]
            continue
        claim = _claim(lower, group, echoed)
        if claim is None:
            continue
        if len(group) > 1:
            claims += [replace(claim, value=one.value, start=one.position, end=one.end, weak=True) for one in group]
        else:
            claims.append(claim)
        if named is not None and named != last.value:
            claims.append(replace(claims[-1], value=named, flags=(Flag.LABEL_TEXT_CONFLICT,)))
    if all(claim.denied for claim in claims):
        claims += _bracketed(lower, mentions, {claim.value for claim in claims})
    return claims


def _claim(lower: str, group: list[LetterMention], echoed: set[int]) -> Claim[str] | None:
    mention = group[0]
    at, end = mention.position, mention.end
    cue = declared_before(lower, mention)
    if cue is not None or affirmed_after(lower, group[-1]):
        if is_asked(lower, at, end) or is_conditional(lower, at) or is_past_thought(clause_before(lower, at)):
            return None
        final, weak = cue or (False, False)
        condition = condition_after(lower, at, end)
        if condition is Condition.COUNTERFACTUAL:
            return None
        weak = weak or condition is Condition.OPEN
        rule = Rule.DECLARED if cue else Rule.PREDICATE
        return Claim(mention.value, at, end, rule, final, weak, flags=(Flag.HEDGED,) if weak else ())
    if at not in echoed:
        for rule, applies in ((Rule.ALONE, stands_alone), (Rule.LABEL, is_label), (Rule.HEAD, opens_reply)):
            if applies(lower, mention):
                # a label further down may begin the discussion of an option
                return Claim(mention.value, at, end, rule, weak=rule is Rule.LABEL and not begins_reply(lower, mention))
    elif is_approved_label(lower, mention):
        return Claim(mention.value, at, end, Rule.PREDICATE)
    if len(group) > 1 and _offers_alternatives(lower, group):
        return Claim(mention.value, at, end, Rule.ALTERNATIVES)
    return None


def _offers_alternatives(lower: str, group: list[LetterMention]) -> bool:
    begin, _ = sentence_bounds(lower, group[0].position, group[0].position)
    return _EITHER.search(lower, begin, group[0].position) is not None or joined_by_or(lower, group)


def _bracketed(lower: str, mentions: list[LetterMention], denied: set[str]) -> list[Claim[str]]:
    """The only letter in brackets, "to the right (B).", when the reply claims nothing more plainly."""
    inside = [
        one
        for one in mentions
        if lower[one.position - 1 : one.position] in ("(", "[") and lower[one.end : one.end + 1] in (")", "]")
    ]
    if len({one.value for one in inside}) != 1 or inside[0].value in denied:
        return []
    return [Claim(inside[-1].value, inside[-1].position, inside[-1].end, Rule.BRACKETED)]
