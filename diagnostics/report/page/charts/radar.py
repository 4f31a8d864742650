"""A radar: one spoke a stress tag, one outline a model, neighbours of one dimension in one sector."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from .data import Axis, RadarSeries
from .marks import drawing, group, legend, line, marker, path, series_class, text, text_width
from .scales import percent, tick_words

__all__ = ["radar_chart"]

_RADIUS_PX = 190.0
_LABEL_GAP_PX = 14.0
_RINGS = (0.25, 0.5, 0.75, 1.0)
_SMALL_PX = 10.5

Point = tuple[float, float]


def radar_chart(
    axes: Sequence[Axis], outlines: Sequence[RadarSeries], series: Sequence[str], *, key: str, title: str
) -> Markup:
    """Scores from 0 (centre) to 1 (rim), the first axis at the top, clockwise.

    An outline breaks where nothing was measured: a missing tag is no score of 0.

    Args:
        axes: at least three.
        outlines: one a series, a value an axis.
        series: names for the legend.
        key: unique in the page.
        title: for those who cannot see it.
    """
    margin = _LABEL_GAP_PX + max(max(text_width(axis.label), text_width(axis.note, _SMALL_PX)) for axis in axes)
    width = 2 * (_RADIUS_PX + margin) + 8
    head, top = legend(series, width)
    centre = (width / 2, top + 34 + _RADIUS_PX)
    parts = [*head, *_web(axes, centre)]
    for outline in outlines:
        parts += _outline(outline, series[outline.series], axes, centre)
    summary = "; ".join(
        f"{series[one.series]}: "
        + ", ".join(
            f"{axis.label} {'no data' if value is None else percent(value)}"
            for axis, value in zip(axes, one.values, strict=True)
        )
        for one in outlines
    )
    return drawing(width, centre[1] + _RADIUS_PX + 44, parts, key=key, title=title, summary=summary)


def _at(centre: Point, place: float, axes: int, share: float) -> Point:
    turn = 2 * math.pi * place / axes
    return centre[0] + _RADIUS_PX * share * math.sin(turn), centre[1] - _RADIUS_PX * share * math.cos(turn)


def _web(axes: Sequence[Axis], centre: Point) -> list[str]:
    n = len(axes)
    parts = []
    groups = list(dict.fromkeys(axis.group for axis in axes))
    for place, axis in enumerate(axes):
        if groups.index(axis.group) % 2:
            corners = [centre, *(_at(centre, place + side, n, 1.0) for side in (-0.5, 0.0, 0.5))]
            parts.append(path(corners, "sector", closed=True))
    for ring in _RINGS:
        parts.append(path([_at(centre, place, n, ring) for place in range(n)], "grid ring", closed=True))
    for place, axis in enumerate(axes):
        parts.append(line(centre, _at(centre, place, n, 1.0), "grid"))
        parts += _label(axis, place, n, centre)
    for ring in _RINGS:
        x, y = _at(centre, 0.0, n, ring)
        parts.append(text(x + 3, y + 11, tick_words(ring), classes="soft small halo"))
    return parts


def _label(axis: Axis, place: int, n: int, centre: Point) -> list[str]:
    x, y = _at(centre, place, n, 1 + _LABEL_GAP_PX / _RADIUS_PX)
    aside = math.sin(2 * math.pi * place / n)
    anchor = "middle" if abs(aside) < 0.05 else ("start" if aside > 0 else "end")
    drop = -math.cos(2 * math.pi * place / n)  # -1 at the top, where both lines must stand above the rim
    first = y + 4 + (7 * drop - 6 if axis.note else 4 * drop)
    parts = [text(x, first, axis.label, anchor=anchor)]
    if axis.note:
        parts.append(text(x, first + 13, axis.note, classes="soft small", anchor=anchor))
    return parts


def _outline(outline: RadarSeries, name: str, axes: Sequence[Axis], centre: Point) -> list[str]:
    n, look = len(axes), series_class(outline.series)
    points = [None if value is None else _at(centre, place, n, value) for place, value in enumerate(outline.values)]
    whole = [point for point in points if point is not None]
    parts = []
    if len(whole) == n:
        parts += [path(whole, f"{look} faint", closed=True), path(whole, f"{look} stroke", closed=True)]
    else:
        for place, point in enumerate(points):
            following = points[(place + 1) % n]
            if point is not None and following is not None:
                parts.append(path([point, following], f"{look} stroke"))
    for axis, value, point in zip(axes, outline.values, points, strict=True):
        if value is not None and point is not None:
            note = f"{name}, {axis.label}: {percent(value)}" + (f", {axis.note}" if axis.note else "")
            parts.append(group([marker(*point, outline.series, 3.6)], note=note))
    return parts
