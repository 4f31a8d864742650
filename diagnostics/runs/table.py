"""Results as a plain table for terminals, the same bytes each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..metrics import Interval
from .results import ALL_KINDS, ResultGroup, RunResults

__all__ = ["INTERVAL_LEGEND", "INTERVAL_MARKS", "aligned", "results_table"]

INTERVAL_MARKS: Final = {"few_clusters": "*", "one_cluster": "!", "no_variation": "="}
INTERVAL_LEGEND: Final = {
    "*": "fewer than 30 scenes: the interval is too narrow",
    "!": "one scene: no interval",
    "=": "all alike: the width of 0 is no evidence",
}
_CUT = 60


def results_table(results: RunResults) -> str:
    """One block a model and prompt; a row a condition and kind. Ends with a line break."""
    blocks: dict[tuple[str, str], list[ResultGroup]] = {}
    for group in results.groups:
        blocks.setdefault((group.arm, group.prompt), []).append(group)
    several_prompts = len({prompt for _, prompt in blocks}) > 1
    lines: list[str] = []
    marks: set[str] = set()
    for (arm, prompt), groups in blocks.items():
        lines += ["", f"{arm}, prompt {prompt}" if several_prompts else arm]
        rows = [_row(group, marks) for group in groups]
        lines += aligned([_HEAD, *rows], left=2)
        lines += [f"  {note}" for group in groups if group.kind == ALL_KINDS for note in _notes(group)]
    lines += [f"  {mark} {words}" for mark, words in INTERVAL_LEGEND.items() if mark in marks]
    if results.left:
        lines.append(f"  {results.left:,} calls have no reply yet; the same command makes them")
    if results.stray:
        lines.append(f"  {results.stray:,} records belong to items that are gone from the data; they are not counted")
    return "\n".join(lines).lstrip("\n") + "\n"


_HEAD = (
    "condition",
    "kind",
    "n",
    "scored",
    "score",
    "95 % interval",
    "chance",
    "parse failure",
    "refusal",
    "cut off",
    "errors",
)


def _row(group: ResultGroup, marks: set[str]) -> tuple[str, ...]:
    score = group.score
    return (
        _cut(group.condition),
        _cut(group.kind),
        f"{group.n:,}",
        f"{group.scored:,}",
        "-" if score is None else f"{score.estimate:.3f}",
        "-" if score is None else _interval(score, marks),
        "-" if group.chance is None else f"{group.chance:.3f}",
        _percent(group.parse_failure),
        _percent(group.refusal),
        _percent(group.truncation),
        f"{group.errors:,}",
    )


def _notes(group: ResultGroup) -> list[str]:
    """What the columns have no room for: why replies are unscored, and further scores."""
    name = _cut(group.condition)
    notes = [f"{name}: {count:,} unscored: {reason}" for reason, count in group.unscored_because.items()]
    if group.parts:
        shares = ", ".join(f"{part.replace('_', ' ')} {value:.3f}" for part, value in group.parts.items())
        notes.append(f"{name}: scene graphs: {shares}")
    return notes


def _interval(score: Interval, marks: set[str]) -> str:
    found = [mark for flag, mark in INTERVAL_MARKS.items() if flag in score.flags]
    marks.update(found)
    bounds = "-" if score.low is None or score.high is None else f"{score.low:.3f} to {score.high:.3f}"
    return f"{bounds} {''.join(found)}".rstrip()


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"


def aligned(rows: Sequence[tuple[str, ...]], *, left: int) -> list[str]:
    """Columns as wide as they need; the first ``left`` begin at the left, the others end at the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
