"""What replies cost, and what it costs to get an answer right that another model gets wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ....bench_data.suites import CLEAN
from ..summary import ALL, ALL_DEGRADED, CostRow, RecoveryRow
from .observations import Observations
from .paired import ComparedSubjects, flip_masks

__all__ = ["cost_rows", "recovery_rows"]


def cost_rows(observed: Observations) -> tuple[CostRow, ...]:
    """One for each subject."""
    rows = []
    for subject, who in enumerate(observed.subjects):
        run = observed.runs[observed.run_of[subject]]
        asked = observed.unique[subject]
        mine = np.unique(asked[asked >= 0])
        same_run = [
            observed.unique[earlier]
            for earlier in range(subject)
            if observed.run_of[earlier] == observed.run_of[subject]
        ]
        if same_run:
            mine = np.setdiff1d(mine, np.concatenate([one.ravel() for one in same_run]))
        spending = run.spending
        calls, unpriced = int(spending.calls[mine].sum()), int(spending.unpriced[mine].sum())
        seconds = spending.seconds[mine]
        seconds = seconds[np.isfinite(seconds)]
        rows.append(
            CostRow(
                subject=who,
                questions=int((asked >= 0).sum()),
                calls=calls,
                input_tokens=int(spending.input_tokens[mine].sum()),
                output_tokens=int(spending.output_tokens[mine].sum()),
                usd=round(float(spending.usd[mine].sum()), 9) if calls > unpriced else None,
                unpriced=unpriced,
                seconds=round(float(seconds.sum()), 3) if len(seconds) else None,
                seconds_median=round(float(np.median(seconds)), 3) if len(seconds) else None,
            )
        )
    return tuple(rows)


def recovery_rows(observed: Observations, compared: Sequence[ComparedSubjects]) -> tuple[RecoveryRow, ...]:
    """For every two models that were shown the pictures in the same way in one run, by condition."""
    rows = []
    for one in compared:
        if one.contrast != "arm" or observed.is_blind[one.after]:
            continue
        masks = flip_masks(observed.is_binary, observed.score[one.before], observed.score[one.after])
        for condition, items in _conditions(observed):
            here = {name: mask & items[:, None] for name, mask in masks.items()}
            pairs = np.any(list(here.values()), axis=0)
            if pairs.any():
                rows.append(_row(observed, one, condition, pairs, int(here["gained"].sum()), int(here["lost"].sum())))
    return tuple(rows)


def _row(
    observed: Observations,
    compared: ComparedSubjects,
    condition: str,
    pairs: NDArray[np.bool_],
    recovered: int,
    lost: int,
) -> RecoveryRow:
    (calls_before, tokens_before, usd_before), (calls_after, tokens_after, usd_after) = (
        _spent(observed, subject, pairs) for subject in (compared.before, compared.after)
    )
    extra_usd = None if usd_before is None or usd_after is None else usd_after - usd_before
    return RecoveryRow(
        before=observed.subjects[compared.before],
        after=observed.subjects[compared.after],
        condition=condition,
        wraps=compared.wraps,
        pairs=int(pairs.sum()),
        recovered=recovered,
        lost=lost,
        calls_before=calls_before,
        calls_after=calls_after,
        tokens_before=tokens_before,
        tokens_after=tokens_after,
        usd_before=usd_before,
        usd_after=usd_after,
        extra_calls_per_recovered=_per(calls_after - calls_before, recovered),
        extra_calls_per_net=_per(calls_after - calls_before, recovered - lost),
        extra_tokens_per_recovered=_per(tokens_after - tokens_before, recovered),
        extra_usd_per_recovered=None if extra_usd is None else _per(extra_usd, recovered),
        extra_usd_per_net=None if extra_usd is None else _per(extra_usd, recovered - lost),
    )


def _spent(observed: Observations, subject: int, pairs: NDArray[np.bool_]) -> tuple[int, int, float | None]:
    """Calls, tokens and US dollars of the replies in question."""
    spending = observed.runs[observed.run_of[subject]].spending
    mine = np.unique(observed.unique[subject][pairs])
    tokens = int(spending.input_tokens[mine].sum() + spending.output_tokens[mine].sum())
    calls, unpriced = int(spending.calls[mine].sum()), int(spending.unpriced[mine].sum())
    return calls, tokens, round(float(spending.usd[mine].sum()), 9) if calls and not unpriced else None


def _conditions(observed: Observations) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    degraded = np.array([name != CLEAN for name in observed.conditions])
    for place, name in enumerate(observed.conditions):
        yield name, observed.condition == place
    if degraded.sum() > 1:
        yield ALL_DEGRADED, degraded[observed.condition]
    if len(observed.conditions) > 1:
        yield ALL, np.ones(len(observed.condition), np.bool_)


def _per(amount: float, answers: int) -> float | None:
    return amount / answers if answers > 0 else None
