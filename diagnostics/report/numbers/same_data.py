"""Runs can be compared when they asked about the same items; what differs otherwise is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ...errors import DiagnosticsError
from ...runs import JudgedRun, RunItem, plan_differences
from ..summary import SettingDifference

__all__ = ["check_same_data", "setting_differences"]

_NAMED: Final = 3
_FIELDS: Final = (
    "question_id",
    "text",
    "answer_format",
    "truth",
    "condition",
    "scene",
    "kind",
    "suite",
    "coordinates",
    "pictures",
    "mask",
)


def check_same_data(runs: Sequence[JudgedRun], labels: Sequence[str]) -> None:
    """Refuses runs over different items.

    Raises:
        DiagnosticsError: items, truths or pictures differ; the message names how many and which first.
    """
    first = runs[0]
    for run, label in zip(runs[1:], labels[1:], strict=True):
        if run.plan.data.sha256 != first.plan.data.sha256:
            raise DiagnosticsError(
                f"{labels[0]} and {label} asked about different data, so their scores cannot be compared: "
                f"{_difference(first.items, run.items, labels[0], label)}; report on each, or ask both the same"
            )


def setting_differences(runs: Sequence[JudgedRun], labels: Sequence[str]) -> tuple[SettingDifference, ...]:
    """Every setting of the others that differs from the first run's; tags of items too, for they decide groups."""
    found = []
    for run, label in zip(runs[1:], labels[1:], strict=True):
        for one in plan_differences(runs[0].plan, run.plan):
            found.append(
                SettingDifference.model_validate({"run": label, "name": one.name, "left": one.left, "right": one.right})
            )
        other = sum(mine.tags != theirs.tags for mine, theirs in zip(runs[0].items, run.items, strict=True))
        if other:
            found.append(
                SettingDifference(
                    run=label, name="data.tags", left="used", right=f"{other:,} items have other tags, not used"
                )
            )
    return tuple(found)


def _difference(first: Sequence[RunItem], second: Sequence[RunItem], one: str, other: str) -> str:
    here, there = ({item.id: item for item in items} for items in (first, second))
    parts = []
    for label, extra in ((one, here.keys() - there.keys()), (other, there.keys() - here.keys())):
        if extra:
            parts.append(f"{len(extra):,} items only in {label} ({_some(sorted(extra))})")
    fields: Counter[str] = Counter()
    changed = []
    for name in sorted(here.keys() & there.keys()):
        differing = [field for field in _FIELDS if _seen(here[name], field) != _seen(there[name], field)]
        fields.update(differing)
        if differing:
            changed.append(f"{name}: {', '.join(differing)}")
    if changed:
        counts = ", ".join(f"{field} of {count:,}" for field, count in sorted(fields.items()))
        parts.append(f"{len(changed):,} items differ, in the {counts} ({_some(changed)})")
    return "; ".join(parts) or "the plan's digest of the data is not that of its items; give the run's command again"


def _seen(item: RunItem, field: str) -> object:
    value = getattr(item, field)
    # 3 and 3.0 are different truths.
    return repr(value) if field == "truth" else value


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(name[:80] for name in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown}, ..."
