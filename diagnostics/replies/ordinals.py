"""Options named by their place: "the second option", "option 2", "the latter", 第二个."""

from __future__ import annotations

import re

from .claims import Claim
from .context import is_asked, is_denied_before
from .number_words import chinese_value
from .result import Rule

__all__ = ["ordinal_claims"]

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUN = r"(?:options?|choices?|answers?|alternatives?|one|statement)"
_ORDINAL = re.compile(
    rf"\b(?P<place>{'|'.join(_PLACES)}|last|(?P<digits>[0-9]{{1,2}})(?:st|nd|rd|"
    rf"th))[ ]{{1,2}}{_NOUN}\b(?![ ](?:is|has) (?:an?|the)\b)"
    rf"|\b(?:options?|choices?|alternatives?)[ ]{{0,2}}(?:number |no\.? )?[(\[]?(?P<number>[0-9]{{1,2}}|"
    rf"{'|'.join(_CARDINALS)})\b(?!\.[0-9])"
    r"|\bthe (?P<pair>former|latter)\b"
    r"|第[ ]?(?P<zh>[一二三四五六七八九十]|[0-9]{1,2})[ ]?(?:个|项|选项|个选项)"
    r"|选项[ ]?(?P<zhn>[0-9]{1,2}|[一二三四五六七八九十])",
)
_BARE = re.compile(r"[\s\"'(\[]{0,8}(?P<number>[0-9]{1,2})[\s\"')\].]{0,8}")


def ordinal_claims(lower: str, letters: str) -> list[Claim[str]]:
    """Claims by place; a place beyond the last option claims "" so that the caller can call it invalid."""
    alone = _BARE.fullmatch(lower)
    if alone:
        return [Claim(_letter(int(alone["number"]), letters), alone.start("number"), alone.end("number"), Rule.ORDINAL)]
    claims: list[Claim[str]] = []
    for match in _ORDINAL.finditer(lower):
        if is_asked(lower, match.start(), match.end()):
            continue
        denied = is_denied_before(lower, match.start())
        place = _place(match, len(letters))
        if place is not None:
            rule = Rule.DENIED if denied else Rule.ORDINAL
            claims.append(Claim(_letter(place, letters), match.start(), match.end(), rule, denied=denied))
    return claims


def _place(match: re.Match[str], count: int) -> int | None:
    if match["digits"]:
        return int(match["digits"])
    if match["place"]:
        word = match["place"].lower()
        return count if word == "last" else _PLACES.index(word) + 1
    if match["pair"]:
        return None if count != 2 else (1 if match["pair"].lower() == "former" else 2)
    written = match["number"] or match["zh"] or match["zhn"]
    if written.isdigit():
        return int(written)
    if written.lower() in _CARDINALS:
        return _CARDINALS.index(written.lower()) + 1
    value = chinese_value(written)
    return None if value is None else int(value)


def _letter(place: int, letters: str) -> str:
    return letters[place - 1] if 1 <= place <= len(letters) else ""
