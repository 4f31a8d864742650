"""Options as they stand in a question's text, and the lines that ask for a form of answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..questions import AnswerType, Unit
from .item import SuiteItem

__all__ = ["SplitText", "answer_instruction", "full_prompt", "option_lines", "split_options"]

_LINE = re.compile(r"[ \t]*\(?([A-Z])[ \t]*[.):](?:[ \t]+|$)(.*)")
_HEADING = re.compile(r"[ \t]*(?:answer )?(?:options|choices)[ \t]*:?[ \t]*", re.IGNORECASE)
_INLINE = re.compile(r"(?:(?<=\s)|^)\(?([A-Z])[.):]\s+")


@dataclass(frozen=True, slots=True)
class SplitText:
    """A text without its options.

    Args:
        text: what is asked.
        options: letter -> text in the order shown; empty when there are none.
        in_order: whether the letters run A, B, C, ...
        repeated: letters that stand at more than one option.
    """

    text: str
    options: dict[str, str]
    in_order: bool = True
    repeated: tuple[str, ...] = ()


def split_options(text: str) -> SplitText:
    """Takes the lettered options off the end of a question: one a line, or all in the last line.

    >>> split_options("Which is nearer?\\nOptions:\\nA: the lamp\\nB: the sofa").options
    {'A': 'the lamp', 'B': 'the sofa'}
    """
    lines = text.rstrip().split("\n")
    found: list[tuple[str, str]] = []
    while lines and (match := _LINE.fullmatch(lines[-1].rstrip("\r"))):
        found.insert(0, (match[1], match[2].rstrip()))
        lines.pop()
    if len(found) >= 2:
        if lines and _HEADING.fullmatch(lines[-1].rstrip("\r")):
            lines.pop()
        return _split("\n".join(lines), found)
    return _inline(text)


def option_lines(options: Mapping[str, str], *, mark: str = ".") -> str:
    """One line an option: "A. the lamp"."""
    return "\n".join(f"{letter}{mark} {text}" for letter, text in options.items())


def _inline(text: str) -> SplitText:
    line_start = text.rstrip().rfind("\n") + 1
    matches = list(_INLINE.finditer(text, line_start))
    starts = [place for place, match in enumerate(matches) if match[1] == "A"]
    if not starts:
        return SplitText(text, {})
    chain = matches[starts[-1] :]
    letters = [match[1] for match in chain]
    if len(chain) < 2 or letters != [chr(ord("A") + number) for number in range(len(chain))]:
        return SplitText(text, {})
    ends = [match.start() for match in chain[1:]] + [len(text.rstrip())]
    found = [(match[1], text[match.end() : end].strip()) for match, end in zip(chain, ends, strict=True)]
    return _split(text[: chain[0].start()], found)


def _split(text: str, found: list[tuple[str, str]]) -> SplitText:
    letters = [letter for letter, _ in found]
    repeated = tuple(sorted({letter for letter in letters if letters.count(letter) > 1}))
    in_order = letters == sorted(letters)
    return SplitText(text.rstrip(), dict(found), in_order, repeated)


_WORDS = {
    Unit.METRE: "in metres",
    Unit.CENTIMETRE: "in centimetres",
    Unit.DEGREE: "in degrees",
    Unit.CUBIC_METRE: "in cubic metres",
    Unit.SQUARE_METRE: "in square metres",
    Unit.COUNT: "as digits",
    Unit.PERCENT: "in per cent",
}


def answer_instruction(item: SuiteItem) -> str:
    """One line that says in which form the answer is wanted, for prompts in exported suites."""
    unit = item.answer_format.unit
    words = "" if unit is None else " " + _WORDS.get(unit, f"in {unit.value}")
    space = "thousandths of the picture's width and height" if item.coordinates == "permille" else "pixels"
    match item.answer_type:
        case AnswerType.CHOICE:
            return "Answer with the letter of the right option only."
        case AnswerType.YES_NO:
            if item.options:
                return "Answer with the letter of the right option only."
            return "Answer with yes or no only."
        case AnswerType.NUMBER:
            return f"Answer with one number only,{words}."
        case AnswerType.LIST:
            return f"Answer with a list of {item.answer_format.length} numbers only,{words}: [first, ...]."
        case AnswerType.CLOCK:
            return "Answer with the hour of a clock only, 12 straight ahead and 3 to the right."
        case AnswerType.BOX:
            return f"Answer with the box [x_min, y_min, x_max, y_max] only, in {space}."
        case AnswerType.POINT:
            return f"Answer with the point [x, y] only, in {space}."
        case AnswerType.GRAPH:
            return "Answer with the scene graph as JSON only."
        case _:
            return "Answer in one short sentence."


def full_prompt(item: SuiteItem) -> str:
    """The question, its options and one line on the form of the answer."""
    parts = [item.text, *([option_lines(item.options)] if item.options else []), answer_instruction(item)]
    return "\n".join(parts)
