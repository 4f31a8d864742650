"""A table whose cells are shaded by their score: a real table, so that it can be read aloud, copied and scrolled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from .data import Span
from .scales import percent

__all__ = ["HEAT_STEPS", "HeatCell", "heat_class", "heat_table"]

HEAT_STEPS = 10


@dataclass(frozen=True)
class HeatCell:
    """One cell.

    Args:
        span: the score from 0 to 1; None where nothing was measured.
        note: a second, fainter line, such as "n 40".
        chance: what guessing scores; a score whose interval holds it is marked.
    """

    span: Span | None
    note: str = ""
    chance: float | None = None

    @property
    def is_like_chance(self) -> bool:
        """Whether the interval holds the level of chance; one without a width tells nothing."""
        if self.span is None or self.chance is None:
            return False
        low, high = self.span.ends
        return low < high and low <= self.chance <= high


def heat_class(share: float) -> str:
    """The class of a shade: ``h0`` for 0 to ``h10`` for 1.

    >>> heat_class(0.0), heat_class(0.449), heat_class(1.0)
    ('h0', 'h4', 'h10')
    """
    return f"h{round(HEAT_STEPS * min(1.0, max(0.0, share)))}"


def heat_table(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
    *,
    corner: str,
    caption: str,
    summed: Sequence[str] = (),
) -> Markup:
    """The table.

    Args:
        rows, columns: their headings.
        cells: row by row.
        corner: what the rows are.
        caption: above the table.
        summed: headings of rows and columns that stand for all others; they are set apart.
    """
    head = "".join(f'<th scope="col"{_mark(name in summed)}>{escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr{_mark(name in summed)}><th scope="row">{escape(name)}</th>'
        + "".join(_cell(cell, column in summed) for cell, column in zip(line, columns, strict=True))
        + "</tr>"
        for name, line in zip(rows, cells, strict=True)
    )
    return Markup(  # noqa: S704 - every part escapes its text
        f'<table class="heat"><caption>{escape(caption)}</caption><thead><tr><th scope="col">{escape(corner)}</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _mark(summed: bool) -> str:
    return ' class="sum"' if summed else ""


def _cell(cell: HeatCell, summed: bool) -> str:
    extra = " sum" if summed else ""
    if cell.span is None:
        return f'<td class="none{extra}">–{_small(cell.note)}</td>'
    low, high = cell.span.ends
    bounds = "" if cell.span.low is None else f"{100 * low:.0f}–{100 * high:.0f}"
    words = " · ".join(word for word in (bounds, cell.note) if word)
    like = '<i title="the interval holds the level of chance"> ≈ chance</i>' if cell.is_like_chance else ""
    return (
        f'<td class="{heat_class(cell.span.value)}{extra}"><b>{percent(cell.span.value)}</b>{_small(words)}{like}</td>'
    )


def _small(words: str) -> str:
    return f"<small>{escape(words)}</small>" if words else ""
