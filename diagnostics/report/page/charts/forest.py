"""Paired differences around zero, and how answers moved both ways."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .data import FlipRow, ForestRow
from .marks import drawing, fitted, group, line, path, rectangle, text, text_width
from .scales import Scale, points, reach_of, ticks_between

__all__ = ["flip_chart", "forest_plot"]

_ROW_PX = 26.0
_PLOT_PX = 400.0
_LONGEST_LABEL_PX = 250.0
_COUNT_PX = 30.0
"""Room beside the plot for a count that stands at the end of the longest bar."""
_HEADING_PX = 12.6
_DOT_PX = 5.0


def forest_plot(rows: Sequence[ForestRow], *, key: str, title: str) -> Markup:
    """One line a difference with its interval around zero, in percentage points; coloured where it leaves zero out.

    Args:
        rows: from top to bottom.
        key: unique in the page.
        title: for those who cannot see it.
    """
    scale = _scale([row.label for row in rows], [end for row in rows for end in (*row.span.ends, row.span.value)])
    width = scale.end + 24 + max((text_width(_numbers(row)) for row in rows), default=0.0)
    bodies: list[str] = []
    y = 4.0
    for row in rows:
        y = _headed(row.heading, y, width, bodies)
        bodies.append(_difference(row, scale, y + _ROW_PX / 2))
        y += _ROW_PX
    parts = _grid(scale, y, "← worse", "better →")
    summary = "; ".join(f"{row.label}: {_numbers(row)}" for row in rows)
    return drawing(width, y + 40, [*parts, *bodies], key=key, title=title, summary=summary or "no differences")


def flip_chart(rows: Sequence[FlipRow], *, key: str, title: str) -> Markup:
    """Answers lost to the left and gained to the right, as shares of all pairs, with their counts.

    Args:
        rows: from top to bottom.
        key: unique in the page.
        title: for those who cannot see it.
    """
    scale = _scale([row.label for row in rows], [moved / row.n for row in rows for moved in (row.gained, -row.lost)])
    width = scale.end + _COUNT_PX + 24 + max((text_width(row.words) for row in rows), default=0.0)
    bodies: list[str] = []
    y = 4.0
    for row in rows:
        y = _headed(row.heading, y, width, bodies)
        bodies.append(_flips(row, scale, y))
        y += _ROW_PX
    parts = _grid(scale, y, "right → wrong", "wrong → right")
    summary = "; ".join(f"{row.label}: {row.gained} gained, {row.lost} lost, of {row.n}" for row in rows)
    return drawing(width, y + 40, [*parts, *bodies], key=key, title=title, summary=summary or "no pairs")


def _scale(labels: Sequence[str], values: Sequence[float]) -> Scale:
    """Right of the labels, with zero in it and room on both sides of it."""
    left = _COUNT_PX + 14 + min(_LONGEST_LABEL_PX, max(map(text_width, labels), default=0.0))
    below, above = (reach_of(side * value for value in values if side * value > 0) for side in (-1, 1))
    return Scale(-below, above, left, left + _PLOT_PX)


def _headed(heading: str, y: float, width: float, bodies: list[str]) -> float:
    """Puts a heading above a row; returns the y below it."""
    if not heading:
        return y
    shown = fitted(heading, width, _HEADING_PX)
    behind = rectangle(0, y + 4, text_width(shown, _HEADING_PX) + 6, 20, "paper")
    bodies.append(group([behind, text(0, y + 18, shown, classes="strong")], note=heading))
    return y + _ROW_PX


def _grid(scale: Scale, foot: float, below: str, above: str) -> list[str]:
    parts = []
    for tick in ticks_between(scale.low, scale.high):
        x = scale.at(tick)
        parts.append(line((x, 0), (x, foot), "axis" if tick == 0 else "grid"))
        parts.append(text(x, foot + 16, points(tick).replace(".0", ""), classes="soft", anchor="middle"))
    parts.append(text(scale.start, foot + 33, below, classes="soft small"))
    parts.append(text(scale.end, foot + 33, above, classes="soft small", anchor="end"))
    return parts


def _difference(row: ForestRow, scale: Scale, y: float) -> str:
    low, high = row.span.ends
    clear = "clear" if low > 0 or high < 0 else "unclear"
    shapes = [text(scale.start - _COUNT_PX, y + 4, fitted(row.label, _LONGEST_LABEL_PX), anchor="end")]
    if row.span.low is not None:
        shapes.append(line((scale.at(low), y), (scale.at(high), y), f"{clear} bound"))
        if scale.at(high) - scale.at(low) > 3 * _DOT_PX:  # or else the dot hides the ends
            ends = (scale.at(low), scale.at(high))
            shapes += [line((end, y - 4), (end, y + 4), f"{clear} bound") for end in ends]
    x = scale.at(row.span.value)
    shapes.append(
        path([(x - _DOT_PX, y), (x, y - _DOT_PX), (x + _DOT_PX, y), (x, y + _DOT_PX)], f"{clear} dot", closed=True)
    )
    shapes.append(text(scale.end + 14, y + 4, _numbers(row)))
    return group(shapes, note=f"{row.label}: {_numbers(row)}")


def _flips(row: FlipRow, scale: Scale, y: float) -> str:
    zero, tall = scale.at(0.0), _ROW_PX - 10
    lost, gained = scale.at(-row.lost / row.n), scale.at(row.gained / row.n)
    shapes = [
        text(scale.start - _COUNT_PX, y + tall - 1, fitted(row.label, _LONGEST_LABEL_PX), anchor="end"),
        rectangle(lost, y + 2, zero - lost, tall, "lost fill"),
        rectangle(zero, y + 2, gained - zero, tall, "gained fill"),
        text(lost - 4, y + tall - 1, str(row.lost), classes="halo", anchor="end"),
        text(gained + 4, y + tall - 1, str(row.gained), classes="halo"),
    ]
    if row.words:
        shapes.append(text(scale.end + _COUNT_PX + 4, y + tall - 1, row.words))
    note = f"{row.label}: {row.gained} gained, {row.lost} lost, of {row.n}" + (f", {row.words}" if row.words else "")
    return group(shapes, note=note)


def _numbers(row: ForestRow) -> str:
    low, high = row.span.ends
    bounds = "" if row.span.low is None else f" [{points(low)}, {points(high)}]"
    return points(row.span.value) + bounds + (f" · {row.words}" if row.words else "")
