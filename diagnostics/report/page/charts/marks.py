"""The shapes that charts are made of, as SVG. All text is escaped here and nowhere else.

No shape has a colour: it has classes, and the page's style sheet gives these a colour for light and for dark. ``s0``,
``s1``, ... choose the colour of a series; ``fill``, ``stroke`` and ``band`` say what is painted with it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

from markupsafe import Markup

__all__ = [
    "FONT_PX",
    "SERIES",
    "drawing",
    "fitted",
    "group",
    "legend",
    "line",
    "marker",
    "path",
    "rectangle",
    "series_class",
    "text",
    "text_width",
]

SERIES = 6
"""Colours (and shapes of markers) before they come round again."""
FONT_PX = 12.0
_WIDTH_OF_A_LETTER = 0.61
_WIDTH_OF_A_WIDE_LETTER = 1.0
_WIDE_LETTERS = frozenset("@%MWmw—…")
_LEGEND_ROW_PX = 20.0
_KEY_PX = 26.0

Point = tuple[float, float]


def drawing(width: float, height: float, parts: Iterable[str], *, key: str, title: str, summary: str) -> Markup:
    """A whole chart.

    Args:
        width, height: in pixels.
        parts: from the functions of this module.
        key: unique in the page, letters, digits and dashes.
        title, summary: for those who cannot see it: what is shown, and what it shows.
    """
    head = (
        f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-labelledby="{escape(key)}-t {escape(key)}-d">'
        f'<title id="{escape(key)}-t">{escape(title)}</title><desc id="{escape(key)}-d">{escape(summary)}</desc>'
    )
    return Markup(head + "".join(parts) + "</svg>")  # noqa: S704 - every part escapes its text


def group(parts: Iterable[str], *, note: str) -> str:
    """Shapes that belong together, with words for people who point at them."""
    return f"<g><title>{escape(note)}</title>{''.join(parts)}</g>"


def line(start: Point, end: Point, classes: str) -> str:
    """A straight line."""
    (x0, y0), (x1, y1) = start, end
    return f'<line class="{escape(classes)}" x1="{x0:.2f}" y1="{y0:.2f}" x2="{x1:.2f}" y2="{y1:.2f}"/>'


def rectangle(x: float, y: float, width: float, height: float, classes: str) -> str:
    """An upright rectangle; a negative width becomes 0."""
    return (
        f'<rect class="{escape(classes)}" x="{x:.2f}" y="{y:.2f}" width="{max(0.0, width):.2f}" '
        f'height="{max(0.0, height):.2f}"/>'
    )


def path(points: Sequence[Point], classes: str, *, closed: bool = False) -> str:
    """A line through points."""
    name = "polygon" if closed else "polyline"
    return f'<{name} class="{escape(classes)}" points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in points)}"/>'


def marker(x: float, y: float, series: int, size: float = 4.5) -> str:
    """A point of a series; each series has a shape of its own, for print in grey."""
    classes = f'class="{series_class(series)} mark"'
    match series % SERIES:
        case 0:
            return f'<circle {classes} cx="{x:.2f}" cy="{y:.2f}" r="{size:g}"/>'
        case 1:
            return _shape(classes, x, y, [(-1, -1), (1, -1), (1, 1), (-1, 1)], size * 0.9)
        case 2:
            return _shape(classes, x, y, [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)], size)
        case 3:
            return _shape(classes, x, y, [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)], size)
        case 4:
            return _shape(classes, x, y, [(0, 1.2), (1.1, -0.9), (-1.1, -0.9)], size)
        case _:
            arm = [(-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4)]
            return _shape(classes, x, y, [*arm, *((-u, -v) for u, v in arm)], size)


def _shape(classes: str, x: float, y: float, corners: Sequence[Point], size: float) -> str:
    points = " ".join(f"{x + size * u:.2f},{y + size * v:.2f}" for u, v in corners)
    return f'<polygon {classes} data-at="{x:.2f},{y:.2f}" points="{points}"/>'


def text(x: float, y: float, words: str, *, classes: str = "", anchor: str = "start") -> str:
    """Words at a point of their base line."""
    styled = f' class="{escape(classes)}"' if classes else ""
    held = "" if anchor == "start" else f' text-anchor="{escape(anchor)}"'
    return f'<text{styled} x="{x:.2f}" y="{y:.2f}"{held}>{escape(words)}</text>'


def text_width(words: str, size_px: float = FONT_PX) -> float:
    """About how wide words are, in pixels; the fonts of readers are not known.

    >>> text_width("haze") < text_width("haze, severity 3")
    True
    """
    wide = sum(letter in _WIDE_LETTERS or unicodedata.east_asian_width(letter) in "WF" for letter in words)
    return size_px * (_WIDTH_OF_A_WIDE_LETTER * wide + _WIDTH_OF_A_LETTER * (len(words) - wide))


def fitted(words: str, room_px: float, size_px: float = FONT_PX) -> str:
    """Words cut to a width, with an ellipsis in the middle, so that the ends that tell names apart stay.

    >>> fitted("robust(openai/a-model-with-a-long-name@2026-01)", 150)
    'robust(op…@2026-01)'
    """
    if text_width(words, size_px) <= room_px:
        return words
    fits, too_many = 2, len(words)
    while fits + 1 < too_many:  # names can be very long
        kept = (fits + too_many) // 2
        if text_width(_cut(words, kept), size_px) <= room_px:
            fits = kept
        else:
            too_many = kept
    return _cut(words, fits)


def _cut(words: str, kept: int) -> str:
    head = kept // 2
    return f"{words[:head]}…{words[len(words) - (kept - head) :]}"


def legend(names: Sequence[str], width: float, *, top: float = 0.0) -> tuple[list[str], float]:
    """The names of the series in rows at the top; nothing for one series alone.

    Returns:
        The parts, and the y below them.
    """
    if len(names) < 2:
        return [], top
    parts, x, y = [], 0.0, top
    for place, name in enumerate(names):
        shown = fitted(name, width - _KEY_PX)
        wide = _KEY_PX + text_width(shown) + 14
        if x > 0 and x + wide > width:
            x, y = 0.0, y + _LEGEND_ROW_PX
        key = [line((x, y + 10), (x + 18, y + 10), f"{series_class(place)} stroke"), marker(x + 9, y + 10, place)]
        parts.append(group([*key, text(x + _KEY_PX - 3, y + 14, shown)], note=name))
        x += wide
    return parts, y + _LEGEND_ROW_PX + 6


def series_class(series: int) -> str:
    """The classes of a series: its colour, and a dashed line for those whose colour comes a second time.

    >>> series_class(0), series_class(7)
    ('s0', 's1 again')
    """
    return f"s{series % SERIES}" + (" again" if series >= SERIES else "")
