"""A table of text cells, and how numbers become text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ....metrics import Interval
from ....runs.table import INTERVAL_LEGEND, INTERVAL_MARKS
from ...summary import ReportSummary, Subject

__all__ = ["NONE", "Table", "count", "interval", "named", "names_of", "number", "p_value", "percent", "with_legend"]

NONE: Final = "-"


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: short, for labels.
        title: one line.
        head: names of the columns.
        rows: cells as text, not yet escaped.
        texts: how many of the first columns hold words; the others hold numbers.
        notes: what a reader must know, below the table.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    notes: tuple[str, ...] = ()


def number(value: float | None, decimals: int = 3) -> str:
    """
    >>> number(0.5), number(None), number(-0.0001)
    ('0.500', '-', '0.000')
    """
    if value is None:
        return NONE
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def count(value: int | None) -> str:
    """With commas."""
    return NONE if value is None else f"{value:,}"


def percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f} %"


def p_value(p: float | None) -> str:
    """
    >>> p_value(0.00001), p_value(0.0312), p_value(None)
    ('< 0.001', '0.031', '-')
    """
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def interval(found: Interval | None, *, signed: bool = False) -> str:
    """The estimate with its bounds and the marks of its flags."""
    if found is None:
        return NONE
    marks = "".join(mark for flag, mark in INTERVAL_MARKS.items() if flag in found.flags)

    def text(value: float) -> str:
        plain = number(value)
        return f"+{plain}" if signed and float(plain) > 0 else plain

    bounds = "" if found.low is None or found.high is None else f" [{text(found.low)}, {text(found.high)}]"
    return f"{text(found.estimate)}{bounds} {marks}".rstrip()


def with_legend(shown: Iterable[Interval | None], *notes: str) -> tuple[str, ...]:
    """The notes, and what the marks of the intervals mean that are shown."""
    flags = {flag for one in shown if one is not None for flag in one.flags}
    used = [mark for flag, mark in INTERVAL_MARKS.items() if flag in flags]
    return (*notes, *(f"{mark} {INTERVAL_LEGEND[mark]}" for mark in used))


def names_of(summary: ReportSummary) -> dict[Subject, str]:
    """Subject -> a name without what all subjects share."""
    runs, prompts = ({getattr(one, part) for one in summary.subjects} for part in ("run", "prompt"))
    return {one: named(one, with_run=len(runs) > 1, with_prompt=len(prompts) > 1) for one in summary.subjects}


def named(subject: Subject, *, with_run: bool, with_prompt: bool) -> str:
    """
    >>> named(Subject(run="a", arm="nano", prompt="blind"), with_run=True, with_prompt=True)
    'a: nano, blind'
    """
    return (f"{subject.run}: " if with_run else "") + subject.arm + (f", {subject.prompt}" if with_prompt else "")
