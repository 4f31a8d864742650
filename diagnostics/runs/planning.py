"""From settings to a plan: reads the suites, keeps what the limit allows, and counts."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import DiagnosticsError
from .items import RunItem, Unasked, with_pictures
from .plan import Call, DataDescription, RunPlan, RunSettings, planned_calls
from .prompts import PROMPTS
from .selection import stratified
from .sources import read_sources

__all__ = ["PlannedRun", "plan_items", "plan_run", "software_version"]


@dataclass(frozen=True)
class PlannedRun:
    """A plan with everything that it speaks of.

    Attributes:
        items: in the order in which they are asked.
        calls: in order; some may share a key.
        left_out: one line on items that cannot be asked; "" for none.
    """

    plan: RunPlan
    items: tuple[RunItem, ...]
    calls: tuple[Call, ...]
    left_out: str = ""


def plan_run(settings: RunSettings, *, limit: int | None = None) -> PlannedRun:
    """Plans a run.

    Args:
        settings: how is asked.
        limit: items in all, over all suites, kinds and conditions; see `stratified`.

    Raises:
        BenchDataError: a suite cannot be read.
        DiagnosticsError: nothing to ask, or a limit below 1.
    """
    if limit is not None and limit < 1:
        raise DiagnosticsError(f"the limit must be at least 1 item, got {limit}; leave it out to ask all")
    unasked = Unasked()
    found = read_sources(settings.sources, conditions=settings.conditions, unasked=unasked)
    kept = stratified(found, seed=settings.seed, limit=limit)
    return plan_items(settings, with_pictures(kept, seed=settings.seed), limit=limit, left_out=unasked.describe())


def plan_items(
    settings: RunSettings, items: Sequence[RunItem], *, limit: int | None = None, left_out: str = ""
) -> PlannedRun:
    """A plan for items at hand.

    Raises:
        DiagnosticsError: two items have one id, or there is nothing that the models can be asked.
    """
    if len({item.id for item in items}) < len(items):
        raise DiagnosticsError("two items have one id; give each its own")
    calls = planned_calls(settings, items)
    if items and not calls:
        raise DiagnosticsError(f"nothing to ask: {_not_told(settings, items)}")
    data = DataDescription.of(items)
    plan = RunPlan(
        settings=settings,
        limit=limit,
        data=data,
        versions={"seeworthy": software_version(), "python": platform.python_version()},
        runs=len(settings.arms) * len(settings.prompts) * settings.repeats * len(data.conditions),
        calls=len({call.key for call in calls}),
    )
    told = "; ".join(part for part in (left_out, _not_told(settings, items)) if part)
    return PlannedRun(plan, tuple(items), tuple(calls), told)


def _not_told(settings: RunSettings, items: Sequence[RunItem]) -> str:
    """One line on items of which nobody knows what is wrong, where an arm or a prompt would tell it."""
    arms = [arm.name for arm in settings.arms if arm.told != "nothing"]
    prompts = [prompt.name for prompt in settings.prompts if PROMPTS.get(prompt.name).needs_stress]
    unknown = sum(item.stress is None for item in items)
    if not unknown or not (arms or prompts):
        return ""
    return f"{unknown:,} left out of {', '.join([*arms, *prompts])}: nobody knows what is wrong with their pictures"


def software_version() -> str:
    """Of Seeworthy, as it is installed here."""
    try:
        return importlib.metadata.version("seeworthy")
    except importlib.metadata.PackageNotFoundError:
        return "not installed as a package"
