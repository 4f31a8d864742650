"""Scores by subject, condition and category."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...metrics import ERROR_STATUS, PARSE_FAILURES, Interval
from ...runs import MISSING_STATUS, STATUSES
from ..summary import ResultRow
from .groups import Grouping, counted, means_in
from .observations import Observations

__all__ = ["result_rows"]

_MISSING: Final = STATUSES.index(MISSING_STATUS)
_ERROR: Final = STATUSES.index(ERROR_STATUS)


def result_rows(observed: Observations, grouping: Grouping) -> tuple[ResultRow, ...]:
    """One row for each subject and group with items in it."""
    scores = means_in(grouping, observed.score, observed)
    rows: list[ResultRow] = []
    for subject in range(len(observed.subjects)):
        rows += _rows_of(observed, grouping, subject, scores[subject])
    return _with_blind(observed, rows)


def _rows_of(
    observed: Observations, grouping: Grouping, subject: int, scores: list[Interval | None]
) -> list[ResultRow]:
    planned = observed.call[subject] >= 0
    status, scored = observed.status[subject], np.isfinite(observed.score[subject])
    missing, error = planned & (status == _MISSING), planned & (status == _ERROR)
    replied = planned & ~missing & ~error

    def share_of(*names: str) -> NDArray[np.float64]:
        return counted(grouping, np.isin(status, [STATUSES.index(name) for name in names]) & replied)

    counts = {
        "n": counted(grouping, planned),
        "scored": counted(grouping, scored),
        "unscored": counted(grouping, replied & ~scored),
        "errors": counted(grouping, error),
        "missing": counted(grouping, missing),
    }
    total = counted(grouping, np.where(scored, observed.score[subject], 0.0))
    unknown = counted(grouping, ~scored & planned & observed.has_truth[:, None])
    chance = counted(grouping, scored * observed.chance[:, None])
    replies = counted(grouping, replied)
    shares = {
        "parse_failure": share_of(*PARSE_FAILURES),
        "refusal": share_of("refusal"),
        "truncation": share_of("truncated"),
    }
    rows = []
    for place, group in enumerate(grouping.groups):
        if not counts["n"][place]:
            continue
        here, open_ = counts["scored"][place], unknown[place]
        rows.append(
            ResultRow(
                subject=observed.subjects[subject],
                condition=group.condition,
                by=group.by,
                category=group.category,
                **{name: int(count[place]) for name, count in counts.items()},
                score=scores[place],
                low=_share(total[place], here + open_) if here else None,
                high=_share(total[place] + open_, here + open_) if here else None,
                chance=_share(chance[place], here),
                blind=None,
                **{name: _share(count[place], replies[place]) for name, count in shares.items()},
            )
        )
    return rows


def _with_blind(observed: Observations, rows: list[ResultRow]) -> tuple[ResultRow, ...]:
    """What the same arm scored without pictures, beside what it scored with them."""
    blind_prompts = {
        subject.prompt for subject, blind in zip(observed.subjects, observed.is_blind, strict=True) if blind
    }
    blind: dict[tuple[str, str, str, str, str], float] = {}
    for row in rows:
        if row.subject.prompt in blind_prompts and row.score is not None:
            blind.setdefault(_place_of(row), row.score.estimate)
    return tuple(
        row if row.subject.prompt in blind_prompts else row.model_copy(update={"blind": blind.get(_place_of(row))})
        for row in rows
    )


def _place_of(row: ResultRow) -> tuple[str, str, str, str, str]:
    return row.subject.run, row.subject.arm, row.condition, row.by, row.category


def _share(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole else None
