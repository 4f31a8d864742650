"""How the page writes numbers. A dash is a number that is not known; nothing is shown as 0 that is not 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...metrics import Interval
from .charts import Span
from .charts.scales import percent, points

__all__ = [
    "DASH",
    "FLAG_MARKS",
    "Column",
    "Table",
    "count_words",
    "difference_words",
    "listed",
    "money",
    "p_words",
    "score_words",
    "seconds_words",
    "share",
    "span_of",
    "table",
]

DASH: Final = "–"
FLAG_MARKS: Final = {
    "few_clusters": ("*", "fewer than 30 scenes: the interval is too narrow"),
    "one_cluster": ("†", "one scene only: no interval"),
    "no_variation": ("‡", "all alike, so that a width of 0 is no evidence"),
    "undefined_resamples": ("§", "the number could not be computed on some resamples"),
}
"""Flag of an interval -> its mark, and what the mark means."""


@dataclass(frozen=True)
class Column:
    """A column of a table; numbers stand at the right."""

    name: str
    kind: str = "num"


@dataclass(frozen=True)
class Table:
    """A table as the page shows it. All cells are plain text and are escaped by the template.

    Args:
        caption: above it; "" for none.
        rows: cells in the order of the columns.
        left_out: rows that were cut off.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0


def table(caption: str, columns: str | Sequence[Column], rows: Iterable[Sequence[str]], *, most: int = 400) -> Table:
    """A table from its columns, or from their names with ``|`` between them and ``<`` before those that hold words.

    >>> [(one.name, one.kind) for one in table("", "<model|n", []).columns]
    [('model', 'words'), ('n', 'num')]
    """
    if isinstance(columns, str):
        named = [(name.removeprefix("<"), "words" if name.startswith("<") else "num") for name in columns.split("|")]
        columns = [Column(name, kind) for name, kind in named]
    cells = [tuple(row) for row in rows]
    return Table(caption, tuple(columns), tuple(cells[:most]), max(0, len(cells) - most))


def span_of(found: Interval | None) -> Span | None:
    """An interval as charts take it."""
    return None if found is None else Span(found.estimate, found.low, found.high)


def share(value: float | None) -> str:
    """
    >>> share(0.425), share(None)
    ('42.5%', '–')
    """
    return DASH if value is None else percent(value)


def score_words(found: Interval | None) -> str:
    """A share with its interval and the marks of its flags.

    >>> score_words(None)
    '–'
    """
    if found is None:
        return DASH
    bounds = "" if found.low is None or found.high is None else f" [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return percent(found.estimate) + bounds + _marks(found)


def difference_words(found: Interval | None) -> str:
    """A difference in percentage points with its interval and the marks of its flags."""
    if found is None:
        return DASH
    bounds = "" if found.low is None or found.high is None else f" [{points(found.low)}, {points(found.high)}]"
    return points(found.estimate) + bounds + _marks(found)


def _marks(found: Interval) -> str:
    marks = "".join(mark for flag, (mark, _) in FLAG_MARKS.items() if flag in found.flags)
    return f" {marks}" if marks else ""


def p_words(p: float | None) -> str:
    """
    >>> p_words(0.0214), p_words(0.00001), p_words(1.0), p_words(None)
    ('0.021', '< 0.001', '1.000', '–')
    """
    if p is None:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def money(usd: float | None) -> str:
    """
    >>> money(1.5), money(0.00042), money(0.0), money(None)
    ('$1.50', '$0.00042', '$0.00', '–')
    """
    if usd is None:
        return DASH
    sign = "−" if usd < 0 else ""
    size = abs(usd)
    return f"{sign}${size:,.2f}" if size >= 0.1 or size == 0 else f"{sign}${size:.2g}"


def seconds_words(seconds: float | None) -> str:
    """
    >>> seconds_words(0.25), seconds_words(75), seconds_words(7300)
    ('0.25 s', '1 min 15 s', '2 h 01 min')
    """
    if seconds is None:
        return DASH
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def count_words(count: int, one: str, many: str = "") -> str:
    """
    >>> count_words(1, "scene"), count_words(1200, "scene"), count_words(2, "category", "categories")
    ('1 scene', '1,200 scenes', '2 categories')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["haze", "rain", "snow"])
    'haze, rain and snow'
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""
