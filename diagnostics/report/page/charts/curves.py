"""Curves over severity, with their intervals as bands and a dashed line where guessing stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from .data import Curve
from .marks import drawing, fitted, group, legend, line, marker, path, series_class, text
from .scales import Scale, percent, tick_words, ticks_between

__all__ = ["curve_chart"]

_WIDE, _TALL = 330.0, 190.0
_LEFT, _RIGHT = 44.0, 14.0
_TITLE_PX = 12.6


def curve_chart(
    curves: Sequence[Curve],
    series: Sequence[str],
    *,
    key: str,
    title: str,
    ticks: Mapping[float, str],
    chance: float | None = None,
) -> Markup:
    """Scores from 0 to 1 over an axis of few steps.

    Args:
        curves: one a series.
        series: names for the legend.
        key: unique in the page.
        title: stands above, too.
        ticks: x -> what is written below it; at least two.
        chance: what guessing scores; None where that is unknown.
    """
    head, below = legend(series, _LEFT + _WIDE + _RIGHT, top=22)
    top = (below if head else 22.0) + 6
    xs = Scale(min(ticks), max(ticks), _LEFT + 8, _LEFT + _WIDE - 8)
    ys = Scale(0.0, 1.0, top + _TALL, top)
    shown = fitted(title, _LEFT + _WIDE + _RIGHT, _TITLE_PX)
    parts = [text(0, 13, shown, classes="strong"), *head, *_frame(xs, ys, ticks)]
    if chance is not None:
        at = ys.at(chance)
        shapes = [
            line((_LEFT, at), (_LEFT + _WIDE, at), "chance dashed"),
            text(_LEFT + _WIDE - 4, at - 4, "chance", classes="soft small", anchor="end"),
        ]
        parts.append(group(shapes, note=f"chance {percent(chance)}"))
    for curve in curves:
        band = [(xs.at(one.x), ys.at(one.span.ends[1])) for one in curve.points]
        band += [(xs.at(one.x), ys.at(one.span.ends[0])) for one in reversed(curve.points)]
        if len(curve.points) > 1:
            parts.append(path(band, f"{series_class(curve.series)} band", closed=True))
    for curve in curves:
        parts += _drawn(curve, series[curve.series], xs, ys, ticks)
    summary = "; ".join(
        f"{series[curve.series]}: "
        + ", ".join(f"{ticks.get(p.x, f'{p.x:g}')} {percent(p.span.value)}" for p in curve.points)
        for curve in curves
    )
    return drawing(_LEFT + _WIDE + _RIGHT, top + _TALL + 40, parts, key=key, title=title, summary=summary or "no data")


def _frame(xs: Scale, ys: Scale, ticks: Mapping[float, str]) -> list[str]:
    parts = []
    for tick in ticks_between(0.0, 1.0):
        parts.append(line((_LEFT, ys.at(tick)), (_LEFT + _WIDE, ys.at(tick)), "grid"))
        parts.append(text(_LEFT - 7, ys.at(tick) + 4, tick_words(tick), classes="soft", anchor="end"))
    for at, words in ticks.items():
        parts.append(text(xs.at(at), ys.start + 17, words, classes="soft", anchor="middle"))
    parts.append(text(_LEFT + _WIDE / 2, ys.start + 34, "severity", classes="soft small", anchor="middle"))
    return parts


def _drawn(curve: Curve, name: str, xs: Scale, ys: Scale, ticks: Mapping[float, str]) -> list[str]:
    look = series_class(curve.series)
    parts = [path([(xs.at(one.x), ys.at(one.span.value)) for one in curve.points], f"{look} stroke")]
    for one in curve.points:
        x, (low, high) = xs.at(one.x), one.span.ends
        shapes = [marker(x, ys.at(one.span.value), curve.series)]
        if high > low and len(curve.points) == 1:
            shapes.insert(0, line((x, ys.at(low)), (x, ys.at(high)), f"{look} stroke"))
        bounds = f" [{percent(low)}, {percent(high)}]" if high > low else ""
        words = [f"{name}, {ticks.get(one.x, f'{one.x:g}')}: {percent(one.span.value)}{bounds}", one.note]
        parts.append(group(shapes, note=", ".join(word for word in words if word)))
    return parts
