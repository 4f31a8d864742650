"""Answers that a reply sets apart: answer tags, LaTeX boxes, JSON answer fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .result import Rule

__all__ = ["Region", "answer_regions"]

MAX_REGIONS = 200
_MAX_CONTENT = 400
_TAG = re.compile(
    r"<\s?(?P<tag>answer|final[ ]?answer|ans|choice|"
    r"option)(?:\s[^<>]{0,80})?>(?P<content>[^<]{0,400})(?:<\s?/\s?(?P=tag)\s?>|<|$)"
    r"|\[answer\](?P<bracket>[^\[]{0,400})\[/answer\]",
)
_BOX = re.compile(r"\\f?boxed\s?\{")
_FIELD_FORM = (
    r"[\"'](?:the )?(?:final[ -]?|correct[ -]?|predicted[ -]?|best[ -]?|my[ -]?)?(?:{names})[\"']\s{{0,8}}[:=]\s{{0,8}}"
    r"(?:\"(?P<double>[^\"\n]{{0,400}})\"|'(?P<single>[^'\n]{{0,400}})'"
    r"|(?P<bare>\[[^\[\]\n]{{0,200}}\]|[^\s,\"'{{}}\[\]][^,\n{{}}]{{0,80}}))"
)
_ANSWER_NAMES = (
    r"answer|answer[ -]?choice|choice|(?:selected[ -]?)?option|response|prediction|selection|letter|答案|选项|回答"
)
_FIELD = re.compile(_FIELD_FORM.format(names=_ANSWER_NAMES))
_NUMERIC_FIELD = re.compile(
    _FIELD_FORM.format(
        names=_ANSWER_NAMES + r"|value|result|distance|estimate|estimation|length|size|count|number|angle|距离"
    ),
)


_CALLED_ANSWER = re.compile(r"[\"'][a-z -]{0,16}(?:answer|答案|回答)[\"']")


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of the text that the reply itself sets apart as the answer."""

    start: int
    end: int
    rule: Rule


def answer_regions(lower: str, *, numeric: bool = False) -> list[Region]:
    """All set-apart answers of the small-letter text, in order; empty ones are left out.

    Of more than ``MAX_REGIONS`` only the first and the last ones count.

    ``numeric`` adds the JSON fields that name a quantity ("distance", "value").
    """
    regions: list[Region] = []
    if "<" in lower or "[" in lower:
        for match in _TAG.finditer(lower):
            regions.append(_region(match, "content" if match["content"] is not None else "bracket", Rule.ANSWER_TAG))
    if "boxed" in lower:
        for match in _BOX.finditer(lower):
            regions.append(Region(match.end(), _closing_brace(lower, match.end()), Rule.BOXED))
    if '"' in lower or "'" in lower:
        regions += _fields(lower, _NUMERIC_FIELD if numeric else _FIELD)
    kept = [region for region in regions if lower[region.start : region.end].strip()]
    kept.sort(key=lambda region: region.start)
    return kept if len(kept) <= MAX_REGIONS else kept[: MAX_REGIONS // 4] + kept[-(MAX_REGIONS - MAX_REGIONS // 4) :]


def _fields(lower: str, pattern: re.Pattern[str]) -> list[Region]:
    """Values of JSON fields; where one is called "answer", the others only describe."""
    matches = list(pattern.finditer(lower))
    named = [match for match in matches if _CALLED_ANSWER.match(match[0])]
    return [
        _region(match, next(name for name in ("double", "single", "bare") if match[name] is not None), Rule.JSON_FIELD)
        for match in named or matches
    ]


def _region(match: re.Match[str], name: str, rule: Rule) -> Region:
    return Region(match.start(name), match.end(name), rule)


def _closing_brace(lower: str, start: int) -> int:
    depth = 1
    stop = min(len(lower), start + _MAX_CONTENT)
    for position in range(start, stop):
        char = lower[position]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return position
    return stop
