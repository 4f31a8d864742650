"""Bars with their intervals, and a tick where guessing stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from markupsafe import Markup

from .data import Bar, BarRow
from .marks import drawing, fitted, group, legend, line, rectangle, series_class, text, text_width
from .scales import Scale, percent, tick_words, ticks_between

__all__ = ["bar_chart"]

_PLOT_PX = 440.0
_LONGEST_LABEL_PX = 230.0
_BAR_PX, _GAP_PX, _ROW_GAP_PX = 15.0, 3.0, 11.0
_NUMBERS_PX = 150.0

Unit = Literal["%", "|r|"]


def bar_chart(
    rows: Sequence[BarRow], series: Sequence[str], *, key: str, title: str, high: float = 1.0, unit: Unit = "%"
) -> Markup:
    """Horizontal bars from 0, a row of them a label, with their intervals as whiskers and chance as a tick.

    Args:
        rows: from top to bottom.
        series: names for the legend.
        key: unique in the page.
        title: for those who cannot see it.
        high: the right end of the scale.
        unit: shares are written in per cent, correlations as they are.
    """
    left = 12 + min(_LONGEST_LABEL_PX, max((text_width(row.label) for row in rows), default=0.0))
    scale = Scale(0.0, high, left, left + _PLOT_PX)
    width = left + _PLOT_PX + _NUMBERS_PX
    parts, top = legend(series, width)
    bodies, y = [], top + 4
    for row in rows:
        tall = len(row.bars) * (_BAR_PX + _GAP_PX) - _GAP_PX
        bodies.append(
            group(
                [text(left - 10, y + tall / 2 + 4, fitted(row.label, _LONGEST_LABEL_PX), anchor="end")], note=row.label
            )
        )
        for place, bar in enumerate(row.bars):
            bodies.append(_bar(bar, scale, y + place * (_BAR_PX + _GAP_PX), f"{row.label}, {series[bar.series]}", unit))
        y += tall + _ROW_GAP_PX
    foot = y - _ROW_GAP_PX / 2
    for tick in ticks_between(0.0, high):
        x = scale.at(tick)
        parts.append(line((x, top), (x, foot), "grid"))
        parts.append(
            text(x, foot + 16, tick_words(tick) if unit == "%" else f"{tick:g}", classes="soft", anchor="middle")
        )
    return drawing(width, foot + 24, [*parts, *bodies], key=key, title=title, summary=_summary(rows, series, unit))


def _bar(bar: Bar, scale: Scale, y: float, name: str, unit: Unit) -> str:
    middle = y + _BAR_PX / 2
    if bar.span is None:
        return group([text(scale.start + 6, middle + 4, "no data", classes="soft")], note=f"{name}: no data")
    low, high = bar.span.ends
    shapes = [
        rectangle(scale.start, y, scale.at(bar.span.value) - scale.start, _BAR_PX, f"{series_class(bar.series)} fill")
    ]
    if high > low:
        shapes += [
            line((scale.at(low), middle), (scale.at(high), middle), "under"),
            line((scale.at(low), middle), (scale.at(high), middle), "whisker"),
            *(line((scale.at(end), middle - 4), (scale.at(end), middle + 4), "whisker") for end in (low, high)),
        ]
    if bar.chance is not None:
        at = scale.at(bar.chance)
        shapes += [line((at, y - 2), (at, y + _BAR_PX + 2), look) for look in ("chance under", "chance")]
    shapes.append(text(scale.end + 10, middle + 4, _numbers(bar, unit)))
    return group(shapes, note=f"{name}: {_in_words(bar, unit)}")


def _numbers(bar: Bar, unit: Unit) -> str:
    if bar.span is None:
        return "no data"
    value, (low, high) = bar.span.value, bar.span.ends
    if unit == "%":
        return percent(value) + (f"  [{100 * low:.0f}, {100 * high:.0f}]" if bar.span.low is not None else "")
    return f"{value:.2f}" + (f"  [{low:.2f}, {high:.2f}]" if bar.span.low is not None else "")


def _in_words(bar: Bar, unit: Unit) -> str:
    words = [_numbers(bar, unit), bar.note, "" if bar.chance is None else f"chance {percent(bar.chance)}"]
    return ", ".join(word for word in words if word)


def _summary(rows: Sequence[BarRow], series: Sequence[str], unit: Unit) -> str:
    told = (f"{row.label}, {series[bar.series]}: {_in_words(bar, unit)}" for row in rows for bar in row.bars)
    return "; ".join(told) or "no data"
