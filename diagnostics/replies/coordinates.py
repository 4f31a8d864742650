"""Numbers of boxes and points as models write them, before anyone asks which pixels they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from .context import is_asked, is_denied_before
from .declared_text import declared_spans, final_cue
from .result import Flag, Rule
from .structured import answer_regions

__all__ = ["CoordinateGroup", "box_groups", "point_groups"]

_N = r"[+-]?(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:e[+-]?[0-9]{1,2})?(?![0-9.])(?!(?!px|pixel)[a-z])"
_S = r"[ \n]{0,4}[,;][ \n]{0,4}|[ \n]{1,4}"
_PX = r"(?:[ ]?(?:px|pixels?))?"
_PAIR = rf"[\[(<][ \n]{{0,4}}({_N}){_PX}(?:{_S})({_N}){_PX}[ \n]{{0,4}}[\])>]"
_NUMBER = re.compile(rf"(?<![0-9a-z_.]){_N}")

_FOUR = re.compile(
    rf"[\[(<][ \n]{{0,4}}(?P<a>{_N}){_PX}(?:{_S})(?P<b>{_N}){_PX}(?:{_S})(?P<c>{_N}){_PX}(?:{_S})(?P<d>{_N}){_PX}"
    r"[ \n]{0,4}[\])>]"
)
_TWO_PAIRS = re.compile(rf"{_PAIR}(?:[ \n]{{0,4}}(?:,|;|-|to|and|→)?[ \n]{{0,4}}){_PAIR}")
_ONE_PAIR = re.compile(_PAIR)
_NAMED = re.compile(
    r"(?<![a-z0-9])[\"']?(?P<name>x[ ]?1|y[ ]?1|x[ ]?2|y[ ]?2|x[ ]?0|y[ ]?0|x[ ]?min|y[ ]?min|x[ ]?max|y[ ]?max|"
    r"left|top|right|bottom|"
    rf"width|height|w|h|x|y)[\"']?[ ]{{0,2}}[:=][ ]{{0,2}}[\"']?(?P<value>{_N})"
)
_CORNERS = (
    (("x1", "y1", "x2", "y2"), False),
    (("x0", "y0", "x1", "y1"), False),
    (("xmin", "ymin", "xmax", "ymax"), False),
    (("left", "top", "right", "bottom"), False),
    (("x", "y", "width", "height"), True),
    (("x", "y", "w", "h"), True),
    (("left", "top", "width", "height"), True),
)
_Y_FIRST_HINT = re.compile(r"(?<!b)box[ _]2d|\[[ ]?y[ ]?(?:1|min)[ ]?,|y[ ]?min,[ ]?x[ ]?min")
_MARKED = re.compile(r"(?<![0-9a-z_.])[0-9]{1,2}[.)][ ]")


@dataclass(frozen=True, slots=True)
class CoordinateGroup:
    """Four numbers (x0, y0, x1, y1) or two (x, y) at text[start:end], as written."""

    values: tuple[float, ...]
    start: int
    end: int
    rule: Rule
    final: bool = False
    denied: bool = False
    flags: tuple[Flag, ...] = ()
    bracketed: bool = False


def box_groups(lower: str) -> list[CoordinateGroup]:
    """All boxes of small-letter text: four numbers in brackets, two pairs, or named corners."""
    groups = [
        CoordinateGroup(
            _floats(match["a"], match["b"], match["c"], match["d"]), *match.span(), Rule.COORDINATES, bracketed=True
        )
        for match in _FOUR.finditer(lower)
    ]
    if not groups:
        groups = [
            CoordinateGroup(_floats(*match.groups()), *match.span(), Rule.COORDINATES)
            for match in _TWO_PAIRS.finditer(lower)
        ]
    groups = groups or _named_boxes(lower) or _only_numbers(lower, 4)
    if _Y_FIRST_HINT.search(lower):
        groups = [_flagged(group, Flag.COORDINATE_ORDER_UNSURE) for group in groups]
    return _judged(lower, groups)


def point_groups(lower: str) -> list[CoordinateGroup]:
    """All points of small-letter text: a pair in brackets, named x and y, or the only two numbers."""
    groups = [
        CoordinateGroup(_floats(*match.groups()), *match.span(), Rule.COORDINATES)
        for match in _ONE_PAIR.finditer(lower)
    ]
    return _judged(lower, groups or _named_points(lower) or _only_numbers(lower, 2))


def _floats(*written: str) -> tuple[float, ...]:
    return tuple(float(one) for one in written)


def _named(lower: str) -> list[tuple[str, float, int, int]]:
    return [
        (match["name"].replace(" ", ""), float(match["value"]), match.start(), match.end())
        for match in _NAMED.finditer(lower)
    ]


def _named_boxes(lower: str) -> list[CoordinateGroup]:
    found = _named(lower)
    groups = []
    for at in range(len(found) - 3):
        window = found[at : at + 4]
        values = {name: value for name, value, _, _ in window}
        for names, is_size in _CORNERS:
            if values.keys() == set(names):
                a, b, c, d = (values[name] for name in names)
                box = (a, b, a + c, b + d) if is_size else (a, b, c, d)
                flags = (Flag.SIZE_FORM,) if is_size else ()
                groups.append(CoordinateGroup(box, window[0][2], window[-1][3], Rule.NAMED_COORDINATES, flags=flags))
    return groups


def _named_points(lower: str) -> list[CoordinateGroup]:
    found = _named(lower)
    return [
        CoordinateGroup((first[1], second[1]), first[2], second[3], Rule.NAMED_COORDINATES)
        for first, second in pairwise(found)
        if (first[0], second[0]) in (("x", "y"), ("x1", "y1"))
    ]


def _only_numbers(lower: str, count: int) -> list[CoordinateGroup]:
    """The only ``count`` numbers of a reply without brackets."""
    marks = {match.start() for match in _MARKED.finditer(lower)}
    numbers = [match for match in _NUMBER.finditer(lower) if match.start() not in marks]
    if len(numbers) != count:
        return []
    values = _floats(*(match[0] for match in numbers))
    return [CoordinateGroup(values, numbers[0].start(), numbers[-1].end(), Rule.COORDINATES)]


def _flagged(group: CoordinateGroup, flag: Flag) -> CoordinateGroup:
    return replace(group, flags=(*group.flags, flag))


def _judged(lower: str, groups: list[CoordinateGroup]) -> list[CoordinateGroup]:
    """With denials and final cues; groups in questions are left out."""
    finals = [(one.start, one.end) for one in answer_regions(lower)]
    finals += [(start, end) for start, end in declared_spans(lower) if final_cue(lower, start)]
    return [
        replace(
            group,
            final=any(a <= group.start < b for a, b in finals),
            denied=is_denied_before(lower, group.start),
        )
        for group in groups
        if not is_asked(lower, group.start, group.end)
    ]
