"""Results of a run: condition by kind, with all that an honest number stands beside; always from the whole store.

The same records give the same results to the last bit, in whatever order they were written: replies are judged anew,
sums run in the order of the items' ids, and the bootstrap draws from the run's seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ..metrics import ERROR_STATUS, ClusteredCells, Interval, bootstrap_cells, chance_level, score_rates
from .folder import RunFolder
from .judged import MISSING_STATUS, STATUSES, JudgedRun, judged_run
from .record import Spent
from .scoring import why_unscored

__all__ = ["ALL_KINDS", "ResultGroup", "RunResults", "run_results"]

ALL_KINDS: Final = "all"
_RESAMPLES: Final = 2000


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ResultGroup(_Value):
    """One model, prompt, condition and kind.

    Attributes:
        kind: or "all" for all kinds together.
        n: items times repeats that the plan has here.
        scored: with a reply and a score; the denominator of ``score`` and of its interval.
        unscored: with a reply that cannot be scored (no truth, free text).
        errors: whose call failed.
        missing: not asked yet.
        score: mean score with its interval over scenes; None when nothing is scored.
        chance: mean chance level of the scored items.
        unscored_because: reason -> how many of the unscored.
        parts: name -> mean of a further score over the replies that have it, such as "relation" of scene graphs.
        parse_failure, refusal, truncation: shares of the items with a reply; None without any.
    """

    arm: str
    prompt: str
    condition: str
    kind: str
    n: int
    scored: int
    unscored: int
    errors: int
    missing: int
    score: Interval | None
    chance: float | None
    parse_failure: float | None
    refusal: float | None
    truncation: float | None
    unscored_because: dict[str, int] = {}
    parts: dict[str, float] = {}


class RunResults(_Value):
    """All groups of a run, and what it cost.

    Attributes:
        left: calls of the plan without a reply.
        stray: records that no call of the plan asks for any more, because the data changed.
    """

    groups: tuple[ResultGroup, ...]
    spent: Spent
    left: int
    stray: int


def run_results(folder: RunFolder) -> RunResults:
    """The results of a run, from its folder alone: no suite, no model, no call.

    Raises:
        DiagnosticsError: the folder is damaged, or an item's truth cannot be scored.
    """
    run = judged_run(folder)
    groups: list[ResultGroup] = []
    for arm, prompt in np.ndindex(len(run.plan.settings.arms), len(run.plan.settings.prompts)):
        groups += _groups_of(run, arm, prompt)
    return RunResults(groups=tuple(groups), spent=run.spent, left=run.left, stray=run.stray)


def _groups_of(run: JudgedRun, arm: int, prompt: int) -> list[ResultGroup]:
    mine = np.flatnonzero((run.arm == arm) & (run.prompt == prompt))
    conditions = np.array([item.condition for item in run.items])[run.item[mine]]
    kinds = np.array([item.kind_name for item in run.items])[run.item[mine]]
    members: dict[tuple[str, str], NDArray[np.intp]] = {}
    for condition in sorted(set(conditions.tolist()), key=lambda name: (name != "clean", name)):
        here = conditions == condition
        for kind in sorted(set(kinds[here].tolist())):
            members[condition, kind] = mine[here & (kinds == kind)]
        members[condition, ALL_KINDS] = mine[here]
    scores = _intervals(run, list(members.values()))
    names = run.plan.settings.arms[arm].name, run.plan.settings.prompts[prompt].name
    return [
        _group(run, calls, (*names, *name), score) for (name, calls), score in zip(members.items(), scores, strict=True)
    ]


def _intervals(run: JudgedRun, groups: Sequence[NDArray[np.intp]]) -> list[Interval | None]:
    if not groups:
        return []
    _, clusters = np.unique([item.cluster for item in run.items], return_inverse=True)
    calls = np.concatenate(groups)
    cells = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    scored = np.isfinite(run.score[calls])
    calls, cells = calls[scored], cells[scored]
    terms = np.stack([run.score[calls], np.ones(len(calls))], axis=1)
    sums = ClusteredCells.of(cells, clusters[run.item[calls]], terms, n_cells=len(groups))
    return bootstrap_cells(
        sums, combine=lambda sums: sums[..., 0] / sums[..., 1], seed=run.plan.settings.seed, resamples=_RESAMPLES
    )


def _group(
    run: JudgedRun, calls: NDArray[np.intp], names: tuple[str, str, str, str], score: Interval | None
) -> ResultGroup:
    there = calls[run.status[calls] != STATUSES.index(MISSING_STATUS)]
    rates = score_rates([STATUSES[place] for place in run.status[there].tolist()])
    scored = calls[np.isfinite(run.score[calls])]
    chances = [chance_level(run.items[place].answer_format) for place in run.item[scored].tolist()]
    arm, prompt, condition, kind = names
    return ResultGroup(
        arm=arm,
        prompt=prompt,
        condition=condition,
        kind=kind,
        n=len(calls),
        scored=len(scored),
        unscored=rates.scored - len(scored),
        errors=rates.errors,
        missing=len(calls) - len(there),
        score=score,
        chance=sum(chances) / len(scored) if chances else None,
        parse_failure=rates.parse_failure_rate,
        refusal=rates.refusal_rate,
        truncation=rates.truncation_rate,
        unscored_because=_reasons(run, there),
        parts=_parts(run, calls),
    )


def _reasons(run: JudgedRun, there: NDArray[np.intp]) -> dict[str, int]:
    unscored = there[np.isnan(run.score[there]) & (run.status[there] != STATUSES.index(ERROR_STATUS))]
    reasons = Counter(why_unscored(run.items[place]) for place in run.item[unscored].tolist())
    return dict(sorted(reasons.items()))


def _parts(run: JudgedRun, calls: NDArray[np.intp]) -> dict[str, float]:
    found = {name: column[calls][np.isfinite(column[calls])] for name, column in run.parts.items()}
    return {name: float(values.mean()) for name, values in found.items() if len(values)}
