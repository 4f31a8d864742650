"""The page's charts: the quadrants, consistency beside chance and ceiling, outcomes, effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from ...consistency import ConsistencyReport, GroupConsistency, Outcome
from ...diagnosis import Diagnosis, Score
from ...interventions import EffectResult
from ...metrics import Interval
from .svg import BLUE, GREEN, GREY, INK, ORANGE, PALE, dot, drawing, line, rectangle, text

__all__ = ["OUTCOME_COLOURS", "consistency_bars", "effect_plot", "outcome_bar", "quadrant_plot"]

OUTCOME_COLOURS = {
    Outcome.BOTH_RIGHT: GREEN,
    Outcome.ONLY_DIRECT_RIGHT: "#56b4e9",
    Outcome.ONLY_DERIVED_RIGHT: "#e69f00",
    Outcome.SAME_WRONG: ORANGE,
    Outcome.DIFFERENT_WRONG: GREY,
}


def quadrant_plot(diagnosis: Diagnosis) -> Markup:
    """Answers across, graph upwards, both from chance (0) to perfect (1), with their intervals and the threshold."""
    answers, graph = diagnosis.scores[Score.ANSWERS], diagnosis.scores[Score.GRAPH]
    low = min([-0.05, *(one.low for one in (answers, graph) if one.low is not None)]) - 0.05
    side, left, top = 330.0, 52.0, 14.0

    def across(value: float) -> float:
        return left + side * (value - low) / (1.05 - low)

    def up(value: float) -> float:
        return top + side * (1.05 - value) / (1.05 - low)

    high = diagnosis.thresholds.high
    parts = [
        rectangle(left, top, side, side, fill="#fff", stroke=PALE),
        rectangle(across(high), top, left + side - across(high), up(high) - top, fill=GREEN, opacity=0.08),
        line(across(high), top, across(high), top + side, dash="4 3"),
        line(left, up(high), left + side, up(high), dash="4 3"),
        text(left + side - 8, top + 18, "sees and uses it", anchor="end", colour=GREEN, bold=True),
        text(left + side - 8, top + side - 10, "semantic shortcut", anchor="end", colour=GREY),
        text(left + 8, top + 18, "disconnected", colour=GREY),
        text(left + 8, top + side - 10, "ungrounded", colour=GREY),
    ]
    for value in (0.0, 0.5, 1.0):
        parts.append(text(across(value), top + side + 18, f"{value:g}", anchor="middle", size=11, colour=GREY))
        parts.append(text(left - 8, up(value) + 4, f"{value:g}", anchor="end", size=11, colour=GREY))
    parts.append(text(left + side / 2, top + side + 38, "answers (0 = chance, 1 = perfect)", anchor="middle"))
    parts.append(
        f'<g transform="rotate(-90 14 {top + side / 2:.0f})">'
        + text(14, top + side / 2, "graph (same scale)", anchor="middle")
        + "</g>"
    )
    x, y = across(answers.estimate), up(graph.estimate)
    if answers.low is not None and answers.high is not None:
        parts.append(line(across(answers.low), y, across(answers.high), y, colour=BLUE, width=2))
    if graph.low is not None and graph.high is not None:
        parts.append(line(x, up(graph.low), x, up(graph.high), colour=BLUE, width=2))
    parts.append(dot(x, y, 6, fill=BLUE, stroke="#fff"))
    label = f"answers {answers.estimate:.2f}, graph {graph.estimate:.2f}"
    return drawing(left + side + 10, top + side + 46, parts, label=label, style="max-width:400px")


def consistency_bars(report: ConsistencyReport) -> Markup:
    """One bar of agreement an ability, with chance as a tick and the ceiling as an outline; coverage in words."""
    rows: list[GroupConsistency] = list(report.groups)
    row, left, wide = 34.0, 120.0, 330.0
    parts = []
    for place, group in enumerate(rows):
        y = 10 + place * row
        parts.append(text(left - 10, y + 15, group.name, anchor="end"))
        parts.append(rectangle(left, y, wide, 20, fill=PALE, opacity=0.5))
        if group.agreement is not None:
            parts.append(rectangle(left, y, wide * group.agreement, 20, fill=BLUE))
        if group.ceiling is not None:
            parts.append(rectangle(left, y - 3, wide * group.ceiling.overall, 26, stroke=INK))
        if group.chance is not None:
            parts.append(
                line(left + wide * group.chance, y - 5, left + wide * group.chance, y + 25, colour=ORANGE, width=3)
            )
        agreed = "–" if group.agreement is None else f"{group.agreement:.0%}"
        words = f"{agreed} of {group.compared}, coverage {group.coverage:.0%}"
        parts.append(text(left + wide + 12, y + 15, words, size=12, colour=INK))
    foot = 16 + len(rows) * row
    for value in (0.0, 0.5, 1.0):
        parts.append(text(left + wide * value, foot + 12, f"{value:.0%}", anchor="middle", size=11, colour=GREY))
    label = "agreement of answers and graphs by ability"
    return drawing(left + wide + 190, foot + 20, parts, label=label, style="max-width:680px")


def outcome_bar(report: ConsistencyReport) -> Markup:
    """The compared questions, split by who is right."""
    wide, total = 640.0, max(1, report.compared)
    parts, x = [], 0.0
    for outcome, colour in OUTCOME_COLOURS.items():
        share = report.outcomes.get(outcome, 0) / total
        parts.append(rectangle(x, 0, wide * share, 28, fill=colour))
        if share > 0.06:
            parts.append(text(x + wide * share / 2, 19, f"{share:.0%}", anchor="middle", colour="#fff", bold=True))
        x += wide * share
    return drawing(wide, 28, parts, label="outcomes of the compared questions", style="max-width:680px")


def effect_plot(effects: Sequence[EffectResult]) -> Markup:
    """One line an effect: the difference with its interval, around zero."""
    shown = [(effect, effect.difference.difference) for effect in effects if effect.difference is not None]
    reach = max([0.1, *(abs(bound) for _, found in shown for bound in _bounds(found))]) * 1.1
    row, left, wide = 30.0, 210.0, 330.0

    def across(value: float) -> float:
        return left + wide * (value + reach) / (2 * reach)

    foot = 10 + row * len(shown)
    parts = [line(across(0), 4, across(0), foot, colour=GREY)]
    parts += _effect_rows(shown, across, row, left, wide)
    for value in (-reach / 1.1, 0.0, reach / 1.1):
        parts.append(text(across(value), foot + 14, f"{value:+.0%}", anchor="middle", size=11, colour=GREY))
    return drawing(left + wide + 210, foot + 22, parts, label="effects with their intervals", style="max-width:750px")


def _effect_rows(
    shown: Sequence[tuple[EffectResult, Interval]],
    across: Callable[[float], float],
    row: float,
    left: float,
    wide: float,
) -> list[str]:
    parts = []
    for place, (effect, found) in enumerate(shown):
        y = 20 + place * row
        clear = found.low is not None and found.high is not None and (found.low > 0 or found.high < 0)
        colour = BLUE if clear else GREY
        parts.append(text(left - 10, y + 4, effect.name, anchor="end"))
        low, high = _bounds(found)
        parts.append(line(across(low), y, across(high), y, colour=colour, width=3))
        parts.append(dot(across(found.estimate), y, 5, fill=colour, stroke="#fff"))
        words = f"{found.estimate:+.1%}" + ("" if found.low is None else f" [{low:+.1%}, {high:+.1%}]")
        parts.append(text(left + wide + 12, y + 4, words, size=12))
    return parts


def _bounds(found: Interval) -> tuple[float, float]:
    if found.low is None or found.high is None:
        return found.estimate, found.estimate
    return found.low, found.high
