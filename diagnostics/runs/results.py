"""Results of a run: condition by kind, with all that an honest number stands beside; always from the whole store.

The same records give the same results to the last bit, in whatever order they were written: replies are judged anew,
sums run in the order of the items' ids, and the bootstrap draws from the run's seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ..errors import DiagnosticsError
from ..metrics import ERROR_STATUS, Interval, chance_level, cluster_bootstrap, score_rates
from .folder import RunFolder
from .items import PictureRef, RunItem
from .plan import Call, RunPlan, planned_calls
from .record import Spent
from .scoring import JudgedReply, LoadMask, judge_reply, mask_from_bytes
from .store import read_records

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
    plan, items = folder.plan(), folder.items()
    calls = planned_calls(plan.settings, items)
    judged, spent, stray = _judged(folder, plan, calls)
    groups = []
    for arm in plan.settings.arms:
        for prompt in plan.settings.prompts:
            mine = [call for call in calls if call.arm == arm.name and call.prompt == prompt.name]
            groups += _groups_of(mine, judged, arm.name, prompt.name, plan.settings.seed)
    keys = {call.key for call in calls}
    left = sum(key not in judged or judged[key].status == ERROR_STATUS for key in keys)
    return RunResults(groups=tuple(groups), spent=spent, left=left, stray=stray)


def _judged(folder: RunFolder, plan: RunPlan, calls: Sequence[Call]) -> tuple[dict[str, JudgedReply], Spent, int]:
    """Key -> the last reply to it, judged; an error only where nothing else came."""
    by_key = {call.key: call for call in calls}
    spaces = {arm.name: arm.space for arm in plan.settings.arms}
    load_mask = _mask_loader(folder)
    judged: dict[str, JudgedReply] = {}
    spent, stray = Spent(), 0
    for record in read_records(folder.records):
        spent.add(record.spent)
        call = by_key.get(record.key)
        if call is None:
            stray += 1
        elif record.is_done or record.key not in judged:
            judged[record.key] = judge_reply(call.item, record.reply, space=spaces[call.arm], load_mask=load_mask)
    return judged, spent, stray


def _groups_of(
    calls: Sequence[Call], judged: dict[str, JudgedReply], arm: str, prompt: str, seed: int
) -> list[ResultGroup]:
    ordered = sorted(calls, key=lambda call: (call.item.id, call.repeat))
    conditions = sorted({call.item.condition for call in ordered}, key=lambda name: (name != "clean", name))
    groups = []
    for condition in conditions:
        here = [call for call in ordered if call.item.condition == condition]
        kinds = sorted({_kind(call.item) for call in here})
        for kind in (*kinds, ALL_KINDS):
            members = [call for call in here if kind in (ALL_KINDS, _kind(call.item))]
            groups.append(_group(members, judged, (arm, prompt, condition, kind), seed))
    return groups


def _group(
    members: Sequence[Call], judged: dict[str, JudgedReply], names: tuple[str, str, str, str], seed: int
) -> ResultGroup:
    there = [(call.item, judged[call.key]) for call in members if call.key in judged]
    rates = score_rates([reply.status for _, reply in there])
    scores = [reply.score for _, reply in there if reply.score is not None]
    scored = [item for item, reply in there if reply.score is not None]
    score = None
    if scores:
        score = cluster_bootstrap(scores, [item.cluster for item in scored], seed=seed, resamples=_RESAMPLES)
    arm, prompt, condition, kind = names
    return ResultGroup(
        arm=arm,
        prompt=prompt,
        condition=condition,
        kind=kind,
        n=len(members),
        scored=len(scores),
        unscored=rates.scored - len(scores),
        errors=rates.errors,
        missing=len(members) - len(there),
        score=score,
        chance=sum(chance_level(item.answer_format) for item in scored) / len(scored) if scored else None,
        parse_failure=rates.parse_failure_rate,
        refusal=rates.refusal_rate,
        truncation=rates.truncation_rate,
    )


def _kind(item: RunItem) -> str:
    return item.kind or item.suite or "unnamed"


def _mask_loader(folder: RunFolder) -> LoadMask:
    def load(picture: PictureRef) -> NDArray[np.uint8]:
        target = folder.images.file(picture.sha256)
        try:
            return mask_from_bytes(picture, target.read_bytes())
        except OSError as error:
            raise DiagnosticsError(
                f"mask {picture.path}: {target} cannot be read ({error.strerror or error}); give the run's command "
                "again, which puts it there"
            ) from error

    return load
