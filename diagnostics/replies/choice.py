"""Multiple choice: a reply and the question's options become one letter, or an honest reason why not.

Rules, in order; the first that finds a claim decides, and ``claims`` says what stands when several are made:

1. what the reply sets apart (answer tag, box, JSON field) and letters that it declares, affirms, puts alone on a line,
   puts first, or puts as the only label or the only letter in brackets;
2. an option's text after a cue ("the answer is left");
3. the whole reply is an option's text;
4. a refusal ends the search;
5. an option's text in the reply, or the part of it that tells the options apart: anywhere in a short reply, in the
   first or last sentence of a long one, and nowhere else;
6. a number that only one option holds; a place ("the second option").

What rules 5 and 6 find does not count for an option whose letter the reply denies. "Not A" is never read as "B", even
with two options: a denial is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from .claims import Claim, conclude, settle
from .clean import CleanText
from .context import REVISION
from .declared_text import declared_spans
from .letter_claims import letter_claims
from .letters import find_letters
from .option_number import number_claims
from .option_text import OptionTexts, option_texts
from .ordinals import ordinal_claims
from .reading import Reading, nothing_found, read
from .result import Candidate, Flag, ParsedReply, ParseStatus, Rule
from .structured import answer_regions

__all__ = ["parse_choice"]

_LONE_LETTER = re.compile(r"\s*+[^\w\n]{0,24}([A-Za-z])[^\w\n]{0,24}\s*+")
_FOREIGN_LETTER = re.compile(
    r"(?:\banswer|\boption|\bchoice|答案|选项?)[\s\"'(\[]{0,4}(?:is|:|=|是|"
    r"为)?[\s\"'(\[]{0,6}(?P<letter>[A-Z])[\"')\]]{0,2}[ ]?(?:[.,;!\n]|$)",
    re.IGNORECASE,
)
_SHORT = 240
_SENTENCE = re.compile(r"(?<=[.!?。])\s{1,8}|\n")


def parse_choice(text: str, options: Mapping[str, str], *, cut: bool = False) -> ParsedReply[str]:
    """The option that a reply chooses.

    Args:
        text: the reply as it came, reasoning block included.
        options: letter (one capital) to text, in the order of the prompt.
        cut: the server stopped the reply at its token limit; an answer then stands only if text follows it.

    Returns:
        value: the letter. ``invalid`` when the reply plainly gives a letter or a place that is no option.

    Raises:
        DiagnosticsError: no options, or a letter that is not one of A to Z.

    >>> options = {"A": "left", "B": "right"}
    >>> parse_choice("The answer is **B**.", options).value
    'B'
    >>> parse_choice("A or B", options).status.value
    'ambiguous'
    """
    texts = option_texts(options)
    return read(text, lambda reading: _decide(reading, options, texts), cut=cut)


def _decide(reading: Reading, options: Mapping[str, str], texts: OptionTexts) -> ParsedReply[str]:
    text, lower, letters = reading.text, reading.lower, texts.letters
    alone = _LONE_LETTER.fullmatch(text.text)
    if alone:
        return _lone(reading, alone, letters, texts)
    claims = _plain_claims(text, letters, texts)
    standing = settle(claims, lower)
    result = conclude(standing, text, cut=reading.cut)
    if result is not None:
        return _checked(_unless_doubted(result, standing[-1], claims, text, letters), texts)
    denied = {claim.value for claim in claims if claim.denied}
    spans = declared_spans(lower)
    declared = [
        replace(claim, rule=Rule.DECLARED_TEXT) for a, b in spans for claim in _agreeing(texts.claims(lower, a, b))
    ]
    result = conclude(settle(declared, lower), text, cut=reading.cut) or _exact(reading, texts)
    if result is not None:
        return result
    if reading.refusal is not None and not texts.name_inability:
        return reading.refused()
    for mentions in (
        _by_text(lower, texts, core=False),
        _by_text(lower, texts, core=True),
        number_claims(lower, options),
    ):
        result = conclude(settle(mentions, lower), text)
        if result is not None and result.value not in denied:
            return reading.unless_cut(result)
    result = _ordinal(reading, letters)
    if result is not None and result.value not in denied:
        return result
    if _foreign(text.text, letters):
        return _invalid(reading, letters)
    return nothing_found(
        reading, tuple(Candidate(one.value, text.span(one.start, one.end), Rule.DENIED) for one in claims if one.denied)
    )


def _lone(reading: Reading, alone: re.Match[str], letters: str, texts: OptionTexts) -> ParsedReply[str]:
    """A reply that is one letter and marks."""
    letter = alone[1].upper()
    if letter not in letters:
        return _exact(reading, texts) or _invalid(reading, letters)
    claim = Claim(letter, alone.start(1), alone.end(1), Rule.ALONE)
    result = conclude([claim], reading.text, cut=reading.cut)
    return nothing_found(reading) if result is None else _checked(result, texts)


def _plain_claims(text: CleanText, letters: str, texts: OptionTexts) -> list[Claim[str]]:
    """Claims by letters, and claims by what stands in answer tags, boxes and fields."""
    claims: list[Claim[str]] = []
    covered: list[tuple[int, int]] = []
    for region in answer_regions(text.lower):
        inner = _region_claims(text.text[region.start : region.end], letters, texts)
        if inner:
            covered.append((region.start, region.end))
        for claim in inner:
            start, end = claim.start + region.start, claim.end + region.start
            claims.append(replace(claim, start=start, end=end, rule=region.rule, final=not claim.denied))
    mentions = find_letters(text.text, letters)
    if covered:
        mentions = [one for one in mentions if not any(a <= one.position < b for a, b in covered)]
    return claims + letter_claims(text.lower, mentions, texts) if mentions else claims


def _region_claims(content: str, letters: str, texts: OptionTexts) -> list[Claim[str]]:
    """What the content of a tag, box or field says, with positions inside it."""
    content = content.replace("{", " ").replace("}", " ")
    alone = _LONE_LETTER.fullmatch(content)
    if alone and alone[1].upper() in letters:
        return [Claim(alone[1].upper(), alone.start(1), alone.end(1), Rule.ALONE)]
    exact = texts.exact(content)
    if exact is not None:
        return [Claim(exact, len(content) - len(content.lstrip()), len(content.rstrip()), Rule.OPTION_TEXT_EXACT)]
    lower = content.lower() if len(content.lower()) == len(content) else content
    return letter_claims(lower, find_letters(content, letters), texts) or texts.claims(lower)


def _unless_doubted(
    result: ParsedReply[str], chosen: Claim[str], claims: list[Claim[str]], text: CleanText, letters: str
) -> ParsedReply[str]:
    """Another letter takes the certainty away after "wait, ...", and from an answer that is hedged anyway.

    That other letter need not claim anything clearly, as long as it is not denied.
    """
    if result.value is None:
        return result
    if chosen.weak:
        start = 0
    else:
        turn = REVISION.search(text.lower, chosen.end) if len(text.lower) - chosen.end > 3 else None
        if turn is None:
            return result
        start = turn.end()
    denied = {claim.start for claim in claims if claim.denied}
    mentions = find_letters(text.text, letters, start)
    others = [one for one in mentions if one.value != result.value and one.position not in denied]
    if not others:
        return result
    other = Candidate(others[0].value, text.span(others[0].position, others[0].end), Rule.NOTHING_FOUND)
    return replace(
        result,
        status=ParseStatus.AMBIGUOUS,
        value=None,
        candidates=(Candidate(result.value, result.span, result.rule), other),
        detail="the answer is doubted or taken back, and another letter stands beside it that is not declared",
    )


def _agreeing(claims: list[Claim[str]]) -> list[Claim[str]]:
    """The claims of one clause, if they agree."""
    return claims if len({claim.value for claim in claims if not claim.denied}) == 1 else []


def _by_text(lower: str, texts: OptionTexts, *, core: bool) -> list[Claim[str]]:
    """Mentions of option texts; in a long reply a single one counts only in its first or last sentence."""
    claims = texts.claims(lower, core=core)
    if len(lower) <= _SHORT or len({claim.value for claim in claims if not claim.denied}) > 1:
        return claims
    body = lower.strip()
    first = lower.find(body[:1]) + len(_SENTENCE.split(body, maxsplit=1)[0])
    tail = max(0, len(lower) - _SHORT)
    last = max((match.end() for match in _SENTENCE.finditer(lower.rstrip(), tail)), default=tail)
    return [claim for claim in claims if claim.denied or claim.start < first or claim.start >= last]


def _exact(reading: Reading, texts: OptionTexts) -> ParsedReply[str] | None:
    plain = reading.text.text
    letter = texts.exact(plain)
    if letter is None:
        return None
    claim = Claim(letter, len(plain) - len(plain.lstrip()), len(plain.rstrip()), Rule.OPTION_TEXT_EXACT)
    return conclude([claim], reading.text, cut=reading.cut)


def _ordinal(reading: Reading, letters: str) -> ParsedReply[str] | None:
    standing = settle(ordinal_claims(reading.lower, letters), reading.lower)
    if any(claim.value == "" for claim in standing):
        return _invalid(reading, letters)
    result = conclude(standing, reading.text)
    return None if result is None else reading.unless_cut(result)


def _checked(result: ParsedReply[str], texts: OptionTexts) -> ParsedReply[str]:
    """A bare letter that is also the text of another option cannot be told apart from it."""
    if result.value is None or result.rule is Rule.LABEL:
        return result
    other = texts.single_letters.get(result.value)
    if other is None or other == result.value:
        return result
    chosen = Candidate(result.value, result.span, result.rule)
    return ParsedReply(
        ParseStatus.AMBIGUOUS,
        span=result.span,
        rule=result.rule,
        flags=(*result.flags, Flag.LETTER_IS_OPTION_TEXT),
        candidates=(chosen, Candidate(other, result.span, Rule.OPTION_TEXT_EXACT)),
        detail=f"{result.value} is a letter of this question and the text of option {other}",
    )


def _foreign(plain: str, letters: str) -> bool:
    """Whether a letter that is no option is declared or set apart."""
    for region in answer_regions(plain.lower()):
        alone = _LONE_LETTER.fullmatch(plain[region.start : region.end])
        if alone and alone[1].upper() not in letters:
            return True
    return any(
        match["letter"].isupper() and match["letter"] not in letters + "I" for match in _FOREIGN_LETTER.finditer(plain)
    )


def _invalid(reading: Reading, letters: str) -> ParsedReply[str]:
    return ParsedReply(
        ParseStatus.INVALID,
        rule=Rule.DECLARED,
        flags=reading.flags,
        detail=f"the reply names something that is none of the options {', '.join(letters)}",
    )
