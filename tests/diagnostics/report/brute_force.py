"""The numbers of a report the long way round: plain dictionaries and loops over the replies, one number at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from seeworthy.diagnostics.runs import STATUSES, JudgedRun, RunItem

__all__ = ["Row", "binomial_two_sided", "pairs_between", "pairs_of_conditions", "rows_of"]


@dataclass(frozen=True)
class Row:
    """One planned call and what came of it."""

    item: RunItem
    arm: str
    prompt: str
    repeat: int
    status: str
    score: float | None


def rows_of(run: JudgedRun) -> list[Row]:
    settings = run.plan.settings
    return [
        Row(
            run.items[item],
            settings.arms[arm].name,
            settings.prompts[prompt].name,
            repeat,
            STATUSES[status],
            None if math.isnan(score) else score,
        )
        for item, arm, prompt, repeat, status, score in zip(
            run.item.tolist(),
            run.arm.tolist(),
            run.prompt.tolist(),
            run.repeat.tolist(),
            run.status.tolist(),
            run.score.tolist(),
            strict=True,
        )
    ]


def pairs_of_conditions(rows: list[Row], arm: str, prompt: str, condition: str) -> Iterator[tuple[Row, Row]]:
    """(clean, degraded) rows of the same question with scores on both sides."""
    mine = [row for row in rows if (row.arm, row.prompt) == (arm, prompt) and row.score is not None]
    clean = {(row.item.question_id, row.repeat): row for row in mine if row.item.condition == "clean"}
    for row in mine:
        same = clean.get((row.item.question_id, row.repeat))
        if same is not None and row.item.condition == condition != "clean":
            yield same, row


def pairs_between(
    rows: list[Row], before: tuple[str, str], after: tuple[str, str], condition: str
) -> Iterator[tuple[Row, Row]]:
    """Rows of the same item by two (arm, prompt) pairs."""
    here = [row for row in rows if row.item.condition == condition and row.score is not None]
    first = {(row.item.id, row.repeat): row for row in here if (row.arm, row.prompt) == before}
    for row in here:
        same = first.get((row.item.id, row.repeat))
        if same is not None and (row.arm, row.prompt) == after:
            yield same, row


def binomial_two_sided(fewer: int, n: int) -> float:
    """Chance that a fair coin shows a split as uneven as this."""
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n)
